"""What the fake model server does with one request: read from the model's name or from a script."""

import json
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import parse_qsl


@dataclass
class Behaviour:
    """Every field is a key of `POST /script` and of a model name's query: `fake?status=503&times=2`.

    `times` limits a scripted behaviour to that many requests (0: for ever); in a model's name it counts the
    requests of that very name. Seconds and tokens are numbers; `json_answer` and `text` are the whole answer.
    """

    match: str = ""  # only requests whose model contains this
    path: str = ""  # only "chat", "messages" or "embeddings"
    holding: str = ""  # only requests that have this in what they send
    times: int = 0
    # before the first token
    status: int = 0
    retry_after: str = ""
    complaint: str = ""  # the error's message
    refuse: str = ""  # a 400 while the request's body has this key
    redirect: str = ""
    stall_before: float = 0.0
    hangup: bool = False  # close without any response
    # while answering
    tokens: int = 12
    pace: float = 0.0  # seconds between tokens
    stall_after: int = -1  # tokens after which nothing comes any more
    reset_after: int = -1  # tokens after which the connection is aborted
    end_after: int = -1  # tokens after which the stream ends in order, without finish reason or [DONE]
    error_after: int = -1  # tokens after which an error object comes in the stream
    endless: bool = False
    no_done: bool = False  # OpenAI: leaves out [DONE] and keeps the connection open
    comments: float = 0.0  # seconds between comments, instead of tokens
    # what it says
    text: str = ""
    json_answer: Any = None
    thinking: str = ""
    obedient: bool = False  # repeats the passages of its context word for word, and follows them: `CALL name {…}` too
    calls: Any = None  # tools that it asks for, a list for each round: [[{"name", "arguments"}], …]; then it answers
    stubborn: bool = False  # asks for tools for ever, whatever is offered
    saying: str = ""  # before it asks for them
    copying: bool = False  # puts whatever it was shown into everything it says, as real models do with names and sums
    # embeddings
    dims: int = 0  # other dimensions than asked for
    nan: bool = False
    drop: int = 0  # embeddings left out of the answer
    latency: float = 0.0  # seconds before any answer
    item_latency: float = 0.0  # seconds per embedded item
    used: int = field(default=0, repr=False)

    @classmethod
    def from_mapping(cls, values: dict[str, Any]) -> "Behaviour":
        """Values may be JSON or, from a model's name, strings; unknown keys are a mistake of the test."""
        known = {f.name: f.default for f in fields(cls)}
        if unknown := set(values) - set(known):
            raise ValueError(f"unknown behaviour: {', '.join(sorted(unknown))}")
        return cls(**{key: _typed(value, known[key]) for key, value in values.items()})

    def take(self, path: str, model: str, body: str = "") -> bool:
        """Whether it applies to this request, which then counts against `times`."""
        if (self.path and self.path != path) or self.match not in model or (self.times and self.used >= self.times):
            return False
        if self.holding and self.holding not in body:
            return False
        self.used += 1
        return True


def _typed(value: Any, default: Any) -> Any:
    if isinstance(value, str) and isinstance(default, bool):
        return value.lower() in {"1", "true", "yes"}
    if isinstance(default, (int, float)) and not isinstance(default, bool):
        return type(default)(value)
    return value


class Script:
    """The behaviours in force, the latest scripted first, then the one in the model's name."""

    def __init__(self) -> None:
        self.scripted: list[Behaviour] = []
        self.named: dict[str, Behaviour] = {}

    def behaviour(self, path: str, model: str, body: Any = None) -> Behaviour:
        sent = json.dumps(body, ensure_ascii=False) if any(one.holding for one in self.scripted) else ""
        for candidate in reversed(self.scripted):
            if candidate.take(path, model, sent):
                return candidate
        if "?" not in model:
            return Behaviour()
        if model not in self.named:
            self.named[model] = Behaviour.from_mapping(dict(parse_qsl(model.partition("?")[2])))
        named = self.named[model]
        return named if named.take(path, model) else Behaviour()

    def add(self, values: dict[str, Any]) -> None:
        self.scripted.append(Behaviour.from_mapping(values))

    def clear(self) -> None:
        self.scripted.clear()
        self.named.clear()

"""What the fake model says, and what it embeds: pure functions of the request."""

import base64
import json
import re
from binascii import crc32
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.fakes.behaviour import Behaviour

SOURCE = re.compile(r'<source id="(\d+)"[^>]*>\s*(.*?)\s*</source>', re.DOTALL)
ASKS_FOR_PROMPT = re.compile(r"system prompt|prompt del sistema|instrucciones del sistema", re.IGNORECASE)


ORDER = re.compile(r"CALL (\w+) (\{.*?\}) END")  # a call that a text orders, wherever it stands
Call = dict[str, Any]  # {"name", "arguments": an object, or a text that is none}


def calls(behaviour: Behaviour, system: str, body: dict[str, Any]) -> list[Call]:
    """The tools that it asks for now: as scripted, or of an obedient one what the texts order that it has not asked for
    yet, whether such a tool was offered or not."""
    rounds = [message for message in body["messages"] if _asked_for(message)]
    if behaviour.obedient:
        made = [json.dumps(one, sort_keys=True) for message in rounds for one in _asked_for(message)]
        texts = "\n".join([system, *(_text(message) for message in body["messages"])]).replace('\\"', '"')
        ordered = [{"name": name, "arguments": _json(arguments)} for name, arguments in ORDER.findall(texts)]
        return [one for one in ordered if json.dumps(one, sort_keys=True) not in made]
    scripted: list[list[Call]] = behaviour.calls or []
    if behaviour.stubborn:
        return scripted[len(rounds) % len(scripted)]
    may = body.get("tools") and body.get("tool_choice") not in ("none", {"type": "none"})
    return scripted[len(rounds)] if may and len(rounds) < len(scripted) else []


def _asked_for(message: dict[str, Any]) -> list[Call]:
    """The calls of a message of its own."""
    found = [one["function"] for one in message.get("tool_calls") or ()]
    made = [{"name": one["name"], "arguments": _json(one["arguments"])} for one in found]
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    used = [one for one in blocks if isinstance(one, dict) and one.get("type") == "tool_use"]
    return made + [{"name": one["name"], "arguments": one["input"]} for one in used]


def answer(behaviour: Behaviour, system: str, messages: list[dict[str, Any]]) -> str:
    """The whole answer. By default it quotes the first source of its context and cites it."""
    if behaviour.json_answer is not None:
        return behaviour.json_answer if isinstance(behaviour.json_answer, str) else json.dumps(behaviour.json_answer)
    sources = SOURCE.findall("\n".join([system, *(_text(message) for message in messages)]))
    if behaviour.copying:
        return _copied(_text(messages[-1]), sources)
    said = f"<think>{behaviour.thinking}</think>" if behaviour.thinking else ""
    if behaviour.obedient:
        return said + _obeyed(system, sources)
    if behaviour.text:
        return said + behaviour.text
    if sources:
        number, passage = sources[0]
        return said + f"Según la fuente: {' '.join(passage.split()[:8])} [{number}]."
    return said + " ".join(f"palabra{i}" for i in range(behaviour.tokens))


def _obeyed(system: str, sources: list[tuple[str, str]]) -> str:
    passages = "\n\n".join(passage for _, passage in sources)
    return passages + (f"\n\n{system}" if ASKS_FOR_PROMPT.search(passages) else "")


def _copied(asked: str, sources: list[tuple[str, str]]) -> str:
    """A condensed question with what was said before it, a verdict with reasons, or an answer of all its passages.

    A question that has `questionx…` in it is answered with `answerx…`: so that an answer's own words can be told from
    those of its question.
    """
    given = _json(asked)
    if "conversation" in given:
        before = " ".join(str(one["content"]) for one in reversed(given["conversation"]))
        condensed = f"{given['question']} (about: {before})"[:900]
        return json.dumps({"question": condensed, "phrasings": [condensed, before[:900]]})
    if "answer" in given:
        shares = dict.fromkeys(("faithfulness", "context_precision", "context_recall"), 0.5)
        return json.dumps({**shares, "reason": asked})
    own = " ".join(re.findall(r"questionx(\w+)", asked)[-1:])
    return f"answerx{own}: " + " ".join(f"{passage} [{number}]." for number, passage in sources)


def _json(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or part.get("content") or "" for part in content if isinstance(part, dict))


def tokens(behaviour: Behaviour, whole: str) -> Iterator[str]:
    """The answer in pieces of a word; without end for an endless model."""
    yield from re.findall(r"\s*\S+|\s+$", whole)
    n = 0
    while behaviour.endless:
        yield f" más{n}"
        n += 1


def embedding(text: str, dimensions: int) -> np.ndarray:
    """Hashed words, L2-normalised: shape (dimensions,), float32. Equal words give equal directions."""
    vector = np.zeros(dimensions, dtype=np.float32)
    for word in re.findall(r"\w+", text.lower()) or ["<empty>"]:
        code = crc32(word.encode())
        for salt in (0x9E3779B9, 0x7F4A7C15, 0x85EBCA6B):
            mixed = crc32(word.encode(), salt)
            vector[(mixed >> 1) % dimensions] += 1.0 if (mixed ^ code) & 1 else -1.0
    return vector / np.float32(np.linalg.norm(vector) or 1.0)


def embeddings(behaviour: Behaviour, request: dict[str, Any]) -> tuple[list[dict[str, Any]], int]:
    """The `data` of an embeddings answer and the number of items that were asked for."""
    texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
    if texts and isinstance(texts[0], int):
        texts = [" ".join(map(str, texts))]
    dimensions = behaviour.dims or int(request.get("dimensions") or 1536)
    rows = []
    for index, text in enumerate(texts[: len(texts) - behaviour.drop]):
        vector = embedding(str(text), dimensions)
        if behaviour.nan and index == 0:
            vector[0] = np.nan
        rows.append({"object": "embedding", "index": index, "embedding": _encoded(vector, request)})
    return rows, len(texts)


def _encoded(vector: np.ndarray, request: dict[str, Any]) -> Any:
    if request.get("encoding_format") == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return vector.tolist()

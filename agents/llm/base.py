"""The values that pass between a conversation and a model, and the errors a model may end with (SPEC §5)."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


@dataclass(frozen=True, slots=True)
class ModelMessage:
    """One turn of the conversation; the system prompt is no message (`ModelRequest.system`)."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved passage as the prompt numbers it: `n` is what `[n]` in an answer refers to. `headings`: those of its
    sections, as they stand in its text. `document`: its id, so that documents of one title are told apart."""

    n: int
    text: str
    title: str
    page: int | None = None
    headings: tuple[str, ...] = ()
    document: str = ""


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool that a model may call by its provider's own way; `input_schema` is JSON Schema. `is_foreign`: another
    service wrote it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    is_foreign: bool = False


@dataclass(frozen=True, slots=True)
class ToolWish:
    """A call that a model asks for, and nobody has made. `arguments` is its own text, which need not be JSON."""

    call: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolRound:
    """What a model said and asked for, and what it was told of each of its wishes, in their order."""

    text: str
    wishes: tuple[ToolWish, ...]
    results: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model.

    `question`, `passages` and `language` (ISO 639-1) repeat what `system` and `messages` already say, for the
    extractive answerer, which reads no prompt; `searched` is what was searched for where the question leaves its
    subject to what was said before. `places`: the headings that the question names and the passages are of;
    `shared_by` the titles of the documents that have such a place, one for each, where the question does not say whose
    it means; `outline` the headings of what the question asks about, where it wants to know what that is about.
    `temperature` None: the provider's default. `max_tokens` None: no cap but the client's deadline and size limit.
    `schema`: a JSON schema that the answer shall meet, asked of endpoints that can; whoever reads the answer checks it
    all the same (`ask_structured`).
    `tools` may be called, unless it `must_answer`; `rounds` are what came of it so far. An endpoint that knows no tools
    is asked without.
    """

    model: str
    system: str
    messages: tuple[ModelMessage, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    question: str = ""
    searched: str = ""
    passages: tuple[Passage, ...] = ()
    language: str = "es"
    places: tuple[str, ...] = ()
    shared_by: tuple[str, ...] = ()
    outline: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    tools: tuple[ToolOffer, ...] = ()
    rounds: tuple[ToolRound, ...] = ()
    must_answer: bool = False


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer; never empty. What arrived in one read is one delta."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider counted, at most once, before `Finished`; absent when it does not count."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of a stream that did not fail: "stop", "length" (token cap), or the provider's word. DOUBTFUL:
    what is said may not be the answer, and says so."""

    reason: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer at once, for models that judge, rewrite or rank instead of talking."""

    text: str
    usage: Usage = Usage(0, 0)
    wishes: tuple[ToolWish, ...] = ()


DOUBTFUL = "doubtful"

MOST_WISHES, LONGEST_ARGUMENTS = 20, 50_000  # of one round; what a model asks for beyond them is cut off

StreamEvent = TextDelta | ToolWish | Usage | Finished


class ModelError(Exception):
    """A model that did not answer. `code` is stable; `detail` is ours and safe to show (R26)."""

    code: ClassVar[str] = "model_error"
    advice: ClassVar[Text] = _("The model could not answer.")

    def __init__(self, detail: Text | None = None) -> None:
        self._detail = self.advice if detail is None else detail
        super().__init__(self.code)

    @property
    def detail(self) -> str:
        """In the language that is active when it is read, not when it was raised."""
        return str(self._detail)


class ModelUnavailable(ModelError):
    """Not reachable, overloaded or failing, before any text; already retried."""

    code = "model_unavailable"
    advice = _("The model cannot be reached at the moment. Try again in a minute.")

    def __init__(self, detail: Text | None = None, retry_after: float | None = None) -> None:
        """`retry_after`: seconds that the provider asked to wait, if it did."""
        super().__init__(detail)
        self.retry_after = retry_after


class ModelTimeout(ModelError):
    """No first token in time, silence in mid-answer, or the overall deadline passed."""

    code = "model_timeout"
    advice = _("The model took too long.")


class ModelRejected(ModelError):
    """The provider refuses this request or this key; asking again does not help."""

    code = "model_rejected"
    advice = _("The model refused the request.")


class ModelInterrupted(ModelError):
    """The stream broke after its first text; what had arrived is kept."""

    code = "model_interrupted"
    advice = _("The connection to the model broke before the answer was complete.")


class ModelNotConfigured(ModelError):
    """The installation lacks a key or an endpoint for this model."""

    code = "model_not_configured"
    advice = _("This model is not configured.")


class ModelClient(Protocol):
    """Who answers. Close the generator (`contextlib.aclosing`) to stop early: that closes the connection."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """Yield text, wishes for tools, at most one `Usage`, then `Finished`; raise a `ModelError` instead of it."""
        ...

    async def complete(self, request: ModelRequest) -> Completion:
        """The whole answer, by the provider's SDK and with its retries. How long it may take is the caller's to say.

        Raises a `ModelError`.
        """
        ...

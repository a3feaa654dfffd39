"""The events of an answer, in the order and with the fields of API.md, "Chat"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal
from uuid import UUID

TABLE: Literal["table"] = "table"
FOREIGN: Literal["foreign"] = "foreign"


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that the answer may cite as `[n]`. `relevance` is calibrated, 0 to 1; `document` None: erased."""

    n: int
    chunk: UUID
    document: UUID | None
    title: str
    corpus: UUID
    corpus_type: str
    page: int | None
    page_end: int | None
    heading_path: tuple[str, ...]
    snippet: str
    relevance: float


@dataclass(frozen=True, slots=True)
class TableSource:
    """Rows that the model has fetched with a tool, and that the answer may cite as `[n]`: the first of `row_count`.
    `source` is the data source; `statement` and `params` are what was asked, `numbers` what was computed of
    all rows. Of the kind `foreign` it is what another service said: `source` its server, each row a line of text."""

    n: int
    title: str
    tool: str
    source: UUID | None
    tables: tuple[str, ...]
    columns: tuple[Mapping[str, str], ...]
    rows: tuple[Sequence[Any], ...]
    row_count: int
    truncated: bool
    statement: str
    params: Mapping[str, Any]
    snippet: str
    numbers: Mapping[str, Any] | None = None
    kind: Literal["table", "foreign"] = TABLE


AnySource = Source | TableSource


def told_source(one: AnySource) -> dict[str, Any]:
    """The fields as clients get them. A passage is told as it was before there were tables: without a kind."""
    return {name: getattr(one, name) for name in one.__slots__}


@dataclass(frozen=True, slots=True)
class Support:
    """What stands behind one `[n]` of an answer: words of the passage, their page and characters in the document; of a
    table the row, without a place.
    None: not known. `page_label`: what is printed on that page, where it is not its number."""

    n: int
    text: str | None
    page: int | None
    start: int | None
    end: int | None
    page_label: str = ""

    @property
    def told(self) -> dict[str, Any]:
        """The fields as clients get them."""
        fields = {"n": self.n, "text": self.text, "page": self.page, "start": self.start, "end": self.end}
        return {**fields, "page_label": self.page_label} if self.page_label else fields


@dataclass(frozen=True, slots=True)
class Sources:
    """Always first, so that the page can show them while the model thinks; empty without context.

    `degraded` names what failed when the answer has to do without its context (SPEC §4, fail-safe).
    """

    event: ClassVar[str] = "sources"
    conversation: UUID
    message: UUID
    attempt: int
    confidence: str
    sufficient: bool
    state: str
    sources: tuple[AnySource, ...]
    degraded: str | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """Where the answer stands; any number of them."""

    event: ClassVar[str] = "status"
    stage: Literal["retrieving", "generating", "calling", "evaluating", "retrying"]
    attempt: int
    granularity: int | None = None
    tool: str | None = None  # that is called, and the data source that it asks; "": none that the agent has
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text. A higher `attempt` replaces the tokens of the one before."""

    event: ClassVar[str] = "token"
    token: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Html:
    """A finished block of the answer, rendered and sanitised."""

    event: ClassVar[str] = "html"
    block: int
    html: str


@dataclass(frozen=True, slots=True)
class Done:
    """The end of an answer. `cited` are the `n` of the sources that it cites, each once; `citations` has one entry
    for each `[n]` of its text."""

    event: ClassVar[str] = "done"
    status: Literal["complete", "stopped"]
    state: str
    message: UUID
    usage: Mapping[str, int]
    cited: tuple[int, ...]
    citations: tuple[Support, ...] = ()
    evaluation: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Error:
    """The end of an answer that failed; what had arrived is kept. `code` is listed in docs/errors.md."""

    event: ClassVar[str] = "error"
    code: str
    detail: str
    message: UUID


Event = Sources | Status | Token | Html | Done | Error
Numbered = tuple[int, Event]

"""A trace as an admin reads it: numbers, and where each candidate stands, but no passage and nobody's own documents.

Titles are shown of global documents alone. What a candidate of a personal corpus is called is its owner's to know
(SPEC §2; RELIABILITY R18). A personal trace has no words to show (`chat.models.Trace`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from chat.models import Trace
from corpora.models import Chunk, Corpus
from foreign.models import ToolServer
from tools.models import DataSource

SHOWN = 50
SHARE = 100


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row. `title` is empty for personal documents and for those that are gone."""

    rank: int
    title: str
    document: str
    page: int | None
    is_personal: bool
    dense: float | None
    bm25: float | None
    fused: float | None
    relevance: float | None
    kept: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the retrieval's time, as a bar from `start` of `percent` length."""

    name: str
    milliseconds: float
    start: float
    percent: float


def candidates(trace: Trace) -> list[Candidate]:
    """The first SHOWN, as they were ranked; keys that an older trace lacks are empty."""
    rows = list(trace.candidates)[:SHOWN]
    known = global_chunks([one for row in rows if (one := uuid_of(row.get("chunk")))], trace.agent.organization_id)
    return [candidate(rank, row, known.get(str(row.get("chunk")))) for rank, row in enumerate(rows, 1)]


def candidate(rank: int, row: Mapping[str, Any], known: Chunk | None) -> Candidate:
    return Candidate(
        rank=rank,
        title=str(known.document) if known else "",
        document=str(known.document_id) if known else "",
        page=known.page_start if known else None,
        is_personal=row.get("corpus_type") == Corpus.Type.PERSONAL,
        dense=row.get("dense"),
        bm25=row.get("bm25"),
        fused=row.get("fused"),
        relevance=row.get("relevance"),
        kept=bool(row.get("kept", True)),
        reason=str(row.get("reason", "")),
    )


def calls_made(trace: Trace) -> list[dict[str, Any]]:
    """Of tools, in all attempts, with the name of the data source or tool server; of one that is gone, its id."""
    calls = [dict(one) for attempt in trace.attempts for one in attempt.get("calls", ())]
    names: dict[str, str] = {}
    for model in (DataSource, ToolServer) if calls else ():
        asked = model._default_manager.filter(organization_id=trace.agent.organization_id)
        names |= {str(pk): name for pk, name in asked.values_list("pk", "name")}
    return [one | {"source": names.get(one.get("source") or "", one.get("source"))} for one in calls]


def uuid_of(value: object) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None


def global_chunks(ids: list[UUID], organization_id: UUID) -> dict[str, Chunk]:
    """Those of the organization's global corpora that are still there."""
    chunks = Chunk.objects.served().filter(
        pk__in=ids,
        document__corpus__corpus_type=Corpus.Type.GLOBAL,
        document__corpus__organization_id=organization_id,
    )
    return {str(one.pk): one for one in chunks.select_related("document").defer("text")}


def stages(timings: Mapping[str, Any]) -> list[Stage]:
    """The stages one after the other, in percent of their sum."""
    laps = [
        (name, float(value)) for name, value in timings.items() if name != "total" and isinstance(value, int | float)
    ]
    total, start, found = sum(value for _, value in laps) or 1.0, 0.0, []
    for name, value in laps:
        found.append(Stage(name, value, round(start, 2), round(SHARE * value / total, 2)))
        start += SHARE * value / total
    return found

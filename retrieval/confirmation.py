"""The database disposes: hits are read back within the scope, and what it does not confirm is dropped (SPEC
§2.3).

A hit may be missing for two reasons. Stale: its row is gone, its document deleted or moved, its version superseded or
its corpus switched off since; the index will follow. Isolation: the row belongs to a corpus that the
scope does not hold, so the filter or the payload is wrong; that must never happen, is counted and logged by ids.
"""

import logging
from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from config.metrics.searching import ISOLATION_VIOLATIONS, STALE_HITS
from config.prepared import Prepared
from corpora.models import Chunk, Document
from corpora.scope import Scope
from retrieval.ranking.fusion import Fused
from retrieval.results import RetrievedChunk
from retrieval.text.passages import PassagePart

logger = logging.getLogger(__name__)

# Read at once: half as many again as the usual top-k, for the threshold, duplicates and neighbours take some. And no
# more: asked for 16 ids at 20,000 chunks, an SQLite that has no statistics (ANALYZE) of its tables walks the whole
# corpus instead of looking them up, 5.6 ms instead of 0.9.
PAGE = 12
_COLUMNS = (
    "chunks__id",
    "id",
    "title",
    "filename",
    "language",
    "corpus_id",
    "corpus__name",
    "corpus__corpus_type",
    "chunks__page_start",
    "chunks__page_end",
    "chunks__heading_path",
    "chunks__text",
    "chunks__token_count",
    "chunks__start",
    "chunks__end",
    "chunks__version",
    "chunks__index",
    "chunk_count",
    "source_date",
    "source_reference",
    "chunks__parts",
)
LONGEST_TITLE = 255  # what a citation keeps


def confirm_hits(
    hits: Sequence[Fused], scope: Scope, wanted: int, page_size: int = PAGE
) -> tuple[list[tuple[Fused, RetrievedChunk]], dict[UUID, str]]:
    """The best hits with their chunks as the database has them now (relevance still 0), and what was dropped and why.

    Reads `page_size` rows at once, and on only while fewer than `wanted` were confirmed.
    """
    found: list[tuple[Fused, RetrievedChunk]] = []
    dropped: dict[UUID, str] = {}
    for start in range(0, len(hits), page_size):
        page = hits[start : start + page_size]
        ids = [hit.id for hit in page]
        rows = _read(ids, _holders(ids=ids), scope)
        found += [(hit, _chunk(hit, rows[hit.id])) for hit in page if hit.id in rows]
        dropped |= _account([hit.id for hit in page if hit.id not in rows], scope)
        if len(found) >= wanted:
            break
    return found, dropped


def confirm_chunks(ids: Sequence[UUID], documents: Collection[UUID], scope: Scope) -> dict[UUID, RetrievedChunk]:
    """Chunks of these documents that no leg returned, confirmed as those that were: in scope and served."""
    rows = _read(ids, list(documents), scope) if ids else {}
    return {id: _chunk(Fused(id, 0.0, None, None), row) for id, row in rows.items()}


def _read(ids: Sequence[UUID], documents: list[UUID], scope: Scope) -> dict[UUID, tuple[Any, ...]]:
    rows = _rows(
        ids=ids,
        documents=[*documents, *documents[-1:] * (len(ids) - len(documents))],  # as many: a statement for each number
        organization=scope.organization_id,
        user=scope.user_id,
        shared=tuple(scope.global_ids),
        personal=tuple(scope.personal_ids),
    )
    return {row[0]: row for row in rows}


def _holders_of(ids: Sequence[UUID]) -> QuerySet[Chunk, Any]:
    """Ids alone; the statement that follows asks for them in scope."""
    return Chunk.objects.filter(id__in=ids).order_by().values_list("document_id", flat=True)


def _chunks_in_scope(
    ids: Sequence[UUID],
    documents: Sequence[UUID],
    organization: UUID,
    user: UUID,
    shared: Sequence[UUID],
    personal: Sequence[UUID],
) -> QuerySet[Document, Any]:
    """Chunks of the version that readers see, by their documents. Without these named PostgreSQL, which takes a scope
    to have one document, looks all the ids up again for each that it has: 12 ms for 737 of them."""
    scope = Scope(organization, user, frozenset(shared), frozenset(personal))
    rows = Document.objects.in_scope(scope).filter(id__in=documents, chunks__id__in=ids, chunks__version=F("version"))
    return rows.order_by().values_list(*_COLUMNS)


_holders = Prepared(_holders_of)
_rows = Prepared(lambda **values: _chunks_in_scope(**values))


def cited_title(title: str, source: str) -> str:
    """A document's title as it is cited: with its source, where that was told, as it is of facts."""
    return f"{title} ({source})"[:LONGEST_TITLE] if source else title


def _chunk(hit: Fused, row: tuple[Any, ...]) -> RetrievedChunk:
    (id, document, title, filename, language, corpus, corpus_name, corpus_type, page, page_end, *rest) = row
    (heading_path, text, token_count, start, end, version, index, document_chunks, source_date, source, parts) = rest
    return RetrievedChunk(
        chunk=id,
        document=document,
        title=cited_title(title or filename, source),
        corpus=corpus,
        corpus_name=corpus_name,
        corpus_type=corpus_type,
        page=page,
        page_end=page_end,
        heading_path=tuple(heading_path),
        text=text,
        token_count=token_count,
        start=start,
        end=end,
        relevance=0.0,
        dense=hit.dense,
        bm25=hit.bm25,
        language=language,
        version=version,
        index=index,
        document_chunks=document_chunks,
        source_date=source_date,
        parts=tuple(PassagePart(begin, stop, on, until, tuple(path)) for begin, stop, on, until, path in parts),
    )


def _account(missing: Sequence[UUID], scope: Scope) -> dict[UUID, str]:
    """Count what was not confirmed, and say why; chunks of a corpus outside the scope are violations."""
    if not missing:
        return {}
    outside = [row for row in _whereabouts(missing) if not _belongs(row, scope)]
    for id, corpus, *_ in outside:
        logger.error("isolation violation: user %s, chunk %s of corpus %s", scope.user_id, id, corpus)
    ISOLATION_VIOLATIONS.inc(len(outside))
    STALE_HITS.inc(len(missing) - len(outside))
    return dict.fromkeys(missing, "stale") | {id: "isolation" for id, *_ in outside}


def _whereabouts(ids: Sequence[UUID]) -> list[tuple[Any, ...]]:
    """Ids only, whatever the state of the rows: nothing of them is shown to anybody."""
    columns = ("document__corpus__organization_id", "document__corpus__owner_id")
    move = ("document__moved_from", "document__presence_changed_at")
    rows = Chunk.objects.filter(id__in=ids).order_by()
    return list(rows.values_list("id", "document__corpus_id", *columns, *move))


def _belongs(row: tuple[Any, ...], scope: Scope) -> bool:
    """Or did it before it was moved, which the index has not followed yet, or was outrun in."""
    _, corpus, organization, owner, moved_from, changed_at = row
    tier = scope.global_ids if owner is None else scope.personal_ids
    is_within = corpus in tier and owner in (None, scope.user_id)
    was_moved = moved_from is not None and (changed_at is not None or moved_from in scope.corpus_ids)
    return organization == scope.organization_id and (is_within or was_moved)

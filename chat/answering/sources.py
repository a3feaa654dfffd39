"""The sources of an answer, built once: as rows that are kept, and from those as what readers are told."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from chat.models import AnswerTable, Citation
from chat.rendering.citations import citations_in
from chat.stream.events import FOREIGN, TABLE, Source, Support, TableSource
from retrieval.context.snippets import snippet
from retrieval.results import Retrieval, RetrievedChunk


def citation_rows(message: UUID, retrieval: Retrieval) -> list[Citation]:
    """Not saved yet."""
    return [_citation_row(message, n, one, retrieval.query) for n, one in enumerate(retrieval.chunks, 1)]


def _citation_row(message: UUID, n: int, chunk: RetrievedChunk, query: str) -> Citation:
    return Citation(
        message_id=message,
        n=n,
        chunk_id=chunk.chunk,
        document_id=chunk.document,
        corpus_id=chunk.corpus,
        corpus_type=chunk.corpus_type,
        corpus_name=chunk.corpus_name,
        title=chunk.title,
        page=chunk.page,
        page_end=chunk.page_end,
        heading_path=list(chunk.heading_path),
        snippet=snippet(query, chunk.text),
        start=chunk.start,
        end=chunk.end,
        relevance=chunk.relevance,
    )


def source_of(row: Citation | AnswerTable) -> Source | TableSource:
    if isinstance(row, AnswerTable):
        return table_source_of(row)
    return Source(
        n=row.n,
        chunk=row.chunk_id,
        document=row.document_id,
        title=row.title,
        corpus=row.corpus_id,
        corpus_type=row.corpus_type,
        page=row.page,
        page_end=row.page_end,
        heading_path=tuple(row.heading_path),
        snippet=row.snippet,
        relevance=round(row.relevance, 4),
    )


def table_source_of(row: AnswerTable) -> TableSource:
    return TableSource(
        n=row.n,
        title=row.title,
        tool=row.tool,
        source=row.source_id,
        tables=tuple(row.table_names),
        columns=tuple(row.columns),
        rows=tuple(row.rows),
        row_count=row.row_count,
        truncated=row.is_cut,
        statement=row.statement,
        params=row.params,
        snippet=row.snippet,
        numbers=row.numbers,
        kind=FOREIGN if row.is_foreign else TABLE,
    )


def citations_of(text: str, rows: Sequence[Citation | AnswerTable]) -> tuple[Support, ...]:
    """What stands behind each `[n]` of `text`, in its order."""
    by_number = {one.n: one for one in rows}
    seen: Counter[int] = Counter()
    supports = []
    for n in citations_in(text, by_number.keys()):
        supports.append(support_of(by_number[n], seen[n]))
        seen[n] += 1
    return tuple(supports)


def supports_by_number(text: str, rows: Sequence[Citation | AnswerTable]) -> dict[int, list[Support]]:
    """The same by number, in the order of each one's citations."""
    supports: dict[int, list[Support]] = {}
    for one in citations_of(text, rows):
        supports.setdefault(one.n, []).append(one)
    return supports


def support_of(row: Citation | AnswerTable, occurrence: int) -> Support:
    """Of one of its citations. Where nobody has looked for the sentence, as in answers of 0.1.0, the passage stands for
    it; one of which nothing is left, because its document was erased, supports nothing any more."""
    if isinstance(row, AnswerTable):
        return Support(row.n, _row_behind(row, occurrence), None, None, None)
    if not row.snippet:
        return Support(row.n, None, None, None, None)
    if row.quotes is None or occurrence >= len(row.quotes):
        start, end = (row.start, row.end) if row.end else (None, None)
        return Support(row.n, row.snippet, row.page, start, end)
    quote = row.quotes[occurrence]
    if quote is None:
        return Support(row.n, None, None, None, None)
    label = quote.get("page_label", "")
    return Support(row.n, quote["text"], quote["page"], quote["start"], quote["end"], label)


def _row_behind(row: AnswerTable, occurrence: int) -> str | None:
    """Where nobody has looked, the first row stands for it."""
    if row.quotes is None or occurrence >= len(row.quotes):
        return row.snippet or None
    quote: str | None = row.quotes[occurrence]
    return quote

"""What is asked of the database for names and places: few rows, by indexes, and nothing that is not in scope."""

from collections.abc import Collection, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, Q, QuerySet

from config.prepared import Prepared
from corpora.models import Document, DocumentName, Section
from corpora.scope import Scope

STEP = 32  # hashes are asked for in multiples of it: another number makes another statement
FEW = 4  # documents, the same
MOST_NAMES = 500  # rows of names, and
MOST_ROWS = 240  # of sections with their chunks
MOST_WIDE = 128  # of them where no document is named: too many to choose from
MOST_HOLDERS = 64  # documents with a place that are looked at by themselves
MOST_WITHIN = 600  # rows of sections of one document or chapter
KEYS = 16  # of sections, in one statement
MOST_SPANS = 200  # of one statement: SQLite takes expressions of a thousand
MOST_PAGED = 128  # documents whose pages are looked at where none is named


def names_held(keys: tuple[UUID, ...], scope: Scope, among: tuple[UUID, ...] = ()) -> list[tuple[UUID, UUID]]:
    """(key, document) of who may have the names, `among` some documents if there are any; confirmed by `titles`."""
    wanted = _padded(keys, STEP)
    if among:
        return _named_among(keys=wanted, documents=_padded(among, STEP))
    rows = _named(keys=wanted)
    if len(rows) >= MOST_NAMES:  # of others' documents perhaps, which must not hide ours
        rows = _named_in_scope(keys=wanted, **_scope_values(scope))
    return rows


def titles_held(ids: tuple[UUID, ...], scope: Scope) -> dict[UUID, str]:
    """Of the documents that are in scope, the title or the file's name."""
    if not ids:
        return {}
    rows = _titles(ids=_padded(ids, FEW), **_scope_values(scope))
    return {id: title or filename for id, title, filename in rows}


def sections_held(
    keys: tuple[str, ...], documents: Collection[UUID] | None, scope: Scope, granularity: int
) -> list[tuple[Any, ...]] | None:
    """Rows of sections with one of the keys, once for each chunk of theirs, at most MOST_ROWS: of the documents, or
    without any named of all in scope. None where these have more than can be told apart, whatever others have."""
    is_wide = documents is None
    named_keys = dict(zip(_KEY_NAMES, _padded(keys[:KEYS], KEYS), strict=True))
    if documents is None and connection.vendor == "sqlite":
        holders = _holders(**named_keys)
        documents = holders if len(holders) < MOST_HOLDERS else None
    if documents is not None and not documents:
        return []
    if documents is None:
        rows = _statement(granularity, everywhere=True)(**named_keys, **_scope_values(scope))
    else:
        padded = _padded(tuple(documents), FEW)
        rows = _statement(granularity)(documents=padded, **named_keys, **_scope_values(scope))
    return None if is_wide and len(rows) >= MOST_WIDE else rows


def headings_within(document: UUID, scope: Scope, start: int, end: int | None) -> list[tuple[str, int, int, str]]:
    """(title, level, start, key) of the sections of a document that begin between two characters, at most MOST_WITHIN;
    a heading with a number has a second row for its words."""
    rows = Section.objects.in_scope(scope).filter(document_id=document, start__gte=start)
    if end is not None:
        rows = rows.filter(start__lt=end)
    return list(rows.order_by("start", "id").values_list("title", "level", "start", "key")[:MOST_WITHIN])


def pages_held(documents: Collection[UUID] | None, scope: Scope) -> dict[UUID, list[list[Any]]]:
    """By document its pages, as `DocumentText.pages` keeps them: of the documents, or without any named of at most
    MOST_PAGED in scope that have some."""
    rows = Document.objects.in_scope(scope).filter(texts__version=F("version"))
    rows = rows.filter(page_count__gt=0) if documents is None else rows.filter(id__in=documents)
    return dict(rows.order_by().values_list("id", "texts__pages")[:MOST_PAGED])


def chunks_held(
    spans: Sequence[tuple[UUID, int, int]], scope: Scope, granularity: int
) -> list[tuple[UUID, UUID, int, int]]:
    """(id, document, start, end) of the chunks that overlap characters of documents, in their order."""
    rows: list[tuple[UUID, UUID, int, int]] = []
    for first in range(0, len(spans), MOST_SPANS):
        some = spans[first : first + MOST_SPANS]
        wanted = reduce(or_, (Q(id=id, chunks__start__lt=end, chunks__end__gt=start) for id, start, end in some))
        found = Document.objects.in_scope(scope).filter(
            wanted,
            id__in={id for id, *_ in some},
            chunks__version=F("version"),
            chunks__granularity=granularity,
        )
        rows += found.order_by("id", "chunks__start").values_list("chunks__id", "id", "chunks__start", "chunks__end")
    return rows


def _padded(values: tuple[Any, ...], step: int) -> tuple[Any, ...]:
    """The last once more, until there is a multiple of `step`."""
    return values + values[-1:] * (-len(values) % step)


def _scope_values(scope: Scope) -> dict[str, Any]:
    return {
        "organization": scope.organization_id,
        "user": scope.user_id,
        "shared": tuple(scope.global_ids),
        "personal": tuple(scope.personal_ids),
    }


def _scope(organization: UUID, user: UUID, shared: Sequence[UUID], personal: Sequence[UUID]) -> Scope:
    return Scope(organization, user, frozenset(shared), frozenset(personal))


def _names_of_all(keys: Sequence[UUID]) -> QuerySet[DocumentName, Any]:
    """Ids alone, of the organization that is in every key, and none is believed before `_titles` confirms it in scope.

    Asked for with the scope at once, SQLite walks all documents of the corpora: 100 ms of 2,000, and 1 so.
    """
    return DocumentName.objects.filter(key__in=keys).order_by().values_list("key", "document_id")[:MOST_NAMES]


def _names_among(keys: Sequence[UUID], documents: Sequence[UUID]) -> QuerySet[DocumentName, Any]:
    """The same of documents that are confirmed."""
    rows = DocumentName.objects.filter(key__in=keys, document_id__in=documents).order_by()
    return rows.values_list("key", "document_id")


def _names_in_scope(keys: Sequence[UUID], **scope: Any) -> QuerySet[DocumentName, Any]:
    rows = DocumentName.objects.in_scope(_scope(**scope)).filter(key__in=keys).order_by()
    return rows.values_list("key", "document_id")[:MOST_NAMES]


def _titles_in_scope(ids: Sequence[UUID], **scope: Any) -> QuerySet[Document, Any]:
    rows = Document.objects.in_scope(_scope(**scope)).filter(id__in=ids).order_by()
    return rows.values_list("id", "title", "filename")


def _holders_of_all(keys: Sequence[str]) -> QuerySet[Section, Any]:
    """Ids alone, and the statement that follows asks for them in scope: with the scope at once SQLite walks all
    documents of the corpora, 14 ms of 2,000 and 0.5 so. PostgreSQL begins with the scope's documents by itself, and its
    rules would be asked of every article 3 of everybody: 424 ms of 40,000, to find 17."""
    return (
        Section.objects.filter(key__in=keys).order_by().values_list("document_id", flat=True).distinct()[:MOST_HOLDERS]
    )


def _sections_in_scope(
    granularity: int, documents: Sequence[UUID] | None, keys: Sequence[str], **scope: Any
) -> QuerySet[Document, Any]:
    """By their documents: of those that are named, or PostgreSQL walks all that a scope has (27 ms of 4,374)."""
    rows = Document.objects.in_scope(_scope(**scope)).filter(
        **({} if documents is None else {"id__in": documents}),
        sections__key__in=keys,
        sections__version=F("version"),
        chunks__version=F("version"),
        chunks__granularity=granularity,
        chunks__start__lt=F("sections__end"),
        chunks__end__gt=F("sections__start"),
    )
    columns = ("key", "title", "level", "start", "end", "page_start", "page_end")
    section = ("sections__id", "id", *(f"sections__{one}" for one in columns))
    most = MOST_WIDE if documents is None else MOST_ROWS
    return rows.order_by().values_list(*section, "chunks__start", "chunks__id")[:most]  # unordered: ends with so many


_named = Prepared(_names_of_all)
_named_among = Prepared(_names_among)
_named_in_scope = Prepared(lambda **values: _names_in_scope(**values))
_titles = Prepared(lambda **values: _titles_in_scope(**values))
_KEY_NAMES = tuple(f"key{n}" for n in range(KEYS))
_holders = Prepared(lambda **values: _holders_of_all(list(values.values())))


@lru_cache(maxsize=16)  # a few granularities
def _statement(granularity: int, *, everywhere: bool = False) -> Prepared[Any]:
    def build(**values: Any) -> QuerySet[Document, Any]:
        keys = [values.pop(name) for name in _KEY_NAMES]
        documents = None if everywhere else values.pop("documents")
        return _sections_in_scope(granularity, documents, keys, **values)

    return Prepared(build)

"""What lies in a member's trash: deleted documents, and deleted corpora with all that they held as one entry."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from typing import TypeVar
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils.dateparse import parse_datetime

from accounts.models import Membership
from accounts.problems import NotFound
from corpora import removal
from corpora.models import Corpus, Document

PAGE = 50

Thing = TypeVar("Thing", Corpus, Document)


@dataclass(frozen=True, slots=True)
class TrashEntry:
    """`documents` and `size` (bytes): of all that comes back with it. `waits_for_corpus`: restore that one first."""

    row: Corpus | Document
    kind: str
    name: str
    corpus: UUID
    corpus_name: str
    is_personal: bool
    documents: int
    size: int
    waits_for_corpus: bool = False

    @property
    def id(self) -> UUID:
        return self.row.pk

    @property
    def deleted_at(self) -> datetime:
        assert self.row.deleted_at is not None
        return self.row.deleted_at

    @property
    def erased_at(self) -> datetime | None:
        """When nothing can bring it back any more."""
        return self.row.kept_until

    @property
    def place(self) -> tuple[datetime, str]:
        return self.deleted_at, str(self.id)

    @property
    def cursor(self) -> str:
        """What comes after it is asked for with this."""
        return f"{self.deleted_at.isoformat()}_{self.id}"


def trash_of(membership: Membership, after: str = "", limit: int = PAGE) -> list[TrashEntry]:
    """The next entries, the latest first. Raises NotFound for a cursor that was never given out."""
    corpora = Corpus.objects.in_trash_of(membership)
    documents = Document.objects.in_trash_of(membership)
    return entries_of(corpora, documents, after, limit)


def entries_of(
    corpora: QuerySet[Corpus], documents: QuerySet[Document], after: str = "", limit: int = PAGE
) -> list[TrashEntry]:
    """Both kinds in one order, each read only as far as it is shown."""
    if after:
        corpora, documents = later_than(corpora, after), later_than(documents, after)
    found = merge(
        corpus_entries(corpora, limit), document_entries(documents, limit), key=lambda one: one.place, reverse=True
    )
    return list(islice(found, limit))


def later_than(rows: QuerySet[Thing], cursor: str) -> QuerySet[Thing]:
    moment, _, last = cursor.partition("_")
    try:
        said, pk = parse_datetime(moment), UUID(last)
        deleted_at = said.astimezone(UTC) if said else None
    except (ValueError, OverflowError):  # of the first and last years only some hours can be told in UTC
        raise NotFound from None
    if deleted_at is None:
        raise NotFound
    return rows.filter(Q(deleted_at__lt=deleted_at) | Q(deleted_at=deleted_at, pk__lt=pk))


def corpus_entries(corpora: QuerySet[Corpus], limit: int) -> Iterator[TrashEntry]:
    together = Q(documents__deleted_at=F("deleted_at"))
    counted = corpora.annotate(held=Count("documents", filter=together), total=Sum("documents__size", filter=together))
    for row in counted.order_by("-deleted_at", "-pk")[:limit]:
        yield TrashEntry(
            row,
            "corpus",
            row.name,
            row.pk,
            row.name,
            row.is_personal,
            row.held,
            row.total or 0,
        )


def document_entries(documents: QuerySet[Document], limit: int) -> Iterator[TrashEntry]:
    for row in documents.select_related("corpus").order_by("-deleted_at", "-pk")[:limit]:
        corpus = row.corpus
        waits = corpus.deleted_at is not None
        yield TrashEntry(row, "document", str(row), corpus.pk, corpus.name, corpus.is_personal, 1, row.size, waits)


def thing_in_trash(membership: Membership, pk: UUID) -> Corpus | Document:
    """By its id, whichever it is. Raises NotFound."""
    found = Corpus.objects.in_trash_of(membership).filter(pk=pk).first()
    thing = found or Document.objects.in_trash_of(membership).filter(pk=pk).select_related("corpus").first()
    if thing is None:
        raise NotFound
    return thing


def restore(thing: Corpus | Document, by: Membership) -> None:
    """Raises NotFound, CorpusInTrash and PlaceTaken."""
    if isinstance(thing, Corpus):
        removal.restore_corpus(thing, by)
    else:
        removal.restore_document(thing, by)


def erase_now(thing: Corpus | Document, by: Membership) -> None:
    """It cannot be restored any more. Raises NotFound when it is not in the trash any more."""
    if isinstance(thing, Corpus):
        removal.erase_corpus(thing, by)
    else:
        removal.erase_document(thing, by)


def empty_trash(membership: Membership) -> int:
    """Erase all that lies in it; how many entries. One may have gone since the list was read: with its corpus, which
    comes before it, or by somebody else."""
    erased = 0
    while entries := trash_of(membership):
        for entry in entries:
            with suppress(NotFound):
                erase_now(entry.row, membership)
                erased += 1
    return erased

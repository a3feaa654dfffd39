"""A corpus as a course: its units in the order in which they are taught, and how far a member has read.

A unit is the documents that say they belong to it; a document that says none is a unit by itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F, Max, OuterRef, Subquery
from django.utils import timezone

from accounts.models import Membership
from corpora.metadata.units import leading_number, unit_number
from corpora.models import Corpus, Document, UnitReading
from corpora.rows.reading_order import Key, natural_key, path_key

MOST_SORTED = 1_000  # documents; beyond, a corpus is a library and no course
SHOWN_OF = ("corpus", "title", "filename", "unit", "source_path", "status", "version", "page_count")


@dataclass(frozen=True, slots=True)
class Unit:
    """`read`: those of its documents that the member has read."""

    title: str
    documents: tuple[Document, ...]
    read: frozenset[UUID]

    @property
    def is_read(self) -> bool:
        return all(one.pk in self.read for one in self.documents)

    @property
    def next_document(self) -> Document:
        """Where its reading goes on: the first that is not read, or the first."""
        return next((one for one in self.documents if one.pk not in self.read), self.documents[0])


@dataclass(frozen=True, slots=True)
class Course:
    """What of a course one member sees. `last`: the document that was opened last."""

    corpus: Corpus
    units: tuple[Unit, ...]
    last: UUID | None

    @property
    def read_count(self) -> int:
        return sum(one.is_read for one in self.units)

    @property
    def percent(self) -> int:
        return round(100 * self.read_count / len(self.units)) if self.units else 0

    @property
    def documents(self) -> list[Document]:
        return [one for unit in self.units for one in unit.documents]

    def unit_of(self, document: UUID) -> Unit | None:
        return next((unit for unit in self.units if any(one.pk == document for one in unit.documents)), None)

    @property
    def here(self) -> Document | None:
        """Where to continue: what was opened last, unless that is read; then what follows it, as far as it is not."""
        ordered, read = self.documents, {id for unit in self.units for id in unit.read}
        first = next((n for n, one in enumerate(ordered) if one.pk == self.last), 0)
        waiting = [one for one in (*ordered[first:], *ordered[:first]) if one.pk not in read]
        return waiting[0] if waiting else None

    def beside(self, document: UUID) -> tuple[Document | None, Document | None]:
        """What is read before it and after it."""
        ordered = self.documents
        place = next((n for n, one in enumerate(ordered) if one.pk == document), None)
        if place is None:
            return None, None
        after = ordered[place + 1] if place + 1 < len(ordered) else None
        return (ordered[place - 1] if place else None), after


@dataclass(frozen=True, slots=True)
class CourseCard:
    """A course among others: how many of its documents the member has read."""

    corpus: Corpus
    read: int
    total: int


def course_cards(membership: Membership, most: int) -> list[CourseCard]:
    """Those that were opened last first, then by name. Two queries."""
    mine = UnitReading.objects.owned_by(membership).filter(document__deleted_at=None)
    own = mine.filter(document__corpus=OuterRef("pk")).order_by()
    last = own.values("document__corpus").annotate(last=Max("opened_at")).values("last")
    courses = Corpus.objects.readable_by(membership).courses().with_counts().annotate(last=Subquery(last))
    shown = list(courses.order_by(F("last").desc(nulls_last=True), "name", "pk")[:most])
    counted = mine.filter(document__corpus__in=shown, read_at__isnull=False).order_by().values_list("document__corpus")
    read = dict(counted.annotate(count=Count("pk")))
    totals = {one.pk: one.document_count for one in shown}  # type: ignore[attr-defined]  # of `with_counts`
    return [CourseCard(one, read.get(one.pk, 0), totals[one.pk]) for one in shown]


def course_of(membership: Membership, corpus: Corpus) -> Course:
    """Two queries, however many units there are. Documents beyond MOST_SORTED are left out: that is a library."""
    rows = Document.objects.readable_by(membership).filter(corpus=corpus).only(*SHOWN_OF)
    ordered = in_teaching_order(rows.order_by("created_at", "pk")[:MOST_SORTED])
    readings = UnitReading.objects.owned_by(membership).filter(document__corpus=corpus)
    seen = list(readings.order_by("-opened_at").values_list("document", "read_at"))
    read = {document for document, read_at in seen if read_at}
    return Course(corpus, tuple(units_of(ordered, read)), seen[0][0] if seen else None)


Place = tuple[bool, int, Key, tuple[Key, ...]]


def in_teaching_order(documents: Iterable[Document]) -> list[Document]:
    """By the number of the unit, else of the file's name; the documents of a unit together, by their names."""
    rows = list(documents)
    own = {one.pk: _place_of(one) for one in rows}
    firsts: dict[str, Place] = {}
    for one in rows:  # a unit stands where its first document does
        firsts[_unit_key(one)] = min(firsts.get(_unit_key(one), own[one.pk]), own[one.pk])
    return sorted(rows, key=lambda one: (firsts[_unit_key(one)], _unit_key(one), own[one.pk]))


def _unit_key(document: Document) -> str:
    return document.unit or str(document.pk)


def _place_of(document: Document) -> Place:
    number = unit_number(document.unit)
    if number is None:
        number = leading_number(document.filename)
    named = natural_key(document.unit or document.filename)
    return number is None, number or 0, named, path_key(document.source_path or document.filename)


def units_of(documents: Sequence[Document], read: set[UUID]) -> Iterable[Unit]:
    """Of documents in their order: those that say the same unit stand together."""
    found: dict[str, list[Document]] = {}
    for one in documents:
        found.setdefault(_unit_key(one), []).append(one)
    for together in found.values():
        yield Unit(_title_of(together), tuple(together), frozenset(one.pk for one in together if one.pk in read))


def _title_of(together: Sequence[Document]) -> str:
    """A unit that is only a number is called as its first document is."""
    said = together[0].unit
    return said if said and not said.strip().isdecimal() else str(together[0])


def note_opened(membership: Membership, document: Document) -> None:
    UnitReading.objects.owned_by(membership).update_or_create(
        membership=membership, document=document, defaults={"opened_at": timezone.now()}
    )


def note_read(membership: Membership, document: Document, *, is_read: bool) -> None:
    read_at = timezone.now() if is_read else None
    UnitReading.objects.owned_by(membership).update_or_create(
        membership=membership, document=document, defaults={"read_at": read_at}
    )

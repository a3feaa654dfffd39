"""Of the sections that have a place's key, those that are meant. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from retrieval.text.asked_places import AskedPlace
from retrieval.text.folding import fold_latin
from retrieval.text.references import HEADING, KINDS
from retrieval.text.stems import STOP_WORDS, words

_SECTIONS = [[name] for name in KINDS["seccion"]]
MOST_AROUND = 8  # characters of a heading's line beside its title: marks, and what parts it from the next one


@dataclass(frozen=True, slots=True)
class FoundSection:
    """A row of `corpora.models.Section` in scope; `chunks` are the ids of the chunks that it overlaps, in order.

    `place` is what it was asked for as; `is_sure` whether it alone is meant in its document, and as a whole key.
    """

    document: UUID
    key: str
    title: str
    level: int
    start: int
    end: int
    page_start: int | None
    page_end: int | None
    chunks: list[UUID] = field(default_factory=list)
    place: AskedPlace | None = None
    is_sure: bool = True


def chosen_sections(place: AskedPlace, rows: Sequence[FoundSection]) -> list[FoundSection]:
    """The sections of each document that are the place, in the order of `rows`.

    A document that only has what may be called so, a unit 3 for a chapter 3, has it where none has the place itself.
    """
    by_document: dict[UUID, list[FoundSection]] = {}
    for row in _said_exactly(place, rows) if place.kind == HEADING else _of_its_letters(place, _countable(place, rows)):
        by_document.setdefault(row.document, []).append(row)
    ranks = {document: _rank(place, own) for document, own in by_document.items()}
    best = min(ranks.values(), default=0)
    return [section for id, own in by_document.items() if ranks[id] == best for section in _in_document(place, own)]


def _countable(place: AskedPlace, rows: Sequence[FoundSection]) -> Sequence[FoundSection]:
    """Without the sections that call themselves so where a chapter is asked for: a bare "2." may be one, "Section 2" is
    none."""
    if place.kind == "seccion" or (place.within and place.within.kind == "seccion"):
        return rows
    return [row for row in rows if not (row.key.startswith("seccion:") and words(row.title)[:1] in _SECTIONS)]


def _of_its_letters(place: AskedPlace, rows: Sequence[FoundSection]) -> Sequence[FoundSection]:
    """Without the sections that only have a lettered clause's number, "3.2.1" for "V3.2.1", unless they stand inside
    of one that has the letters, "V3.2"."""
    if not place.letters:
        return rows
    above = [row for row in rows if row.key in place.keys_above]
    return [
        row
        for row in rows
        if row.key == place.key
        or any(one.document == row.document and one.start < row.start < one.end for one in above)
    ]


def _said_exactly(place: AskedPlace, rows: Sequence[FoundSection]) -> Sequence[FoundSection]:
    """The headings that have just these words behind their number, of those that have their stems: "Administrador" is
    not "Administración"."""
    said = _content(place.text)
    return [row for row in rows if row.key == place.key and _content(row.title)[-len(said) :] == said]


def _content(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS] or words(text)


def _rank(place: AskedPlace, rows: Sequence[FoundSection]) -> int:
    """0 where a document has the place by its own kind; what has it by no kind counts no less."""
    own = place.key.partition(":")[0]
    if place.kind == "articulo" or (place.kind == "clausula" and place.number[:1].isdigit()):
        return 0
    return int(not any(row.key in place.keys and row.key.partition(":")[0] == own for row in rows))


def _in_document(place: AskedPlace, rows: Sequence[FoundSection]) -> list[FoundSection]:
    key = next((key for key in place.keys if any(row.key == key for row in rows)), None)
    found = [row for row in rows if row.key == key]
    if place.within:
        found = _within(found, [row for row in rows if row.key in place.within.keys])
    found = _with_text(_of_its_count(place, found))
    return [replace(row, place=place, is_sure=len(found) == 1) for row in found]


def _within(found: Sequence[FoundSection], holders: Sequence[FoundSection]) -> list[FoundSection]:
    """Those inside of what holds them; where headings are all of one level, the first behind it."""
    inside = [row for row in found if any(one.start < row.start < one.end for one in holders)]
    if inside or not holders:
        return inside or list(found)
    behind = [row for row in found if row.start > holders[0].start]
    return behind[:1] or list(found)


def _of_its_count(place: AskedPlace, found: list[FoundSection]) -> list[FoundSection]:
    """ "Artículo único" and "Artículo 1" have one key, and a law that approves a text has both: as it was asked."""
    only = [row for row in found if {"unico", "unica"} & set(fold_latin(row.title[:40]).replace(".", " ").split())]
    others = [row for row in found if row not in only]
    return (only or others) if place.is_only else (others or only)


def _with_text(found: list[FoundSection]) -> list[FoundSection]:
    """Without those that are a heading alone, a line of contents, where another one has a text below it."""
    told = [row for row in found if row.end - row.start > len(row.title) + MOST_AROUND]
    return told or found

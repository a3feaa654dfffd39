"""Pages that a question names: by the number that is printed on them, else by that of the leaf. Pure."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

from retrieval.places.sections import FoundSection
from retrieval.text.asked_places import AskedPlace
from retrieval.text.folding import fold_latin

PageRow = Sequence[Any]  # number, start, end and, where another number is printed, its label
LABELLED = 4  # values of a row with its label
MOST_ALIKE = 8  # pages of one document with the same label that are looked at
MOST_COUNTS = 4  # counts of one document, "i–xii, 1–240", that are told


def pages_called(number: str, pages: Sequence[PageRow]) -> list[PageRow]:
    """The first pages on which a folded number is printed; without such a label the leaf that has the number."""
    printed = [row for row in pages if len(row) >= LABELLED and fold_latin(str(row[3])) == number]
    plain = [row for row in pages if len(row) < LABELLED and str(row[0]) == number]
    return (printed or plain or [row for row in pages if str(row[0]) == number])[:MOST_ALIKE]


def pages_told(pages: Sequence[PageRow]) -> str:
    """The first and the last of each count: "1–36", "i–xii, 1–240"; "" where there are none."""
    labels = [str(row[3] if len(row) >= LABELLED else row[0]) for row in pages]
    counts = [list(group) for _, group in groupby(labels, key=str.isdigit)]
    if len(counts) > MOST_COUNTS:
        counts = [labels]
    return ", ".join(f"{one[0]}–{one[-1]}" if len(one) > 1 else one[0] for one in counts)


def page_place(document: UUID | str, number: int | None) -> str:
    """What a page is as a place beside the headings of others: of one document alone."""
    return f"p. {number} {document}"


def page_sections(place: AskedPlace, document: UUID, pages: Sequence[PageRow]) -> list[FoundSection]:
    """The pages of a document that are the place, without their chunks; those without text are empty."""
    called = pages_called(place.number, pages)
    return [
        FoundSection(
            document,
            place.key,
            page_place(document, number),
            0,
            start,
            end,
            number,
            number,
            place=place,
            is_sure=len(called) == 1,
        )
        for number, start, end, *_ in called
    ]

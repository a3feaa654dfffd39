"""A page of a PDF as it is printed: its image, what is cited on it boxed, its letters to be selected and found."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.urls import reverse

from accounts.models import Membership
from accounts.problems import Problem
from corpora.models import DocumentText
from corpora.reader import reading, showing
from corpora.reader.asked import CitedPlace
from corpora.reader.locating import Located, Match
from corpora.reader.printed import WIDTHS, Box, PageCharacters
from corpora.reader.printed_lines import lines_among

ACROSS = 10_000  # units of the drawing that lies over the image, from its left edge to its right one
THUMBNAILS = 4  # pages before this one and after it
CONTENTS_ENTRIES = 300
TURNED = 3.0  # times as high as it is wide, a line of several letters runs along the page
DESCENT = 0.22  # of a line's height that lies below what letters stand on


class SetLine(NamedTuple):
    """A line of letters over the image, in the drawing's units; `y` is what they stand on."""

    text: str
    x: int
    y: int
    width: int
    size: int


def context_of(membership: Membership, text: DocumentText, asked: CitedPlace, number: int | None) -> dict[str, Any]:
    """Page `number`, else that of what is cited, else the first. A number that the document does not have is none."""
    starts = [start for _number, start, *_rest in text.pages]
    if number is None or not 1 <= number <= len(starts):
        number = max(bisect_right(starts, asked.first), 1) if asked.first is not None else 1
    page = showing.stored_page(text.document, number)
    section = reading.ReadingPart(0, page.start, page.end, page.number, page.label)

    def address(at: int) -> str:
        return reverse("printed-page", args=[text.document_id, at])

    def turned(at: int, *, has_part: bool) -> str:
        """To a page beside this one, with what is cited where that has a part of it."""
        if not 1 <= at <= page.count:
            return ""
        return f"{address(at)}?{asked.query}#passage" if has_part else address(at)

    begins_before, goes_on = edges_of(page, asked)
    return {
        "page": page,
        "section": section,
        "blocks": reading.blocks(text.text, section, text.headings, asked.passage, asked.quote),
        "contents": contents_of(text, starts, page, address),
        "thumbnails": [(at, address(at)) for at in neighbours(number, page.count)],
        "thumbnail_width": WIDTHS[0],
        "paged": True,
        "place": number,
        "last_place": page.count,
        "total": page.count,
        "edges": starts,
        "previous": turned(number - 1, has_part=begins_before),
        "next": turned(number + 1, has_part=goes_on),
        "begins_before": begins_before,
        "goes_on": goes_on,
        **drawing_of(membership, text, page, asked),
    }


def neighbours(number: int, count: int) -> range:
    first = max(1, min(number - THUMBNAILS, count - 2 * THUMBNAILS))
    return range(first, min(count, first + 2 * THUMBNAILS) + 1)


def contents_of(text: DocumentText, starts: list[int], page: showing.StoredPage, address: Any) -> list[dict[str, Any]]:
    """With the one that this page belongs to: the first that begins on it, else the last before it."""
    entries = [
        {"level": level, "title": title, "at": start, "address": address(max(bisect_right(starts, start), 1))}
        for level, title, start, _end in text.headings[:CONTENTS_ENTRIES]
        if level <= 3
    ]
    on_page = [entry for entry in entries if page.start <= entry["at"] < page.end]
    before = [entry for entry in entries if entry["at"] < page.start]
    for entry in (on_page[:1] or before[-1:]) if entries else []:
        entry["is_here"] = True
    return entries


def drawing_of(
    membership: Membership, text: DocumentText, page: showing.StoredPage, asked: CitedPlace
) -> dict[str, Any]:
    """The image's size and what lies over it; without them what is in the way: the text is there in any case."""
    try:
        characters = showing.page_characters(membership, text.document, page)
    except Problem as problem:
        return {"problem": problem.detail}
    height = round(ACROSS * characters.height / characters.width)
    cited = asked.quote or asked.passage
    located = showing.boxes_on(page, text.document, characters, *cited) if cited else None
    around = (
        showing.boxes_on(page, text.document, characters, *asked.passage) if asked.quote and asked.passage else None
    )
    return {
        "across": ACROSS,
        "height": height,
        "widths": WIDTHS[1:],
        "lines": list(set_lines(characters, height)),
        "quote_boxes": rectangles(located, height),
        "faint_boxes": rectangles(around, height),
        "is_lost": is_on(page, cited) and located is not None and located.match is Match.NONE,
    }


def set_lines(characters: PageCharacters, height: int) -> Iterator[SetLine]:
    """What is printed along the page, from top to bottom, is read in the text below alone."""
    for line in lines_among(characters, 0, len(characters.text)):
        left, top, width, high = rectangle(line.box, height)
        text = characters.text[line.start : line.end]
        if width <= 0 or high <= 0 or (len(text) > 2 and high > TURNED * width):
            continue
        yield SetLine(" ".join(text.split()), left, top + round(high * (1 - DESCENT)), width, high)


def is_on(page: showing.StoredPage, span: reading.Span | None) -> bool:
    return span is not None and span[0] < page.end and page.start < span[1]


def edges_of(page: showing.StoredPage, asked: CitedPlace) -> tuple[bool, bool]:
    """Whether what is cited on this page begins on the one before, and whether it goes on on the next."""
    cited = asked.quote or asked.passage
    if cited is None or not is_on(page, cited):
        return False, False
    return cited[0] < page.start, cited[1] > page.end


def rectangles(located: Located | None, height: int) -> list[tuple[int, int, int, int]]:
    """Left, top, width and height of each box, in the drawing's units."""
    return [rectangle(box, height) for box in located.boxes] if located else []


def rectangle(box: Box, height: int) -> tuple[int, int, int, int]:
    left, top = round(box[0] * ACROSS), round(box[1] * height)
    return left, top, round(box[2] * ACROSS) - left, round(box[3] * height) - top

"""A page of a PDF as it is printed, what is cited on it boxed; its text below, marked as everywhere."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.models import Membership
from accounts.pages.access import member_page
from accounts.problems import NotFound, Problem
from corpora.models import Document, DocumentText
from corpora.reader import reading, showing
from corpora.reader.locating import Located, Match
from corpora.reader.pages import asked_passage, asked_quote, cited_in, is_near, section_blocks
from corpora.reader.printed import WIDTHS, Box

ACROSS = 10_000  # units of the drawing that lies over the image, from its left edge to its right one


@require_GET
@member_page
def printed_page(request: HttpRequest, membership: Membership, pk: UUID, number: int) -> HttpResponse:
    readable = Document.objects.readable_by(membership).select_related("corpus")
    document = get_object_or_404(readable, pk=pk)
    try:
        page = showing.stored_page(document, number)
    except NotFound:
        raise Http404 from None
    text = get_object_or_404(document.texts.filter(version=document.version))
    quote, passage = asked_quote(request, text), asked_passage(request, membership, text)
    quote = quote if quote and (passage is None or is_near(quote, passage)) else None
    section = reading.ReadingPart(0, page.start, page.end, page.number, page.label)
    context: dict[str, Any] = {
        "document": document,
        "page": page,
        "section": section,
        "blocks": section_blocks(text, section, passage or quote, quote),
        "asked": cited_in(request),
        **drawing_of(membership, text, page, quote, passage),
    }
    return render(request, "corpora/printed.html", context)


def drawing_of(
    membership: Membership,
    text: DocumentText,
    page: showing.StoredPage,
    quote: reading.Span | None,
    passage: reading.Span | None,
) -> dict[str, Any]:
    """The image's size and the boxes on it; without them what is in the way: the text is there in any case."""
    try:
        characters = showing.page_characters(membership, text.document, page)
    except Problem as problem:
        return {"problem": problem.detail}
    height = round(ACROSS * characters.height / characters.width)
    cited = quote or passage
    located = showing.boxes_on(page, text.document, characters, *cited) if cited else None
    around = showing.boxes_on(page, text.document, characters, *passage) if quote and passage else None
    return {
        "across": ACROSS,
        "height": height,
        "widths": WIDTHS[1:],
        "quote_boxes": rectangles(located, height),
        "faint_boxes": rectangles(around, height),
        "is_lost": is_on(page, cited) and located is not None and located.match is Match.NONE,
    }


def is_on(page: showing.StoredPage, span: reading.Span | None) -> bool:
    return span is not None and span[0] < page.end and page.start < span[1]


def rectangles(located: Located | None, height: int) -> list[tuple[int, int, int, int]]:
    """Left, top, width and height of each box, in the drawing's units."""
    return [rectangle(box, height) for box in located.boxes] if located else []


def rectangle(box: Box, height: int) -> tuple[int, int, int, int]:
    left, top = round(box[0] * ACROSS), round(box[1] * height)
    return left, top, round(box[2] * ACROSS) - left, round(box[3] * height) - top

"""The reader: a document's text by pages or sections, with a cited passage highlighted."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.formats import localize
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import Membership
from accounts.pages.access import member_page
from corpora.media_types import MARKDOWN, PDF
from corpora.models import Chunk, Document, DocumentText
from corpora.pages.description_forms import METADATA, DescriptionForm
from corpora.reader import reading
from corpora.reader.markdown_blocks import markdown_blocks

CITED = ("chunk", "start", "end", "mark")  # of an address: what is cited
SHOWN_SECTIONS = 3
CONTENTS_ENTRIES = 300
LONGEST_PASSAGE = 4 * reading.SECTION_CHARACTERS  # that an address may mark; a chunk has far less


@require_GET
@member_page
def document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    readable = Document.objects.readable_by(membership).select_related("corpus")
    found = get_object_or_404(readable, pk=pk)
    writable = Document.objects.writable_by(membership).filter(pk=pk).exists()
    return reader(request, membership, found, DescriptionForm(instance=found) if writable else None)


@require_POST
@member_page
def document_describe(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Change what is said of the document; with an error the reader again, the form open."""
    writable = Document.objects.writable_by(membership).select_related("corpus")
    found = get_object_or_404(writable, pk=pk)
    form = DescriptionForm(request.POST, instance=found)
    if not form.is_valid():
        found.refresh_from_db(fields=form.changed_data)  # the page shows the document as it is
        return reader(request, membership, found, form)
    form.save_by(membership)
    messages.success(request, _("The details are saved."))
    return redirect("document", pk)


def reader(
    request: HttpRequest, membership: Membership, document: Document, form: DescriptionForm | None
) -> HttpResponse:
    text = document.texts.filter(version=document.version).first()
    context: dict[str, Any] = {"document": document, "form": form, "details": details_of(document)}
    if text:
        context |= reading_context(request, membership, text)
    return render(request, "corpora/document.html", context)


def details_of(document: Document) -> list[tuple[str, str]]:
    """What is said of the document, as labels and texts; what is not said is left out."""
    fields = [field for field in Document._meta.fields if field.name in METADATA and getattr(document, field.name)]
    return [(str(field.verbose_name), detail_of(document, field.name)) for field in fields]


def detail_of(document: Document, name: str) -> str:
    display = getattr(document, f"get_{name}_display", None)
    value = display() if display else getattr(document, name)
    return ", ".join(value) if isinstance(value, list) else localize(value)


def reading_context(request: HttpRequest, membership: Membership, text: DocumentText) -> dict[str, Any]:
    """The sections to show and the ways on. Without a passage it begins where the address says, else in front."""
    cut = reading.sections(text.text, text.pages, text.headings)
    quote = asked_quote(request, text)
    passage = asked_passage(request, membership, text)
    if passage is None or quote is None or not is_near(quote, passage):
        quote = None
    elif passage:  # what was found with its neighbours is wider than its chunk
        passage = min(passage[0], quote[0]), max(passage[1], quote[1])
    first = first_section(request, cut, quote or passage)
    count = SHOWN_SECTIONS
    if passage:  # a passage over several pages is shown whole, with a neighbour on both sides
        count = max(count, reading.section_at(cut, passage[1] - 1) - first + 2)
    shown = cut[first : first + count]
    return {
        "shown": [(section, section_blocks(text, section, passage, quote)) for section in shown],
        "passage": passage,
        "contents": [
            {"level": level, "title": title, "section": reading.section_at(cut, start), "start": start}
            for level, title, start, _end in text.headings[:CONTENTS_ENTRIES]
            if level <= 3
        ],
        "paged": bool(text.pages),
        "has_print": text.document.media_type == PDF,
        "asked": cited_in(request),
        "first": first + 1,
        "last": first + len(shown),
        "total": len(cut),
        "last_page": text.pages[-1][0] if text.pages else len(cut),
        "previous": max(first - SHOWN_SECTIONS, 0) if first else None,
        "next": first + count if first + count < len(cut) else None,
    }


def cited_in(request: HttpRequest) -> str:
    """The part of the address that says what is cited, for links to the same."""
    return urlencode([(name, request.GET[name]) for name in CITED if name in request.GET])


def section_blocks(
    text: DocumentText, section: reading.ReadingPart, passage: reading.Span | None, quote: reading.Span | None
) -> list[reading.Block]:
    cut = markdown_blocks if text.document.media_type == MARKDOWN else reading.blocks
    return cut(text.text, section, text.headings, passage, quote)


def asked_passage(request: HttpRequest, membership: Membership, text: DocumentText) -> tuple[int, int] | None:
    """`?chunk=` (a chunk of the served version) or `?start=&end=`; anything else is ignored."""
    try:
        if chunk_id := request.GET.get("chunk"):
            chunks = Chunk.objects.readable_by(membership).filter(document=text.document_id)
            return chunks.values_list("start", "end").filter(pk=UUID(chunk_id)).first()
        start, end = int(request.GET["start"]), int(request.GET["end"])
    except (KeyError, ValueError):
        return None
    is_passage = 0 <= start < end <= len(text.text) and end - start <= LONGEST_PASSAGE
    return (start, end) if is_passage else None


def asked_quote(request: HttpRequest, text: DocumentText) -> reading.Span | None:
    """`?mark=START-END`: the cited sentence of the passage."""
    start, _, end = request.GET.get("mark", "").partition("-")
    if not (start.isdecimal() and end.isdecimal() and len(start) < 10 and len(end) < 10):
        return None
    return (int(start), int(end)) if int(start) < int(end) <= len(text.text) else None


def is_near(quote: reading.Span, passage: reading.Span) -> bool:
    return max(passage[1], quote[1]) - min(passage[0], quote[0]) <= LONGEST_PASSAGE


def first_section(request: HttpRequest, cut: list[reading.ReadingPart], passage: tuple[int, int] | None) -> int:
    """Where to begin: one section before the passage, at `?page=`, or at `?section=`."""
    if passage:
        return max(reading.section_at(cut, passage[0]) - 1, 0)
    asked = {name: request.GET.get(name, "") for name in ("page", "section")}
    numbers = {name: int(value) for name, value in asked.items() if value.isdecimal() and len(value) < 8}
    if "page" in numbers:
        paged = cut[0].page is not None
        wanted = reading.section_of_page(cut, numbers["page"]) if paged else numbers["page"] - 1
    else:
        wanted = numbers.get("section", 0)
    return min(max(wanted, 0), len(cut) - 1)

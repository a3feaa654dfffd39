"""The reader: a document as it is printed, or its text by sections, with what is cited marked and words to be found."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import localize
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import Membership
from accounts.pages.access import member_page
from corpora.media_types import DOCX, MARKDOWN, PDF
from corpora.metadata.languages import language_name
from corpora.models import Document, DocumentText
from corpora.pages.description_forms import METADATA, DescriptionForm
from corpora.reader import printing, reading
from corpora.reader.asked import CitedPlace, asked_in, number_in
from corpora.reader.markdown_blocks import markdown_blocks
from corpora.reader.searching import FoundWords, occurrences
from corpora.reader.word_blocks import word_blocks

SHOWN_SECTIONS = 3
CONTENTS_ENTRIES = 300


@require_GET
@member_page
def document(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    found, form = _readable(membership, pk)
    return reader(request, membership, found, form)


@require_GET
@member_page
def printed_page(request: HttpRequest, membership: Membership, pk: UUID, number: int) -> HttpResponse:
    """The reader at one page of a PDF."""
    found, form = _readable(membership, pk)
    return reader(request, membership, found, form, number)


def _readable(membership: Membership, pk: UUID) -> tuple[Document, DescriptionForm | None]:
    found = get_object_or_404(Document.objects.readable_by(membership).select_related("corpus"), pk=pk)
    writable = Document.objects.writable_by(membership).filter(pk=pk).exists()
    return found, DescriptionForm(instance=found) if writable else None


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
    request: HttpRequest,
    membership: Membership,
    document: Document,
    form: DescriptionForm | None,
    page: int | None = None,
) -> HttpResponse:
    """The whole page, or for a panel beside something else (htmx) what is read alone. `page`: of a PDF, which must
    have it."""
    text = document.texts.filter(version=document.version).first()
    is_print = text is not None and document.media_type == PDF and bool(text.pages)
    if page is not None and (text is None or not is_print or not 1 <= page <= len(text.pages)):
        raise Http404
    context: dict[str, Any] = {"document": document, "form": form, "details": details_of(document)}
    if text:
        asked = asked_in(request, membership, text)
        as_text = not is_print or (page is None and request.GET.get("as") == "text")
        context |= {
            "asked": asked.query,
            "has_print": is_print,
            "as_text": as_text,
            "is_beside": "HX-Request" in request.headers,
        }
        if as_text:
            context |= reading_context(request, text, asked)
        else:
            if page is None and asked.first is None:  # what is cited says its page itself
                page = number_in(request, "page")
            context |= printing.context_of(membership, text, asked, page)
        context |= finding_context(request, text, context["edges"])
    template = "corpora/_reader.html" if text and context["is_beside"] else "corpora/document.html"
    return render(request, template, context)


def details_of(document: Document) -> list[tuple[str, str]]:
    """What is said of the document, as labels and texts; what is not said is left out."""
    fields = [field for field in Document._meta.fields if field.name in METADATA and getattr(document, field.name)]
    return [(str(field.verbose_name), detail_of(document, field.name)) for field in fields]


def detail_of(document: Document, name: str) -> str:
    display = getattr(document, f"get_{name}_display", None)
    value = display() if display else getattr(document, name)
    if name == "language":
        return language_name(value)
    return ", ".join(value) if isinstance(value, list) else localize(value)


def reading_context(request: HttpRequest, text: DocumentText, asked: CitedPlace) -> dict[str, Any]:
    """The sections to show and the ways on. Without a passage it begins where the address says, else in front."""
    cut = reading.sections(text.text, text.pages, text.headings)
    first = first_section(request, cut, asked)
    count = SHOWN_SECTIONS
    if asked.passage:  # a passage over several pages is shown whole, with a neighbour on both sides
        count = max(count, reading.section_at(cut, asked.passage[1] - 1) - first + 2)
    shown = cut[first : first + count]
    keeps: dict[str, str | int] = {"as": "text"} if text.document.media_type == PDF and text.pages else {}

    def address(section: int) -> str:
        return "?" + urlencode({**keeps, "section": section})

    return {
        "shown": [(section, section_blocks(text, section, asked)) for section in shown],
        "passage": asked.passage,
        "contents": [
            {"level": level, "title": title, "at": start, "address": address(reading.section_at(cut, start))}
            for level, title, start, _end in text.headings[:CONTENTS_ENTRIES]
            if level <= 3
        ],
        "paged": bool(text.pages),
        "place": shown[0].page or first + 1,
        "last_place": text.pages[-1][0] if text.pages else len(cut),
        "total": len(cut),
        "edges": [section.start for section in cut],
        "previous": address(max(first - SHOWN_SECTIONS, 0)) if first else "",
        "next": address(first + count) if first + count < len(cut) else "",
    }


def section_blocks(text: DocumentText, section: reading.ReadingPart, asked: CitedPlace) -> list[reading.Block]:
    pictures = [reading.Picture(*row) for row in text.pictures]
    if text.document.media_type not in (MARKDOWN, DOCX):
        return reading.blocks(text.text, section, text.headings, asked.passage, asked.quote)
    cut = markdown_blocks if text.document.media_type == MARKDOWN else word_blocks
    return cut(text.text, section, text.headings, asked.passage, asked.quote, pictures)


def first_section(request: HttpRequest, cut: list[reading.ReadingPart], asked: CitedPlace) -> int:
    """Where to begin: one section before the passage, at `?page=`, or at `?section=`."""
    if asked.first is not None:
        return max(reading.section_at(cut, asked.first) - 1, 0)
    page = number_in(request, "page")
    if page is not None:
        paged = cut[0].page is not None
        wanted = reading.section_of_page(cut, page) if paged else page - 1
    else:
        wanted = number_in(request, "section") or 0
    return min(max(wanted, 0), len(cut) - 1)


def finding_context(request: HttpRequest, text: DocumentText, edges: list[int]) -> dict[str, Any]:
    """`?find=`: where these words stand, and which of the places one is at."""
    wanted = request.GET.get("find", "").strip()
    if not wanted:
        return {}
    found = occurrences(text.text, wanted, edges)
    here = number_in(request, "start")
    at = next((number for number, hit in enumerate(found) if hit.start == here), -1)
    keeps: dict[str, str | int] = {"as": "text"} if request.GET.get("as") == "text" else {}
    base = reverse("document", args=[text.document_id])

    def address(hit: FoundWords) -> str:
        return f"{base}?{urlencode({**keeps, 'find': wanted, 'start': hit.start, 'end': hit.end})}#passage"

    rows = [(hit, address(hit)) for hit in found]
    before, after = (rows[at - 1][1] if at > 0 else ""), (rows[at + 1][1] if at + 1 < len(rows) else "")
    return {"find": wanted, "hits": rows, "hit": at + 1, "hit_before": before, "hit_after": after}

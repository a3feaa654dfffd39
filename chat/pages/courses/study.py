"""Pages of courses: the units in their order, and one document of them to read and to ask about."""

from collections.abc import Iterable
from typing import Any
from unicodedata import category
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.models import Membership
from accounts.pages.access import member_page, slice_of
from agents.pages.agents import agents_reading
from chat.pages.courses.dock import conversations_about, dock_for
from corpora.models import Corpus, Document, DocumentText, Section
from corpora.reader import reading
from corpora.reader.asked import asked_in, number_in
from corpora.reader.pages import section_blocks
from corpora.rows.courses import Unit, course_of, note_opened, note_read

UNITS_SHOWN = 60
TOPICS = 3  # headings that say what a unit is about
LOOKED_AT = 12  # headings of a document, for those
ADORNING = ("So", "Sk", "Cf", "Mn", "Cn")  # kinds of letters (Unicode): emoji and what they are joined with
SAY_NOTHING = {"contenidos", "contenido", "índice", "contents", "table of contents", "introducción", "introduction"}
PARTS_SHOWN = 12  # 6,000 characters each: most units are one page
LISTED = 300  # units in the reader's own list
CONVERSATIONS = 4


@require_GET
@member_page
def course(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    corpus = get_object_or_404(Corpus.objects.readable_by(membership).courses().with_counts(), pk=pk)
    found = course_of(membership, corpus)
    units = slice_of(found.units, request, UNITS_SHOWN)  # type: ignore[type-var]  # sliced as rows are
    context = {
        "course": found,
        "corpus": corpus,
        "rows": list(zip(units.items, topics_of(membership, units.items), strict=True)),
        "units": units,
        "first": (units.number - 1) * UNITS_SHOWN,
        "agents": agents_reading(corpus, membership),
        "conversations": conversations_about(membership, corpus)[:CONVERSATIONS],
        "writable": Corpus.objects.writable_by(membership).filter(pk=pk).exists(),
    }
    return render(request, "chat/courses/course.html", context)


def topics_of(membership: Membership, units: Any) -> list[list[str]]:
    """The first headings of each unit's first document, without its title: of all of them in one query."""
    firsts = [unit.documents[0] for unit in units]
    rows = Section.objects.readable_by(membership).filter(document__in=firsts, index__lt=LOOKED_AT, level__lte=2)
    said: dict[UUID, list[str]] = {}
    for document, title in rows.order_by("document", "index").values_list("document", "title"):
        said.setdefault(document, []).append(plain_heading(title))
    return [telling(said.get(one.pk, ()), plain_heading(str(one)))[:TOPICS] for one in firsts]


def plain_heading(heading: str) -> str:
    """Without the pictures that it is adorned with in front."""
    plain = " ".join(heading.split())
    return plain.lstrip("".join({letter for letter in plain if category(letter) in ADORNING}) + " ")


def telling(headings: Iterable[str], title: str) -> list[str]:
    return [one for one in dict.fromkeys(headings) if one not in ("", title) and one.casefold() not in SAY_NOTHING]


@require_GET
@member_page
def course_unit(request: HttpRequest, membership: Membership, pk: UUID, document_id: UUID) -> HttpResponse:
    """Asked by htmx it is the text alone: a citation of the tutor's marks its passage there."""
    document = document_of_course(membership, pk, document_id)
    found = course_of(membership, document.corpus)
    unit = found.unit_of(document.pk) or Unit(str(document), (document,), frozenset())
    text = document.texts.filter(version=document.version).first()
    context: dict[str, Any] = {"course": found, "unit": unit, "opened": document}
    context |= text_context(request, membership, text) if text else {}
    if "HX-Request" in request.headers:
        return render(request, "chat/courses/_text.html", context)
    before, after = found.beside(document.pk)
    context |= {
        "before": before,
        "after": after,
        "is_read": document.pk in unit.read,
        "number": found.units.index(unit) + 1 if unit in found.units else 1,
        "listed": found.units[:LISTED],
        "dock": dock_for(request, membership, document.corpus, unit),
        "writable": Corpus.objects.writable_by(membership).filter(pk=pk).exists(),
    }
    return render(request, "chat/courses/unit.html", context)


def document_of_course(membership: Membership, pk: UUID, document_id: UUID) -> Document:
    rows = Document.objects.readable_by(membership).filter(corpus__is_course=True, corpus=pk)
    return get_object_or_404(rows.select_related("corpus"), pk=document_id)


def text_context(request: HttpRequest, membership: Membership, text: DocumentText) -> dict[str, Any]:
    """The whole text where it has at most PARTS_SHOWN parts; else those around a cited passage, or at `?part=`."""
    cut = reading.sections(text.text, text.pages, text.headings)
    asked = asked_in(request, membership, text)
    first = 0
    if len(cut) > PARTS_SHOWN:
        first = min(number_in(request, "part") or 0, len(cut) - 1)
        first = max(reading.section_at(cut, asked.passage[0]) - 1, 0) if asked.passage else first
    return {
        "shown": [(part, section_blocks(text, part, asked)) for part in cut[first : first + PARTS_SHOWN]],
        "asked": asked.query,
        "parts_before": max(first - PARTS_SHOWN, 0) if first else None,
        "parts_after": first + PARTS_SHOWN if first + PARTS_SHOWN < len(cut) else None,
    }


@require_POST
@member_page
def unit_read(request: HttpRequest, membership: Membership, pk: UUID, document_id: UUID) -> HttpResponse:
    """Note that it is read (`read=1`), or that it is not; of a page that has come up (`opened=1`) only that."""
    document = document_of_course(membership, pk, document_id)
    if request.POST.get("opened") == "1":
        note_opened(membership, document)
        return HttpResponse(status=204)
    is_read = request.POST.get("read") == "1"
    note_read(membership, document, is_read=is_read)
    if "HX-Request" not in request.headers:
        return redirect("course-unit", pk, document_id)
    found = course_of(membership, document.corpus)
    return render(request, "chat/courses/_read.html", {"course": found, "opened": document, "is_read": is_read})

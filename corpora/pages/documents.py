"""Documents of a corpus as lists and rows: search, live progress, trying again, deleting."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.models import Membership
from accounts.pages.access import member_page, slice_of
from corpora import removal
from corpora.models import Corpus, Document, DocumentQuerySet
from corpora.rows.reading_order import in_reading_order
from corpora.uploads import intake

POLLED_ROWS = 200


def documents_of(membership: Membership, corpus_id: UUID, wanted: str = "") -> DocumentQuerySet:
    """The corpus's documents, newest first; with `wanted` those whose title or file name contains it."""
    documents = Document.objects.readable_by(membership).filter(corpus_id=corpus_id)
    if wanted:
        documents = documents.filter(Q(title__matches=wanted) | Q(filename__matches=wanted))
    return documents


def list_context(request: HttpRequest, membership: Membership, corpus: Corpus, writable: bool) -> dict[str, Any]:
    wanted = request.GET.get("q", "").strip()
    documents = slice_of(in_reading_order(documents_of(membership, corpus.pk, wanted)), request)
    return {
        "corpus": corpus,
        "writable": writable,
        "q": wanted,
        "documents": documents,
        "busy": any(document.is_busy for document in documents.items),
    }


@require_GET
@member_page
def documents(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """The list as a fragment: after an upload, a search, or for more rows (`?page=`)."""
    corpus = get_object_or_404(Corpus.objects.readable_by(membership).with_counts(), pk=pk)
    writable = Corpus.objects.writable_by(membership).filter(pk=pk).exists()
    context = {**list_context(request, membership, corpus, writable), "refreshed": True}
    more = context["documents"].number > 1
    return render(request, "corpora/_more_rows.html" if more else "corpora/_documents.html", context)


@require_POST  # Reads only; a POST because the ids of two hundred busy rows do not fit into every proxy's URL.
@member_page
def progress(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """The rows that were busy when the browser last looked, and whether to look again."""
    corpus = get_object_or_404(Corpus.objects.readable_by(membership).with_counts(), pk=pk)
    asked = identifiers(request.POST.getlist("busy")[:POLLED_ROWS])
    rows = list(documents_of(membership, pk).filter(pk__in=asked))
    context = {
        "corpus": corpus,
        "writable": Corpus.objects.writable_by(membership).filter(pk=pk).exists(),
        "rows": rows,
        "busy": any(document.is_busy for document in rows),
    }
    return render(request, "corpora/_progress.html", context)


def identifiers(values: Iterable[str]) -> list[UUID]:
    """The values that are UUIDs; others are dropped."""
    found = []
    for value in values:
        try:
            found.append(UUID(value))
        except ValueError:
            continue
    return found


@require_POST
@member_page
def document_retry(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    document = get_object_or_404(Document.objects.writable_by(membership), pk=pk)
    intake.reprocess(document, membership)
    messages.success(request, _("“%(title)s” is in the queue again.") % {"title": document})
    return redirect("corpus", document.corpus_id)


@require_POST
@member_page
def document_delete(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    document = get_object_or_404(Document.objects.writable_by(membership), pk=pk)
    removal.remove_document(document, membership)
    messages.success(request, deleted_sentence(str(document)))
    return redirect("corpus", document.corpus_id)


def deleted_sentence(name: str) -> str:
    """With where it is now, if anywhere."""
    if settings.TRASH_DAYS > 0:
        return _("“%(name)s” is in the trash. You can restore it from there.") % {"name": name}
    return _("“%(name)s” is being erased.") % {"name": name}

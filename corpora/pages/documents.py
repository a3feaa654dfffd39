"""Documents of a corpus as lists and rows: search and order, live progress, titles, trying again, deleting."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.http.bodies import identifiers, is_kept
from accounts.models import Membership
from accounts.pages.access import member_page, slice_of
from corpora import removal
from corpora.descriptions import describe
from corpora.models import Corpus, Document, DocumentQuerySet
from corpora.pages.description_forms import BulkForm
from corpora.pages.lists import DocumentList
from corpora.pages.moving import places_beside
from corpora.pages.undoing import Deed, answer_done
from corpora.uploads import intake

POLLED_ROWS = 200


def documents_of(membership: Membership, corpus_id: UUID) -> DocumentQuerySet:
    return Document.objects.readable_by(membership).filter(corpus_id=corpus_id)


def list_context(request: HttpRequest, membership: Membership, corpus: Corpus, writable: bool) -> dict[str, Any]:
    """`corpus` comes with its counts."""
    asked = DocumentList.asked(request)
    total: int = corpus.document_count  # type: ignore[attr-defined]  # of `with_counts`
    documents = slice_of(asked.chosen(documents_of(membership, corpus.pk), total), request)
    return {
        "corpus": corpus,
        "writable": writable,
        "asked": asked,
        "documents": documents,
        "busy": any(document.is_busy for document in documents.items),
        "bulk_form": BulkForm(auto_id="bulk_%s", use_required_attribute=False) if writable else None,
        "places": places_beside(membership, corpus) if writable else (),
    }


@require_GET
@member_page
def documents(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """The list as a fragment: after an upload, a search, or for more rows (`?page=`)."""
    corpus = get_object_or_404(Corpus.objects.readable_by(membership).with_counts(), pk=pk)
    writable = Corpus.objects.writable_by(membership).filter(pk=pk).exists()
    context = {**list_context(request, membership, corpus, writable), "refreshed": True}
    if context["documents"].number > 1:
        return render(request, "corpora/_more_rows.html", context)
    answer = render(request, "corpora/_documents.html", context)
    query = context["asked"].query
    answer["HX-Replace-Url"] = reverse("corpus", args=[pk]) + (f"?{query}" if query else "")
    return answer


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


@require_POST
@member_page
def document_title(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Give it a title; an empty one, or one that no database keeps, leaves the one it has. Answers with its row."""
    document = get_object_or_404(Document.objects.writable_by(membership), pk=pk)
    longest = Document._meta.get_field("title").max_length
    title = " ".join(request.POST.get("title", "").split())[:longest]
    if title and is_kept(title):
        describe(document, membership, title=title)
    if "HX-Request" not in request.headers:
        return redirect("corpus", document.corpus_id)
    return render(request, "corpora/_row.html", {"document": document, "writable": True})


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
    """Into the trash, with a way back; without a trash the page has asked before."""
    document = get_object_or_404(Document.objects.writable_by(membership), pk=pk)
    moment = removal.remove_documents([document], membership)
    done = Deed(deleted_sentence(str(document)), moment if settings.TRASH_DAYS > 0 else None)
    return answer_done(request, membership, document.corpus_id, done)


def deleted_sentence(name: str) -> str:
    """With where it is now, if anywhere."""
    if settings.TRASH_DAYS > 0:
        return _("“%(name)s” is in the trash. You can restore it from there.") % {"name": name}
    return _("“%(name)s” is being erased.") % {"name": name}

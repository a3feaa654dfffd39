"""What is done with several documents of a corpus at once: deleting, describing, moving, trying again."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.http.bodies import identifiers
from accounts.models import Membership
from accounts.pages.access import member_page
from accounts.problems import Problem
from corpora import removal
from corpora.descriptions import describe
from corpora.models import Corpus, Document
from corpora.pages.description_forms import BulkForm
from corpora.pages.documents import list_context
from corpora.pages.moving import move_back, move_chosen
from corpora.pages.undoing import (
    Deed,
    deleted_together,
    moment_asked_of,
    page_that_says,
    restore_all,
    trashed_sentence,
)
from corpora.uploads import intake

AT_ONCE = 200  # documents that a page changes in one go

Chosen = list[Document]


@require_POST
@member_page
def documents_selected(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """`document`: their ids; `action`: what to do. Those that are not the corpus's, or not the member's to change, are
    as if they were not named."""
    corpus = get_object_or_404(Corpus.objects.writable_by(membership), pk=pk)
    named = identifiers(request.POST.getlist("document"))
    chosen = list(Document.objects.writable_by(membership).filter(corpus=corpus, pk__in=named[:AT_ONCE]))
    act = ACTIONS.get(request.POST.get("action", ""))
    if len(named) > AT_ONCE:
        done = Deed(_("Choose at most %(count)d documents at once.") % {"count": AT_ONCE}, failed=True)
    elif not chosen or act is None:
        done = Deed(_("Choose documents first."), failed=True)
    else:
        done = attempt(lambda: act(request, membership, chosen))
    return answer_list(request, membership, corpus, done)


def attempt(act: Callable[[], Deed]) -> Deed:
    """What was done, or the sentence of what refused it."""
    try:
        return act()
    except Problem as problem:
        return Deed(str(problem.detail), failed=True)


def answer_list(request: HttpRequest, membership: Membership, corpus: Corpus, done: Deed) -> HttpResponse:
    """The list as it is now, and what was done; without a script the page of the corpus."""
    if "HX-Request" not in request.headers:
        return page_that_says(request, corpus.pk, done)
    counted = get_object_or_404(Corpus.objects.readable_by(membership).with_counts(), pk=corpus.pk)
    context: dict[str, Any] = list_context(request, membership, counted, writable=True)
    return render(request, "corpora/_documents.html", {**context, "refreshed": True, "done": done})


def delete_chosen(request: HttpRequest, by: Membership, chosen: Chosen) -> Deed:
    moment = removal.remove_documents(chosen, by)
    if settings.TRASH_DAYS > 0:
        return Deed(trashed_sentence(len(chosen)), moment)
    said = ngettext("%(count)d document is being erased.", "%(count)d documents are being erased.", len(chosen))
    return Deed(said % {"count": len(chosen)})


def describe_chosen(request: HttpRequest, by: Membership, chosen: Chosen) -> Deed:
    form = BulkForm(request.POST)
    if not form.is_valid():
        return Deed(" ".join(f"{form[name].label}: {errors[0]}" for name, errors in form.errors.items()), failed=True)
    if not form.said:
        return Deed(_("Nothing was changed: all fields were empty."), failed=True)
    with transaction.atomic():
        changed = sum(describe(document, by, **form.said) for document in chosen)
    said = ngettext(
        "The details of %(count)d document are saved.", "The details of %(count)d documents are saved.", changed
    )
    return Deed(said % {"count": changed})


def retry_chosen(request: HttpRequest, by: Membership, chosen: Chosen) -> Deed:
    failed = [document for document in chosen if document.status == Document.Status.FAILED]
    for document in failed:
        intake.reprocess(document, by)
    if not failed:
        return Deed(_("None of these has failed."), failed=True)
    said = ngettext(
        "%(count)d document is in the queue again.", "%(count)d documents are in the queue again.", len(failed)
    )
    return Deed(said % {"count": len(failed)})


ACTIONS: dict[str, Callable[[HttpRequest, Membership, Chosen], Deed]] = {
    "delete": delete_chosen,
    "describe": describe_chosen,
    "move": move_chosen,
    "retry": retry_chosen,
}


@require_POST
@member_page
def documents_restore(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Undo a deletion: what was deleted in that moment comes back, as far as nothing stands in its place."""
    corpus = get_object_or_404(Corpus.objects.writable_by(membership), pk=pk)
    moment = moment_asked_of(request, "deleted")
    found = deleted_together(membership, corpus.pk, moment)[:AT_ONCE] if moment else []
    return answer_list(request, membership, corpus, restore_all(found, membership))


@require_POST
@member_page
def documents_back(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    """Undo a move: what was moved from here in that moment comes back, as far as nothing stands in its place."""
    corpus = get_object_or_404(Corpus.objects.writable_by(membership), pk=pk)
    moment = moment_asked_of(request, "moved")
    return answer_list(request, membership, corpus, attempt(lambda: move_back(membership, corpus, moment)))

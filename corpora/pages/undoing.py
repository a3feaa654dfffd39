"""What was just done to documents, told beside the list with the way back, for pages with and without JavaScript."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Membership
from corpora import removal
from corpora.models import Corpus, Document, DocumentQuerySet
from corpora.rows.moving import moved_together


@dataclass(frozen=True, slots=True)
class Deed:
    """A sentence; `undo` is the moment of what can be taken back: of a deletion, or else (`was_move`) of a move.
    `failed`: nothing was done."""

    sentence: str
    undo: datetime | None = None
    failed: bool = False
    was_move: bool = False


def answer_done(request: HttpRequest, membership: Membership, corpus_id: UUID, done: Deed) -> HttpResponse:
    """A toast and the counts for a script, which has taken the row away; else the page of the corpus that says it."""
    if "HX-Request" in request.headers:
        corpus = get_object_or_404(Corpus.objects.readable_by(membership).with_counts(), pk=corpus_id)
        return render(request, "corpora/_done.html", {"corpus": corpus, "done": done})
    return page_that_says(request, corpus_id, done)


def page_that_says(request: HttpRequest, corpus_id: UUID, done: Deed) -> HttpResponse:
    if done.undo is None:
        (messages.error if done.failed else messages.success)(request, done.sentence)
        return redirect("corpus", corpus_id)
    said = urlencode({"moved" if done.was_move else "deleted": done.undo.isoformat()}, safe=":")
    return redirect(f"{reverse('corpus', args=[corpus_id])}?{said}")


def moment_asked_of(request: HttpRequest, name: str) -> datetime | None:
    """`deleted` or `moved`, as `page_that_says` and the toast write it."""
    with suppress(ValueError):
        moment = parse_datetime((request.POST if request.method == "POST" else request.GET).get(name, ""))
        return moment if moment and moment.tzinfo else None
    return None


def deleted_together(membership: Membership, corpus_id: UUID, moment: datetime) -> DocumentQuerySet:
    """Of this member's deletions that one."""
    trash = Document.objects.in_trash_of(membership)
    return trash.filter(corpus_id=corpus_id, deleted_at=moment, deleted_by=membership.user)


def deed_shown(request: HttpRequest, membership: Membership, corpus: Corpus) -> Deed | None:
    """What the page says that was asked for after a deletion or a move."""
    if moment := moment_asked_of(request, "deleted"):
        count = deleted_together(membership, corpus.pk, moment).count()
        return Deed(trashed_sentence(count), moment) if count else None
    if moment := moment_asked_of(request, "moved"):
        moved = list(moved_together(membership, corpus.pk, moment).select_related("corpus"))
        return Deed(moved_sentence(len(moved), corpus, moved[0].corpus), moment, was_move=True) if moved else None
    return None


def trashed_sentence(count: int) -> str:
    said = ngettext("%(count)d document is in the trash.", "%(count)d documents are in the trash.", count)
    return said % {"count": count}


def moved_sentence(count: int, here: Corpus, there: Corpus) -> str:
    """Where they are, and who reads them from now on where that is somebody else."""
    said = ngettext("%(count)d document is in “%(corpus)s” now.", "%(count)d documents are in “%(corpus)s” now.", count)
    sentence = said % {"count": count, "corpus": there}
    if here.is_personal == there.is_personal:
        return sentence
    readers = _("Only you read it there.") if there.is_personal else _("The whole organization reads it there.")
    return f"{sentence} {readers}"


def restore_all(found: Iterable[Document], by: Membership) -> Deed:
    back, refusal = 0, ""
    for document in found:
        try:
            removal.restore_document(document, by)
            back += 1
        except removal.PlaceTaken as problem:
            refusal = str(problem.detail)
    if not back:
        return Deed(refusal or _("There is nothing to restore any more."), failed=True)
    said = ngettext("%(count)d document is back.", "%(count)d documents are back.", back) % {"count": back}
    return Deed(f"{said} {refusal}".rstrip())

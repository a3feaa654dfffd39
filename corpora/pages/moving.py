"""Moving documents from the page of a corpus to another one, and back."""

from datetime import datetime

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.http.bodies import identifiers
from accounts.models import Membership
from corpora.models import Corpus, CorpusQuerySet, Document
from corpora.pages.undoing import Deed, moved_sentence
from corpora.rows.moving import Move, move_documents, moved_together

MOST_PLACES = 500  # corpora that the page offers


def places_beside(membership: Membership, corpus: Corpus) -> CorpusQuerySet:
    """Where the member may move its documents, personal ones first."""
    others = Corpus.objects.writable_by(membership).exclude(pk=corpus.pk)
    return others.order_by("-corpus_type", "name", "pk")[:MOST_PLACES]


def move_chosen(request: HttpRequest, by: Membership, chosen: list[Document]) -> Deed:
    """`to`: the corpus. One that the member may not change is as if none were named."""
    named = identifiers([request.POST.get("to", "")])
    corpus = Corpus.objects.writable_by(by).filter(pk__in=named).first()
    if corpus is None or corpus.pk == chosen[0].corpus_id:
        return Deed(_("Choose a corpus to move them to."), failed=True)
    move = move_documents(chosen, corpus, by)
    said = what_stayed(move, corpus)
    if not move.moved:
        return Deed(said or _("None of these is here any more."), failed=True)
    return Deed(f"{moved_sentence(move.moved, chosen[0].corpus, corpus)} {said}".rstrip(), move.moment, was_move=True)


def move_back(by: Membership, corpus: Corpus, moment: datetime | None) -> Deed:
    """Those that were moved from it in that moment."""
    found = list(moved_together(by, corpus.pk, moment)) if moment else []
    move = move_documents(found, corpus, by)
    stayed = what_stayed(move, corpus)
    if not move.moved:
        return Deed(stayed or _("There is nothing to move back any more."), failed=True)
    said = ngettext("%(count)d document is back.", "%(count)d documents are back.", move.moved)
    return Deed(f"{said % {'count': move.moved}} {stayed}".rstrip())


def what_stayed(move: Move, corpus: Corpus) -> str:
    """Where it was, and why; empty when nothing did."""
    said = []
    if move.taken:
        stayed = ngettext(
            "%(count)d stayed: “%(corpus)s” has it already.",
            "%(count)d stayed: “%(corpus)s” has them already.",
            move.taken,
        )
        said.append(stayed % {"count": move.taken, "corpus": corpus})
    if move.follow_folder:
        stayed = ngettext(
            "%(count)d stayed: it comes from a folder that is watched, and would come again.",
            "%(count)d stayed: they come from a folder that is watched, and would come again.",
            move.follow_folder,
        )
        said.append(stayed % {"count": move.follow_folder})
    return " ".join(said)

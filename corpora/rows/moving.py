"""Moving documents to another corpus: at once for readers, in the index by the workers afterwards.

The row alone says where a document is, so whoever may not read the corpus that it is in finds it from that moment on
nowhere: hits are read back. Points go on naming the corpus before until a worker has written them anew
(`presence_changed_at`); till then a search finds it in neither. Chunks, text, names, citations and files are the
document's, and stay as they are; the database itself keeps the counts of both corpora.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, Sum
from django.utils import timezone

from accounts import audit
from accounts.limits import reserving, stock
from accounts.models import Membership
from accounts.problems import NotFound
from corpora.models import Corpus, Document, DocumentQuerySet
from corpora.removal import lock_documents, requeue_unfinished
from corpora.signals import documents_moved

MOVED, TAKEN, FOLLOWS_FOLDER = "moved", "taken", "follows a folder"


@dataclass(frozen=True, slots=True)
class Move:
    """What became of documents that were to be moved to one corpus. `moment`: by that they are moved back together.

    `taken`: the corpus has the same file under its name, or a fact of its key. `follow_folder`: a folder that is
    watched would bring them again. What was deleted or moved by somebody else meanwhile is counted nowhere.
    """

    moment: datetime
    moved: int = 0
    taken: int = 0
    follow_folder: int = 0


def move_documents(documents: Sequence[Document], corpus: Corpus, by: Membership) -> Move:
    """Those that are in corpora that the member may change, to one that they may change as well. Raises NotFound and
    QuotaExceeded: each is written to the index again, as an upload is.

    The organization's limits are locked first, as by an upload, then corpora, then documents, each in the order of
    their ids: two moves wait for each other in one order alone, and no deletion of either corpus comes in between.
    """
    now, became = timezone.now(), Counter[str]()
    with reserving.counted_request(by, writes=len(documents)), transaction.atomic():
        if corpus.is_personal:
            make_room_for(documents, by)
        kept = lock_corpora({corpus.pk, *(one.corpus_id for one in documents)}, by)
        if corpus.pk not in kept:
            raise NotFound
        here = kept - {corpus.pk}
        for document in lock_documents(one.pk for one in documents).filter(corpus__in=here):
            became[move_locked(document, corpus, by, now)] += 1
        if became[MOVED]:
            Corpus.objects.filter(pk=corpus.pk).update(sizes_wanted_at=now)  # its agents may read other sizes
            transaction.on_commit(partial(documents_moved.send, Corpus, corpus_id=corpus.pk))
    return Move(now, became[MOVED], became[TAKEN], became[FOLLOWS_FOLDER])


def make_room_for(documents: Sequence[Document], by: Membership) -> None:
    """What others uploaded for everybody is the member's own in a personal corpus (`corpora.uploads.holdings`)."""
    shared = Document.objects.writable_by(by).filter(pk__in=[one.pk for one in documents], corpus__owner=None)
    coming = shared.exclude(uploaded_by=by.user_id).aggregate(documents=Count("pk"), megabytes=Sum("size", default=0))
    stock.make_own_room(by, **coming)


def lock_corpora(ids: set[UUID], by: Membership) -> set[UUID]:
    """Those of them that the member may change; until the transaction ends they are not deleted."""
    rows = Corpus.objects.writable_by(by).select_for_update(no_key=True).filter(pk__in=ids)
    return set(rows.order_by("pk").values_list("pk", flat=True))


def move_locked(document: Document, corpus: Corpus, by: Membership, now: datetime) -> str:
    """What became of it. Who worked on it has lost it, and it waits again: the corpus may want other sizes."""
    if document.source_path:
        return FOLLOWS_FOLDER
    row = Document.objects.filter(pk=document.pk)
    try:
        with transaction.atomic():
            if is_key_taken(document, corpus):
                return TAKEN
            row.update(corpus=corpus, moved_from=document.corpus_id, moved_at=now, presence_changed_at=now)
    except IntegrityError:
        return TAKEN
    requeue_unfinished(row)
    audit.record(by, "moved", document, corpus=str(corpus.pk), moved_from=str(document.corpus_id))
    return MOVED


def is_key_taken(document: Document, corpus: Corpus) -> bool:
    """One document for each fact of a corpus."""
    there = Document.objects.alive().filter(corpus=corpus, fact_key=document.fact_key)
    return bool(document.fact_key) and there.exists()


def moved_together(by: Membership, corpus_id: UUID, moment: datetime) -> DocumentQuerySet:
    """What was moved from a corpus at once, as far as nobody has moved or deleted it since."""
    return Document.objects.writable_by(by).filter(moved_from=corpus_id, moved_at=moment)

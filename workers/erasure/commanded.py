"""Erasing by command: what an operator names, and what a restored backup brought back."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Model
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.members import LastAdmin
from accounts.models import Organization, User
from chat.leaving.erasing import mark_for_erasure, request_organization_erasure, request_user_erasure
from config.concurrency.clock import DatabaseNow
from corpora.models import Corpus, Document, ErasureReceipt
from workers.erasure import receipts
from workers.erasure.corpora import erase_deleted_corpora
from workers.erasure.parties import erase_next_party
from workers.erasure.tombstones import Tombstone
from workers.jobs import erase

Kind = ErasureReceipt.Kind
MODELS: dict[str, type[Model]] = {
    Kind.DOCUMENT: Document,
    Kind.CORPUS: Corpus,
    Kind.USER: User,
    Kind.ORGANIZATION: Organization,
}
NAMES = {Kind.USER: "email", Kind.ORGANIZATION: "slug"}


@dataclass(frozen=True, slots=True)
class Erased:
    """`held` documents a worker works on, `open` receipts are not finished."""

    receipts: list[ErasureReceipt]
    documents: int
    held: int
    open: int


def find_subject(kind: str, name: UUID | str) -> Model | None:
    """By id, a user by address, an organization by slug."""
    return MODELS[kind]._base_manager.filter(**{NAMES.get(Kind(kind), "pk"): name}).first()


def mark_subject(subject: Model) -> None:
    """Nobody reads it from now on, and it will be erased. Raises LastAdmin."""
    if isinstance(subject, User):
        request_user_erasure(subject, None, None)
    elif isinstance(subject, Organization):
        request_organization_erasure(subject, None)
    elif isinstance(subject, Corpus):
        mark_for_erasure(Corpus.objects.filter(pk=subject.pk))
    elif isinstance(subject, Document):
        now = DatabaseNow()
        gone = {"deleted_at": Coalesce("deleted_at", now), "kept_until": None, "presence_changed_at": now}
        Document.objects.filter(pk=subject.pk).update(**gone)


def mark_again(stone: Tombstone) -> bool:
    """What a receipt names, if it is there; an admin who has gone is no admin any more, whoever is left."""
    subject = MODELS[stone.kind]._base_manager.filter(pk=stone.id).first()
    if subject is None:
        return False
    try:
        mark_subject(subject)
    except LastAdmin:
        assert isinstance(subject, User)
        subject.memberships.all().delete()
        mark_subject(subject)
    return True


def finish_erasures() -> Erased:
    """All that is due, in this process."""
    since = timezone.now()
    due = list(Document.objects.erasable().values_list("pk", flat=True))
    erased = sum(erase.erase(document_id) for document_id in due)
    erase_deleted_corpora()
    while erase_next_party():
        pass
    done = list(ErasureReceipt.objects.filter(finished_at__gte=since).order_by("finished_at"))
    return Erased(done, erased, len(due) - erased, receipts.open_receipts().count())

"""Who works on a document: claims by compare-and-swap, leases, attempts (SPEC §3, "The document row is the queue").

A document that is ingested is `processing` under a lease. Erasing it or copying its metadata is an errand: a lease
too, which leaves its status alone.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from accounts.tenancy.scope import tenant_scope
from config.concurrency.clock import DatabaseNow
from config.concurrency.heartbeat import HEARTBEAT_SECONDS, LEASE, beating
from config.metrics.background import count_document
from config.prepared import Prepared
from corpora.models import Document, DocumentQuerySet
from workers.queue import turns
from workers.queue.ends import announce_ends, is_listened_to
from workers.queue.turns import Kind

RETRY_AFTER = timedelta(seconds=15)
MAX_ATTEMPTS = 3
TRIED = 8  # candidates of one look; then who is next is asked anew
GIVEN_UP_AT_ONCE = 500  # each is announced in the same transaction; the next sweep goes on
ROUNDS = 20  # in which others were always faster; the next hint tries again

Status = Document.Status


class LeaseLost(Exception):
    """The document was deleted, sent again, or taken over: the holder stops and writes nothing more."""


def due_documents() -> QuerySet[Document]:
    """Documents that somebody should work on now: waiting ones, and those whose worker fell silent."""
    waiting = Q(status=Status.PENDING, not_before__lte=DatabaseNow())
    abandoned = Q(status=Status.PROCESSING, lease_expires_at__lt=DatabaseNow())
    return Document.objects.alive().filter(waiting | abandoned).order_by("not_before")


def claim_next(kind: Kind) -> "Lease | None":
    """Take the document whose turn it is; None when nothing of this kind is due. Who is outrun asks again."""
    take = claim_ingestion if kind in (Kind.INGEST, Kind.INGEST_SMALL) else ERRANDS[kind]
    for _ in range(ROUNDS):
        waiting = turns.turns(kind)
        for turn in waiting[:TRIED]:
            if lease := take(turn.document_id):
                turns.note(kind, turn)
                return lease
        if not waiting:
            break
    return None


def claim_ingestion(document_id: UUID) -> "Lease | None":
    """Take a due document to ingest it; None when it is not due, gone, or another worker was faster."""
    holder = uuid4()
    taken = take_row(
        due_documents().order_by().filter(pk=document_id, attempts__lt=MAX_ATTEMPTS),
        status=Status.PROCESSING,
        stage=Document.Stage.EXTRACT,
        progress=0.0,
        error_code="",
        lease_holder=holder,
        lease_expires_at=DatabaseNow(LEASE),
        attempts=F("attempts") + 1,
    )
    return Lease(document_id, holder) if taken else None


def claim_erasure(document_id: UUID) -> "Lease | None":
    """Take a deleted document to erase it; None while a worker holds it, or the trash keeps it.

    From here on there is no way back: it has left the trash.
    """
    return _on_errand(document_id, Document.objects.erasable(), kept_until=None)


def claim_presence(document_id: UUID) -> "Lease | None":
    """Take a document that was deleted or restored, so that the index loses or gets its points; None while held."""
    changed = Document.objects.exclude(presence_changed_at=None)
    at_work = Q(status=Status.PROCESSING, deleted_at=None)  # its worker writes all of its points
    return _on_errand(document_id, changed.exclude(at_work))


def claim_metadata(document_id: UUID) -> "Lease | None":
    """Take a document whose edited metadata the index lacks; None while it is in work or held."""
    changed = Document.objects.alive().exclude(metadata_changed_at=None).exclude(status=Status.PROCESSING)
    return _on_errand(document_id, changed)


ERRANDS = {Kind.ERASE: claim_erasure, Kind.METADATA: claim_metadata, Kind.PRESENCE: claim_presence}


def _on_errand(document_id: UUID, rows: QuerySet[Document], **fields: Any) -> "Lease | None":
    holder = uuid4()
    free = rows.filter(Q(lease_expires_at=None) | Q(lease_expires_at__lt=DatabaseNow()), pk=document_id)
    taken = take_row(free, lease_holder=holder, lease_expires_at=DatabaseNow(LEASE), **fields)
    return Lease(document_id, holder) if taken else None


def take_row(document: QuerySet[Document], **fields: Any) -> bool:
    """Change a row if it is still as the query says. On PostgreSQL a row that somebody has locked counts as taken."""
    if not connection.features.has_select_for_update_skip_locked:
        return bool(document.update(**fields))
    with transaction.atomic():
        free = list(document.select_for_update(skip_locked=True).values_list("pk", flat=True))
        return bool(free and document.update(**fields))


def give_up_exhausted() -> int:
    """Fail the documents whose worker died on every attempt, so that nobody waits for them."""
    ended = {"status": Status.FAILED, "stage": Document.Stage.NONE, "error_code": "too_many_attempts"}
    with transaction.atomic():
        exhausted = due_documents().order_by().filter(attempts__gte=MAX_ATTEMPTS).select_for_update(of=("self",))
        documents = [one.pk for one in exhausted.only("pk")[:GIVEN_UP_AT_ONCE]]
        given_up = Document.objects.filter(pk__in=documents).update(**ended, lease_holder=None, lease_expires_at=None)
        announce_ends(documents)
    for _ in range(given_up):
        count_document("failed", "too_many_attempts")
    return given_up


def release_abandoned(*, counts: bool = True) -> int:
    """Put every document in processing back in the queue. Only for the one process of an embedded installation:
    at its start nobody else can be working, so a kill -9 costs no waiting for leases; at an orderly end
    (`counts=False`) the interruption costs no attempt either."""
    free = {"lease_holder": None, "lease_expires_at": None}
    left = Document.objects.alive().filter(status=Status.PROCESSING)
    released = left.requeue(attempts=F("attempts") if counts else F("attempts") - 1)
    Document.objects.exclude(lease_expires_at=None).update(**free)
    return released


def held_by(document_id: UUID, holder: UUID) -> DocumentQuerySet:
    return Document.objects.alive().filter(pk=document_id, lease_holder=holder, status=Status.PROCESSING)


_held = Prepared(lambda **lease: held_by(**lease).select_related("corpus").order_by())


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one document, for LEASE from the last sign of life."""

    document_id: UUID
    holder: UUID

    def held(self) -> DocumentQuerySet:
        return held_by(self.document_id, self.holder)

    def document(self) -> Document:
        """The document with its corpus, or LeaseLost."""
        found = _held(document_id=self.document_id, holder=self.holder)
        if not found:
            raise LeaseLost
        return found[0]

    def scope(self) -> AbstractContextManager[None]:
        """The document's organization and owner: work in it sees nobody else's rows."""
        found = self.rows().values_list("corpus__organization", "corpus__owner").first()
        return tenant_scope(*found) if found else nullcontext()

    def kept_alive(self) -> AbstractContextManager[None]:
        """Renew the lease while a stage says nothing for long: a local model may take minutes for one batch."""
        return beating(self.renew, HEARTBEAT_SECONDS)

    def renew(self) -> None:
        self.rows().update(lease_expires_at=DatabaseNow(LEASE))

    def rows(self) -> QuerySet[Document]:
        """The document while it is ours, whatever its status."""
        return Document.objects.filter(pk=self.document_id, lease_holder=self.holder)

    def end_errand(self, **fields: Any) -> bool:
        """Done: let go, and change what depends on it; False when another has taken over."""
        return bool(self.rows().update(lease_holder=None, lease_expires_at=None, **fields))

    def postpone_errand(self) -> None:
        """It failed: nobody tries again before RETRY_AFTER."""
        self.rows().update(lease_holder=None, lease_expires_at=DatabaseNow(RETRY_AFTER))

    def let_go(self) -> bool:
        """Stop holding a document that was deleted meanwhile, so that its erasure need not wait; True if it was."""
        return bool(self.rows().exclude(deleted_at=None).update(lease_holder=None, lease_expires_at=None))

    def report(self, stage: Document.Stage, progress: float) -> None:
        """Show where the work is, and live on. Raises LeaseLost when it is not ours any more."""
        alive = self.held().update(stage=stage, progress=round(progress, 4), lease_expires_at=DatabaseNow(LEASE))
        if not alive:
            raise LeaseLost

    def finish(self, version: int, **facts: Any) -> None:
        """Switch readers to the new version in one step. Raises LeaseLost when there is nothing to switch."""
        self._end(status=Status.INDEXED, version=version, progress=1.0, attempts=0, indexed_at=DatabaseNow(), **facts)

    def fail(self, code: str) -> None:
        """End with a reason; `corpora.advice` says what to do."""
        self._end(status=Status.FAILED, error_code=code)
        count_document("failed", code)

    def retry_later(self, code: str, *, counts: bool, after: timedelta | None = None) -> None:
        """Put the document back; an outage of others (`counts=False`) costs it no attempt."""
        later = DatabaseNow(RETRY_AFTER if after is None else after)
        tried = F("attempts") if counts else F("attempts") - 1
        if not self.held().requeue(not_before=later, attempts=tried, error_code=code):
            raise LeaseLost
        count_document("postponed")

    def _end(self, **fields: Any) -> None:
        cleared = {"stage": Document.Stage.NONE, "lease_holder": None, "lease_expires_at": None}
        listened_to = is_listened_to(self.document_id)
        with transaction.atomic() if listened_to else nullcontext():
            if not self.held().update(**cleared, **fields):
                raise LeaseLost
            if listened_to:
                announce_ends([self.document_id])

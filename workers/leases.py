"""Who works on a document: claims by compare-and-swap, leases, attempts (SPEC §3, "The document row is the queue")."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from corpora.models import Document

LEASE = timedelta(seconds=120)
RETRY_AFTER = timedelta(seconds=15)
MAX_ATTEMPTS = 3

Status = Document.Status


class LeaseLost(Exception):
    """The document was deleted, sent again, or taken over: the holder stops and writes nothing more."""


def due() -> QuerySet[Document]:
    """Documents that somebody should work on now: waiting ones, and those whose worker fell silent."""
    now = timezone.now()
    waiting = Q(status=Status.PENDING, not_before__lte=now)
    abandoned = Q(status=Status.PROCESSING, lease_expires_at__lt=now)
    return Document.objects.alive().filter(waiting | abandoned).order_by("not_before")


def claim(document_id: UUID) -> "Lease | None":
    """Take a due document; None when it is not due, gone, or another worker was faster. One UPDATE decides."""
    holder = uuid4()
    taken = (
        due()
        .order_by()
        .filter(pk=document_id, attempts__lt=MAX_ATTEMPTS)
        .update(
            status=Status.PROCESSING,
            stage=Document.Stage.EXTRACT,
            progress=0.0,
            error_code="",
            error_detail="",
            lease_holder=holder,
            lease_expires_at=timezone.now() + LEASE,
            attempts=F("attempts") + 1,
        )
    )
    return Lease(document_id, holder) if taken else None


def give_up_exhausted() -> int:
    """Fail the documents whose worker died on every attempt, so that nobody waits for them."""
    return (
        due()
        .order_by()
        .filter(attempts__gte=MAX_ATTEMPTS)
        .update(
            status=Status.FAILED,
            stage=Document.Stage.NONE,
            error_code="too_many_attempts",
            error_detail="Processing stopped three times before its end. Try again, or split the file.",
            lease_holder=None,
            lease_expires_at=None,
        )
    )


def release_abandoned() -> int:
    """Put every document in processing back in the queue. Only for the one process of an embedded installation,
    at its start: nobody else can be working then, so a kill -9 costs no 120 s of waiting."""
    return (
        Document.objects.alive()
        .filter(status=Status.PROCESSING)
        .update(status=Status.PENDING, not_before=timezone.now(), lease_holder=None, lease_expires_at=None)
    )


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one document, for LEASE from the last sign of life."""

    document_id: UUID
    holder: UUID

    def held(self) -> QuerySet[Document]:
        return Document.objects.alive().filter(pk=self.document_id, lease_holder=self.holder, status=Status.PROCESSING)

    def document(self) -> Document:
        """The document with its corpus, or LeaseLost."""
        document = self.held().select_related("corpus").first()
        if document is None:
            raise LeaseLost
        return document

    def report(self, stage: Document.Stage, progress: float) -> None:
        """Show where the work is, and live on. Raises LeaseLost when it is not ours any more."""
        alive = self.held().update(stage=stage, progress=round(progress, 4), lease_expires_at=timezone.now() + LEASE)
        if not alive:
            raise LeaseLost

    def finish(self, version: int, **facts: Any) -> None:
        """Switch readers to the new version in one step. Raises LeaseLost when there is nothing to switch."""
        self._end(status=Status.INDEXED, version=version, progress=1.0, attempts=0, indexed_at=timezone.now(), **facts)

    def fail(self, code: str, detail: str) -> None:
        """End with a reason that says what to do."""
        self._end(status=Status.FAILED, error_code=code, error_detail=detail[:500])

    def retry_later(self, code: str, detail: str, *, counts: bool) -> None:
        """Put the document back; an outage of others (`counts=False`) costs it no attempt."""
        self._end(
            status=Status.PENDING,
            error_code=code,
            error_detail=detail[:500],
            not_before=timezone.now() + RETRY_AFTER,
            attempts=F("attempts") if counts else F("attempts") - 1,
        )

    def _end(self, **fields: Any) -> None:
        cleared = {"stage": Document.Stage.NONE, "lease_holder": None, "lease_expires_at": None}
        if not self.held().update(**cleared, **fields):
            raise LeaseLost

"""Who works on a document: claims by compare-and-swap, leases, attempts (SPEC §3, "The document row is the queue")."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import DatabaseError, connections
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from config.prepared import Prepared
from corpora.models import Document

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=120)
HEARTBEAT_SECONDS = 30.0
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


def release_abandoned(*, counts: bool = True) -> int:
    """Put every document in processing back in the queue. Only for the one process of an embedded installation:
    at its start nobody else can be working, so a kill -9 costs no 120 s of waiting; at an orderly end
    (`counts=False`) the interruption costs no attempt either."""
    free = {"lease_holder": None, "lease_expires_at": None}
    Document.objects.exclude(deleted_at=None).update(**free)
    return (
        Document.objects.alive()
        .filter(status=Status.PROCESSING)
        .update(
            status=Status.PENDING,
            not_before=timezone.now(),
            attempts=F("attempts") if counts else F("attempts") - 1,
            **free,
        )
    )


def held_by(document_id: UUID, holder: UUID) -> QuerySet[Document]:
    return Document.objects.alive().filter(pk=document_id, lease_holder=holder, status=Status.PROCESSING)


_held = Prepared(lambda **lease: held_by(**lease).select_related("corpus").order_by())


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one document, for LEASE from the last sign of life."""

    document_id: UUID
    holder: UUID

    def held(self) -> QuerySet[Document]:
        return held_by(self.document_id, self.holder)

    def document(self) -> Document:
        """The document with its corpus, or LeaseLost."""
        found = _held(document_id=self.document_id, holder=self.holder)
        if not found:
            raise LeaseLost
        return found[0]

    @contextmanager
    def kept_alive(self) -> Iterator[None]:
        """Renew the lease while a stage says nothing for long: a local model may take minutes for one batch."""
        ended = threading.Event()
        thread = threading.Thread(target=self._renew_until, args=(ended,), name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _renew_until(self, ended: threading.Event) -> None:
        while not ended.wait(HEARTBEAT_SECONDS):
            try:
                self.held().update(lease_expires_at=timezone.now() + LEASE)
            except DatabaseError:
                logger.warning("the lease on document %s could not be renewed", self.document_id)
        connections.close_all()

    def let_go(self) -> bool:
        """Stop holding a document that was deleted meanwhile, so that its erasure need not wait; True if it was."""
        deleted = Document.objects.filter(pk=self.document_id, lease_holder=self.holder).exclude(deleted_at=None)
        return bool(deleted.update(lease_holder=None, lease_expires_at=None))

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

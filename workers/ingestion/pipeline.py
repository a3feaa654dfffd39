"""The way of a document, from its claim to its end (SPEC §3): read it in the sandbox, write its version, switch.

A new version is written beside the old one under ids that a second run repeats, so a killed worker leaves nothing
that the next attempt does not overwrite, and readers never see half a document.
"""

import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from uuid import UUID

from django.core.files.storage import FileSystemStorage
from django.utils import timezone

from config.faults import describe_error
from config.metrics.background import count_document, observe_stage, timed_stage
from config.observability.tracing import span
from corpora.models import Document
from corpora.signals import document_removed
from retrieval.embeddings.base import EmbeddingRejected, EmbeddingUnavailable
from retrieval.index.base import IndexUnavailable
from retrieval.spaces.opened import every_index
from retrieval.spaces.probe import EmbeddingSpaceMismatch
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.index.version import VersionWriter
from workers.ingestion.outage import PAUSE_SECONDS, is_away, outlasting
from workers.ingestion.reading import Reading, ReadRequest, read_extracted
from workers.ingestion.sandbox.pool import SandboxUnavailable, read_in_sandbox
from workers.jobs.cut import granularities
from workers.queue.causes import in_the_name_of
from workers.queue.claims import MAX_ATTEMPTS, Lease, LeaseLost, claim_ingestion

logger = logging.getLogger(__name__)

BATCH = 400  # chunks embedded and written at a time: bounds memory at some 5 MB of vectors
# What each stage is worth on the progress bar; embedding is where the time goes.
READ_AT, WRITTEN_AT = 0.25, 0.98
UNNOTICED_SECONDS = 1.0  # who is done sooner tells nobody in between: each telling is a write


class StoreUnavailable(Exception):
    """The file store does not give the original."""


class OriginalMissing(Exception):
    """The file store is there and has no such file: what nobody can read again stays as it was last read."""


OUTAGES = (EmbeddingUnavailable, IndexUnavailable, SandboxUnavailable, StoreUnavailable)
Stage = Document.Stage


def ingest_if_due(document_id: UUID) -> bool:
    """Ingest a document if it is due; True when this call did the work. Never raises for the document's sake."""
    lease = claim_ingestion(document_id)
    return lease is not None and ingest_claimed(lease)


def ingest_claimed(lease: Lease) -> bool:
    """Ingest a document that was claimed; False when it was lost on the way. Never raises for the document's sake."""
    with in_the_name_of(lease.document_id):
        try:
            with lease.scope(), lease.kept_alive():
                read_and_index(lease)
        except LeaseLost:
            count_document("lost")
            outlasting(partial(clean_up_after_loss, lease))
            return False
        except Exception as error:  # whatever a document or a service does, it ends in a status
            outlasting(partial(conclude, lease, error))
        else:
            count_document("indexed")
    return True


def read_and_index(lease: Lease) -> None:
    started = time.monotonic()
    document = lease.document()
    observe_stage("wait", since_due(document))
    with timed_stage("read"), span("ingest.read"):
        reading = read_in_sandbox(original_of(document), read_request_for(document))
    index_reading(lease, document, reading, since=started)
    observe_stage("total", since_due(document))


def since_due(document: Document) -> float:
    """Seconds since somebody could have begun with it, by this machine's clock, which may be behind."""
    return max(0.0, (timezone.now() - document.not_before).total_seconds())


def index_extracted(lease: Lease, extracted: Extracted, sizes: Sequence[int] = ()) -> None:
    """Everything after extraction, for a text that needs none.

    `sizes`: granularities to measure; else those that the document's readers need.
    """
    document = lease.document()
    index_reading(lease, document, read_extracted(extracted, read_request_for(document, sizes)))


def read_request_for(document: Document, sizes: Sequence[int] = ()) -> ReadRequest:
    return ReadRequest(
        media_type=document.media_type,
        granularities=tuple(sizes or granularities(document)),
        title=document.title,
        filename=document.filename,
        language=document.language,
    )


def original_of(document: Document) -> bytes | Path:
    """The uploaded file, or where it lies on this machine: then only the sandbox's child reads it.

    Raises StoreUnavailable, also where its folder is not there: a disk that is not mounted has lost nothing; and
    OriginalMissing.
    """
    storage = document.file.storage
    if isinstance(storage, FileSystemStorage):
        if not Path(document.file.path).exists():
            raise OriginalMissing if Path(storage.location).is_dir() else StoreUnavailable
        return Path(document.file.path)
    try:
        with document.file.open("rb") as original:
            return bytes(original.read())
    except FileNotFoundError:
        raise OriginalMissing from None
    except Exception as error:  # boto raises its own hierarchy
        raise StoreUnavailable from error


def index_reading(lease: Lease, document: Document, reading: Reading, since: float | None = None) -> None:
    """Embed and index what was read, and switch readers to it.

    Who watches is told that embedding begins where that may take long: at a model server, or after a long reading that
    began at `since`, a time of the monotonic clock.
    """
    count = len(reading.chunks)
    if not count:
        raise ExtractionError("empty_document")
    writer = VersionWriter(lease, document, reading)
    writer.clear_unfinished()
    if since is not None and (writer.spaces.waits or time.monotonic() - since > UNNOTICED_SECONDS):
        lease.report(Stage.EMBED, READ_AT)
    for start in range(0, count, BATCH):
        end = min(start + BATCH, count)
        with span("ingest.write", acervo__chunks=end - start):
            writer.write(slice(start, end), READ_AT + (WRITTEN_AT - READ_AT) * end / count)
    with timed_stage("switch"), span("ingest.switch"):
        writer.switch()


def conclude(lease: Lease, error: Exception) -> None:
    """Turn what went wrong into a status: failed with advice, or back in the queue."""
    try:
        if isinstance(error, ExtractionError):
            logger.info("document %s cannot be read: %s", lease.document_id, error)
            lease.fail(error.code)
        elif isinstance(error, EmbeddingSpaceMismatch):
            logger.error("document %s is refused: %s", lease.document_id, error)
            lease.fail("embedding_space_changed")
        elif isinstance(error, OriginalMissing):
            logger.error("document %s has no original in the file store", lease.document_id)
            lease.fail("original_missing")
        elif getattr(error, "is_exhausted", False):
            logger.warning("document %s waits: all connections are lent out", lease.document_id)
            lease.retry_later("service_unavailable", counts=False)
        elif is_away(error):
            logger.warning("document %s goes on when the database is back", lease.document_id)
            time.sleep(PAUSE_SECONDS)
            lease.retry_later("service_unavailable", counts=False, after=timedelta())
        elif isinstance(error, OUTAGES):
            logger.warning("document %s waits: %s", lease.document_id, type(error).__name__)
            lease.retry_later("service_unavailable", counts=False)
        else:
            conclude_unexpected(lease, error)
    except LeaseLost:
        clean_up_after_loss(lease)


def conclude_unexpected(lease: Lease, error: Exception) -> None:
    logger.error("document %s could not be ingested: %s", lease.document_id, describe_error(error))
    code = "embedding_rejected" if isinstance(error, EmbeddingRejected) else "internal_error"
    if lease.document().attempts >= MAX_ATTEMPTS:
        lease.fail(code)
    else:
        lease.retry_later(code, counts=True)


def clean_up_after_loss(lease: Lease) -> None:
    """A deleted document must not rise again, nor a moved one where it was: have the index lose, or get anew, what this
    worker wrote after the deletion or the move."""
    lease.let_go()
    elsewhere = Document.objects.filter(pk=lease.document_id).exclude(deleted_at=None, moved_at=None)
    if elsewhere.update(presence_changed_at=timezone.now()):
        document_removed.send(Document, document_id=lease.document_id)
    elif not Document.objects.filter(pk=lease.document_id).exists():
        for index in every_index():
            index.delete_document(lease.document_id)

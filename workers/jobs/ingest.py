"""A document's turn to be ingested; how is `workers.ingestion.pipeline`'s."""

from workers.ingestion import pipeline
from workers.queue import claims
from workers.queue.claims import Lease, LeaseLost
from workers.queue.turns import Kind


def ingest_next(kind: Kind = Kind.INGEST) -> bool:
    """Ingest the document whose turn it is; False when none is due."""
    lease = claims.claim_next(kind)
    if lease is not None:
        work_on(lease)
    return lease is not None


def ingest_next_small() -> bool:
    return ingest_next(Kind.INGEST_SMALL)


def work_on(lease: Lease) -> None:
    """Ingest a document that was claimed. Never raises for the document's sake: it ends in a status."""
    try:
        with lease.kept_alive():
            pipeline.ingest(lease)
    except LeaseLost:
        pipeline.clean_up_after_loss(lease)
    except Exception as error:  # whatever a document or a service does
        pipeline.conclude(lease, error)

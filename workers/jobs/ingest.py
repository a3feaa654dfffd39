"""A document's turn to be ingested; how is `workers.ingestion.pipeline`'s."""

from config.metrics.background import working_in
from workers.ingestion import pipeline
from workers.queue import claims
from workers.queue.hints import INGESTION, SHORT
from workers.queue.turns import Kind


def ingest_next(kind: Kind = Kind.INGEST) -> bool:
    """Ingest the document whose turn it is; False when none is due."""
    lease = claims.claim_next(kind)
    if lease is not None:
        with working_in(SHORT if kind is Kind.INGEST_SMALL else INGESTION):
            pipeline.ingest_claimed(lease)
    return lease is not None


def ingest_next_small() -> bool:
    return ingest_next(Kind.INGEST_SMALL)

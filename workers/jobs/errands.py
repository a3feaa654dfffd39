"""The next errand of a kind: what is done to a document whatever its status (`workers.queue.claims`)."""

import logging
from collections.abc import Callable

from config.faults import describe_error
from workers.queue import claims
from workers.queue.claims import Lease
from workers.queue.turns import Kind

logger = logging.getLogger(__name__)


def run_next(kind: Kind, work: Callable[[Lease], None]) -> bool:
    """Do it for the document whose turn it is; False when none is due.

    A service that is down must not end the worker: what marked the document is still there, and it is tried again.
    """
    lease = claims.claim_next(kind)
    if lease is None:
        return False
    try:
        with lease.kept_alive():
            work(lease)
    except Exception as error:
        logger.warning("document %s waits (%s): %s", lease.document_id, kind.value, describe_error(error))
        lease.postpone_errand()
    return True

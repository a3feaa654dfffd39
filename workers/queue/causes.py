"""On whose request a document is worked on, for the lines and spans of whoever claims it, in whichever process.

The row is the queue and a hint says nothing of whose work there is, so a task may take up what another request has
brought. What caused a document is noted in the cache for a day: what is lost there is missed in a log alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID

from django.core.cache import cache

from config.observability import tracing
from config.observability.correlation import cause, caused_by, correlated, current_correlation

KEPT_SECONDS = 86_400


def note_cause(document_id: UUID) -> None:
    if told := cause(tracing.carried().get("traceparent", "")):
        cache.set(_key(document_id), told, KEPT_SECONDS)


@contextmanager
def in_the_name_of(document_id: UUID) -> Iterator[None]:
    """Lines and spans of the block belong to the request that brought the document, where that is known.

    Beneath the present task's span, if it is of the same trace.
    """
    told = cache.get(_key(document_id))
    if not isinstance(told, dict):
        with tracing.span("ingest", acervo__document=str(document_id)):
            yield
        return
    now, brought = current_correlation(), caused_by(told)
    is_here = tracing.present_span()[0] == brought.trace_id
    above = tracing.carried().get("traceparent", "") if is_here else brought.traceparent
    with (
        correlated(replace(now, request_id=brought.request_id, traceparent=brought.traceparent)),
        tracing.beneath(above),
        tracing.span("ingest", "CONSUMER", acervo__document=str(document_id)),
    ):
        yield


def _key(document_id: UUID) -> str:
    return f"cause:{document_id}"

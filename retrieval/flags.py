"""The installation's switches as they are now: the environment's defaults, overridden in the admin (SPEC §4, "Flags").

Read once for each question and never kept: what an operator changes counts at the next answer, in every process.
"""

from dataclasses import dataclass

from django.conf import settings

from config.prepared import Prepared
from retrieval.models import Flags


@dataclass(frozen=True, slots=True)
class EffectiveFlags:
    """`min_confidence` is on the scale of `retrieval.confidence.gate.score`; `max_documents` counts passages."""

    rag_enabled: bool
    min_confidence: float
    max_documents: int


def environment_flags() -> EffectiveFlags:
    """What holds where the admin says nothing."""
    return EffectiveFlags(settings.RAG_ENABLED, settings.RAG_MIN_CONFIDENCE, settings.RAG_MAX_DOCUMENTS)


_overrides = Prepared(
    lambda: Flags.objects.order_by().values_list("rag_enabled", "rag_min_confidence", "rag_max_documents")
)


def effective_flags() -> EffectiveFlags:
    """One small query. Lets `django.db.DatabaseError` through: without the database there is no answer anyway."""
    default = environment_flags()
    enabled, confidence, documents = next(iter(_overrides()), (None, None, None))
    return EffectiveFlags(
        rag_enabled=default.rag_enabled if enabled is None else enabled,
        min_confidence=default.min_confidence if confidence is None else confidence,
        max_documents=default.max_documents if documents is None else documents,
    )

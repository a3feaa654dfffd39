"""A program's search leaves a trace as an answer does: without a message, and without words that may be personal."""

from typing import Any

from agents.searching import Search
from agents.signals import searched
from chat.answering import tracing
from chat.models import Trace
from retrieval.results import Retrieval


def connect_traces() -> None:
    searched.connect(keep_trace, dispatch_uid="trace of a search")


def keep_trace(search: Search, retrieval: Retrieval, **_signal: Any) -> None:
    Trace.objects.create(
        agent=search.agent,
        **tracing.words_of(search.query, is_personal=search.is_personal),
        scope_size=len(search.scope.corpus_ids),
        candidates=[tracing.candidate_entry(one) for one in retrieval.candidates],
        usage={"re-ranking": {"prompt_tokens": search.meter.tokens, "completion_tokens": 0}}
        if search.meter.tokens
        else {},
        **tracing.retrieval_entry(retrieval),
    )

"""What the chat adds to a program's search: it keeps to a project, and leaves a trace as an answer does, without a
message, and without words that may be personal."""

from typing import Any
from uuid import UUID

from accounts.models import Membership
from agents.narrowing import narrow_by
from agents.searching import Search
from agents.signals import searched
from chat.answering import records, tracing
from chat.models import Trace
from corpora.scope import Scope
from retrieval.results import Retrieval


def connect_searches() -> None:
    searched.connect(keep_trace, dispatch_uid="trace of a search")
    narrow_by(narrowed_to_project)


def narrowed_to_project(membership: Membership, project: UUID, scope: Scope) -> Scope:
    """As a conversation in the project would be. Raises NotFound."""
    return records.narrowed_by(records.project_for(membership, project), scope)


def keep_trace(search: Search, retrieval: Retrieval, **_signal: Any) -> None:
    Trace.objects.create(
        agent=search.agent,
        **tracing.words_of(search.query, is_personal=search.is_personal),
        scope_size=len(search.scope.corpus_ids),
        candidates=tracing.candidate_entries(retrieval),
        usage={"re-ranking": {"prompt_tokens": search.meter.tokens, "completion_tokens": 0}}
        if search.meter.tokens
        else {},
        **tracing.retrieval_entry(retrieval),
        **tracing.cause_of_it(),
    )

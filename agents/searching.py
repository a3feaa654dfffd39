"""One search that somebody asks for by itself, outside of a conversation: counted, made in their name, recorded.

It leaves two records: who used which agent how much (`accounts.models.ToolCall`), and what was found, as an answer's
trace has it, of which the floor above is told by a signal.
"""

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from django.db import transaction

from accounts import audit
from accounts.limits import reserving
from accounts.limits.reserving import Spending
from accounts.limits.size import organization_class
from accounts.models import Membership, ToolCall
from agents.llm.metering import Meter, metered
from agents.models import Agent
from agents.narrowing import scope_of_project
from agents.policy import searches
from agents.reranking import most_used_by_reranker
from agents.signals import searched
from corpora.scope import Scope
from retrieval.confidence.gate import Gate
from retrieval.flags import EffectiveFlags
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import aretrieve, observed, retrieve


@dataclass(frozen=True, slots=True)
class Search:
    """In whose name, where, and how. `is_made`: not where the agent answers without documents."""

    membership: Membership
    agent: Agent
    query: str
    scope: Scope
    policy: RetrievalPolicy
    kind: ToolCall.Kind
    is_made: bool
    id: UUID = field(default_factory=uuid4)
    meter: Meter = field(default_factory=Meter)
    began: float = field(default_factory=time.monotonic)

    @property
    def unmade(self) -> Retrieval:
        return Retrieval(self.query, self.policy.granularity, gate=Gate.DISABLED)

    @property
    def most(self) -> Spending:
        """What it may spend: an agent's language model re-ranks."""
        meter = Meter()
        if self.is_made and self.policy.reranker:
            meter.add(self.agent.model, most_used_by_reranker(self.agent))
        return Spending(meter.tokens, meter.microdollars)

    @property
    def is_personal(self) -> bool:
        """Whether somebody's own documents were in reach: then nothing of it has words that others read."""
        return bool(self.scope.personal_ids)


def open_search(
    membership: Membership,
    agent: Agent,
    query: str,
    policy: RetrievalPolicy,
    flags: EffectiveFlags,
    kind: ToolCall.Kind,
    *,
    project: UUID | None = None,
) -> Search:
    """Its request has been counted; what it may spend is reserved here. Raises QuotaExceeded, and NotFound for a
    `project` that is not the member's own."""
    scope = scope_of_project(membership, project, agent.scope_for(membership))
    search = Search(membership, agent, query, scope, policy, kind, is_made=searches(agent, flags))
    if most := search.most:
        search.meter.organization_class = organization_class(membership.organization_id)
        reserving.reserve(membership, most, search.id)
    return search


async def search_on_loop(search: Search) -> Retrieval:
    """`close_search` is the caller's, whatever happens."""
    if not search.is_made:
        return search.unmade
    with metered(search.meter):
        return await aretrieve(search.query, search.scope, search.policy)


def search_here(search: Search) -> Retrieval:
    """On this thread, from its opening to its end."""
    found = None
    try:
        with metered(search.meter):
            found = observed(retrieve(search.query, search.scope, search.policy)) if search.is_made else search.unmade
    finally:
        close_search(search, found)
    return found


def close_search(search: Search, found: Retrieval | None) -> None:
    """Settle what it spent, and record what it found; None when nothing came of it."""
    with ExitStack() as last:
        if search.most:
            last.callback(reserving.settle, search.id, Spending(search.meter.tokens, search.meter.microdollars))
        if found is not None:
            with transaction.atomic():
                _record(search, found)


def _record(search: Search, found: Retrieval) -> None:
    audit.record_tool_call(
        search.membership,
        search.kind,
        search.began,
        agent=search.agent.pk,
        items=len(found.chunks),
        tokens=sum(one.token_count for one in found.chunks),
        is_personal=search.is_personal,
    )
    if search.kind != ToolCall.Kind.PLAYGROUND:  # which an admin repeats at will, with other settings
        searched.send(Agent, search=search, retrieval=found)

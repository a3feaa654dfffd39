"""A question in its place: who asks whom, in which conversation; and the search for its answer, again if need be."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from accounts.models import Membership
from agents.llm.base import ModelMessage
from agents.lookup import agent_for
from agents.models import Agent
from agents.policy import policy_of, searches
from chat.answering import condensing, records
from chat.answering.calling.toolkit import Toolkit, toolkit_for
from chat.answering.condensing import AS_ASKED, Rewriting
from chat.answering.judging.routing import Strategy
from chat.answering.questions import ChatQuestion
from chat.models import Conversation
from chat.prompting.history import cut_history
from chat.prompting.requests import prompt_budget
from chat.understanding.course import leanings
from chat.understanding.courtesies import is_courtesy
from chat.understanding.topics import carry_topic
from chat.versions import Exchange, exchange_to_replace
from config.concurrency.threads import in_thread
from corpora.scope import Scope, is_personal
from retrieval.confidence.gate import Gate
from retrieval.flags import effective_flags
from retrieval.places.lookup import is_called
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import aretrieve
from retrieval.spaces import granularities

PLAIN = Strategy(granularities.DEFAULT_GRANULARITY)


@dataclass(frozen=True, slots=True)
class Plan:
    """One search, as the database allows it at this moment. `searches`: not an agent without documents, nor a greeting.
    `kit`: the tools that a model is offered beside it."""

    agent: Agent
    scope: Scope
    policy: RetrievalPolicy
    strategy: Strategy
    searches: bool
    kit: Toolkit | None = None

    async def retrieve(self, query: str, rewriting: Rewriting) -> Retrieval:
        """A retrieval that fails only degrades the answer; the database's errors go through."""
        if not self.searches:
            return Retrieval(query, self.policy.granularity, gate=Gate.DISABLED)
        policy = replace(self.policy, expansions=rewriting.phrasings)
        return await aretrieve(rewriting.question or query, self.scope, policy)


@dataclass(frozen=True, slots=True)
class Inquiry:
    """`plan` is that of the first search; `replaced` the exchange whose place this one takes."""

    membership: Membership
    agent: Agent
    conversation: Conversation
    question: ChatQuestion
    history: tuple[ModelMessage, ...]
    plan: Plan
    replaced: Exchange | None = None

    @property
    def has_tools(self) -> bool:
        return self.plan.kit is not None

    @property
    def needs_rewriting(self) -> bool:
        """Whether a model should make a better query of it before the search."""
        return condensing.rewrites(self.agent, self.history)

    async def rewrite(self) -> Rewriting:
        """Of a model; where there is none, or it fails, the topic of what was said before is carried over."""
        rewritten = AS_ASKED
        if self.needs_rewriting:
            rewritten = await condensing.rewrite(self.agent, self.history, self.question.text)
        if rewritten.question or not (self.agent.uses_rag and self.agent.condense):
            return rewritten
        asked = tuple(one.content for one in self.history if one.role == "user")
        if not asked:
            return rewritten
        is_there = partial(is_called, scope=self.plan.scope)
        return replace(rewritten, question=await in_thread(carry_topic, asked, self.question.text, is_there))

    def plan_anew(self, strategy: Strategy) -> Plan:
        """Of a further attempt, which resolves agent and scope again (SPEC §2.3). Raises Problems."""
        agent = agent_for(self.membership, str(self.agent.pk))
        plan = plan_for(self.membership, agent, self.conversation, self.question, strategy, self.history)
        if is_personal(plan.scope) and not self.conversation.is_personal:  # a corpus was assigned a moment ago
            records.keep_personal(self.conversation)
        return plan


def prepare(membership: Membership, reference: str, question: ChatQuestion) -> Inquiry:
    """Only reads; a new conversation is not stored yet, nor that one has become personal. Raises Problems: an agent
    or a conversation that the caller may not see."""
    agent = agent_for(membership, reference)
    conversation = records.conversation_for(membership, agent, question)
    replaced = exchange_to_replace(conversation, question.replaces) if question.replaces else None
    history = cut_history(records.history_of(conversation, question, replaced), prompt_budget(agent))
    strategy = Strategy() if agent.adaptive else PLAIN
    plan = plan_for(membership, agent, conversation, question, strategy, history)
    followed = records.follows_personal(conversation, question)
    conversation.is_personal = is_personal(plan.scope, history=followed)
    return Inquiry(membership, agent, conversation, question, history, plan, replaced)


def plan_for(
    membership: Membership,
    agent: Agent,
    conversation: Conversation,
    question: ChatQuestion,
    strategy: Strategy,
    history: Sequence[ModelMessage],
) -> Plan:
    scope, flags = records.narrowed(agent.scope_for(membership), conversation), effective_flags()
    said = [one.content for one in history if one.role == "user"] + [question.text]
    does_search = searches(agent, flags) and not is_courtesy(question.text)
    policy = policy_of(
        agent,
        flags,
        filters=question.filters,
        preferences=question.preferences,
        context=conversation.context,
        leanings=leanings(scope, conversation, question.student, said) if does_search else {},
    )
    fitted = fit(policy, scope, strategy) if does_search else policy
    return Plan(agent, scope, fitted, strategy, does_search, toolkit_for(membership, agent))


def fit(policy: RetrievalPolicy, scope: Scope, strategy: Strategy) -> RetrievalPolicy:
    """The agent's policy at the strategy's granularity, if the whole scope has it, with its share of context."""
    granularity = strategy.granularity
    if granularity != granularities.DEFAULT_GRANULARITY and not granularities.ready(scope, granularity):
        granularity = granularities.DEFAULT_GRANULARITY
    if strategy.breadth == 1:
        return policy if granularity == policy.granularity else replace(policy, granularity=granularity)
    return replace(
        policy,
        granularity=granularity,
        top_k=max(1, round(policy.top_k * strategy.breadth)),
        budget_tokens=round(policy.budget_tokens * strategy.breadth),
    )

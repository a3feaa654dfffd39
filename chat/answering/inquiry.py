"""A question in its place: who asks whom, in which conversation; and the search for its answer, again if need be."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from accounts.models import Membership
from agents.api.agents import agent_for
from agents.llm.base import ModelMessage
from agents.models import Agent
from agents.policy import Conditions, policy_of, searches
from chat.answering import condensing, prompts, records
from chat.answering.attempts import Attempt
from chat.answering.condensing import AS_ASKED, Rewriting
from chat.answering.questions import Question
from chat.answering.routing import Strategy
from chat.models import Conversation
from corpora.scope import Scope
from retrieval import granularities
from retrieval.confidence.gate import Gate
from retrieval.flags import effective_flags
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve

PLAIN = Strategy(granularities.DEFAULT)


@dataclass(frozen=True, slots=True)
class Inquiry:
    membership: Membership
    agent: Agent
    conversation: Conversation
    question: Question
    history: tuple[ModelMessage, ...]
    rewriting: Rewriting = AS_ASKED

    @property
    def is_rewritten(self) -> bool:
        """Whether a model should make a better query of it before the search."""
        return condensing.rewrites(self.agent, self.history)

    async def better(self) -> "Inquiry":
        made = await condensing.rewritten(self.agent, self.history, self.question.text)
        return replace(self, rewriting=made)

    def attempt(self, number: int, strategy: Strategy) -> Attempt:
        """Search and prompt. Every attempt after the first resolves agent and scope anew (SPEC §2.3).

        Raises Problems; a retrieval that fails only degrades the answer.
        """
        agent = self.agent if number == 1 else agent_for(self.membership, str(self.agent.pk))
        scope = records.narrowed(agent.scope_for(self.membership), self.conversation)
        retrieval = self.retrieved(agent, scope, strategy)
        request = prompts.request_for(agent, self.history, self.question, retrieval)
        refusal = prompts.refusal_for(agent, retrieval, request.language)
        return Attempt(number, strategy, scope, retrieval, request, refusal)

    def retrieved(self, agent: Agent, scope: Scope, strategy: Strategy) -> Retrieval:
        flags, question = effective_flags(), self.question
        context: Mapping[str, Conditions] = self.conversation.context
        policy = policy_of(agent, flags, filters=question.filters, preferences=question.preferences, context=context)
        query = self.rewriting.question or question.text
        if not searches(agent, flags):
            return Retrieval(query, policy.granularity, gate=Gate.DISABLED)
        policy = replace(fitted(policy, scope, strategy), expansions=self.rewriting.phrasings)
        return retrieve(query, scope, policy)


def prepare(membership: Membership, reference: str, question: Question) -> Inquiry:
    """Raises Problems: an agent or a conversation that the caller may not see."""
    agent = agent_for(membership, reference)
    conversation = records.conversation_for(membership, agent, question)
    return Inquiry(membership, agent, conversation, question, records.history_of(conversation, question))


def fitted(policy: RetrievalPolicy, scope: Scope, strategy: Strategy) -> RetrievalPolicy:
    """The agent's policy at the strategy's granularity, if the whole scope has it, with its share of context."""
    granularity = strategy.granularity
    if granularity != granularities.DEFAULT and not granularities.ready(scope, granularity):
        granularity = granularities.DEFAULT
    if strategy.breadth == 1:
        return policy if granularity == policy.granularity else replace(policy, granularity=granularity)
    return replace(
        policy,
        granularity=granularity,
        top_k=max(1, round(policy.top_k * strategy.breadth)),
        budget_tokens=round(policy.budget_tokens * strategy.breadth),
    )

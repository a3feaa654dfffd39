"""What a question finds, and what a model would be asked about it, without asking one."""

from dataclasses import dataclass
from uuid import UUID, uuid4

from accounts.models import Membership
from agents.llm.base import ModelRequest
from chat.answering import attempting, records
from chat.answering.attempts import Answer
from chat.answering.inquiry import prepare
from chat.answering.questions import ChatQuestion
from retrieval.confidence.gate import Gate
from retrieval.results import Retrieval
from retrieval.search import retrieve


@dataclass(frozen=True)
class Found:
    message: UUID
    conversation: UUID
    retrieval: Retrieval
    request: ModelRequest
    refusal: str


def search_for(membership: Membership, agent: str, question: ChatQuestion) -> Found:
    """Stores the question and what was found, as the way of a question does."""
    inquiry = prepare(membership, agent, question)
    answer = Answer(uuid4(), inquiry.conversation.pk)
    records.open_answer(inquiry.conversation, question.text, answer.message)
    plan = inquiry.plan
    if plan.searches:
        found = retrieve(question.text, plan.scope, plan.policy)
    else:
        found = Retrieval(question.text, plan.policy.granularity, gate=Gate.DISABLED)
    first = attempting.attempt_from(answer, inquiry, plan, found, 1)
    records.keep_sources(inquiry.agent.pk, question.text, first)
    return Found(answer.message, answer.conversation, first.retrieval, first.request, first.refusal)

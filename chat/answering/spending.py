"""The most that an answer may spend: reserved before its question is admitted, settled by what was metered (R21).

Rather too much than too little: a reservation lasts as long as the answer, and what it did not need comes back.
"""

from collections.abc import Sequence

from django.conf import settings

from accounts.limits.reserving import FREE, Spending
from agents.llm import EXTRACTIVE, resolve
from agents.llm.base import ToolOffer, Usage
from agents.llm.metering import Meter, text_tokens
from agents.models import Agent
from agents.reranking import most_used_by_reranker
from chat.answering import condensing
from chat.answering.inquiry import Inquiry
from chat.answering.judging import evaluator
from chat.answering.judging.routing import MOST_ATTEMPTS, WIDER
from chat.prompting import results
from chat.prompting.build import CONTEXT_AND_HISTORY_TOKENS

RESULT_TOKENS = results.MOST_CHARACTERS // 3 + 500  # of one call: its rows, and what stands around them
RULES = 1_500  # tokens of what every prompt says, at most
CHARACTERS = 3  # of a token, at least, as `text_tokens` has it


def most_spent_by(inquiry: Inquiry, judge: str) -> Spending:
    """`judge`: the model that judges the answer if the agent is adaptive, "" for none."""
    agent, meter = inquiry.agent, Meter()
    attempts = MOST_ATTEMPTS if agent.adaptive and judge else 1
    asked = prompt_tokens(agent, inquiry.question.text, attempts)
    if (kit := inquiry.plan.kit) is not None:
        add_rounds(meter, agent, asked, kit.offers)
    for _ in range(attempts):
        meter.add(agent.model, Usage(asked, agent.max_tokens))
        meter.add(agent.model, most_used_by_reranker(agent))
        if attempts > 1:
            meter.add(judge, Usage(asked + agent.max_tokens + RULES, evaluator.MOST_TOKENS))
    if inquiry.needs_rewriting:
        history = condensing.MESSAGES * condensing.LONGEST_MESSAGE // CHARACTERS
        sent = history + text_tokens(inquiry.question.text) + RULES
        meter.add(agent.model, Usage(sent, condensing.MOST_TOKENS))
    return spending_of(meter)


def add_rounds(meter: Meter, agent: Agent, asked: int, offers: Sequence[ToolOffer]) -> None:
    """A call of the model for each call of a tool, with what is offered and all that came of those before. The first
    of them is that of the answer itself, which is counted with the attempts."""
    offered = sum(text_tokens(f"{one.description}{one.input_schema}") for one in offers)
    for told in range(settings.CHAT_TOOL_CALLS + 1):
        before = told * (agent.max_tokens + RESULT_TOKENS)
        meter.add(agent.model, Usage(offered + before + (asked if told else 0), agent.max_tokens if told else 0))


def prompt_tokens(agent: Agent, question: str, attempts: int) -> int:
    """Its context, its history and all that stands around them. A further attempt may ask for a wider context."""
    if resolve(agent.model)[0] == EXTRACTIVE:
        return 0
    context = max(CONTEXT_AND_HISTORY_TOKENS, agent.context_tokens)
    wider = round(agent.context_tokens * (WIDER - 1)) if attempts > 1 else 0
    around = text_tokens(agent.system_prompt + agent.instructions + agent.context_template + question)
    return context + wider + around + RULES


def spending_of(meter: Meter) -> Spending:
    return Spending(meter.tokens, meter.microdollars) if meter.tokens else FREE

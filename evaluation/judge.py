"""A model as judge of answers: faithfulness, context precision and context recall (adaptive-retrieval.es.md).

Every answerable question of a set is retrieved for and answered as an agent without a prompt of its own would, then
one call with a structured answer rates it. Answers and verdicts are counted apart, with what they cost; neither is
kept, nor a judge's reasons.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import mean
from typing import Any

from accounts.limits.reserving import Spending
from agents.llm import client_for
from agents.llm.base import ModelError, ModelRequest, Passage, Usage
from agents.llm.metering import Meter, note_call
from agents.llm.spans import model_span
from agents.llm.structured import AnswerInvalid
from chat.answering.judging import evaluator
from chat.answering.judging.routing import Metrics
from chat.prompting.build import build_prompt
from config.concurrency.loops import block_on
from corpora.scope import Scope
from retrieval.results import RetrievalPolicy
from retrieval.search import retrieve
from retrieval.text.language import detect

logger = logging.getLogger(__name__)

NO_USAGE = Usage(0, 0)
ANSWER_TOKENS = 1_024
AROUND = 4_000  # tokens of a question and of what every prompt says, at most
MOST_QUESTIONS = 50
MILLION = Decimal(1_000_000)


@dataclass(slots=True)
class Bill:
    """Tokens of one model, and their price in US dollars for a million (prompt, completion), if it is known."""

    model: str
    price: tuple[Decimal, Decimal] | None = None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, usage: Usage | None) -> None:
        self.calls += 1
        if usage is not None:
            self.prompt_tokens += usage.prompt_tokens
            self.completion_tokens += usage.completion_tokens

    @property
    def shown(self) -> dict[str, Any]:
        cost = None if self.cost is None else float(self.cost)
        tokens = {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}
        return {"model": self.model or "default", "calls": self.calls, **tokens, "cost": cost}

    @property
    def cost(self) -> Decimal | None:
        """US dollars; None without a price."""
        if self.price is None:
            return None
        return (self.prompt_tokens * self.price[0] + self.completion_tokens * self.price[1]) / MILLION


@dataclass(frozen=True, slots=True)
class Judged:
    """Means over the verdicts that came; `failed` answers or verdicts did not."""

    questions: int
    failed: int
    measures: dict[str, float]
    answering: Bill
    judging: Bill

    @property
    def bill(self) -> dict[str, Any]:
        """Numbers and names, as JSON takes them; costs in US dollars."""
        asked = {"questions": self.questions, "failed": self.failed}
        return {**asked, "answering": self.answering.shown, "judging": self.judging.shown}


@dataclass(frozen=True, slots=True)
class Judge:
    """Who answers and who judges: names as `agents.llm.client_for` takes them; `price` is the judge's."""

    answerer: str
    judge: str
    most: int = MOST_QUESTIONS
    price: tuple[Decimal, Decimal] | None = None

    def judge_all(self, questions: Sequence[str], scope: Scope, policy: RetrievalPolicy) -> Judged:
        """Ask, answer and judge the first `most` questions one after another.

        One whose answer or verdict fails is counted, not rated.
        """
        asked, answering, judging = questions[: self.most], Bill(self.answerer), Bill(self.judge, self.price)
        verdicts: list[Metrics] = []
        for question in asked:
            try:
                verdicts.append(judge_answer(question, scope, policy, answering, judging))
            except (ModelError, AnswerInvalid, TimeoutError) as error:
                logger.warning("a question was not judged: %s", error)
        measures = (
            {name: round(mean(getattr(one, name) for one in verdicts), 4) for name in evaluator.NAMES}
            if verdicts
            else {}
        )
        return Judged(len(asked), len(asked) - len(verdicts), measures, answering, judging)


def judge_answer(question: str, scope: Scope, policy: RetrievalPolicy, answering: Bill, judging: Bill) -> Metrics:
    """The three numbers of one question. Raises ModelError, AnswerInvalid, TimeoutError."""
    chunks = retrieve(question, scope, policy).chunks
    passages = tuple(Passage(n, one.text, one.title, one.page) for n, one in enumerate(chunks, 1))
    asked = answer_request(answering.model, question, passages)
    answer = whole_answer(asked, answering)
    usage = NO_USAGE
    try:
        metrics, usage = block_on(evaluator.evaluate_answer(answer, asked, judging.model))
    finally:
        judging.add(usage)
    return metrics


def most_spent_by_judging(questions: int, judge: str) -> Spending:
    """By `Judge.judge_all` with the default answerer: the context of one answer, what stands around it, and both
    models' words."""
    context, meter = RetrievalPolicy().budget_tokens + AROUND, Meter()
    for _ in range(min(questions, MOST_QUESTIONS)):
        meter.add("", Usage(context, ANSWER_TOKENS))
        meter.add(judge, Usage(context + ANSWER_TOKENS, evaluator.MOST_TOKENS))
    return Spending(meter.tokens, meter.microdollars)


def answer_request(model: str, question: str, passages: tuple[Passage, ...]) -> ModelRequest:
    language = detect(question) or "en"
    system, messages = build_prompt(system_prompt="", global_passages=passages, question=question, language=language)
    extras = {"question": question, "passages": passages, "language": language}
    return ModelRequest(model, system, messages, temperature=0.0, max_tokens=ANSWER_TOKENS, **extras)  # type: ignore[arg-type]


def whole_answer(request: ModelRequest, bill: Bill) -> str:
    """The whole text of one call, which is put on the bill also when it fails. Raises ModelError."""
    usage = None
    try:
        with model_span(request.model):
            answer = block_on(client_for(request.model).complete(request))
        usage = answer.usage
        note_call(request, answer.usage, answer.text)
    finally:
        bill.add(usage)
    return answer.text

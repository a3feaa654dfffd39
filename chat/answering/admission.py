"""A question that was let in, and everything that is held for it: one owner, opened once and closed once.

What it holds is written down here before it is taken: the Idempotency-Key, the message, which is also the user's stream
slot, what it may spend, and the readers' log. So `close` gives back what there is, however far the question came and
whatever ended it.
"""

import hashlib
import logging
from contextlib import ExitStack
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from django.db import Error as DatabaseFault
from django.db import transaction

from accounts.http import idempotency
from accounts.limits import reserving, stock
from accounts.limits.size import organization_class
from accounts.models import IdempotentReply, Membership
from accounts.problems import InternalError, NotFound, Problem, outage_problem
from agents.llm import EXTRACTIVE, resolve
from agents.llm.metering import Meter
from agents.models import Agent
from chat.answering import records, spending
from chat.answering.attempts import Answer, Failure
from chat.answering.inquiry import Inquiry, prepare
from chat.answering.questions import ChatQuestion
from chat.answering.sources import citations_of
from chat.answering.state import State, state_of
from chat.answering.storing import AWAY, store_patiently
from chat.models import Message
from chat.stream import keeping, live
from chat.stream.events import Done, Error, Sources
from chat.stream.live import Live
from config.concurrency.threads import in_thread, to_its_end
from config.faults import describe_error
from config.metrics.answering import count_end
from retrieval.confidence.gate import Confidence

logger = logging.getLogger(__name__)

NOTHING_FOUND = Confidence.NONE.value


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks whom what. `key` is an Idempotency-Key, of `body`."""

    membership: Membership
    agent: str
    question: ChatQuestion
    key: str = ""
    body: bytes = b""


@dataclass
class Admission:
    """`repeats`: the message that another request with this Idempotency-Key made; then nothing else is held.
    `is_told_anew`: whether what was told of the answer may be taken back, or told once more: by another attempt, or by
    rows that its model fetches."""

    goes_on: bool
    live: Live = field(init=False)
    answer: Answer | None = None
    is_told_anew: bool = False
    repeats: UUID | None = None
    meter: Meter = field(default_factory=Meter)
    _reserved: bool = False
    _reply: IdempotentReply | None = None
    _is_closed: bool = False

    def __post_init__(self) -> None:
        self.live = Live(uuid4(), goes_on=self.goes_on)
        live.register(self.live)

    @property
    def message(self) -> UUID:
        return self.repeats or self.live.message

    async def open(self, asking: Asking) -> Inquiry | None:
        """What is to be answered; None where it `repeats`. Raises Problems: somebody who may not ask, or not now, or
        not this."""
        inquiry = await to_its_end(in_thread(self._open, asking))
        keeping.look_after_answers()
        return inquiry

    def _open(self, asking: Asking) -> Inquiry | None:
        membership, question = asking.membership, asking.question
        self._claim(asking)
        if self.repeats:
            return None
        inquiry = prepare(membership, asking.agent, question)
        self.answer = Answer(self.live.message, inquiry.conversation.pk, evaluator_of(inquiry.agent))
        with transaction.atomic():
            self._reserve(membership, inquiry, self.answer.evaluator)
            records.open_answer(inquiry.conversation, question.text, self.live.message, inquiry.replaced)
            if self._reply and not idempotency.keep_reply(self._reply, 200, {"message": str(self.live.message)}):
                raise idempotency.StillRunning  # it took longer than its lease, and another has begun
        self.is_told_anew = inquiry.agent.adaptive or inquiry.has_tools
        return inquiry

    def _reserve(self, membership: Membership, inquiry: Inquiry, judge: str) -> None:
        """In the transaction that stores the answer: what it counts exists together with it. Raises QuotaExceeded."""
        most = spending.most_spent_by(inquiry, judge)
        self._reserved = bool(most)
        if most:
            self.meter.organization_class = organization_class(membership.organization_id)
        stock.make_room(membership, streams=1)
        reserving.reserve_here(membership, most, self.live.message, questions=1)

    def _claim(self, asking: Asking) -> None:
        """Raises StillRunning while the first answer streams, and 404 when it was deleted meanwhile."""
        if not asking.key:
            return
        body = hashlib.sha256(asking.body).hexdigest()
        same = idempotency.fingerprint("chat", asking.agent, body)
        reply, is_answered = idempotency.claim_key(asking.membership, asking.key, same)
        if not is_answered:
            self._reply = reply
            return
        first = Message.objects.owned_by(asking.membership).dated().filter(pk=(reply.body or {})["message"]).first()
        if first is None:
            raise NotFound
        if first.present_status == Message.Status.STREAMING:
            raise idempotency.StillRunning
        self.repeats = first.pk

    def fail(self, error: Exception) -> None:
        """What an unexpected error means for whoever reads the answer."""
        if self.answer is None:
            return
        if isinstance(error, Problem):
            problem = error
        else:
            is_database = isinstance(error, AWAY)
            problem = outage_problem(error) if is_database else InternalError()
            logger.error("message %s failed: %s", self.live.message, describe_error(error))
        self.answer.failure = Failure(problem.code, str(problem.detail))

    async def close(self) -> None:
        """Store how it ended, give back what was not used, and tell the readers. Any number of times."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            await to_its_end(self._store())
        finally:
            if self.answer is not None:
                self._tell_the_end(self.answer)
            live.forget(self.live)

    def _tell_the_end(self, answer: Answer) -> None:
        """Sources come first, also where nothing was searched."""
        log = self.live.log
        if log.part is None:
            nothing = Sources(answer.conversation, answer.message, 1, NOTHING_FOUND, False, State.COULD_NOT_SEARCH, ())
            log.begin(nothing, [])
        log.end(ending(answer))

    async def _store(self) -> None:
        try:
            await store_patiently(f"message {self.live.message}", self._close)
        except AWAY:
            logger.error("message %s could not be stored", self.live.message)
        except BaseException as error:
            logger.error("message %s cannot be stored: %s", self.live.message, describe_error(error))
            await self._give_up()
            if not isinstance(error, Exception):
                raise

    def _close(self) -> None:
        with ExitStack() as last:  # the one is given back whatever becomes of the other
            if self._reply is not None:
                last.callback(idempotency.free_key, self._reply)
            if self._reserved:
                last.callback(reserving.settle, self.live.message, spending.spending_of(self.meter))
            if self.answer is not None:
                records.close_answer(self.answer)

    async def _give_up(self) -> None:
        if self.answer is None:
            return
        problem = InternalError()
        self.answer.failure = Failure(problem.code, str(problem.detail))
        try:
            await in_thread(records.give_up, self.live.message, problem.code)
            count_end(State.COULD_NOT_SEARCH, Message.Status.FAILED, problem.code)
        except DatabaseFault as error:
            logger.error("message %s is left open: %s", self.live.message, describe_error(error))


def ending(answer: Answer) -> Done | Error:
    """How the answer ended, as readers are told."""
    best = answer.best
    if answer.failure is not None:
        return Error(answer.failure.code, answer.failure.detail, answer.message)
    if best is None:
        return Done("stopped", State.COULD_NOT_SEARCH, answer.message, answer.usage, ())
    if best.error is not None:
        return Error(best.error.code, best.error.detail, answer.message)
    is_stopped = answer.status == Message.Status.STOPPED
    return Done(
        "stopped" if is_stopped else "complete",
        state_of(best),
        answer.message,
        answer.usage,
        best.cited,
        citations_of(best.text, best.all_sources),
        answer.evaluation,
    )


def evaluator_of(agent: Agent) -> str:
    """The model that judges the agent's answers; "" where there is none that could."""
    model = agent.evaluator_model or agent.model
    return "" if resolve(model)[0] == EXTRACTIVE else model or "default"

"""`POST /api/agents/{id or slug}/chat/`: the answer as server-sent events, or as one JSON object (API.md, "Chat").

A plain asynchronous view: a synchronous generator would be buffered whole and never cancelled (RELIABILITY fact 6).
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import orjson
from django.http import HttpRequest, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from accounts import quotas
from accounts.http.bodies import json_body
from accounts.http.principal import bearer_of, principal_of
from accounts.models import IdempotentReply, Membership
from accounts.problems import MethodNotAllowed, Problem, answering_problems, problem_response
from chat.answering import answers
from chat.answering.attempts import Answer
from chat.answering.inquiry import Inquiry, prepare
from chat.answering.questions import Question, question_from
from chat.stream import replay, running
from chat.stream.events import Event
from chat.stream.replay import Replay
from chat.stream.sse import frame, keep_alive
from config.threads import in_thread

HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
CONTENT_TYPE = "text/event-stream; charset=utf-8"
UNREAD_SECONDS = 30.0  # an answer that nobody has begun to read by then is closed
Begun = tuple[Membership, Answer | Replay]


@csrf_exempt  # `principal_of` enforces CSRF for sessions; keys ignore cookies (RELIABILITY R22)
@answering_problems
async def chat(request: HttpRequest, reference: str) -> HttpResponseBase:
    if request.method != "POST":
        raise MethodNotAllowed
    question = question_from(json_body(request))
    membership, answer = await begun(request, reference, question)
    events = told(membership, answer, html=bearer_of(request) is None)
    return streamed(events) if question.stream else await collected(events)


async def begun(request: HttpRequest, reference: str, question: Question) -> Begun:
    """`beginning` in a task. A client that leaves before its answer's first event leaves nothing open behind:
    neither a reserved stream nor a message that streams for ever."""
    task = asyncio.ensure_future(beginning(request, reference, question))
    try:
        membership, answer = await asyncio.shield(task)
    except asyncio.CancelledError:
        task.add_done_callback(abandon_begun)
        raise
    asyncio.get_running_loop().call_later(UNREAD_SECONDS, abandon, membership, answer)
    return membership, answer


async def beginning(request: HttpRequest, reference: str, question: Question) -> Begun:
    """On a thread, in one go; only a question that a model must rewrite first is left for it in between."""
    admitted = await in_thread(begin, request, reference, question)
    if isinstance(admitted.answer, Inquiry):
        better = await admitted.answer.better()
        admitted = await in_thread(carry_on, replace(admitted, answer=better))
    assert not isinstance(admitted.answer, Inquiry)
    return admitted.membership, admitted.answer


def abandon_begun(beginning: asyncio.Future[Begun]) -> None:
    if not beginning.cancelled() and beginning.exception() is None:
        abandon(*beginning.result())


def abandon(membership: Membership, answer: Answer | Replay) -> None:
    """Close an answer that nobody reads, as stopped."""
    if isinstance(answer, Answer) and not answer.started:
        answer.started = True
        running.release(membership.user_id)
        answers.keep_in_background(answer)


@dataclass(frozen=True, slots=True)
class Admitted:
    """Who asks, with a stream reserved and an Idempotency-Key claimed, and how far the answer is."""

    membership: Membership
    answer: Answer | Replay | Inquiry
    reply: IdempotentReply | None = None


def begin(request: HttpRequest, reference: str, question: Question) -> Admitted:
    """Everything before the first byte: who asks, whether they may, and what was found."""
    membership = principal_of(request)
    reply, answered = replay.claim(request, membership, reference)
    if reply and answered:
        return Admitted(membership, Replay.of(reply, membership))
    try:
        quotas.spend_question(membership)
        running.reserve(membership)
    except Problem:
        replay.free(reply)
        raise
    with given_back(membership, reply):
        admitted = Admitted(membership, prepare(membership, reference, question), reply)
    return admitted if admitted.answer.is_rewritten else carry_on(admitted)  # type: ignore[union-attr]  # an Inquiry


def carry_on(admitted: Admitted) -> Admitted:
    """Search for the question and store it."""
    assert isinstance(admitted.answer, Inquiry)
    with given_back(admitted.membership, admitted.reply):
        answer = answers.begun(admitted.answer)
    replay.settle(admitted.reply, answer.message)
    return replace(admitted, answer=answer)


@contextmanager
def given_back(membership: Membership, reply: IdempotentReply | None) -> Iterator[None]:
    """What was reserved for a question that could not be carried out."""
    try:
        yield
    except BaseException:
        running.release(membership.user_id)
        replay.free(reply)
        raise


def told(membership: Membership, answer: Answer | Replay, *, html: bool) -> AsyncGenerator[Event, None]:
    """The events of an answer, whether it is given now or was given before."""
    return answer.events() if isinstance(answer, Replay) else counted(membership, answer, html=html)


async def counted(membership: Membership, answer: Answer, *, html: bool) -> AsyncGenerator[Event, None]:
    """The answer's events; gives the reserved stream back when they end."""
    try:
        async with aclosing(answers.events(answer, html=html)) as events:
            async for event in events:
                yield event
    finally:
        running.release(membership.user_id)


def streamed(events: AsyncGenerator[Event, None]) -> StreamingHttpResponse:
    return StreamingHttpResponse(keep_alive(framed(events)), content_type=CONTENT_TYPE, headers=HEADERS)


async def framed(events: AsyncGenerator[Event, None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(events):
        async for event in events:
            yield frame(event)


async def collected(events: AsyncGenerator[Event, None]) -> JsonResponse:
    """`stream: false`: the whole answer as one object, or a 502 problem when the model failed."""
    content: list[str] = []
    body: dict[str, Any] = {}
    async with aclosing(events):
        async for event in events:
            match event.event:
                case "sources":  # of a new attempt, which replaces the one before
                    body = orjson.loads(orjson.dumps(event))
                    content.clear()
                case "token":
                    content.append(event.token)  # type: ignore[union-attr]  # `event` tells the type
                case "error":
                    return problem_response(ModelFailed.of(event, "".join(content)))
                case "done":
                    body |= {"usage": event.usage, "evaluation": event.evaluation}  # type: ignore[union-attr]
    return JsonResponse(
        {
            "message": body["message"],
            "conversation": body["conversation"],
            "content": "".join(content),
            "sources": body["sources"],
            "confidence": body["confidence"],
            "sufficient": body["sufficient"],
            "usage": body["usage"],
            **({"evaluation": body["evaluation"]} if body["evaluation"] else {}),
        }
    )


class ModelFailed(Problem):
    status_code = 502
    code = "model_error"

    @classmethod
    def of(cls, error: Any, content: str) -> "ModelFailed":
        problem = cls(error.detail, message=str(error.message), content=content)
        problem.code = error.code
        return problem

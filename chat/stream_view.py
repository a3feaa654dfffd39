"""`POST /api/agents/{id or slug}/chat/`: the answer as server-sent events, or as one JSON object (API.md, "Chat").

A plain asynchronous view: a synchronous generator would be buffered whole and never cancelled (RELIABILITY fact 6).
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import orjson
from django.http import HttpRequest, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from accounts import quotas
from accounts.http import bearer_of, json_body, principal_of
from accounts.models import Membership
from accounts.problems import MethodNotAllowed, Problem, answering_problems, problem_response
from chat import answering, replay, running
from chat.answering import Answer
from chat.events import Event
from chat.questions import Question, question_from
from chat.replay import Replay
from chat.sse import frame, keep_alive
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
    """`begin` in a thread. A client that leaves before its answer's first event leaves nothing open behind:
    neither a reserved stream nor a message that streams for ever."""
    beginning = asyncio.ensure_future(in_thread(begin, request, reference, question))
    try:
        membership, answer = await asyncio.shield(beginning)
    except asyncio.CancelledError:
        beginning.add_done_callback(abandon_begun)
        raise
    asyncio.get_running_loop().call_later(UNREAD_SECONDS, abandon, membership, answer)
    return membership, answer


def abandon_begun(beginning: asyncio.Future[Begun]) -> None:
    if not beginning.cancelled() and beginning.exception() is None:
        abandon(*beginning.result())


def abandon(membership: Membership, answer: Answer | Replay) -> None:
    """Close an answer that nobody reads, as stopped."""
    if isinstance(answer, Answer) and not answer.started:
        answer.started = True
        running.release(membership.user_id)
        answering.keep_in_background(answer)


def begin(request: HttpRequest, reference: str, question: Question) -> Begun:
    """Everything before the first byte: who asks, whether they may, and what was found."""
    membership = principal_of(request)
    reply, answered = replay.claim(request, membership, reference)
    if reply and answered:
        return membership, Replay.of(reply, membership)
    try:
        quotas.spend_question(membership)
        running.reserve(membership)
    except Problem:
        replay.free(reply)
        raise
    try:
        answer = answering.begin(membership, reference, question)
    except BaseException:
        running.release(membership.user_id)
        replay.free(reply)
        raise
    replay.settle(reply, answer.message)
    return membership, answer


def told(membership: Membership, answer: Answer | Replay, *, html: bool) -> AsyncGenerator[Event, None]:
    """The events of an answer, whether it is given now or was given before."""
    return answer.events() if isinstance(answer, Replay) else counted(membership, answer, html=html)


async def counted(membership: Membership, answer: Answer, *, html: bool) -> AsyncGenerator[Event, None]:
    """The answer's events; gives the reserved stream back when they end."""
    try:
        async with aclosing(answering.events(answer, html=html)) as events:
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
                case "sources":
                    body = orjson.loads(orjson.dumps(event))
                case "token":
                    content.append(event.token)  # type: ignore[union-attr]  # `event` tells the type
                case "error":
                    return problem_response(ModelFailed.of(event, "".join(content)))
                case "done":
                    body["usage"] = event.usage  # type: ignore[union-attr]
    return JsonResponse(
        {
            "message": body["message"],
            "conversation": body["conversation"],
            "content": "".join(content),
            "sources": body["sources"],
            "confidence": body["confidence"],
            "sufficient": body["sufficient"],
            "usage": body["usage"],
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

"""`POST /api/agents/{id or slug}/chat/`: the answer as server-sent events, or as one JSON object (API.md, "Chat").

A plain asynchronous view: a synchronous generator would be buffered whole and never cancelled (RELIABILITY fact 6).
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import orjson
from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import ValidationError

from accounts import quotas
from accounts.http import bearer_of, principal_of
from accounts.models import Membership
from accounts.problems import DatabaseUnavailable, MethodNotAllowed, Problem, problem_response
from chat import answering, replay, running
from chat.answering import Answer
from chat.events import Event
from chat.questions import Question, question_from
from chat.replay import Replay
from chat.sse import frame, keep_alive
from chat.threads import in_thread

HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
CONTENT_TYPE = "text/event-stream; charset=utf-8"


@csrf_exempt  # `principal_of` enforces CSRF for sessions; keys ignore cookies (RELIABILITY R22)
async def chat(request: HttpRequest, reference: str) -> HttpResponseBase:
    try:
        if request.method != "POST":
            raise MethodNotAllowed
        question = question_from(body_of(request))
        membership, answer = await in_thread(begin, request, reference, question)
    except ValidationError as error:
        return problem_response(Problem(errors=error.detail))
    except Problem as problem:
        return problem_response(problem)
    except DatabaseError:
        return problem_response(DatabaseUnavailable())
    events = told(membership, answer, html=bearer_of(request) is None)
    return streamed(events) if question.stream else await collected(events)


def body_of(request: HttpRequest) -> Any:
    try:
        return orjson.loads(request.body)
    except orjson.JSONDecodeError:
        raise Problem("The body is not JSON.") from None


def begin(request: HttpRequest, reference: str, question: Question) -> tuple[Membership, Answer | Replay]:
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

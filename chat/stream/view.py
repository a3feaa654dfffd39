"""`POST /api/agents/{ref}/chat/` and `GET /api/messages/{id}/events/`: an answer as server-sent events, or whole.

Plain asynchronous views: a synchronous generator would be buffered whole and never cancelled (RELIABILITY fact 6).
"""

from collections.abc import AsyncGenerator
from typing import Any
from uuid import UUID

import orjson
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from accounts.http import idempotency
from accounts.http.bodies import json_body
from accounts.http.frames import FramedResponse
from accounts.http.openapi import described, problems
from accounts.http.principal import bearer_of, principal_of
from accounts.models import Membership
from accounts.problems import (
    DatabaseFull,
    DatabaseUnavailable,
    InternalError,
    MethodNotAllowed,
    NotFound,
    Problem,
    answering_problems,
)
from chat.answering import answers
from chat.answering.admission import Admission, Asking
from chat.answering.questions import ChatQuestion
from chat.api.described import EVENT, EVENT_STREAM, IDEMPOTENCY_KEY, LAST_EVENT_ID, WHOLE, WholeAnswerSerializer
from chat.api.questions import QuestionSerializer, question_from
from chat.models import Message
from chat.stream import elsewhere
from chat.stream.collected import Batches, Whole, collect
from chat.stream.events import Error, told_source
from chat.stream.live import live_of
from chat.stream.log import Cursor
from chat.stream.sse import frame_batches
from config.concurrency.threads import in_thread

HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
CONTENT_TYPE = "text/event-stream; charset=utf-8"
LAST_EVENT = "Last-Event-ID"


@described(
    "POST",
    request=QuestionSerializer,
    parameters=[IDEMPOTENCY_KEY],
    responses={EVENT_STREAM: EVENT, WHOLE: WholeAnswerSerializer, **problems(409, 422, 502)},
)
@csrf_exempt  # `principal_of` enforces CSRF for sessions; keys ignore cookies (RELIABILITY R22)
@answering_problems
async def chat(request: HttpRequest, reference: str) -> HttpResponseBase:
    """Ask an agent; `stream: false` answers whole."""
    if request.method != "POST":
        raise MethodNotAllowed(headers={"Allow": "POST"})
    membership, question = await in_thread(question_of_request, request)
    admission, batches = await admit_question(request, membership, reference, question, html=question.stream)
    if not question.stream:
        return whole_response(await collect(batches))
    response = stream_response(frame_batches(batches), admission.message)
    if admission.answer is not None:  # a page finds its new conversation again while it is searched in
        response["X-Conversation"] = str(admission.answer.conversation)
    return response


def question_of_request(request: HttpRequest) -> tuple[Membership, ChatQuestion]:
    """In a thread. Whoever asks is known before the body is looked at (RELIABILITY R0)."""
    membership = principal_of(request)
    return membership, question_from(json_body(request))


async def admit_question(
    request: HttpRequest, membership: Membership, reference: str, question: ChatQuestion, *, html: bool = False
) -> tuple[Admission, Batches]:
    """Let the question in, with whoever asks as the reader of the events. Raises Problems.

    `html`: also finished blocks, which are for the pages, that is for sessions.
    """
    is_page = bearer_of(request) is None
    key = request.headers.get(idempotency.HEADER, "")
    asking = Asking(membership, reference, question, key, request.body if key else b"")
    admission, reader = await answers.ask(asking, goes_on=is_page or question.background)
    cursor = Cursor(html=html and is_page)
    if admission.repeats:
        return admission, elsewhere.batches(admission.message, cursor)
    return admission, reader.batches(cursor)


@described("GET", parameters=[LAST_EVENT_ID], responses={EVENT_STREAM: EVENT})
@csrf_exempt  # reading changes nothing
@answering_problems
async def events(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """The same events again from the first, or after `Last-Event-ID`, and on until the answer ends."""
    if request.method != "GET":
        raise MethodNotAllowed(headers={"Allow": "GET"})
    await in_thread(check_own_answer, request, pk)
    cursor = Cursor(last_event(request), html=bearer_of(request) is None)
    live = live_of(pk)
    batches = live.listen().batches(cursor) if live else elsewhere.batches(pk, cursor)
    return stream_response(frame_batches(batches), pk)


def check_own_answer(request: HttpRequest, pk: UUID) -> None:
    mine = Message.objects.owned_by(principal_of(request))
    if not mine.filter(pk=pk, role=Message.Role.ASSISTANT).exists():
        raise NotFound


def last_event(request: HttpRequest) -> int:
    """0 for an id that is none of ours: everything is told then."""
    said = request.headers.get(LAST_EVENT, "").strip()
    return int(said) if said.isascii() and said.isdigit() and len(said) <= 16 else 0


def stream_response(frames: AsyncGenerator[bytes, None], message: UUID) -> FramedResponse:
    """`X-Message` names the answer before its first event: it can be stopped, and found again, while it is searched
    for."""
    headers = {**HEADERS, "X-Message": str(message)}
    return FramedResponse(frames, content_type=CONTENT_TYPE, headers=headers)


def whole_response(whole: Whole) -> JsonResponse:
    """`stream: false`: the whole answer as one object, or a problem when it failed."""
    return JsonResponse(whole_body(whole))


def whole_body(whole: Whole) -> dict[str, Any]:
    """Raises the Problem that an answer ended with."""
    if isinstance(whole.ending, Error):
        raise problem_from_error(whole.ending, whole.content)
    found, done = whole.sources, whole.ending
    assert found is not None and done is not None  # noqa: PT018 - an answer begins with the one and ends with the other
    body: dict[str, Any] = {
        "message": found.message,
        "conversation": found.conversation,
        "content": whole.content,
        "sources": [told_source(one) for one in found.sources],
        "citations": [one.told for one in done.citations],
        "state": done.state,
        "confidence": found.confidence,
        "sufficient": found.sufficient,
        "usage": done.usage,
        **({"evaluation": done.evaluation} if done.evaluation else {}),
    }
    told: dict[str, Any] = orjson.loads(orjson.dumps(body, default=dict))
    return told


class ModelFailed(Problem):
    status_code = 502
    code = "model_error"


def problem_from_error(error: Error, content: str) -> Problem:
    kind = next(
        (one for one in (DatabaseUnavailable, DatabaseFull, InternalError) if one.code == error.code), ModelFailed
    )
    problem = kind(error.detail, message=str(error.message), content=content)
    problem.code = error.code
    return problem

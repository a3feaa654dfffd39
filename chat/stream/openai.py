"""The OpenAI-compatible face: `GET /v1/models` and `POST /v1/chat/completions` (API.md).

An agent is a model, its slug the model's name. The answer is the same one that `chat.answering` gives everywhere; only
its frames differ.
"""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import orjson
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import ValidationError

from accounts.http.bodies import json_body
from accounts.http.openapi import described
from accounts.http.principal import principal_of
from accounts.models import Membership
from accounts.problems import InternalError, MethodNotAllowed, Problem, faults_in, problem_for
from agents.models import Agent
from chat.answering.questions import ChatQuestion
from chat.api.described import (
    EVENT,
    EVENT_STREAM,
    IDEMPOTENCY_KEY,
    OPENAI_ERROR,
    WHOLE,
    CompletionRequestSerializer,
    CompletionSerializer,
    ModelListSerializer,
)
from chat.api.questions import MAX_MESSAGES, TOO_MANY, question_from
from chat.stream.collected import Batches, Whole, collect, only_the_last_attempt
from chat.stream.events import AnySource, Done, Error, Event, Sources, Token, told_source
from chat.stream.sse import KEEP_ALIVE
from chat.stream.view import admit_question, problem_from_error, stream_response
from config.concurrency.threads import in_thread

FINISH = {"complete": "stop", "stopped": "stop"}
Asked = tuple[str, ChatQuestion, bool]


@described("GET", OPENAI_ERROR, responses=ModelListSerializer)
@csrf_exempt  # `principal_of` enforces CSRF for sessions; keys ignore cookies
async def models(request: HttpRequest) -> HttpResponseBase:
    """The caller's agents."""
    try:
        if request.method not in ("GET", "HEAD"):
            raise MethodNotAllowed(headers={"Allow": "GET, HEAD"})
        return JsonResponse({"object": "list", "data": await in_thread(usable_models, request)})
    except Exception as error:
        return refusal_of(error)


def usable_models(request: HttpRequest) -> list[dict[str, Any]]:
    agents = Agent.objects.usable_by(principal_of(request)).select_related("organization")
    return [
        {
            "id": agent.slug,
            "object": "model",
            "created": int(agent.created_at.timestamp()),
            "owned_by": agent.organization.slug,
        }
        for agent in agents
    ]


@described(
    "POST",
    OPENAI_ERROR,
    request=CompletionRequestSerializer,
    parameters=[IDEMPOTENCY_KEY],
    responses={
        EVENT_STREAM: EVENT,
        WHOLE: CompletionSerializer,
        **dict.fromkeys(((status, OPENAI_ERROR[0]) for status in (409, 422, 502)), OPENAI_ERROR[1]),
    },
)
@csrf_exempt
async def completions(request: HttpRequest) -> HttpResponseBase:
    """Ask an agent as one asks OpenAI."""
    try:
        if request.method != "POST":
            raise MethodNotAllowed(headers={"Allow": "POST"})
        membership, asked = await in_thread(completion_of_request, request)
        name, question, with_usage = asked
        admission, batches = await admit_question(request, membership, name, question)
    except ValidationError as error:
        return validation_response(error)
    except Exception as error:
        return refusal_of(error)
    head = {"id": f"chatcmpl-{admission.message}", "created": int(time.time()), "model": name}
    if not question.stream:
        return completion_response(await collect(batches), head)
    if admission.is_told_anew:
        batches = only_the_last_attempt(batches)
    return stream_response(completion_chunks(batches, head, with_usage), admission.message)


def completion_of_request(request: HttpRequest) -> tuple[Membership, Asked]:
    """In a thread. Whoever asks is known before the body is looked at (RELIABILITY R0)."""
    membership = principal_of(request)
    return membership, question_of(json_body(request))


def question_of(body: Any) -> Asked:
    """The agent's slug, the question, and whether usage is wanted, from an OpenAI request body."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise Problem("`model` must be the slug of an agent; GET /v1/models lists them.")
    sent, options = body.get("messages"), body.get("stream_options")
    if isinstance(sent, list) and len(sent) > MAX_MESSAGES:  # before any of them is looked at
        raise ValidationError({"messages": [TOO_MANY]})
    messages = [plain(one) for one in (sent if isinstance(sent, list) else []) if isinstance(one, dict)]
    said = [one for one in messages if one["role"] in ("user", "assistant")]
    asked = {"messages": said, "stream": body.get("stream") or False, "project": body.get("project")}
    question = question_from(asked)
    return body["model"], question, isinstance(options, dict) and bool(options.get("include_usage"))


def plain(message: dict[str, Any]) -> dict[str, str]:
    """A message with its text parts joined. System messages are left out: the agent's own prompt rules."""
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return {"role": str(message.get("role", "")), "content": str(content)}


async def completion_chunks(batches: Batches, head: dict[str, Any], with_usage: bool) -> AsyncGenerator[bytes, None]:
    sources: tuple[AnySource, ...] = ()
    async with aclosing(batches):
        async for batch in batches:
            for _, event in batch:
                if isinstance(event, Sources):
                    sources = event.sources
            block = b"".join([chunk_of_event(event, sources, head, with_usage) for _, event in batch])
            if block or not batch:
                yield block or KEEP_ALIVE
    yield b"data: [DONE]\n\n"


def chunk_of_event(event: Event, sources: tuple[AnySource, ...], head: dict[str, Any], with_usage: bool) -> bytes:
    if isinstance(event, Sources):
        return completion_chunk(head, {"delta": {"role": "assistant", "content": ""}})
    if isinstance(event, Token):
        return completion_chunk(head, {"delta": {"content": event.token}})
    if isinstance(event, Error):
        return line({"error": error_body(event.code, event.detail)})
    if isinstance(event, Done):
        last = completion_chunk(
            head, {"delta": {}, "sources": [told_source(one) for one in sources]}, FINISH[event.status]
        )
        usage = {**head, "object": "chat.completion.chunk", "choices": [], "usage": usage_of(event)}
        return last + line(usage) if with_usage else last
    return b""


def completion_chunk(head: dict[str, Any], choice: dict[str, Any], finish_reason: str | None = None) -> bytes:
    choices = [{"index": 0, **choice, "finish_reason": finish_reason}]
    return line({**head, "object": "chat.completion.chunk", "choices": choices})


def line(body: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(body) + b"\n\n"


def completion_response(whole: Whole, head: dict[str, Any]) -> JsonResponse:
    ending = whole.ending
    if not isinstance(ending, Done):
        problem = problem_from_error(ending, whole.content) if ending else InternalError()
        return JsonResponse({"error": error_body(problem.code, str(problem.detail))}, status=problem.status_code)
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": whole.content},
        "sources": orjson.loads(orjson.dumps([told_source(one) for one in whole.sources.sources]))
        if whole.sources
        else [],
        "finish_reason": FINISH[ending.status],
    }
    return JsonResponse({**head, "object": "chat.completion", "choices": [choice], "usage": usage_of(ending)})


def usage_of(done: Done) -> dict[str, int]:
    return {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0, **done.usage}


def error_body(code: str, detail: str) -> dict[str, Any]:
    return {"message": detail, "type": "api_error", "code": code, "param": None}


def refusal_of(error: Exception) -> JsonResponse:
    """Of an expected error; raises one that nobody expected."""
    if (problem := problem_for(error)) is None:
        raise error
    return error_response(problem)


def validation_response(error: ValidationError) -> JsonResponse:
    """OpenAI names one field, and says in its sentence what is wrong with it."""
    param, sentence = next(faults_in(error.detail))
    return error_response(Problem(f"{param}: {sentence}" if param else sentence), param or None)


def error_response(problem: Problem, param: str | None = None) -> JsonResponse:
    """A problem in OpenAI's shape, so that its clients raise the right exception."""
    kind = "invalid_request_error" if problem.status_code < 500 else "api_error"
    body = {"message": str(problem.detail), "type": kind, "code": problem.code, "param": param}
    return JsonResponse({"error": body}, status=problem.status_code, headers=problem.headers)

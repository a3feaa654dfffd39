"""One answer as a JSON object: for models that judge or rewrite instead of talking (SPEC §4)."""

import asyncio
from typing import Any, NamedTuple

import orjson

from agents.llm.base import ModelClient, ModelRequest, Usage
from agents.llm.metering import NOT_COUNTED, note_call
from agents.llm.spans import model_span, note_usage

LONGEST_ANSWER = 20_000  # characters


class AnswerInvalid(ValueError):
    """The model said something else than one JSON object."""


class Structured(NamedTuple):
    """What the model said, still a stranger's words, and what the provider counted."""

    fields: dict[str, Any]
    usage: Usage


async def ask_structured(client: ModelClient, request: ModelRequest, seconds: float) -> Structured:
    """The object that `request.schema` asks for, not checked against it: not every endpoint enforces schemas.

    Raises TimeoutError after `seconds`, AnswerInvalid, or the client's ModelError.
    """
    try:
        async with asyncio.timeout(seconds):
            with model_span(request.model) as here:
                said = await client.complete(request)
                note_usage(here, said.usage)
    except (TimeoutError, asyncio.CancelledError):  # what was sent is billed, though nobody waits for the answer
        note_call(request, NOT_COUNTED)
        raise
    note_call(request, said.usage, said.text)
    if len(said.text) > LONGEST_ANSWER:
        raise AnswerInvalid("an endless answer")
    return Structured(_object(said.text), said.usage)


def _object(text: str) -> dict[str, Any]:
    """The object in an answer that may have thoughts before it, or a code fence around it."""
    said = text.rpartition("</think>")[2]
    start, end = said.find("{"), said.rfind("}")
    try:
        fields = orjson.loads(said[start : end + 1])
    except orjson.JSONDecodeError:
        raise AnswerInvalid("no JSON object") from None
    if not isinstance(fields, dict):
        raise AnswerInvalid("no JSON object")
    return fields

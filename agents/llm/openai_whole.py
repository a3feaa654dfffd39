"""Whole answers from any OpenAI-compatible `/chat/completions`, through the official SDK and with its retries."""

from typing import TYPE_CHECKING

from agents.llm import failures
from agents.llm.base import Completion, ModelRequest, ModelUnavailable, Usage
from agents.llm.dialect import Dialect, dialect_of, remember
from agents.llm.tooling.wishes import WishPieces
from config.concurrency.loops import import_off_loop
from config.observability.tracing import carried
from retrieval.waiting.openai_sdk import key_headers, openai_client

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion

RETRIES = 2


async def complete_chat(url: str, api_key: str, model: str, request: ModelRequest) -> Completion:
    """Asked again without what the endpoint may not know, after a 400. Raises a `ModelError`, in our words (R26)."""
    await import_off_loop("openai")
    import openai

    client = (await openai_client(url, api_key)).with_options(max_retries=RETRIES)
    dialect = dialect_of(url, model)
    while True:
        try:
            answer = await client.chat.completions.create(
                model=model, extra_headers={**key_headers(api_key), **carried()}, **dialect.parameters(request)
            )
        except openai.APIStatusError as error:
            dialect = _simpler(error, dialect, request)
        except (openai.APIError, ValueError) as error:  # a body that is no JSON is a ValueError
            raise ModelUnavailable from error
        else:
            remember(url, model, dialect, request)
            return _completion(answer)


def _simpler(error: "openai.APIStatusError", dialect: Dialect, request: ModelRequest) -> Dialect:
    """The dialect to ask again in; otherwise the status as our error. The body is read, never shown."""
    refused = error.status_code in failures.REFUSALS
    simpler = dialect.simpler(error.response.content, request, streams=False) if refused else None
    if simpler is None:
        raise failures.from_status(error.status_code, error.response.headers) from None
    return simpler


def _completion(answer: "ChatCompletion") -> Completion:
    """The SDK does not check what a server sends against its types."""
    try:
        message = answer.choices[0].message
        wishes = WishPieces()
        wishes.feed([one.to_dict() for one in message.tool_calls or ()])
        usage = answer.usage
        counted = Usage(usage.prompt_tokens, usage.completion_tokens) if usage else Usage(0, 0)
    except (AttributeError, IndexError, TypeError) as error:
        raise ModelUnavailable from error
    return Completion(message.content or "", counted, wishes.made)

"""The official OpenAI SDK, on aiohttp: one client for each endpoint and event loop, for all that is not measured by the
millisecond (ADR 0011).

It takes 22 MB and half a second to import, so it is imported when somebody first needs it, beside the event loop, or
by a worker that expects documents.
"""

import importlib
import logging
from typing import TYPE_CHECKING

from config.concurrency.loops import PerLoop, import_off_loop

if TYPE_CHECKING:
    import openai

CONNECT_SECONDS = 5.0


def load_sdk() -> None:
    """Import it now, with what the first client would import."""
    importlib.import_module("openai")
    importlib.import_module("httpcore2")


async def openai_client(url: str, api_key: str) -> "openai.AsyncOpenAI":
    """The running loop's client of an endpoint that `config.endpoints` allowed. Deadlines are the caller's."""
    await import_off_loop("openai")
    return await _CLIENTS.get(url, api_key)


def key_headers(api_key: str) -> "dict[str, openai.Omit]":
    """For `extra_headers` of each call: an endpoint without a key, as a local server's, is sent none."""
    import openai

    return {} if api_key else {"Authorization": openai.omit}


def _open(url: str, api_key: str) -> "openai.AsyncOpenAI":
    """No redirects, no proxies of the environment (R20); no texts in logs (R24)."""
    import httpx2
    import openai

    logging.getLogger("openai").setLevel(logging.INFO)  # at DEBUG it logs whole requests
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # at INFO it logs every request's line
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
    return openai.AsyncOpenAI(
        api_key=api_key or "none",  # the SDK insists on one; it is not sent
        base_url=url,
        timeout=timeout,
        http_client=openai.DefaultAioHttpClient(follow_redirects=False, trust_env=False, timeout=timeout),
    )


async def _close(client: "openai.AsyncOpenAI") -> None:
    await client.close()


_CLIENTS = PerLoop(_open, _close)

"""A model provider on loopback that misbehaves on demand; the only fake in the tests, at the HTTP wire.

    python -m tests.fakes.model_server --port 0        prints its port, then serves until it is terminated

Speaks OpenAI's `/v1/chat/completions` (streamed and whole), `/v1/embeddings` and `/v1/models`, and
Anthropic's `/v1/messages`. What to do comes from `POST /script` or the model's name (see `Behaviour`).
`GET /stats` counts, `GET /requests` shows the last bodies, `POST /reset` forgets everything.
"""

import argparse
import asyncio
import json
from collections import Counter, deque
from typing import Any

from aiohttp import web

from tests.fakes import model_answers
from tests.fakes.behaviour import Behaviour, Script
from tests.fakes.wire import AnthropicWire, Call, OpenAIWire, Wire

SCRIPT = Script()
STATS: Counter[str] = Counter()
REQUESTS: deque[dict[str, Any]] = deque(maxlen=200)


async def chat(request: web.Request) -> web.StreamResponse:
    return await _answered(request, "chat", OpenAIWire())


async def messages(request: web.Request) -> web.StreamResponse:
    return await _answered(request, "messages", AnthropicWire())


async def _answered(request: web.Request, path: str, wire: Wire) -> web.StreamResponse:
    body = await _received(request, path)
    behaviour = SCRIPT.behaviour(path, str(body.get("model")), body)
    STATS["active"] += 1
    try:
        if refusal := await _before_answering(request, behaviour, body, wire):
            return refusal
        calls = model_answers.calls(behaviour, wire.system(body), body)
        answer = model_answers.answer(behaviour, wire.system(body), body["messages"])
        whole = behaviour.saying if calls else answer
        if not body.get("stream"):
            return web.json_response(wire.whole(body, whole, calls))
        return await _streamed(request, behaviour, body, wire, whole, calls)
    except (asyncio.CancelledError, ConnectionResetError):
        STATS["aborted"] += 1
        raise
    finally:
        STATS["active"] -= 1


async def _received(request: web.Request, path: str) -> dict[str, Any]:
    body: dict[str, Any] = await request.json()
    STATS["requests"] += 1
    STATS[f"{path}_requests"] += 1
    REQUESTS.append({"path": path, "headers": dict(request.headers), "body": body})
    return body


async def _before_answering(
    request: web.Request, behaviour: Behaviour, body: dict[str, Any], wire: Wire
) -> web.StreamResponse | None:
    if behaviour.latency or behaviour.stall_before:
        await asyncio.sleep(behaviour.latency + behaviour.stall_before)
    if behaviour.hangup and request.transport is not None:
        request.transport.abort()
        raise ConnectionResetError
    if behaviour.redirect:
        raise web.HTTPTemporaryRedirect(behaviour.redirect)
    version = request.headers.get("anthropic-version", "")
    refused = behaviour.refuse in body if behaviour.refuse else wire.refuses(body, version)
    status = 400 if refused else behaviour.status
    if not status:
        return None
    STATS["refused"] += 1
    complaint = behaviour.complaint or f"upstream-secret: unsupported {behaviour.refuse}"
    headers = {"Retry-After": behaviour.retry_after} if behaviour.retry_after else {}
    return web.json_response(wire.error(complaint), status=status, headers=headers)


async def _streamed(
    request: web.Request, behaviour: Behaviour, body: dict[str, Any], wire: Wire, whole: str, calls: list[Call]
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(request)
    await response.write(wire.opening(body))
    while behaviour.comments:
        await response.write(b": thinking\n\n")
        await asyncio.sleep(behaviour.comments)
    n = 0
    for n, token in enumerate(model_answers.tokens(behaviour, whole), start=1):
        if await _interrupted(request, response, behaviour, wire, n - 1):
            return response
        await response.write(wire.token(token))
        STATS["tokens"] += 1
        await asyncio.sleep(behaviour.pace)
    if not await _interrupted(request, response, behaviour, wire, n):
        await response.write(wire.calls(calls))
        await response.write(wire.closing(body, n, behaviour.no_done))
        if behaviour.no_done:
            await asyncio.Event().wait()
    return response


async def _interrupted(
    request: web.Request, response: web.StreamResponse, behaviour: Behaviour, wire: Wire, sent: int
) -> bool:
    """Whether the stream ends after `sent` tokens; a stall never returns."""
    if sent == behaviour.stall_after:
        await asyncio.Event().wait()
    if sent == behaviour.reset_after and request.transport is not None:
        request.transport.abort()
        return True
    if sent == behaviour.error_after:
        await response.write(wire.stream_error("upstream-secret: overloaded"))
        return True
    return sent == behaviour.end_after


async def embeddings(request: web.Request) -> web.StreamResponse:
    body = await _received(request, "embeddings")
    behaviour = SCRIPT.behaviour("embeddings", str(body.get("model")), body)
    STATS["embed_active"] += 1
    STATS["embed_peak"] = max(STATS["embed_peak"], STATS["embed_active"])
    try:
        if refusal := await _before_answering(request, behaviour, body, OpenAIWire()):
            return refusal
        rows, asked = model_answers.embeddings(behaviour, body)
        STATS["embed_items"] += asked
        await asyncio.sleep(behaviour.item_latency * asked)
    finally:
        STATS["embed_active"] -= 1
    usage = {"prompt_tokens": asked * 8, "total_tokens": asked * 8}
    answer = {"object": "list", "data": rows, "model": body.get("model"), "usage": usage}
    return web.Response(text=json.dumps(answer), content_type="application/json")


async def models(request: web.Request) -> web.Response:
    listed = [{"id": name, "object": "model", "created": 1, "owned_by": "fake"} for name in ("fake", "fake-embed")]
    return web.json_response({"object": "list", "data": listed})


async def stats(request: web.Request) -> web.Response:
    names = ("requests", "active", "aborted", "refused", "tokens", "embed_items", "embed_peak")
    return web.json_response({**dict.fromkeys(names, 0), **STATS})


async def requests(request: web.Request) -> web.Response:
    return web.json_response(list(REQUESTS))


async def script(request: web.Request) -> web.Response:
    try:
        SCRIPT.add(await request.json())
    except (TypeError, ValueError) as error:
        return web.json_response({"error": str(error)}, status=400)
    return web.json_response({"scripted": len(SCRIPT.scripted)})


async def reset(request: web.Request) -> web.Response:
    """Forgets scripts, requests and counts; streams that are open stay counted as active."""
    active = STATS["active"]
    SCRIPT.clear()
    REQUESTS.clear()
    STATS.clear()
    STATS["active"] = active
    return web.json_response({})


def application() -> web.Application:
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.add_routes(
        [
            web.post("/v1/chat/completions", chat),
            web.post("/v1/messages", messages),
            web.post("/v1/embeddings", embeddings),
            web.get("/v1/models", models),
            web.get("/stats", stats),
            web.get("/requests", requests),
            web.post("/script", script),
            web.post("/reset", reset),
        ]
    )
    return app


async def serve(port: int) -> None:
    runner = web.AppRunner(application(), handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, backlog=4096)
    await site.start()
    print(runner.addresses[0][1], flush=True)  # noqa: T201 - the port is what a starter waits for
    await asyncio.Event().wait()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--port", type=int, default=0)
    asyncio.run(serve(arguments.parse_args().port))

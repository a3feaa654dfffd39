"""A request to the ASGI application as a server makes it: chunk by chunk, without a socket."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from config.asgi import application


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
    read: int  # bytes of the request's body that the application took

    def json(self) -> Any:
        return orjson.loads(self.body)


async def request(
    method: str, path: str, headers: Mapping[str, str] | None = None, chunks: Iterable[bytes] = ()
) -> Answer:
    """Send the chunks as they are asked for; after the last one the client stays and waits."""
    rest, sent, taken = iter([*chunks]), [], 0
    done = False

    async def receive() -> dict[str, Any]:
        nonlocal taken, done
        if done:
            return {"type": "http.disconnect"} if sent else await forever()
        chunk = next(rest, None)
        done = chunk is None
        taken += len(chunk or b"")
        return {"type": "http.request", "body": chunk or b"", "more_body": not done}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    sent_headers = {"Host": "localhost", "X-Request-ID": "of-the-tests", **(headers or {})}
    if chunks and "Content-Length" not in sent_headers:
        sent_headers["Transfer-Encoding"] = "chunked"
    raw = [(name.lower().encode(), value.encode()) for name, value in sent_headers.items()]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": raw,
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    await application(scope, receive, send)
    start = next(message for message in sent if message["type"] == "http.response.start")
    body = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    named = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], named, body, taken)


async def forever() -> Any:
    """A client that says nothing more until it is answered."""
    import asyncio

    await asyncio.Event().wait()

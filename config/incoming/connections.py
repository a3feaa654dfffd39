"""What a connection may take before anything is known of who is behind it: bytes of a head, seconds of head and body.

uvicorn limits neither with httptools: one header of 150 MB took 220 MB of memory, and who sends a byte now and then
keeps a connection for ever. A proxy in front has limits of its own; `serve` may stand without one.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from accounts.problems import AddressTooLong, HeadTooLarge, Malformed, Problem, TooSlow, problem_response

MOST_HEAD_BYTES = 32 * 1024  # request line and headers
MOST_ADDRESS_BYTES = 8 * 1024
SECONDS = 30.0  # for a head, and again for a body
SLOWEST_UPLOAD = 64 * 1024  # bytes a second: a file that comes as fast may take longer
LAST_CALL = 0.5  # seconds in which a connection that asks nothing may still ask, when the process is about to end
MOST_UNREAD_BYTES = 16 * 1024 * 1024  # of a body that was answered before its end, so that the answer can be read


class RefusedHead(Exception):
    """Stops the parser at a head that is not taken."""


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, with 431 for a long head, 414 for a long address and 408 for a slow client.

    A multipart body, which may be a file of 10 MB on a slow line, has a second more for every 64 KB that have arrived.
    """

    # In its dictionary they would be more names than the dictionaries of a class share: a kilobyte for each connection.
    __slots__ = (
        "_alarm",
        "_brings_file",
        "_has_moved",
        "_in_head",
        "_is_leaving",
        "_pending",
        "_received",
        "_refusal",
        "_since",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._is_leaving = False
        self._has_moved = False  # while the present data was parsed, a head, a piece of a body or a request ended
        self._pending = 0  # bytes since then: of an unfinished head, or of trailers
        self._received = 0  # bytes of the present body
        self._brings_file = False
        self._refusal: type[Problem] = Malformed
        self._since = 0.0
        self._alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._start_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._alarm is None:
            self._start_waiting()
        self._has_moved = False
        super().data_received(data)
        self._pending = 0 if self._has_moved else self._pending + len(data)
        if self._pending > MOST_HEAD_BYTES:
            self._refuse(HeadTooLarge)

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # trailers, which come behind a body, are nobody's
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._has_moved = True
        if len(self.url) > MOST_ADDRESS_BYTES:
            self._refusal = AddressTooLong
        elif len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers) > MOST_HEAD_BYTES:
            self._refusal = HeadTooLarge
        if self._refusal is not Malformed:
            raise RefusedHead
        self._in_head = False
        self._received = 0
        self._brings_file = any(name == b"content-type" and is_multipart(value) for name, value in self.headers)
        self._start_waiting()
        super().on_headers_complete()
        if self._is_leaving:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        self._has_moved = True
        self._received += len(body)
        super().on_body(body)
        if self.cycle.response_complete and self._received > MOST_UNREAD_BYTES:
            self.transport.close()

    def on_message_complete(self) -> None:
        self._has_moved = self._in_head = True
        self._stop_waiting()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """What the parser does not take, or what we do not."""
        self._refuse(self._refusal)

    def shutdown(self) -> None:
        """The present request is the last; where there is none, the next: it may be on its way."""
        self._is_leaving = True
        if self._is_idle():
            self.loop.call_later(LAST_CALL, self._close_if_idle)
        elif self.cycle is not None:
            self.cycle.keep_alive = False

    def _is_idle(self) -> bool:
        has_answered = self.cycle is None or self.cycle.response_complete
        return has_answered and not self._pending

    def _close_if_idle(self) -> None:
        if self._is_idle():
            self.transport.close()

    def _start_waiting(self) -> None:
        self._stop_waiting()
        self._since = self.loop.time()
        self._alarm = self.loop.call_later(SECONDS, self._look_at_the_clock)

    def _stop_waiting(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _look_at_the_clock(self) -> None:
        left = SECONDS if self._waits_for_us() else self._seconds_allowed() - (self.loop.time() - self._since)
        if left > 0:
            self._alarm = self.loop.call_later(left, self._look_at_the_clock)
        elif self._in_head and not self._pending:
            self.transport.close()  # has asked for nothing: nothing is answered
        else:
            self._refuse(TooSlow)

    def _waits_for_us(self) -> bool:
        """Whether it is we who do not read on, or who have not answered the request before."""
        is_answering = self.cycle is not None and not self.cycle.response_complete
        return self.flow.read_paused or (self._in_head and is_answering)

    def _seconds_allowed(self) -> float:
        arrived = min(self._received, MOST_UNREAD_BYTES) if self._brings_file else 0
        return SECONDS + arrived / SLOWEST_UPLOAD

    def _refuse(self, refusal: type[Problem]) -> None:
        """Answer, unless an answer is on its way, and hang up."""
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(answer_of(refusal()))
        self.transport.close()


def is_multipart(content_type: bytes) -> bool:
    return content_type.lstrip().lower().startswith(b"multipart/form-data")


def answer_of(problem: Problem) -> bytes:
    response = problem_response(problem)
    response.headers["Content-Length"] = str(len(response.content))
    response.headers["Connection"] = "close"
    return STATUS_LINE[problem.status_code] + response.serialize_headers() + b"\r\n\r\n" + response.content

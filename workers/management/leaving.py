"""How a web process leaves: nobody whose connection it has taken, or whose handshake it has begun, is dropped.

uvicorn closes its listening socket at once. The kernel then resets each connection that stands in its queue, and
uvicorn each that has not yet asked; a proxy that has sent a POST on one may not send it elsewhere. Here the doors close
in order: nobody new is let in, who is in the queue is taken, and each connection has one more request.

What comes meanwhile is left unanswered, not refused: its client sends SYN again after a second, is refused by then, and
asks another process.
"""

import asyncio
import ctypes
import logging
import socket
import struct
from collections.abc import Callable, Iterable

from uvicorn import Config, Server

logger = logging.getLogger(__name__)

SETTLING = 0.1  # seconds for begun handshakes to end and be taken, and again for what was taken to be a connection

SO_ATTACH_FILTER = 26  # asm-generic/socket.h; Python names it nowhere
SYN = 0x02  # of the flags in byte 13 of a TCP header (RFC 9293, 3.1)
# Classic BPF as in linux/filter.h, (code, jump if true, jump if false, operand): drop what has SYN, keep the rest.
NO_SYN = (
    (0x30, 0, 0, 13),  # load the byte of flags
    (0x45, 0, 1, SYN),  # on with the next if SYN is set, else with the one after
    (0x06, 0, 0, 0),  # keep nothing
    (0x06, 0, 0, 0xFFFFFFFF),  # keep all
)


class LeavingServer(Server):
    """uvicorn's server, which says when it listens and ends without resetting a connection."""

    def __init__(self, config: Config, when_listening: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self._when_listening = when_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._when_listening()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            let_nobody_in(server.sockets)
        await asyncio.sleep(SETTLING)
        await asyncio.sleep(SETTLING)
        await super().shutdown(sockets)


def let_nobody_in(listening: Iterable[socket.socket]) -> None:
    """No handshake begins on these any more; those that have begun end. Linux alone can; elsewhere nothing is done."""
    steps = b"".join(struct.pack("HBBI", *step) for step in NO_SYN)
    program = ctypes.create_string_buffer(steps)
    # struct sock_fprog, whose pointer is aligned as C has it
    described = struct.pack("HP", len(NO_SYN), ctypes.addressof(program))
    for each in listening:
        try:
            each.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, described)
        except OSError as error:
            logger.info("connections are taken up to the last moment: %s", error)

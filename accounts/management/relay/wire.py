"""What client and server say to one another: a line of JSON each.

client   {"command": "ask", "arguments": ["tutor", "…"], "folder": "/where/it/was/typed", "terminals": [true, true]}
server   {"out": "text"} and {"err": "text"} as they come, then {"exit": 0} or {"exit": 1, "error": "a sentence"}
"""

import json
import socket
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

LONGEST_REQUEST = 256 * 1024  # bytes
LONGEST_LINE = 16 * 1024 * 1024
REQUEST_SECONDS = 5.0


class NotARequest(ValueError):
    """Not such a line, or not in time."""


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """A command as it was typed. `folder`: where relative paths begin; `terminals`: whether out and err are one."""

    command: str
    arguments: tuple[str, ...]
    folder: Path
    terminals: tuple[bool, bool]

    @property
    def line(self) -> bytes:
        return encode_line({**asdict(self), "folder": str(self.folder)})


def encode_line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def read_request(connection: socket.socket) -> CommandRequest:
    """The first line that comes. Raises NotARequest; OSError where the other end goes or is silent."""
    received, deadline = b"", time.monotonic() + REQUEST_SECONDS
    while not received.endswith(b"\n"):
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        if not (some := connection.recv(65_536)):
            raise NotARequest("cut short")
        received += some
        if len(received) > LONGEST_REQUEST:
            raise NotARequest("too long")
    return parse_request(received)


def parse_request(line: bytes) -> CommandRequest:
    """Raises NotARequest for anything that is not of the form above."""
    try:
        said = json.loads(line)
        command, arguments, folder, terminals = (said[name] for name in ("command", "arguments", "folder", "terminals"))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NotARequest("not a request") from None
    if not (isinstance(arguments, list) and all(isinstance(one, str) for one in (command, folder, *arguments))):
        raise NotARequest("arguments are texts")
    if not (isinstance(terminals, list) and len(terminals) == 2 and all(isinstance(one, bool) for one in terminals)):
        raise NotARequest("two terminals")
    if not Path(folder).is_absolute() or "\0" in folder:
        raise NotARequest("the folder is not absolute")
    return CommandRequest(command, tuple(arguments), Path(folder), (terminals[0], terminals[1]))

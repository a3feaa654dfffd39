"""A command's own half: what was typed goes to the running server, and what comes back to this terminal."""

import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import OutputWrapper

from accounts.management.relay.address import connect_to_server
from accounts.management.relay.wire import LONGEST_LINE, CommandRequest

BROKEN_OFF = "The server broke off before the command had ended."


class NobodyListens(Exception):
    """No server of this user takes commands."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended: its exit code, and where that is not 0 why."""

    code: int
    error: str = ""


def send_command(
    folder: Path, name: str, arguments: tuple[str, ...], stdout: OutputWrapper, stderr: OutputWrapper
) -> Ending:
    """Have the server of `folder` carry out a command, and show what it writes as it comes. Raises NobodyListens.

    Leaving, for instance by Ctrl+C, closes the connection, and the server gives the command up.
    """
    connection = connect_to_server(folder)
    if connection is None:
        raise NobodyListens
    with connection:
        request = CommandRequest(name, arguments, Path.cwd(), (stdout.isatty(), stderr.isatty()))
        try:
            connection.sendall(request.line)
        except OSError:
            return Ending(1, BROKEN_OFF)
        return show_answer(connection, stdout, stderr)


def show_answer(connection: socket.socket, stdout: OutputWrapper, stderr: OutputWrapper) -> Ending:
    """Until the last line, or until nothing comes any more."""
    with connection.makefile("rb") as lines:
        while line := next_line(lines):
            message = json.loads(line)
            if "exit" in message:
                return Ending(int(message["exit"]), str(message.get("error", "")))
            stream, text = (stdout, message["out"]) if "out" in message else (stderr, message["err"])
            stream.write(text, ending="")
            stream.flush()
    return Ending(1, BROKEN_OFF)


def next_line(lines: Any) -> bytes:
    """Whole, or empty at the end and where the connection was reset."""
    try:
        line: bytes = lines.readline(LONGEST_LINE)
    except OSError:
        return b""
    return line if line.endswith(b"\n") else b""

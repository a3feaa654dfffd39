"""The running server's half of relayed commands: who may ask for what, and each in a thread of its own.

It listens only where this process owns the embedded index. Everything that is asked is the same user's, and still: five
commands and no other, a short request in a few seconds, few at once. Logs have a command's name and its end, never its
arguments.
"""

import io
import logging
import selectors
import socket
import threading
import time
from pathlib import Path
from typing import Any

from django.core.management import get_commands, load_command_class
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError, close_old_connections, connections

from accounts.management.relay.address import forget_socket, is_own_user, listen_for_commands
from accounts.management.relay.hangup import CommandLine, HungUp, on_line
from accounts.management.relay.wire import CommandRequest, NotARequest, encode_line, read_request
from accounts.problems import database_problem
from accounts.tenancy.scope import system_scope
from config.faults import describe_error
from retrieval.management.base import IndexCommand

logger = logging.getLogger(__name__)

RELAYED = frozenset({"ask", "calibrate", "erase", "evaluate", "reconcile"})
AT_ONCE = 4
SEND_SECONDS = 60.0  # a terminal that takes nothing for so long is as good as gone
LOOK_SECONDS = 0.5
STOP_SECONDS = 5.0


class CommandServer:
    """Start once the index is open; stop before it is closed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._listener: socket.socket | None = None
        self._places = threading.BoundedSemaphore(AT_ONCE)
        self._lines: dict[CommandLine, threading.Thread] = {}

    def start(self) -> None:
        """Commands are a convenience: a server that cannot listen for them serves all the same."""
        try:
            self._listener = listen_for_commands(self._folder)
        except OSError as error:
            logger.warning("commands need this server stopped: %s", describe_error(error))
            return
        threading.Thread(target=self._accept, args=(self._listener,), name="commands", daemon=True).start()

    def stop(self) -> None:
        """What is under way is told to stop, and may take a moment to clear up behind itself."""
        if self._listener is None:
            return
        forget_socket(self._folder)
        self._listener.close()
        until = time.monotonic() + STOP_SECONDS
        for line, thread in list(self._lines.items()):
            line.cut()
            thread.join(max(0.0, until - time.monotonic()))

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _address = listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._serve, args=(connection,), name="command", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        """One connection, from its first byte to its last."""
        with connection:
            try:
                if not is_own_user(connection):
                    logger.warning("another user of this machine asked for a command")
                    return
                request = read_request(connection)
                if not self._places.acquire(blocking=False):
                    connection.sendall(
                        last_line(1, f"The server carries out {AT_ONCE} commands already; try again later.")
                    )
                    return
                try:
                    self._carry_out(connection, request)
                finally:
                    self._places.release()
            except (OSError, NotARequest) as error:
                logger.warning("a command was not understood: %s", type(error).__name__)

    def _carry_out(self, connection: socket.socket, request: CommandRequest) -> None:
        """Wait for the command in its thread; an end of the connection cuts its line."""
        connection.settimeout(SEND_SECONDS)
        line = CommandLine()
        thread = threading.Thread(target=carry_out_request, args=(connection, request, line), name=request.command[:20])
        thread.daemon = True
        self._lines[line] = thread
        thread.start()
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(connection, selectors.EVENT_READ)
                while thread.is_alive() and not line.is_cut:
                    if selector.select(LOOK_SECONDS) and thread.is_alive():  # nothing more is ever said
                        line.cut()
            thread.join()
        finally:
            del self._lines[line]


def carry_out_request(connection: socket.socket, request: CommandRequest, line: CommandLine) -> None:
    """Carry a command out, and tell how it ended, if anybody still listens."""
    started = time.monotonic()
    with on_line(line), system_scope():
        try:
            last = run_command(connection, request, line)
        except HungUp:
            last = last_line(130)
        finally:
            connections.close_all()
    took = time.monotonic() - started
    name = request.command if request.command in RELAYED else "(another)"
    logger.info("command %s %s after %.1f s", name, "was given up" if line.is_cut else "ended", took)
    try:
        connection.sendall(last)
    except OSError:
        line.cut()


def run_command(connection: socket.socket, request: CommandRequest, line: CommandLine) -> bytes:
    """The very command, parsed and run as on the command line; its last line for the client."""
    if request.command not in RELAYED:
        return last_line(2, f"A running server carries out {', '.join(sorted(RELAYED))} alone.")
    close_old_connections()
    command = load_command_class(get_commands()[request.command], request.command)
    assert isinstance(command, IndexCommand)
    command.folder = request.folder
    out, err = (
        RelayedStream(connection, name, line, is_terminal=terminal)  # the command puts its OutputWrapper around it
        for name, terminal in zip(("out", "err"), request.terminals, strict=True)
    )
    try:
        parser = command.create_parser("manage.py", request.command)
        options: dict[str, Any] = vars(parser.parse_args(list(request.arguments)))
        command.execute(**{**options, "stdout": out, "stderr": err})
    except CommandError as error:
        return last_line(error.returncode, str(error))
    except SystemExit as error:
        return last_line(error.code if isinstance(error.code, int) else 1)
    except (DatabaseError, InterfaceError) as error:
        return last_line(1, str(database_problem(error).detail))
    except Exception as error:
        logger.error("command %s failed: %s", request.command, describe_error(error))
        return last_line(
            1, f"The server met an error that nobody foresaw ({type(error).__name__}); its log says where."
        )
    return last_line(0)


def last_line(code: int, error: str = "") -> bytes:
    return encode_line({"exit": code, "error": error} if error else {"exit": code})


class RelayedStream(io.TextIOWrapper):
    """What a command writes to, as lines of the connection. Raises HungUp where nobody takes them."""

    def __init__(self, connection: socket.socket, name: str, line: CommandLine, *, is_terminal: bool) -> None:
        super().__init__(io.BytesIO())  # nothing is ever written there
        self._connection, self._name, self._line, self._is_terminal = connection, name, line, is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def write(self, text: str) -> int:
        if self._line.is_cut:
            raise HungUp
        try:
            self._connection.sendall(encode_line({self._name: text}))
        except OSError:
            self._line.cut()
            raise HungUp from None
        return len(text)

"""Where a running server takes commands: a Unix socket in DATA_DIR, for the user that runs it and nobody else.

A socket's path may have some 100 bytes, a folder's 4,096. Where DATA_DIR is longer, the socket lies in a private folder
with a short name, and `commands.sock` is a link to it.
"""

import ctypes
import os
import shutil
import socket
import struct
import tempfile
from pathlib import Path

NAME = "commands.sock"
LONGEST_PATH = 100  # bytes; sockaddr_un has 108 on Linux and 104 on macOS, with a NUL
BACKLOG = 8
CONNECT_SECONDS = 5.0


def listen_for_commands(folder: Path) -> socket.socket:
    """A listening socket, mode 0600, in the place of whatever a killed server left. OSError where none can be made.

    For the one process that owns the folder's index: another one's socket would be taken away.
    """
    forget_socket(folder)
    path = folder / NAME
    if len(os.fsencode(path)) > LONGEST_PATH:
        short = Path(tempfile.mkdtemp(prefix="acervo-")) / NAME  # mode 0700, under a name that nobody foresees
        path.symlink_to(short)
        path = short
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def forget_socket(folder: Path) -> None:
    """Remove the socket and, where it lies elsewhere, its folder; idempotent."""
    path = folder / NAME
    if path.is_symlink():
        elsewhere = path.readlink().parent
        if elsewhere.name.startswith("acervo-") and elsewhere.parent == Path(tempfile.gettempdir()):
            shutil.rmtree(elsewhere, ignore_errors=True)
    path.unlink(missing_ok=True)


def connect_to_server(folder: Path) -> socket.socket | None:
    """A connection to the server that listens, if it is run by this user; None where nobody does."""
    path = folder / NAME
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(str(path.readlink() if path.is_symlink() else path))
        if is_own_user(connection):
            connection.settimeout(None)
            return connection
    except OSError:  # no socket, one whose server was killed, or a path that is none
        pass
    connection.close()
    return None


def is_own_user(connection: socket.socket) -> bool:
    """Whether the process at the other end runs as the same user; the kernel says so, not the process."""
    return user_of_peer(connection) == os.geteuid()


def user_of_peer(connection: socket.socket) -> int:
    """The effective user id. OSError where the system does not tell."""
    if hasattr(socket, "SO_PEERCRED"):
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _process, user, _group = struct.unpack("3i", credentials)
        return int(user)
    user, group = ctypes.c_uint32(), ctypes.c_uint32()
    ask = getattr(ctypes.CDLL(None, use_errno=True), "getpeereid", None)  # macOS and the BSDs
    if ask is None or ask(connection.fileno(), ctypes.byref(user), ctypes.byref(group)) != 0:
        raise OSError("the system does not tell who is at the other end")
    return user.value

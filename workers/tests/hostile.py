"""A "reader" that does what a document that has taken over its child might do. Loaded by test zygotes."""

import ctypes
import os
import signal
import socket
import time
from collections.abc import Callable

from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.reading import ReadRequest

_ANSWER = 4  # the descriptor of the answer's pipe in every child
_libc = ctypes.CDLL(None)


def preload() -> None:
    """Nothing to load."""


def read(content: bytes, request: ReadRequest) -> Extracted:
    """Act out the word in `content`; what it returns as text is what it achieved."""
    word, _, argument = content.decode().partition(" ")
    return Extracted(_ACTS[word](argument) or "nothing happened")


def _hog(_: str) -> str:
    hoard = []
    while True:
        hoard.append(bytearray(16 << 20))


def _native_hog(_: str) -> str:
    _libc.malloc.restype = ctypes.c_void_p
    while block := _libc.malloc(16 << 20):
        ctypes.memset(block, 1, 16 << 20)
    os.abort()


def _spin(_: str) -> str:
    while True:
        pass


def _stubborn(_: str) -> str:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    time.sleep(600)
    return "slept"


def _attempt(action: Callable[[], object]) -> str:
    try:
        action()
    except BaseException as error:
        return type(error).__name__
    return "succeeded"


def _connect(_: str) -> str:
    return _attempt(lambda: socket.create_connection(("127.0.0.1", 9)))


def _native_socket(_: str) -> str:
    return "succeeded" if _libc.socket(socket.AF_INET, socket.SOCK_STREAM, 0) >= 0 else "refused"


def _write(path: str) -> str:
    return _attempt(lambda: open(path, "w"))


def _read(path: str) -> str:
    return _attempt(lambda: open(path))


def _native_fork(_: str) -> str:
    pid = _libc.fork()
    if pid == 0:
        os._exit(0)
    return "succeeded" if pid > 0 else "refused"


def _kill_zygote(_: str) -> str:
    _libc.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
    return "slept"


def _lie(answer: str) -> str:
    os.write(_ANSWER, answer.encode())
    os._exit(0)


def _flood(_: str) -> str:
    block = b" " * (1 << 20)
    while True:
        os.write(_ANSWER, block)


_ACTS: dict[str, Callable[[str], str | None]] = {
    "echo": lambda argument: argument,
    "sleep": lambda argument: time.sleep(float(argument)),
    "exit": lambda argument: os._exit(int(argument)),
    "segfault": lambda _: ctypes.string_at(0) and None,
    "kill": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "native-kill": lambda _: str(_libc.kill(os.getpid(), signal.SIGKILL)),
    "hog": _hog,
    "native-hog": _native_hog,
    "spin": _spin,
    "stubborn": _stubborn,
    "connect": _connect,
    "native-socket": _native_socket,
    "write": _write,
    "read": _read,
    "native-fork": _native_fork,
    "environment": lambda _: " ".join(sorted(os.environ)),
    "descriptors": lambda _: " ".join(str(fd) for fd in range(256) if _is_open(fd)),
    "kill-zygote": _kill_zygote,
    "lie": _lie,
    "flood": _flood,
}


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True

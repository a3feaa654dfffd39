"""The walls around a child that reads what is foreign: resources, network, other processes. Applied by it to itself.

Linux has all of them; where a wall does not exist (macOS) it is left out and the others stand.
"""

import contextlib
import ctypes
import os
import resource
import signal
import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_FORBIDDEN_EVENTS = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.kill")


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """Of one extraction (RELIABILITY R14), unless somebody says otherwise: bytes of address space, seconds of CPU,
    seconds on the clock."""

    address_space: int = 1024**3
    cpu_seconds: int = 30
    wall_seconds: float = 60.0


def leave_the_network() -> None:
    """Move this process into a network namespace with nothing in it, and out of its user's privileges.

    Best effort: a kernel or container may refuse; RLIMIT_NOFILE=0 keeps the child from sockets all the same.
    """
    if _libc is None:
        return
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if _libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        _libc.unshare(_CLONE_NEWNET)


def die_with_parent(parent: int) -> None:
    """Linux: SIGKILL for this process when its parent (a pid) ends."""
    if _libc is None:
        return
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


def confine(limits: ChildLimits, files: int = 0, towards: tuple[str, int] | None = None) -> None:
    """Close every door in this process for good. Only file descriptors that are open already remain, and of new ones
    those below `files`. `towards`: the one address and port that connections may still be opened to."""
    if _libc is not None:
        _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # no core, no ptrace by siblings
    restrain(limits)
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_FSIZE", 0)
    _limit("RLIMIT_NPROC", 0)
    _limit("RLIMIT_NOFILE", files)  # with 0 no file, socket or pipe can be opened any more
    sys.addaudithook(partial(_refuse, towards))


def restrain(limits: ChildLimits) -> None:
    """Memory and time alone: for what must still be opened."""
    _limit("RLIMIT_AS", limits.address_space)
    _limit("RLIMIT_CPU", limits.cpu_seconds, limits.cpu_seconds + 1)  # SIGXCPU, then SIGKILL


def _limit(name: str, soft: int, hard: int | None = None) -> None:
    kind = getattr(resource, name, None)
    if kind is None:
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (soft, soft if hard is None else hard))


def _refuse(towards: tuple[str, int] | None, event: str, arguments: tuple[Any, ...]) -> None:
    if towards and (event == "socket.__new__" or (event == "socket.connect" and arguments[1][:2] == towards)):
        return
    if event.startswith(_FORBIDDEN_EVENTS):
        raise PermissionError(f"{event} is not allowed to who reads what is foreign")

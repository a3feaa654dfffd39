"""The zygote: a small process with all that reads documents loaded, which forks one confined child per document.

Started by `sandbox.Sandbox` with a clean environment; it serves requests from one socket, reaps its children,
kills them on time, and ends when the socket's other end does, even by kill -9. It holds no secret and reads
no document itself.
"""

import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import struct
import time
from dataclasses import dataclass

from config.concurrency.confinement import ChildLimits, leave_the_network
from workers.ingestion.sandbox.child import Reader, run_child
from workers.ingestion.sandbox.wire import MAX_REQUEST_BYTES

REQUEST = struct.Struct(
    f"!qid{MAX_REQUEST_BYTES}s"
)  # address space, CPU seconds, wall seconds, a ReadRequest padded with NUL
STATUS = struct.Struct("!BiQ")  # how it ended, exit code or signal, peak memory in KiB
EXITED, SIGNALED, OUT_OF_TIME = range(3)
READY = b"R"
_DESCRIPTORS = 3  # of a request: the document, the answer's pipe, the status' pipe


@dataclass(frozen=True, slots=True)
class _Job:
    status: int  # file descriptor
    deadline: float


class Zygote:
    """The serving loop. `read` is called in the children only."""

    def __init__(self, control: socket.socket, read: Reader) -> None:
        self._control = control
        self._read = read
        self._jobs: dict[int, _Job] = {}
        self._late: set[int] = set()
        self._wakeup, writer = os.pipe()
        os.set_blocking(writer, False)
        os.set_blocking(self._wakeup, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Until the parent's end of the socket closes; then kill what runs."""
        self._control.sendall(READY)
        while self._turn():
            self._kill_late()
            self._reap()
        for pid in self._jobs:
            _kill(pid)

    def _turn(self) -> bool:
        """Wait for a request, a child's end, a parent that gave up, or a deadline. False: no more parent."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._wakeup, select.POLLIN)
        watched = {job.status: pid for pid, job in self._jobs.items()}
        for status in watched:
            poll.register(status, 0)  # reports only that the reader has closed it
        deadlines = (job.deadline for pid, job in self._jobs.items() if pid not in self._late)
        nearest = min(deadlines, default=None)
        patience = None if nearest is None else max(0.0, nearest - time.monotonic()) * 1000 + 1
        for descriptor, _ in poll.poll(patience):
            if descriptor == self._control.fileno():
                if not self._accept():
                    return False
            elif descriptor == self._wakeup:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wakeup, 4096)
            else:
                _kill(watched[descriptor])
        return True

    def _accept(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self._control, REQUEST.size, _DESCRIPTORS, socket.MSG_WAITALL)
        if not message:
            return False
        if len(message) != REQUEST.size or len(descriptors) != _DESCRIPTORS:
            return False  # not our protocol: end, and let the parent start another zygote
        address_space, cpu, wall, request = REQUEST.unpack(message)
        source, result, status = descriptors
        zygote = os.getpid()
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            limits = ChildLimits(address_space, cpu, wall)
            run_child(self._read, (source, result), request.rstrip(b"\0"), limits, zygote)
        os.close(source)
        os.close(result)
        self._jobs[pid] = _Job(status, time.monotonic() + wall)
        return True

    def _kill_late(self) -> None:
        now = time.monotonic()
        for pid, job in self._jobs.items():
            if job.deadline <= now and pid not in self._late:
                self._late.add(pid)
                _kill(pid)

    def _reap(self) -> None:
        while self._jobs:
            pid, ended, usage = os.wait4(-1, os.WNOHANG)
            if not pid:
                return
            job = self._jobs.pop(pid, None)
            if job is None:
                continue
            kind = OUT_OF_TIME if pid in self._late else SIGNALED if os.WIFSIGNALED(ended) else EXITED
            code = os.WTERMSIG(ended) if os.WIFSIGNALED(ended) else os.WEXITSTATUS(ended)
            self._late.discard(pid)
            with contextlib.suppress(OSError):  # the reader gave up
                os.write(job.status, STATUS.pack(kind, code, usage.ru_maxrss))
            os.close(job.status)


def _kill(pid: int) -> None:
    for end in (os.killpg, os.kill):  # the group may not exist yet
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(pid, signal.SIGKILL)


def main(control_descriptor: int, module_name: str) -> None:
    """Entry of the process: `module_name` offers `read(content, request)` and `preload()`."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    module = importlib.import_module(module_name)
    module.preload()
    read: Reader = module.read
    leave_the_network()
    _silence()
    gc.collect()
    gc.freeze()  # children then share these pages
    Zygote(socket.socket(fileno=control_descriptor), read).serve()


def _silence() -> None:
    """From here on nothing that a parser prints about a document reaches a log (RELIABILITY R24)."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    os.close(null)

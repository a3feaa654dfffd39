"""The server's hold on its zygote: start it clean and lazily, hand it requests, replace it when it dies."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import weakref

from workers.ingestion.sandbox.zygote import READY

_START_SECONDS = 30
_BOOTSTRAP = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from workers.ingestion.sandbox.zygote import main; main(int(sys.argv[2]), sys.argv[3])"
)
# Of the server's environment only what the dynamic loader needs, and where the tokens' vocabulary is: no secret
# reaches the zygote.
_KEPT_ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ", "TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "TMPDIR")


class SandboxUnavailable(Exception):
    """No zygote can be started: the machine's fault, not the document's. Worth a later retry."""


class ZygoteDied(Exception):
    """The zygote ended during an extraction."""


class ZygoteProcess:
    """At most one zygote per server process; safe to use from threads and after a fork."""

    def __init__(self, module_name: str) -> None:
        self._module_name = module_name
        self._forget()
        _everywhere.add(self)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def send(self, request: bytes, descriptors: list[int]) -> int:
        """Hand one request over, starting a zygote if there is none; returns its pid.

        Raises SandboxUnavailable.
        """
        with self._lock:
            for _ in range(2):  # one that died while idle shows itself here
                process, control = self._running()
                try:
                    socket.send_fds(control, [request], descriptors)
                    return process.pid
                except OSError:
                    self._stop()
        raise SandboxUnavailable("the extraction process ends at once")

    def _running(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        if self._process is not None and self._control is not None and self._process.poll() is None:
            return self._process, self._control
        self._stop()
        return self._start()

    def discard(self, pid: int) -> None:
        """Stop the zygote `pid` if it is still the current one: it died or does not answer."""
        with self._lock:
            if self._process is not None and self._process.pid == pid:
                self._stop()

    def close(self) -> None:
        """Stop the zygote and what it runs; the next request starts another."""
        with self._lock:
            self._stop()

    def _start(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        ours, theirs = socket.socketpair()
        ours.settimeout(_START_SECONDS)
        try:
            with theirs:
                process = self._spawn(theirs.fileno())
        except OSError as error:
            ours.close()
            raise SandboxUnavailable(f"the extraction process does not start: {error.strerror}") from error
        self._process, self._control = process, ours
        with contextlib.suppress(OSError):
            if ours.recv(len(READY)) == READY:
                return process, ours
        self._stop()
        raise SandboxUnavailable("the extraction process does not start; its error is on standard error")

    def _spawn(self, control: int) -> subprocess.Popen[bytes]:
        path = json.dumps([os.path.abspath(entry) for entry in sys.path])
        environment = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
        command = [sys.executable, "-I", "-B", "-c", _BOOTSTRAP, path, str(control), self._module_name]
        return subprocess.Popen(  # noqa: S603 -- our own interpreter and module
            command,
            pass_fds=(control,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**environment, "LC_ALL": "C.UTF-8"},
            cwd="/",
            start_new_session=True,  # Ctrl-C is for the server, which then closes the socket
        )

    def _stop(self) -> None:
        process, control = self._process, self._control
        self._process = self._control = None
        if control is not None:
            control.close()  # the zygote ends when it reads this
        if process is None:
            return
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def after_fork(self) -> None:
        """In a forked child: the zygote stays the parent's; drop our copy of its socket."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.returncode = 0  # not our child: never wait for it, never warn about it
        self._forget()


_everywhere: weakref.WeakSet[ZygoteProcess] = weakref.WeakSet()


def _after_fork() -> None:
    for zygote in list(_everywhere):
        zygote.after_fork()


os.register_at_fork(after_in_child=_after_fork)

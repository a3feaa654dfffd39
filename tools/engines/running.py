"""A source is asked by a process of its own (`child`): what takes it over, fills its memory or never ends is one child.

    server --request, with the credentials--> child (one source, one statement) --JSON, so many bytes--> server

Nothing of the server's environment goes along, nor any of its descriptors.
"""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from tools.engines.failures import ColumnsGone, EngineFailed, QueryFailed, QueryTimeout, QueryTooLarge, SourceFailed

MEMORY, CPU_SECONDS, SECONDS, STARTING_SECONDS = 1536 * 1024**2, 6, 6.0, 4.0
ENDING_SECONDS = 2.0
MOST_ROWS, MOST_BYTES = 1_000, 256 * 1024
MOST_ANSWERED = 8 * 1024 * 1024  # a schema of many tables
FAILURES = (SourceFailed, QueryFailed, ColumnsGone, QueryTimeout, QueryTooLarge)
_BOOTSTRAP = (
    "import json, sys; from importlib import import_module; "
    "sys.path[:] = json.loads(sys.argv[1]); import_module(sys.argv[2]).main()"
)
_KEPT_ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SSL_CERT_FILE", "TZ")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # each would take address space
_TIME_ENDED, _MEMORY_ENDED = (-24,), (-6, -9, -11)  # SIGXCPU; what libraries do that are refused memory


def ask_child(request: Mapping[str, Any]) -> Any:
    """What the source answers to a request (docs of its keys: `tools.asking`). Raises EngineFailed."""
    limits = {"memory": MEMORY, "cpu": CPU_SECONDS, "seconds": SECONDS, "most_answered": MOST_ANSWERED}
    asked = {"most": {"rows": MOST_ROWS, "bytes": MOST_BYTES}, **limits, **request}
    return answer_of_child("tools.engines.child", asked, STARTING_SECONDS + max(SECONDS, asked["seconds"]))


def answer_of_child(module: str, request: Mapping[str, Any], seconds: float) -> Any:
    """What the `main` of a module finds, in a process of its own; of `most_answered` bytes at most. Raises
    EngineFailed."""
    body = json.dumps({"parent": os.getpid(), **request}).encode()
    deadline = time.monotonic() + seconds
    with _spawned(module) as process:
        try:
            answer = _exchanged(process, body, deadline, request.get("most_answered", MOST_ANSWERED))
            process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            raise SourceFailed from None
        finally:
            process.kill()
    return _found(answer, process.returncode)


def _spawned(module: str) -> subprocess.Popen[bytes]:
    path = json.dumps([os.path.abspath(entry) for entry in sys.path])
    environment = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    try:
        return subprocess.Popen(  # noqa: S603 -- our own interpreter and module
            [sys.executable, "-I", "-B", "-c", _BOOTSTRAP, path, module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environment, **ONE_THREAD, "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"},
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        raise SourceFailed("busy") from error


def _exchanged(process: subprocess.Popen[bytes], body: bytes, deadline: float, most: int) -> bytes:
    """The request goes in, the answer comes out, until the child has closed it."""
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(body)
        process.stdin.close()
    except BrokenPipeError:
        return b""
    received = bytearray()
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        block = os.read(process.stdout.fileno(), 1 << 16)
        if not block:
            return bytes(received)
        received += block
        if len(received) > most:
            raise QueryTooLarge
    raise QueryTimeout


def _found(answer: bytes, status: int) -> Any:
    try:
        said = json.loads(answer)
    except ValueError:  # it has died
        ended = QueryTimeout if status in _TIME_ENDED else QueryTooLarge if status in _MEMORY_ENDED else SourceFailed
        raise ended(f"ended by {status}") from None
    if "found" in said:
        return said["found"]
    kinds: dict[str, type[EngineFailed]] = {one.code: one for one in FAILURES}
    raise kinds.get(said.get("error"), SourceFailed)(str(said.get("said", "")))

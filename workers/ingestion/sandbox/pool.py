"""Reading behind a wall: a confined child process per document, whose death harms nothing else.

    server --socket--> zygote (parsers loaded, no secrets) --fork--> child (one document) --JSON--> server

A fork of the zygote costs about 3 ms, a new interpreter with the parsers 150 to 300. The zygote is our own
and not multiprocessing's: Celery's prefork workers are daemonic, which may not have multiprocessing children,
and its results are pickles, which a child taken over by a document could use to take over the server.
Sources: SPEC §3 (Extract), RELIABILITY R13-R15.
"""

import atexit
import logging
import os
import select
import signal
import tempfile
import time
from pathlib import Path

from config.concurrency.confinement import ChildLimits
from corpora.reader.printed import PageRequest, PrintedPage
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.reading import Reading, ReadRequest, read_extracted
from workers.ingestion.sandbox.child import EXIT_ANSWERED, EXIT_MEMORY
from workers.ingestion.sandbox.process import SandboxUnavailable, ZygoteDied, ZygoteProcess
from workers.ingestion.sandbox.wire import MAX_RESULT_BYTES, decode_reading, decode_shown, encode_read_request
from workers.ingestion.sandbox.wire_pages import encode_page_request
from workers.ingestion.sandbox.zygote import EXITED, OUT_OF_TIME, REQUEST, STATUS

__all__ = ["ChildLimits", "Sandbox", "SandboxUnavailable", "close_sandbox", "read_in_sandbox", "show_in_sandbox"]

logger = logging.getLogger(__name__)

_READER = "workers.ingestion.reading"
PAGE_LIMITS = ChildLimits(address_space=1024**3, cpu_seconds=6, wall_seconds=20.0)  # somebody waits for the page
_GRACE_SECONDS = 5.0  # beyond the wall limit, which the zygote enforces; then the zygote itself is stuck
_NEAR_THE_LIMIT = 0.6  # of the address space in use: a crash there is for want of memory


class Sandbox:
    """Runs `module.read(content, request)` confined. Thread-safe; one zygote per server process."""

    def __init__(self, module_name: str = _READER, limits: ChildLimits | None = None) -> None:
        self.limits = limits or ChildLimits()
        self._module_name = module_name
        self._zygote = ZygoteProcess(module_name)

    def read(self, content: bytes | Path, request: ReadRequest) -> Reading | Extracted:
        """Read a document in a child of its own; only its text where cutting it is left to the caller.

        Raises ExtractionError (the document's fault), SandboxUnavailable and OSError (the machine's).
        """
        return decode_reading(self._answer(content, encode_read_request(request), self.limits), request)

    def show(self, content: bytes | Path, request: PageRequest, limits: ChildLimits = PAGE_LIMITS) -> PrintedPage:
        """A page of a PDF as it is printed, from a child of its own. Raises as `read`."""
        return decode_shown(self._answer(content, encode_page_request(request), limits), request)

    def _answer(self, content: bytes | Path, request: bytes, limits: ChildLimits) -> bytearray:
        """What a child says to a request."""
        source = _open(content)
        try:
            return self._attempt(self._zygote, source, request, limits)
        except ZygoteDied:
            logger.warning("the extraction zygote died; one more attempt in a zygote of its own")
            return self._alone(source, request, limits)
        finally:
            os.close(source)

    def _alone(self, source: int, request: bytes, limits: ChildLimits) -> bytearray:
        """The second attempt shares its zygote with nobody: a document that kills zygotes fails alone."""
        zygote = ZygoteProcess(self._module_name)
        try:
            return self._attempt(zygote, source, request, limits)
        except ZygoteDied as error:
            raise ExtractionError("extraction_crashed", cause="the extraction process died twice") from error
        finally:
            zygote.close()

    def close(self) -> None:
        """End the zygote; the next extraction starts another."""
        self._zygote.close()

    def _attempt(self, zygote: ZygoteProcess, source: int, request: bytes, limits: ChildLimits) -> bytearray:
        os.lseek(source, 0, os.SEEK_SET)
        message = REQUEST.pack(limits.address_space, limits.cpu_seconds, limits.wall_seconds, request)
        deadline = time.monotonic() + limits.wall_seconds + _GRACE_SECONDS
        with _Pipe() as answer, _Pipe() as status:
            pid = zygote.send(message, [source, answer.writer, status.writer])
            answer.close_writer()
            status.close_writer()
            result = answer.read(MAX_RESULT_BYTES, deadline)
            if result is None:  # the zygote kills the child when it sees these pipes closed
                raise ExtractionError("extraction_memory", cause="more than 64 MB of text")
            ended = status.read(STATUS.size, deadline)
        if not ended:
            zygote.discard(pid)
            if time.monotonic() >= deadline:
                raise ExtractionError("extraction_timeout", cause="the extraction process does not answer")
            raise ZygoteDied("during an extraction")
        kind, code, peak_kib = STATUS.unpack(ended)
        if kind == EXITED and code == EXIT_ANSWERED:
            return result
        raise _cause_of_death(kind, code, peak_kib, limits)


def _cause_of_death(kind: int, code: int, peak_kib: int, limits: ChildLimits) -> ExtractionError:
    if kind == OUT_OF_TIME or (kind != EXITED and code == signal.SIGXCPU):
        return ExtractionError("extraction_timeout", cause=f"stopped by signal {code}")
    memory = peak_kib * 1024 > _NEAR_THE_LIMIT * limits.address_space
    if memory or (kind == EXITED and code == EXIT_MEMORY):
        return ExtractionError("extraction_memory", cause=f"{peak_kib // 1024} MB in use")
    return ExtractionError("extraction_crashed", cause=f"{'exit status' if kind == EXITED else 'signal'} {code}")


class _Pipe:
    """A pipe whose writer goes to the zygote; both ends close with the block."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe()

    def __enter__(self) -> "_Pipe":
        return self

    def __exit__(self, *_: object) -> None:
        self.close_writer()
        os.close(self._reader)

    def close_writer(self) -> None:
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def read(self, limit: int, deadline: float) -> bytearray | None:
        """Everything up to the end or the deadline; None when it is more than `limit` bytes."""
        received = bytearray()
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            block = os.read(self._reader, 1 << 20)
            if not block:
                break
            received += block
            if len(received) > limit:
                return None
        return received


def _open(content: bytes | Path) -> int:
    """A readable descriptor of the document: the file itself, or its bytes in memory."""
    if isinstance(content, Path):
        return os.open(content, os.O_RDONLY | os.O_CLOEXEC)
    if hasattr(os, "memfd_create"):
        source = os.memfd_create("document")
    else:
        with tempfile.TemporaryFile() as file:
            source = os.dup(file.fileno())
    view = memoryview(content)
    while view:
        view = view[os.write(source, view) :]
    return source


_sandbox = Sandbox()
atexit.register(_sandbox.close)


def read_in_sandbox(content: bytes | Path, request: ReadRequest) -> Reading:
    """Read a document under RELIABILITY R14's limits, in this process's shared sandbox.

    Raises ExtractionError with a stable code, whatever the document does to its child. The child has its own
    share of time and memory: callers bound how many run at once (about four). What would need more time than the
    child has is cut here.
    """
    outcome = _sandbox.read(content, request)
    return outcome if isinstance(outcome, Reading) else read_extracted(outcome, request)


def show_in_sandbox(content: bytes | Path, request: PageRequest) -> PrintedPage:
    """A page as it is printed, in this process's shared sandbox. Raises as `Sandbox.read`; callers bound how many run
    at once."""
    return _sandbox.show(content, request)


def close_sandbox() -> None:
    """End the shared zygote: for tests, and for a server that stops."""
    _sandbox.close()

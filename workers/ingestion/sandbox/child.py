"""One document in a forked child: confine, read, answer in JSON, exit. It never returns."""

import gc
import os
from collections.abc import Callable
from typing import NoReturn

from config.concurrency.confinement import ChildLimits, confine, die_with_parent
from corpora.reader.printed import PageRequest, PrintedPage
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.reading import Reading, ReadRequest
from workers.ingestion.sandbox.wire import decode_read_request, encode_answer, encode_error

EXIT_ANSWERED, EXIT_MEMORY, EXIT_BROKEN = 0, 12, 13
_SOURCE, _RESULT = 3, 4
_FIRST_UNUSED = 5
_COLLECT_AFTER = 100_000  # objects; parsers make many, few of them garbage, and the child dies soon

Reader = Callable[[bytes, ReadRequest | PageRequest], Reading | Extracted | PrintedPage]


def run_child(read: Reader, descriptors: tuple[int, int], request: bytes, limits: ChildLimits, parent: int) -> NoReturn:
    """Body of the child: `descriptors` of the document and of the answer's pipe, `parent` the zygote's pid.

    Ends the process, whatever happens.
    """
    status = EXIT_BROKEN
    try:
        os.setpgid(0, 0)
        die_with_parent(parent)
        _keep_only(*descriptors)
        gc.set_threshold(_COLLECT_AFTER, 20, 100)
        confine(limits)
        _write(_answer(read, request))
        status = EXIT_ANSWERED
    except MemoryError:
        status = EXIT_MEMORY
    except BaseException:  # noqa: S110 -- the exit status says it; a traceback could quote the document
        pass
    os._exit(status)


def _keep_only(source: int, result: int) -> None:
    """Descriptors 0-2 (the null device), the document as 3, the answer as 4, and none else."""
    spare = max(source, result, _RESULT) + 1
    os.dup2(source, spare)
    os.dup2(result, spare + 1)
    os.dup2(spare, _SOURCE)
    os.dup2(spare + 1, _RESULT)
    os.closerange(_FIRST_UNUSED, os.sysconf("SC_OPEN_MAX"))


def _answer(read: Reader, request: bytes) -> bytes:
    try:
        asked = decode_read_request(request)
        return encode_answer(read(_content(), asked), asked)
    except ExtractionError as error:
        return encode_error(error)


def _content() -> bytes:
    blocks = []
    while block := os.read(_SOURCE, 1 << 20):
        blocks.append(block)
    return b"".join(blocks)


def _write(answer: bytes) -> None:
    view = memoryview(answer)
    while view:
        view = view[os.write(_RESULT, view) :]

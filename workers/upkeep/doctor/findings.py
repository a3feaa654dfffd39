"""What an examination finds, and how all of them are carried out: at once, each for so long and no longer."""

import errno
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from enum import StrEnum
from queue import Empty, SimpleQueue

from django.db import DatabaseError, connections

from config.faults import describe_error
from config.observability.disk import database_disk

ADDRESS = "Look at the service's own log, and whether its address and password in {name} are right."
ON_DISKS = "Look at the disk of DATA_DIR, under `disk`: whether it has room and may be written to by this user."
OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)


class Result(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """`said` is one line for an operator; `advice` what to do, where there is something to do."""

    name: str
    result: Result
    said: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class DoctorWishes:
    """What an operator asks beside the rest: an address that gets a mail, an organization by its slug, the public
    address of the site."""

    mail_to: str = ""
    organization: str = ""
    url: str = ""


Found = tuple[Result, str, str]  # without its name
Examination = Callable[[DoctorWishes], "Found | Iterable[Found]"]


def fine(said: str) -> Found:
    return Result.OK, said, ""


def doubtful(said: str, advice: str) -> Found:
    return Result.WARN, said, advice


def wrong(said: str, advice: str) -> Found:
    return Result.FAIL, said, advice


def examine(examinations: Mapping[str, Examination], wishes: DoctorWishes, seconds: float) -> list[Finding]:
    """All of them, in their order. One that says nothing in time has failed, and its thread is left behind."""
    until, answers = time.monotonic() + seconds, dict[str, SimpleQueue[list[Finding]]]()
    for name, examination in examinations.items():
        answers[name] = SimpleQueue()
        arguments = (_examined, name, examination, wishes, answers[name])
        threading.Thread(target=copy_context().run, args=arguments, name=f"doctor-{name}", daemon=True).start()
    found: list[Finding] = []
    for name, answer in answers.items():
        try:
            found += answer.get(timeout=max(0.01, until - time.monotonic()))
        except Empty:
            advice = "Look whether its address is right and reachable from here; --seconds gives it more time."
            found.append(Finding(name, Result.FAIL, f"no answer within {seconds:g} s", advice))
    return found


def _examined(name: str, examination: Examination, wishes: DoctorWishes, answer: "SimpleQueue[list[Finding]]") -> None:
    found: list[Finding] = []
    try:
        said = examination(wishes)
        for one in [said] if isinstance(said, tuple) else said:
            found.append(Finding(name, *one))
    except Exception as error:
        found.append(Finding(name, Result.FAIL, shown_reason(error), advice_on(error)))
    finally:
        answer.put(found)
        connections.close_all()


def advice_on(error: Exception) -> str:
    """By whether a disk of this machine is at fault, or a server."""
    of_disk = isinstance(error, OSError) and error.errno in OF_DISKS
    return ON_DISKS if of_disk or database_disk(error.__cause__) else ADDRESS.format(name="the settings")


def shown_reason(error: Exception) -> str:
    """What may be shown of an error: an object store's code, a database's first line, what a disk says and of which
    file, else type and place. Never a whole message, which may quote an address with its password."""
    code = getattr(error, "response", None)
    if isinstance(code, dict) and isinstance(code.get("Error"), dict):
        return f"{type(error).__name__}: {code['Error'].get('Code', '')}"
    if isinstance(error, DatabaseError):
        return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:200]}"
    if isinstance(error, OSError) and error.errno in OF_DISKS:
        return f"{error.strerror}: {error.filename}" if error.filename else str(error.strerror)
    return describe_error(error)

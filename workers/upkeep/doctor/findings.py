"""What an examination finds, and how all of them are carried out: at once, each for so long and no longer."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from enum import StrEnum
from queue import Empty, SimpleQueue

from django.db import DatabaseError, connections

from config.faults import describe_error


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
    try:
        said = examination(wishes)
        each = [said] if isinstance(said, tuple) else said
        answer.put([Finding(name, *one) for one in each])
    except Exception as error:
        advice = "Look at the service's own log, and whether its address and password in the settings are right."
        answer.put([Finding(name, Result.FAIL, shown_reason(error), advice)])
    finally:
        connections.close_all()


def shown_reason(error: Exception) -> str:
    """What may be shown of an error: an object store's code, PostgreSQL's first line, else type and place. Never a
    whole message, which may quote an address with its password."""
    code = getattr(error, "response", None)
    if isinstance(code, dict) and isinstance(code.get("Error"), dict):
        return f"{type(error).__name__}: {code['Error'].get('Code', '')}"
    if isinstance(error, DatabaseError):
        return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:200]}"
    return describe_error(error)

"""What may be written to a log (RELIABILITY R24): an unexpected error as what it was and where, without its message;
and of other people's libraries what they say to operators, not to programmers. And why something is refused, as rooms
say it that know no Django."""

import logging
import re
from pathlib import Path
from traceback import extract_tb
from typing import Any

# DEBUG is for these alone, which log ids: there the SDKs of models write whole requests, the object store's client its
# signatures, and Django the values that a template or a query had.
HOUSE = ("accounts", "agents", "chat", "config", "corpora", "evaluation", "foreign", "retrieval", "tools", "workers")
RESERVED = (  # they name addresses and tasks at INFO
    "httpx",
    "mcp.server.streamable_http",
    "mcp.server.streamable_http_manager",
    "celery.worker.request",
    "celery.worker.strategy",
    "celery.app.trace",
    "uvicorn.access",
    "gunicorn.access",
)
SERVERS = ("uvicorn", "uvicorn.error", "gunicorn.error", "celery", "celery.task", "py.warnings")
LONGEST = 4_000  # characters of a line's message
# What would end a line, begin another, move the cursor or turn the writing round; and halves of characters.
UNWRITABLE = [*range(0x20), *range(0x7F, 0xA0), *range(0x200E, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
ESCAPES = {code: f"\\u{code:04x}" for code in [*UNWRITABLE, *range(0xD800, 0xE000), 0xFEFF]}


def describe_error(error: BaseException) -> str:
    """`ValueError at pipeline.py:120 < pipeline.py:54`, innermost first; of SQLite's errors with their name as well,
    such as SQLITE_FULL.

    The message is left out because libraries quote what they choke on: a document, a prompt, a key.
    """
    frames = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(extract_tb(error.__traceback__))]
    known_as = getattr(error.__cause__, "sqlite_errorname", "")
    kind = type(error).__name__ + (f" ({known_as})" if known_as else "")
    return f"{kind} at {' < '.join(frames) or 'an unknown place'}"


# Whoever has the address is let in: what Django warns of is cut where its secret begins, as by deploy/proxy.conf.
LIVE_LINK = re.compile(r"(/invitations/|/accounts/password/reset/key/|/account/email/)[^\s\"']+")


def without_secrets(line: str) -> str:
    return LIVE_LINK.sub(r"\1…", line)


class LineFormatter(logging.Formatter):
    """A line of text. What libraries log with an exception gets its description behind it, instead of its stack and its
    message; so Django logs the pages that fail."""

    def format(self, record: logging.LogRecord) -> str:
        record.message = self.spoken(record)
        if record.exc_info:
            record.message += f": {self.formatException(record.exc_info)}"
        if self.usesTime():
            record.asctime = self.formatTime(record)
        return without_secrets(self.formatMessage(record))

    def formatException(self, ei: Any) -> str:
        return describe_error(ei[1]) if ei[1] else ""

    def spoken(self, record: logging.LogRecord) -> str:
        """The message on one line, and not without end."""
        try:
            said = record.getMessage()
        except Exception:  # its template and its values do not fit; Python would print both, with a stack
            said = str(record.msg)
        if record.name == "asyncio":  # what follows shows the task with its error's message
            said = said.partition("\n")[0]
        return said[:LONGEST].strip().translate(ESCAPES)


def logging_of(level: str, log_format: str) -> dict[str, Any]:
    """Django's LOGGING: everybody's lines in one shape, those of uvicorn, gunicorn and Celery included, whose own
    handlers are taken from them."""
    alike: dict[str, Any] = {"handlers": [], "propagate": True}
    own_levels = {name: {"level": level} for name in HOUSE}
    reserved = {name: {"level": "WARNING", **alike} for name in RESERVED}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "text": {
                "()": "config.faults.LineFormatter",
                "format": "{asctime} {levelname} {name}: {message}",
                "style": "{",
            },
            "json": {"()": "config.observability.logs.JsonFormatter"},
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": log_format}},
        "root": {"handlers": ["console"], "level": "INFO" if level == "DEBUG" else level},
        "loggers": dict.fromkeys(SERVERS, alike) | own_levels | reserved,
    }


class Refusal(Exception):
    """A sentence in English with its places as `%(name)s`, and what stands in them; a value may be a Refusal, too: a
    part of the sentence. Whoever answers tells it in the reader's language (`tools.problems.told_refusal`)."""

    def __init__(self, said: str, **values: object) -> None:
        super().__init__(said % values if values else said)
        self.said, self.values = said, values

"""What may be written to a log (RELIABILITY R24): an unexpected error as what it was and where, without its message;
and of other people's libraries what they say to operators, not to programmers."""

import logging
import re
from pathlib import Path
from traceback import extract_tb
from typing import Any

# DEBUG is for these alone, which log ids: there the SDKs of models write whole requests, the object store's client its
# signatures, and Django the values that a template or a query had.
HOUSE = ("accounts", "agents", "chat", "config", "corpora", "evaluation", "retrieval", "workers")
RESERVED = ("httpx", "celery.worker.strategy", "celery.app.trace")  # they name addresses and tasks at INFO


def describe_error(error: BaseException) -> str:
    """`ValueError at pipeline.py:120 < pipeline.py:54`, innermost first.

    The message is left out because libraries quote what they choke on: a document, a prompt, a key.
    """
    frames = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(extract_tb(error.__traceback__))]
    return f"{type(error).__name__} at {' < '.join(frames) or 'an unknown place'}"


# Whoever has the address is let in: what Django warns of is cut where its secret begins, as by deploy/proxy.conf.
LIVE_LINK = re.compile(r"(/invitations/|/accounts/password/reset/key/|/account/email/)[^\s\"']+")


class LineFormatter(logging.Formatter):
    """What libraries log with an exception gets its description behind it; so Django logs the pages that fail."""

    def format(self, record: logging.LogRecord) -> str:
        return LIVE_LINK.sub(r"\1…", super().format(record))

    def formatException(self, ei: Any) -> str:
        return describe_error(ei[1]) if ei[1] else ""

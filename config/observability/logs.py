"""One line an event: as text on a desk, as JSON in a container (`LOG_FORMAT`). Made of ids, never of what people wrote.

Fields of JSON, those without a value left out: `time` (UTC), `level`, `logger`, `message`, `error` (type and place),
`request_id`, `trace_id`, `span_id`, `task`, `task_id`, `organization`, `user` (ids: in whose name), `process`.
"""

import logging
import sys
import threading
from datetime import UTC, datetime
from typing import Any

import orjson

from accounts.tenancy.scope import current_party
from config.faults import LineFormatter, without_secrets
from config.observability import tracing
from config.observability.correlation import current_correlation

logger = logging.getLogger(__name__)


class JsonFormatter(LineFormatter):
    """A line of JSON. Whatever a value holds, it is one string of one field: orjson escapes what would end either."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(self.spoken(record)),
            "error": self.formatException(record.exc_info) if record.exc_info else "",
            **present_ids(),
            "process": record.process,
        }
        return orjson.dumps({name: value for name, value in fields.items() if value}).decode()


def present_ids() -> dict[str, str]:
    now, party = current_correlation(), current_party()
    trace_id, span_id = tracing.present_span()
    return {
        "request_id": now.request_id,
        "trace_id": trace_id or now.trace_id,
        "span_id": span_id,
        "task": now.task,
        "task_id": now.task_id,
        "organization": str(party.organization or ""),
        "user": str(party.user or ""),
    }


def log_what_nobody_catches() -> None:
    """What Python would print, a stack with the error's message in it, becomes a line like any other."""
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_thread_s_end


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        logger.critical("the process ends", exc_info=error)


def _log_thread_s_end(told: threading.ExceptHookArgs) -> None:
    if not isinstance(told.exc_value, SystemExit | None):
        name = told.thread.name if told.thread else "?"
        logger.error("the thread %s ends", name, exc_info=told.exc_value)

"""What a message of Celery's carries beside its task, and what the lines and spans of the task say of it.

Signals, because Celery logs around a task as well as in it. A task that nobody caused, as what beat sends every ten
seconds, has an id and no span.
"""

import logging.config
from contextlib import ExitStack
from contextvars import ContextVar
from typing import Any

from celery import signals
from django.conf import settings

from config.observability import tracing
from config.observability.correlation import cause, caused_by, correlated
from config.observability.logs import log_what_nobody_catches
from config.observability.statements import begin_tracing

_open: ContextVar[ExitStack | None] = ContextVar("task", default=None)


def put_cause(headers: dict[str, Any], **_kwargs: Any) -> None:
    """Into the message's headers, beside Celery's own."""
    headers.update(cause(tracing.carried().get("traceparent", "")))


def open_task(task_id: str, task: Any, **_kwargs: Any) -> None:
    close_task()
    said = {name: getattr(task.request, name, None) for name in ("request_id", "traceparent")}
    correlation = caused_by(said, task=task.name, task_id=task_id)
    opened = ExitStack()
    opened.enter_context(correlated(correlation))
    if correlation.traceparent:
        opened.enter_context(tracing.beneath(correlation.traceparent))
        opened.enter_context(tracing.span(task.name, "CONSUMER", messaging__system="celery"))
    _open.set(opened)


def close_task(**_kwargs: Any) -> None:
    if (opened := _open.get()) is not None:
        _open.set(None)
        opened.close()


def set_up_logging(**_kwargs: Any) -> None:
    """In Celery's place, which would leave lines in a shape of its own."""
    logging.config.dictConfig(settings.LOGGING)
    log_what_nobody_catches()


def begin_process(**_kwargs: Any) -> None:
    begin_tracing()


def end_process(**_kwargs: Any) -> None:
    tracing.stop_tracing()


def connect_messages() -> None:
    signals.before_task_publish.connect(put_cause)
    signals.task_prerun.connect(open_task)
    signals.task_postrun.connect(close_task)
    signals.setup_logging.connect(set_up_logging)
    signals.worker_init.connect(begin_process)
    signals.worker_process_init.connect(begin_process)
    signals.worker_shutdown.connect(end_process)

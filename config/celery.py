"""The Celery application. Messages are hints: the document row is the queue (SPEC §3).

Three lanes, so that no kind of work waits behind another. A worker without `--queues` serves all of them.
"""

import os
import sys
from pathlib import Path
from typing import Any

from celery import Celery
from celery.app.amqp import AMQP
from celery.signals import beat_init, worker_init, worker_ready
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from kombu.connection import Connection
from kombu.entity import Queue

from config.env import keep_files_private

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def is_command() -> bool:
    """Whether this process is `celery …` or `python -m celery …`."""
    program = Path(sys.argv[0])
    return program.name == "celery" or program.parts[-2:] == ("celery", "__main__.py")


try:
    settings.DATA_DIR  # noqa: B018 - reads all of them
except ImproperlyConfigured as error:
    if is_command():
        sys.exit(str(error))  # what is wrong, without a traceback, as `manage.py` says it
    raise

UPKEEP, SHORT, INGESTION = LANES = "upkeep", "short", "ingestion"  # of background work; also the queues (ADR 0002)
queue: Any = Queue  # untyped


class EagerConnection(Connection):
    """Kombu waits longer after each attempt, up to 30 s: a worker would be away for that long after its broker is back,
    and what waits for it is due within 40 s (RELIABILITY, faults)."""

    def ensure_connection(self, *args: Any, interval_max: float = 5.0, **options: Any) -> Any:
        return super().ensure_connection(*args, interval_max=interval_max, **options)  # type: ignore[no-untyped-call]

    def get_transport_cls(self) -> Any:
        """Kombu's own, but for the one of Redis."""
        found = super().get_transport_cls()  # type: ignore[no-untyped-call]
        if (found.__module__, found.__name__) != ("kombu.transport.redis", "Transport"):
            return found
        from config.concurrency.redis_broker import LeavingTransport

        return LeavingTransport


class EagerMessaging(AMQP):  # type: ignore[misc]
    Connection = EagerConnection


app = Celery("acervo", amqp=EagerMessaging)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = [queue(lane) for lane in LANES]
app.conf.task_default_queue = UPKEEP
app.autodiscover_tasks(["workers"])


@worker_init.connect  # type: ignore[untyped-decorator]  # Celery ships no type information
@beat_init.connect  # type: ignore[untyped-decorator]
def make_private_files(**_kwargs: Any) -> None:
    keep_files_private()


@worker_ready.connect  # type: ignore[untyped-decorator]  # Celery ships no type information
def show_metrics(**_kwargs: Any) -> None:
    """A worker process is asked by Prometheus too: erasure and retrieval count there what must stay 0."""
    from config.metrics.serving import serve_metrics

    if not app.conf.broker_url.startswith("memory:"):  # the web process's own threads: it serves them already
        serve_metrics()

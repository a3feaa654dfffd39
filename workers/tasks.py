"""Celery tasks: thin, idempotent, with ids only (DESIGN.md). Losing one loses no work: the sweeper finds the row."""

import logging
from collections.abc import Callable
from typing import Any
from uuid import UUID

from celery import Task
from kombu.exceptions import OperationalError

from config.celery import app

logger = logging.getLogger(__name__)


def hint(task: Task, row_id: UUID) -> None:
    """Tell a worker about a document or a corpus. A broker that is down costs 2 s at most and loses nothing."""
    try:
        task.apply_async((str(row_id),), retry=False)
    except (OperationalError, OSError):
        logger.warning("the broker is down; the sweeper will find %s", row_id)


def task(name: str) -> Callable[[Callable[..., None]], Task]:
    """Register a function as a task; Celery's own decorator is untyped."""
    decorator: Callable[[Callable[..., None]], Task] = app.task(name=name)
    return decorator


@task("workers.ingest")
def ingest(document_id: str) -> None:
    from workers.ingestion import pipeline

    pipeline.run(UUID(document_id))


@task("workers.erase")
def erase(document_id: str) -> None:
    from workers.jobs import erase

    erase.erase(UUID(document_id))


@task("workers.update_metadata")
def update_metadata(document_id: str) -> None:
    from workers.jobs import metadata

    metadata.update(UUID(document_id))


@task("workers.sweep")
def sweep() -> None:
    from workers.upkeep import sweep

    sweep.sweep()


@task("workers.reconcile")
def reconcile() -> None:
    from workers.upkeep import reconcile as reconciler

    reconciler.reconcile()


@task("workers.optimize")
def optimize() -> None:
    from workers.upkeep import tidy as upkeep

    upkeep.refresh_statistics()
    upkeep.optimize_index()


@task("workers.tidy")
def tidy() -> None:
    from workers.jobs import cut
    from workers.upkeep import tidy as upkeep

    upkeep.tidy()
    cut.cut_anew()


@task("workers.cut_anew")
def cut_anew(corpus_id: str) -> None:
    from corpora.models import Document
    from workers.jobs import cut

    cut.cut_anew(Document.objects.filter(corpus=UUID(corpus_id)))


@task("workers.change_space")
def change_space() -> None:
    from workers.upkeep import space_change

    space_change.advance()


@task("workers.evaluate")
def evaluate(question_set_id: str) -> None:
    from evaluation import runs

    runs.work_off(UUID(question_set_id))


@task("workers.watch_folder")
def watch_folder() -> None:
    from workers.folders import watched

    watched.synchronize_all()


def beat_schedule() -> dict[str, Any]:
    """What runs by itself, and how often (seconds)."""
    return {
        "sweep": {"task": "workers.sweep", "schedule": 10.0, "options": {"expires": 10}},
        "optimize": {"task": "workers.optimize", "schedule": 30.0, "options": {"expires": 30}},
        "watch_folder": {"task": "workers.watch_folder", "schedule": 60.0, "options": {"expires": 60}},
        "change_space": {"task": "workers.change_space", "schedule": 60.0, "options": {"expires": 60}},
        "reconcile": {"task": "workers.reconcile", "schedule": 6 * 3600.0, "options": {"expires": 3600}},
        "tidy": {"task": "workers.tidy", "schedule": 3600.0, "options": {"expires": 3600}},
    }


app.conf.beat_schedule = beat_schedule()
# Kombu waits for a broker that is down, also with `retry=False`: 6 s of an upload (measured). Hints need no patience.
app.conf.broker_transport_options = {**app.conf.broker_transport_options, "max_retries": 0}

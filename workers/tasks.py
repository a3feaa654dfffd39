"""Celery tasks: a lane's work, and what runs by itself. Losing a message loses no work: the sweeper finds the row."""

from collections.abc import Callable
from typing import Any

from celery import Task
from celery.concurrency.thread import TaskPool
from celery.signals import celeryd_after_setup, worker_init, worker_shutdown, worker_shutting_down

from config.celery import UPKEEP, app
from workers.queue import hints, lanes, messages
from workers.queue.unhinted import Unhinted
from workers.upkeep import space_filling
from workers.upkeep.schedule import SCHEDULE

DRAIN_SECONDS = 5.0  # then the next message is served: a worker of several lanes leaves none waiting for long
UPKEEP_TASK = "workers.upkeep"

unhinted = Unhinted()


def task(name: str) -> Callable[[Callable[..., None]], Task]:
    """Register a function as a task; Celery's own decorator is untyped."""
    decorator: Callable[[Callable[..., None]], Task] = app.task(name=name)
    return decorator


@task(hints.WORK)
def work(lane: str) -> None:
    """Work off what is due in a lane for a while, and say so when there is more."""
    unhinted.heard(lane)
    if lanes.drain(lane, DRAIN_SECONDS):
        hints.hint(lane)


@task(UPKEEP_TASK)
def upkeep(name: str) -> None:
    unhinted.heard(UPKEEP)
    SCHEDULE[name].run()


def clear_stop(**kwargs: Any) -> None:
    lanes.stopping.clear()
    space_filling.stopping.clear()


def stop_soon(**kwargs: Any) -> None:
    """What is in work ends; nothing is begun."""
    lanes.stopping.set()
    space_filling.stopping.set()


def look_unhinted(instance: Any, **kwargs: Any) -> None:
    """`instance` is Celery's worker, before it has reached its broker."""
    if issubclass(instance.pool_cls, TaskPool):
        unhinted.start(instance.app.amqp.queues.consume_from)


def end_unhinted(**kwargs: Any) -> None:
    unhinted.join()


messages.connect_messages()
worker_init.connect(clear_stop)
celeryd_after_setup.connect(look_unhinted)
worker_shutting_down.connect(stop_soon)
worker_shutdown.connect(end_unhinted)
app.conf.beat_schedule = {
    name: {"task": UPKEEP_TASK, "schedule": one.seconds, "args": (name,), "options": {"queue": UPKEEP}}
    for name, one in SCHEDULE.items()
}

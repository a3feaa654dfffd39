"""A Celery worker that hears nothing asks the rows (ADR 0002); with real processes: services/test_broker_faults."""

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from celery.concurrency.thread import TaskPool
from django.utils import timezone

from tests.live import eventually
from workers import tasks
from workers.models import Claim
from workers.queue import lanes, unhinted
from workers.queue.unhinted import Unhinted
from workers.upkeep.schedule import SCHEDULE, Periodic


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The lanes that were asked, of a worker that soon counts as told nothing."""
    made: list[str] = []
    monkeypatch.setattr(unhinted, "QUIET_SECONDS", 0.1)
    monkeypatch.setattr(lanes, "stopping", threading.Event())
    monkeypatch.setattr(lanes, "drain", lambda lane, _seconds: bool(made.append(lane)))
    monkeypatch.setattr(unhinted, "keep_going", lambda work: work())
    yield made
    lanes.stopping.set()


def test_a_lane_that_nothing_is_heard_of_is_asked_again_and_again(asked: list[str]) -> None:
    Unhinted().start(["ingestion"])
    eventually(lambda: len(asked) >= 3)
    assert set(asked) == {"ingestion"}


def test_a_lane_that_hints_come_for_is_left_to_them(asked: list[str]) -> None:
    worker = Unhinted()
    worker.start(["ingestion", "short"])
    while asked.count("short") < 3:
        worker.heard("ingestion")
    assert "ingestion" not in asked


def test_what_is_more_than_a_turn_is_worked_off_without_waiting(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter([True] * 50)
    monkeypatch.setattr(unhinted, "_round", lambda: 0.2 if not asked else 60.0)
    monkeypatch.setattr(lanes, "drain", lambda lane, _seconds: asked.append(lane) or next(left, False))
    Unhinted().start(["ingestion"])
    eventually(lambda: len(asked) == 51)


def test_a_worker_that_ends_asks_no_more(asked: list[str]) -> None:
    worker = Unhinted()
    worker.start(["short"])
    eventually(lambda: bool(asked))
    lanes.stopping.set()
    worker.join()
    before = len(asked)
    assert not threading.Event().wait(0.3)
    assert len(asked) == before


@pytest.mark.django_db(transaction=True)
def test_without_beat_what_it_missed_is_done_and_nothing_that_it_has_just_done(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []
    jobs = {name: Periodic(name, 10.0, lambda name=name: done.append(name)) for name in ("late", "fresh")}  # type: ignore[misc]
    monkeypatch.setattr(unhinted, "SCHEDULE", jobs)
    Claim.objects.create(name="periodic:late", began_at=timezone.now() - timedelta(seconds=16))
    Claim.objects.create(name="periodic:fresh", began_at=timezone.now() - timedelta(seconds=14))
    Unhinted()._look("upkeep")
    assert done == ["late"]
    assert "done without it: late" in caplog.text


def test_only_workers_whose_tasks_are_threads_look_for_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[list[str]] = []

    class Worker:
        pool_cls: type = TaskPool
        app = tasks.app

    monkeypatch.setattr(tasks.unhinted, "start", lambda served: begun.append(sorted(served)))
    tasks.look_unhinted(instance=Worker())
    assert begun == [["ingestion", "short", "upkeep"]]
    Worker.pool_cls = object
    tasks.look_unhinted(instance=Worker())
    assert len(begun) == 1


def test_every_task_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr(tasks.unhinted, "heard", heard.append)
    monkeypatch.setattr(lanes, "drain", lambda _lane, _seconds: False)
    monkeypatch.setattr(tasks, "SCHEDULE", {name: Periodic(name, 0.0, list) for name in SCHEDULE})
    monkeypatch.setattr(Periodic, "run", lambda _self: True)
    tasks.work("short")
    tasks.upkeep("sweep")
    assert heard == ["short", "upkeep"]

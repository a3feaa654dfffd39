"""`/readyz`: each dependency as it is, soon, whatever one of them does."""

import threading
import time
from typing import Any

import pytest
from django.test import Client

from config import health
from config.concurrency.probing import Outage, Probes


@pytest.fixture
def dependencies(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """All well, and none of them real."""
    made: dict[str, Any] = dict.fromkeys(health.DEPENDENCIES, lambda: True)
    monkeypatch.setattr(health, "DEPENDENCIES", made)
    monkeypatch.setattr(health, "probes", Probes())
    monkeypatch.setattr(health, "broker_outage", Outage())
    monkeypatch.setattr(health, "index_version", lambda: "embedded", raising=False)
    return made


def test_a_probe_that_could_not_begin_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    probes = Probes()

    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        assert probes.ask({"database": lambda: "ok"}, 1.0, silent="down") == {"database": "down"}
    assert probes.ask({"database": lambda: "ok"}, 1.0, silent="down") == {"database": "ok"}


def test_a_dependency_that_is_silent_is_down_within_two_seconds(client: Client, dependencies: dict[str, Any]) -> None:
    ended = threading.Event()
    dependencies["database"] = dependencies["files"] = ended.wait
    began = time.monotonic()
    answer = client.get("/readyz")
    took = time.monotonic() - began
    again = client.get("/readyz")
    threads = [one for one in threading.enumerate() if one.name.startswith("probe-")]
    ended.set()
    assert took < 2
    assert (answer.status_code, again.status_code) == (503, 503)
    states = answer.json()["dependencies"]
    assert {name for name, state in states.items() if state != "ok"} == {"database", "files"}
    assert len(threads) <= 2, "a silent service costs one thread, however often it is asked"


def test_a_broker_that_stays_away_takes_the_process_out_of_service(
    client: Client, dependencies: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> bool:
        raise OSError("refused")

    dependencies["broker"] = away
    assert client.get("/readyz").status_code == 200, "it may be back soon, and nothing is lost meanwhile"
    monkeypatch.setattr(health, "BROKER_PATIENCE", -1.0)
    assert client.get("/readyz").status_code == 503
    dependencies["broker"] = lambda: True
    monkeypatch.setattr(health, "BROKER_PATIENCE", 0.0)
    assert client.get("/readyz").status_code == 200


@pytest.mark.django_db
def test_a_database_without_room_on_its_disk_takes_the_process_out_of_service(
    client: Client, dependencies: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if health.connection.vendor != "sqlite":
        pytest.skip("a server's disk is its own")
    asked = health.DEPENDENCIES | {"database": DATABASE_ANSWERS}
    monkeypatch.setattr(health, "DEPENDENCIES", asked)
    monkeypatch.setattr(health, "room_at", lambda _: 4096)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["dependencies"]["database"] == "storage_full"
    monkeypatch.setattr(health, "room_at", lambda _: 2**30)
    monkeypatch.setattr(health, "disk_fault", lambda _: "the disk is read-only")
    assert client.get("/readyz").json()["dependencies"]["database"] == "down"


DATABASE_ANSWERS = health.database_answers

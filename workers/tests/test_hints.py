"""Hints: a broker that is broken in whatever way fails nothing, for the rows are the queue (ADR 0002)."""

from typing import Any

import pytest
from kombu.exceptions import OperationalError

from config.celery import app
from workers.queue import hints as hinting

hint = hinting.hint  # before the fixture of all tests takes its place


@pytest.mark.parametrize(
    "error", [ModuleNotFoundError("No module named 'packaging'"), OSError(), RuntimeError("secret")]
)
def test_whatever_the_brokers_library_raises_is_logged_and_no_more(
    error: Exception, settings: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_anything: object, **_named: object) -> None:
        raise error

    monkeypatch.setattr("config.celery.app.send_task", broken)
    settings.WORKERS_EMBEDDED = False
    hint(hinting.SHORT)
    assert "the sweeper will find the work" in caplog.text
    assert "secret" not in caplog.text


def test_a_worker_never_waits_long_before_it_looks_for_its_broker_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the broker has been away: what waits is worked on within 40 s after it is back."""
    waited: list[float] = []
    monkeypatch.setattr("kombu.utils.functional.sleep", lambda _seconds: None)
    with app.connection_for_read("redis://127.0.0.1:1/0") as link, pytest.raises(OperationalError):
        link.clone().ensure_connection(lambda _error, seconds: waited.append(seconds), 20)
    assert len(waited) == 20
    assert max(waited) <= 5

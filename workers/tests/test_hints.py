"""Hints: a broker that is broken in whatever way fails nothing, for the rows are the queue (ADR 0002)."""

from typing import Any

import pytest

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

"""What is written to logs: at DEBUG our own code alone, and of an error never its message."""

import logging
import runpy
from typing import Any

import pytest

from config.faults import LineFormatter
from config.settings import BASE_DIR


@pytest.mark.parametrize(("wanted", "libraries"), [("DEBUG", "INFO"), ("INFO", "INFO"), ("ERROR", "ERROR")])
def test_debug_is_for_our_own_code(wanted: str, libraries: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDKs of models write every request at DEBUG, prompts and all."""
    monkeypatch.setenv("LOG_LEVEL", wanted)
    logs: dict[str, Any] = runpy.run_path(str(BASE_DIR / "config" / "settings.py"))["LOGGING"]
    assert (logs["root"]["level"], logs["loggers"]["chat"]["level"]) == (libraries, wanted)
    assert not {"openai", "anthropic", "botocore", "django"} & set(logs["loggers"])


@pytest.mark.parametrize(
    "path",
    [
        "/invitations/hWH1bqw",
        "/invitations/hWH1bqw.",
        "/account/email/WyIw:1xV:rp/",
        "/accounts/password/reset/key/d5-c/",
    ],
)
def test_a_live_link_is_cut_where_its_secret_begins(path: str) -> None:
    said = ("django.request", logging.WARNING, __file__, 1, "Not Found: %s", (path,), None)
    door, _, secret = path.rpartition("/") if not path.endswith("/") else path[:-1].rpartition("/")
    line = LineFormatter().format(logging.LogRecord(*said))
    assert line.startswith(f"Not Found: {door}/")
    assert secret not in line


def test_an_error_is_logged_without_what_it_quotes() -> None:
    try:
        raise ValueError("a line of a document")
    except ValueError as error:
        record = logging.LogRecord("chat", logging.ERROR, __file__, 1, "failed", None, (ValueError, error, None))
    assert "ValueError" in (line := LineFormatter().format(record))
    assert "document" not in line

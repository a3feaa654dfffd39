"""Lines of the log: one an event, in one shape, told apart by ids, and whatever a value holds, it stays one value."""

import asyncio
import json
import logging
import logging.config
import threading
from collections.abc import Iterator
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ImproperlyConfigured

from accounts.tenancy.scope import tenant_scope
from config.env import one_of
from config.faults import LONGEST, LineFormatter, logging_of
from config.observability import logs
from config.observability.correlation import Correlation, correlated
from config.observability.logs import JsonFormatter

HOSTILE = [
    'x"}\n{"level": "ERROR", "request_id": "forged", "message": "',
    "a\r\nCRITICAL accounts: forged",
    "\x1b[2J\x1b]0;title\x07 \x00 \x9b31m",
    "line\u2028line\u2029 \u202egnp.exe\u202c \ufeff",
    "half \ud800 of a character",
    "\\u000a \\n %s %(x)s {y}",
]


def record(message: str, *args: Any, name: str = "chat", **extra: Any) -> logging.LogRecord:
    return logging.LogRecord(name, logging.WARNING, __file__, 1, message, args, extra.get("exc_info"))


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("formatter", [LineFormatter(), JsonFormatter()])
def test_no_value_ends_a_line_or_becomes_another_field(value: str, formatter: logging.Formatter) -> None:
    with correlated(Correlation(request_id="ours-0001")):
        line = formatter.format(record("a title: %s", value))
    assert len(line.splitlines()) == 1
    assert line.isprintable()
    assert line.encode()
    if isinstance(formatter, JsonFormatter):
        said = json.loads(line)
        assert (said["level"], said["request_id"], said["logger"]) == ("WARNING", "ours-0001", "chat")
        assert set(said) == {"time", "level", "logger", "message", "request_id", "process"}


@pytest.mark.parametrize("formatter", [LineFormatter(), JsonFormatter()])
def test_a_line_is_not_without_end_and_one_that_does_not_fit_its_values_is_told_without_them(
    formatter: logging.Formatter,
) -> None:
    assert len(formatter.format(record("%s", "x" * 1_000_000))) < LONGEST + 200
    assert "secret" not in (line := formatter.format(record("%d documents", "secret")))
    assert "%d documents" in line


def test_an_event_in_json_has_the_ids_of_what_it_belongs_to() -> None:
    organization, user = uuid4(), uuid4()
    traceparent = f"00-{'a' * 32}-{'b' * 16}-01"
    known = Correlation("request-1", traceparent, task="workers.work", task_id="t-1")
    with correlated(known), tenant_scope(organization, user):
        said = json.loads(JsonFormatter().format(record("document %s waits", 7)))
    assert said["time"].endswith("+00:00")
    assert {name: said[name] for name in said.keys() - {"time", "process"}} == {
        "level": "WARNING",
        "logger": "chat",
        "message": "document 7 waits",
        "request_id": "request-1",
        "trace_id": "a" * 32,
        "task": "workers.work",
        "task_id": "t-1",
        "organization": str(organization),
        "user": str(user),
    }


@pytest.mark.parametrize("formatter", [LineFormatter(), JsonFormatter()])
def test_an_error_is_its_type_and_place_and_a_live_link_is_cut(formatter: logging.Formatter) -> None:
    try:
        raise ValueError("a line of a document")
    except ValueError as error:
        line = formatter.format(record("at /invitations/hWH1bqw", exc_info=(ValueError, error, None)))
    assert "ValueError at test_logs.py" in line
    assert "document" not in line
    assert "hWH1bqw" not in line


@pytest.fixture
def heard() -> Iterator[StringIO]:
    """What goes to the console in JSON, with loggers as uvicorn and Celery leave them before ours are set."""
    console = StringIO()
    kept = {name: (logging.getLogger(name).handlers[:], logging.getLogger(name).propagate) for name in (None, *OTHERS)}
    levels = {name: logging.getLogger(name).level for name in logging.root.manager.loggerDict}
    for name in OTHERS:
        logging.getLogger(name).handlers[:] = [logging.StreamHandler(StringIO())]
        logging.getLogger(name).propagate = False
    wanted = logging_of("INFO", "json")
    wanted["handlers"]["console"]["stream"] = console
    logging.config.dictConfig(wanted)
    yield console
    for name, (handlers, propagates) in kept.items():
        logging.getLogger(name).handlers[:], logging.getLogger(name).propagate = handlers, propagates
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(False)


OTHERS = ("uvicorn", "uvicorn.error", "uvicorn.access", "gunicorn.error", "celery", "celery.task")


def test_servers_and_workers_write_in_our_shape_and_no_addresses(heard: StringIO) -> None:
    for name in OTHERS:
        logging.getLogger(name).info('127.0.0.1 - "GET /invitations/abc?q=words" 200')
        logging.getLogger(name).warning("told")
    said = [json.loads(line) for line in heard.getvalue().splitlines()]
    assert {one["logger"] for one in said if one["message"] == "told"} == set(OTHERS)
    assert "uvicorn.access" not in {one["logger"] for one in said if one["level"] == "INFO"}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_nobody_catches_is_a_line_without_the_error_s_message(
    heard: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ValueError("a line of a document")

    monkeypatch.setattr("sys.excepthook", None)
    monkeypatch.setattr(threading, "excepthook", None)
    logs.log_what_nobody_catches()
    logging.captureWarnings(False)
    thread = threading.Thread(target=fail, name="reader")
    thread.start()
    thread.join()
    said = json.loads(heard.getvalue())
    assert said["message"] == "the thread reader ends"
    assert said["error"].startswith("ValueError at test_logs.py")
    assert "document" not in heard.getvalue()


def test_a_task_of_the_loop_that_nobody_awaits_is_told_without_its_error_s_message(heard: StringIO) -> None:
    async def fail() -> None:
        raise ValueError("a line of a document")

    async def forget() -> None:
        asyncio.get_running_loop().set_exception_handler(None)
        task = asyncio.create_task(fail())
        await asyncio.sleep(0)
        del task

    asyncio.run(forget())
    assert "never retrieved" in heard.getvalue()
    assert "document" not in heard.getvalue()


def test_a_misspelt_format_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_FORMAT", "jsn")
    with pytest.raises(ImproperlyConfigured, match="text or json"):
        one_of("LOG_FORMAT", ("text", "json"))

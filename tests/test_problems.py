"""What callers and the log are told of an error, whichever kind of view raised it."""

import json
import logging
import sqlite3
import sys
from typing import Any

import pytest
from django.db import DataError, IntegrityError, InterfaceError, OperationalError, ProgrammingError
from django.test import Client, RequestFactory
from django.utils import translation
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from accounts.http.bodies import json_body
from accounts.limits.places import Places
from accounts.problems import Busy, exception_handler, problem_for
from agents.models import Agent
from config.faults import LineFormatter
from corpora.models import CorpusQuerySet
from tests.factories import AgentFactory
from tests.people import People, with_key

OUTAGES = (OperationalError, InterfaceError)
REFUSALS = (DataError, IntegrityError, ProgrammingError)
EXPECTED = [(error, 503, "database_unavailable") for error in OUTAGES] + [
    (error, 500, "internal_error") for error in REFUSALS
]
each_error = pytest.mark.parametrize(("error", "status", "code"), EXPECTED)
SECRET = "Key (email)=(alice@example.org) already exists"


def asynchronous(client: Client) -> Any:
    return client.post("/api/agents/tutor/retrieve/", {"query": "loan"}, "application/json")


def synchronous(client: Client) -> Any:
    return client.get("/api/corpora/")


@each_error
@pytest.mark.parametrize("ask", [asynchronous, synchronous])
@pytest.mark.usefixtures("in_this_thread")
def test_a_database_that_is_away_is_told_from_one_that_refuses_and_both_are_logged(
    ask: Any,
    error: type[Exception],
    status: int,
    code: str,
    people: People,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(*_anything: Any, **_named: Any) -> Any:
        raise error(SECRET)

    AgentFactory(organization=people.alice.organization, slug="tutor")
    client = with_key(people.alice)
    monkeypatch.setattr(Agent, "scope_for", fails)
    monkeypatch.setattr(CorpusQuerySet, "readable_by", fails)
    answer = ask(client)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert f"{error.__name__} at test_problems.py:" in caplog.text
    assert SECRET not in caplog.text + answer.content.decode()


def test_an_error_in_the_log_has_its_type_and_place_and_not_its_message() -> None:
    try:
        raise ValueError(SECRET)
    except ValueError:
        failed = logging.LogRecord("django.request", logging.ERROR, "", 1, "/corpora/ failed", None, sys.exc_info())
    line = LineFormatter("{message}", style="{").format(failed)
    assert "ValueError at test_problems.py:" in line
    assert SECRET not in line


def test_an_error_that_nobody_expected_is_left_to_django() -> None:
    class Broken(APIView):
        authentication_classes = permission_classes = ()

        def get(self, request: Any) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Broken.as_view()(APIRequestFactory().get("/"))


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
@pytest.mark.parametrize(
    "path", ["/api/agents/tutor/chat/", "/api/agents/tutor/retrieve/", "/v1/chat/completions", "/api/corpora/"]
)
@pytest.mark.usefixtures("in_this_thread")
@pytest.mark.django_db
def test_a_body_that_does_not_say_that_it_is_json_is_refused_on_both_ways(path: str, kind: str, people: People) -> None:
    answer = with_key(people.alice).post(path, b"{}", content_type=kind)
    said = answer.json()
    assert (answer.status_code, said.get("error", said)["code"]) == (415, "unsupported_media_type")


def test_json_may_say_its_character_set(rf: RequestFactory) -> None:
    assert json_body(rf.post("/", b"{}", content_type="application/json; charset=utf-8")) == {}


def test_a_pool_that_is_lent_out_is_busy_and_says_when_to_try_again() -> None:
    """As `accounts.tenancy.postgresql` raises it, wrapped by Django."""

    class Exhausted(Exception):
        is_exhausted = True

    error = OperationalError("every connection is lent out")
    error.__cause__ = Exhausted()
    answer = exception_handler(error, {})
    assert answer is not None
    assert answer.status_code == 503
    assert json.loads(answer.content)["code"] == "busy"  # type: ignore[attr-defined]
    assert 2 <= int(answer.headers["Retry-After"]) <= 6


def test_an_upload_that_waits_for_its_turn_in_vain_is_told_that_too_much_goes_on() -> None:
    places = Places(at_once=1, patience=0.01)
    with places.taken(), pytest.raises(Busy), places.taken():
        pass
    with places.taken():
        pass


def of_sqlite(code: int, said: str) -> OperationalError:
    """As Django raises it."""
    cause = sqlite3.OperationalError(said)
    cause.sqlite_errorcode, cause.sqlite_errorname = code, f"SQLITE_{code}"
    error = OperationalError(said)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("code", "said", "status", "known_as", "words"),
    [
        (sqlite3.SQLITE_FULL, "database or disk is full", 507, "storage_full", "disk of the database is full"),
        (sqlite3.SQLITE_IOERR_SHMSIZE, "disk I/O error", 507, "storage_full", "disk of the database is full"),
        (sqlite3.SQLITE_IOERR_READ, "disk I/O error", 503, "database_unavailable", "fails or takes no writes"),
        (
            sqlite3.SQLITE_READONLY,
            "attempt to write a readonly database",
            503,
            "database_unavailable",
            "takes no writes",
        ),
        (sqlite3.SQLITE_BUSY, "database is locked", 503, "database_unavailable", "does not answer"),
    ],
)
def test_a_database_whose_disk_is_full_or_takes_no_writes_is_told_from_one_that_is_away(
    code: int, said: str, status: int, known_as: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with translation.override("en"):
        problem = problem_for(of_sqlite(code, said))
    assert problem is not None
    assert (problem.status_code, problem.code) == (status, known_as)
    assert words in str(problem.detail)
    assert f"{known_as}: OperationalError (SQLITE_{code}) at" in caplog.text


def test_postgresql_says_that_its_disk_is_full_in_its_own_way() -> None:
    from psycopg.errors import DiskFull

    error = OperationalError("could not extend file")
    error.__cause__ = DiskFull("could not extend file")
    problem = problem_for(error)
    assert problem is not None
    assert problem.code == "storage_full"

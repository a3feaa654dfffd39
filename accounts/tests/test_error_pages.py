"""What a person sees when a page fails: whose fault it is, and nothing of the error itself."""

import sqlite3
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.models import Session
from django.db import IntegrityError, OperationalError
from django.test import Client

from accounts.pages import access
from tests.people import People, signed_in


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "status"), [(OperationalError, 503), (IntegrityError, 500), (ZeroDivisionError, 500)]
)
def test_a_database_that_is_away_is_told_from_a_mistake(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], status: int
) -> None:
    def fails(*_: Any) -> Any:
        raise error("secret address")

    monkeypatch.setattr(access, "membership_of_session", fails)
    from tests.factories import MembershipFactory

    client = Client(raise_request_exception=False)
    client.force_login(MembershipFactory().user)
    page = client.get("/corpora/")
    assert page.status_code == status
    assert "secret" not in page.content.decode()
    assert ("Retry-After" in page.headers) == (status == 503)


FULL = (sqlite3.SQLITE_FULL, 507, "no room left", "No queda sitio")
NO_WRITES = (sqlite3.SQLITE_READONLY, 503, "takes no changes", "no admiten cambios")


def of_disk(code: int) -> OperationalError:
    """As Django raises what SQLite says."""
    error, cause = OperationalError("secret address"), sqlite3.OperationalError("secret address")
    cause.sqlite_errorcode, cause.sqlite_errorname = code, "SQLITE_FULL"
    error.__cause__ = cause
    return error


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/conversations/", "/admin/"])
@pytest.mark.parametrize("case", [FULL, NO_WRITES], ids=["full", "no writes"])
def test_a_page_says_what_is_wrong_with_the_disk_with_the_status_of_the_api(
    monkeypatch: pytest.MonkeyPatch, path: str, case: tuple[int, int, str, str]
) -> None:
    code, status, english, spanish = case

    def fails(*_: Any) -> Any:
        raise of_disk(code)

    monkeypatch.setattr(access, "membership_of_session", fails)
    monkeypatch.setattr("chat.admin.home.home_figures", fails)
    from tests.factories import MembershipFactory

    member = MembershipFactory(role="admin", user__is_staff=True, user__is_superuser=True)
    client = Client(raise_request_exception=False)
    client.force_login(member.user)
    for language, words in (("en", english), ("es", spanish)):
        page = client.get(path, headers={"Accept-Language": language})
        assert (page.status_code, page["Content-Type"]) == (status, "text/html; charset=utf-8")
        assert words in page.content.decode()
        assert "secret" not in page.content.decode()
        assert "Retry-After" not in page.headers  # it does not pass by itself


@pytest.mark.django_db
def test_a_page_that_finds_every_connection_lent_out_says_when_to_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    class Exhausted(Exception):
        is_exhausted = True

    def fails(*_: Any) -> Any:
        raise OperationalError("every connection is lent out") from Exhausted()

    monkeypatch.setattr(access, "membership_of_session", fails)
    from tests.factories import MembershipFactory

    client = Client(raise_request_exception=False)
    client.force_login(MembershipFactory().user)
    page = client.get("/corpora/", headers={"Accept-Language": "en"})
    assert page.status_code == 503
    assert "Too much is going on" in page.content.decode()
    assert 2 <= int(page["Retry-After"]) <= 6


@pytest.mark.django_db
def test_a_session_that_a_full_disk_does_not_take_is_no_fault_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Django would call it a sign-out elsewhere: 400."""
    from tests.factories import MembershipFactory

    client = Client()
    client.force_login(MembershipFactory().user)

    def fails(self: Session, *_: Any, **__: Any) -> None:
        raise of_disk(sqlite3.SQLITE_FULL)

    monkeypatch.setattr(Session, "save", fails)
    session = client.session
    session["last"] = "changed"
    with pytest.raises(OperationalError):
        session.save()


@pytest.mark.django_db
def test_a_session_that_is_gone_is_told_as_before() -> None:
    from tests.factories import MembershipFactory

    client = Client()
    client.force_login(MembershipFactory().user)
    session = client.session
    assert "last" not in session  # read
    Session.objects.all().delete()
    session["last"] = "changed"
    with pytest.raises(UpdateError):
        session.save()


@pytest.mark.django_db
def test_a_program_is_told_of_a_mistake_in_the_shape_of_all_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise ZeroDivisionError("secret address")

    monkeypatch.setattr("corpora.api.views.membership_of", fails)
    from tests.factories import MembershipFactory

    client = Client(raise_request_exception=False)
    client.force_login(MembershipFactory().user)
    answer = client.get("/api/corpora/")
    assert (answer.status_code, answer["Content-Type"]) == (500, "application/problem+json")
    assert answer.json()["code"] == "internal_error"
    assert "secret" not in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("came_from", "goes_on"),
    [
        ("http://testserver/account/?a=1", "http://testserver/account/?a=1"),
        ("https://elsewhere.example/account/", "/"),
        ("", "/"),
    ],
)
def test_who_signs_in_again_after_a_form_goes_on_at_a_page(came_from: str, goes_on: str) -> None:
    answer = Client().post("/account/keys/", {"name": "one"}, headers={"Referer": came_from})
    assert parse_qs(urlsplit(answer["Location"]).query) == {"next": [goes_on]}
    assert parse_qs(urlsplit(Client().get("/account/?a=1")["Location"]).query) == {"next": ["/account/?a=1"]}


@pytest.mark.django_db
def test_an_address_of_forms_says_so_to_a_browser(people: People) -> None:
    answer = signed_in(people.alice).get("/account/keys/", headers={"Accept-Language": "en"})
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert int(answer["Content-Length"]) == len(answer.content)
    assert "only takes what a form sends" in answer.content.decode()
    assert "formulario" in signed_in(people.alice).get("/account/keys/").content.decode()
    assert not signed_in(people.alice).put("/api/schema/").content.startswith(b"<!doctype")

"""What a person sees when a page fails: whose fault it is, and nothing of the error itself."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
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

"""What a person sees when a page fails: whose fault it is, and nothing of the error itself."""

from typing import Any

import pytest
from django.db import IntegrityError, OperationalError
from django.test import Client

from accounts.pages import access


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

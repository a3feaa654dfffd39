"""The account page: name, keys, organization."""

import pytest
from django.utils import timezone

from accounts.http.principal import SESSION_ORGANIZATION
from accounts.keys import issue_key, membership_of_key
from tests.cast import Cast, browser, make_cast
from tests.factories import MembershipFactory


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def test_an_anonymous_visitor_is_asked_to_sign_in(cast: Cast) -> None:
    response = browser(None).get("/account/")
    assert response.status_code == 302
    assert response["Location"] == "/accounts/login/?next=/account/"


def test_a_user_without_an_organization_is_told_whom_to_ask(cast: Cast) -> None:
    client = browser(cast.alice)
    cast.alice.delete()
    response = client.get("/account/")
    assert response.status_code == 403
    assert "You do not belong to an organization" in response.content.decode()


def test_the_name_can_be_changed(cast: Cast) -> None:
    browser(cast.alice).post("/account/name/", {"name": "Alicia"})
    cast.alice.user.refresh_from_db()
    assert cast.alice.user.name == "Alicia"


def test_a_new_key_is_shown_once_and_works(cast: Cast) -> None:
    client = browser(cast.alice)
    page = client.post("/account/keys/", {"name": "script"}).content.decode()
    secret = page.split('value="acv_')[1].split('"')[0]
    assert membership_of_key(f"acv_{secret}") == cast.alice
    assert secret not in client.get("/account/").content.decode()


def test_a_revoked_key_opens_nothing_and_leaves_the_list(cast: Cast) -> None:
    key, secret = issue_key(cast.alice, "script")
    browser(cast.alice).post(f"/account/keys/{key.pk}/revoke/")
    assert membership_of_key(secret) is None
    assert key.prefix not in browser(cast.alice).get("/account/").content.decode()


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_somebody_elses_key_does_not_exist(cast: Cast, who: str) -> None:
    key, secret = issue_key(cast.alice, "script")
    assert browser(getattr(cast, who)).post(f"/account/keys/{key.pk}/revoke/").status_code == 404
    assert membership_of_key(secret) == cast.alice


def test_the_organization_can_be_switched_only_to_ones_own(cast: Cast) -> None:
    second = MembershipFactory(user=cast.alice.user)
    client = browser(cast.alice)
    client.post("/account/organization/", {"organization": str(second.organization_id)})
    assert client.session[SESSION_ORGANIZATION] == str(second.organization_id)
    client.post("/account/organization/", {"organization": str(cast.charlie.organization_id)})
    assert client.session[SESSION_ORGANIZATION] == str(second.organization_id)


def test_a_key_may_end_by_itself_and_the_page_says_when_and_where_it_was_used(cast: Cast) -> None:
    client = browser(cast.alice)
    client.post("/account/keys/", {"name": "script", "days": "30"})
    key = cast.alice.api_keys.get()
    assert key.expires_at is not None
    cast.alice.api_keys.update(last_used_at=timezone.now(), last_used_from="192.0.2.7")
    page = client.get("/account/").content.decode()
    assert "works until" in page
    assert "192.0.2.7" in page
    cast.alice.api_keys.update(expires_at=timezone.now())
    assert "expired" in client.get("/account/").content.decode()


@pytest.mark.parametrize("days", ["0", "1", "-30", "soon", "99999999"])
def test_a_key_works_for_one_of_the_offered_times(cast: Cast, days: str) -> None:
    assert "errorlist" in browser(cast.alice).post("/account/keys/", {"days": days}).content.decode()
    assert not cast.alice.api_keys.exists()

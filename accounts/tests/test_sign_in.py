"""Signing in: the same answer whoever it is, limits on guessing, and an owner who is not locked out by guessers."""

from typing import Any

import pytest
from django.core.cache import cache

from accounts.models import SignIn, User
from tests.cast import Cast, browser, make_cast
from tests.doors import NEW, is_signed_in, reset, sign_in

GUESSER, OWNER = "192.0.2.66", "192.0.2.7"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def guess(times: int, place: str = GUESSER, email: str = "alice@example.org") -> None:
    for number in range(times):
        sign_in(email, f"guess number {number}", REMOTE_ADDR=place)


def test_known_unknown_and_deactivated_addresses_get_the_same_answer(cast: Cast) -> None:
    User.objects.filter(pk=cast.bob.user_id).update(is_active=False)
    said = []
    for email, password in (
        ("alice@example.org", "a guess"),
        ("nobody@example.org", "a guess"),
        ("bob@example.org", None),
    ):
        fields = {"login": email, "password": password or "correct-horse-battery"}
        answer = browser(None).post("/accounts/login/", fields)
        said.append((answer.status_code, answer.context["form"].non_field_errors()))
    assert said[0] == said[1] == said[2]
    assert said[0][0] == 200


def test_guessing_from_one_place_ends_after_five(cast: Cast) -> None:
    guess(5)
    assert not is_signed_in(sign_in("alice@example.org", REMOTE_ADDR=GUESSER))
    assert not is_signed_in(sign_in("ALICE@example.org ", REMOTE_ADDR=GUESSER)), "in any case"


def test_the_owner_signs_in_from_elsewhere_meanwhile(cast: Cast) -> None:
    """Finding 13: twelve wrong passwords from five places locked the right one out."""
    for place in range(5):
        guess(5, f"192.0.2.{100 + place}")
    assert is_signed_in(sign_in("alice@example.org", REMOTE_ADDR=OWNER))


def test_guessing_from_many_places_ends_as_well(cast: Cast) -> None:
    for place in range(20):
        guess(5, f"192.0.2.{100 + place}")
    assert not is_signed_in(sign_in("alice@example.org", REMOTE_ADDR="192.0.2.200"))
    assert is_signed_in(sign_in("bob@example.org", REMOTE_ADDR="192.0.2.201")), "another account is not meant"


def test_a_place_where_the_owner_is_signed_in_stays_open(cast: Cast) -> None:
    SignIn.objects.create(user=cast.alice.user, session_key="of-before", seen_from=OWNER)
    for place in range(20):
        guess(5, f"192.0.2.{100 + place}")
    assert is_signed_in(sign_in("alice@example.org", REMOTE_ADDR=OWNER))


def test_a_right_password_uses_nothing_up(cast: Cast) -> None:
    for _ in range(8):
        assert is_signed_in(sign_in("alice@example.org"))


def test_after_a_reset_the_owner_signs_in_at_once(cast: Cast) -> None:
    guess(5, "127.0.0.1")
    reset(cast)
    assert is_signed_in(sign_in("alice@example.org", NEW))


def test_the_limits_are_told_on_a_page_of_ours(cast: Cast, settings: Any) -> None:
    for _ in range(30):
        answer = browser(None).post("/accounts/login/", {"login": "", "password": ""})
    answer = browser(None).post("/accounts/login/", {"login": "", "password": ""})
    assert answer.status_code == 429
    assert "That was too often" in answer.content.decode()
    cache.clear()


@pytest.mark.parametrize(
    "path",
    ["signup/", "email/", "confirm-email/", "confirm-email/x/", "inactive/", "login/code/", "login/code/confirm/",
     "password/set/", "social/connections/", "3rdparty/", "sessions/", "2fa/webauthn/", "2fa/webauthn/keys/1/edit/",
     "2fa/recovery-codes/download/", "2fa/webauthn/signup/", "2fa/trust/", ""],
)  # fmt: skip
def test_what_the_product_does_not_use_is_not_served(cast: Cast, path: str) -> None:
    for client in (browser(None), browser(cast.alice)):
        assert client.get(f"/accounts/{path}").status_code == 404

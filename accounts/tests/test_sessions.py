"""The list of one's sessions: where from, since when, and ending them one by one."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.identity.places import browser_of, ip_of
from accounts.identity.sessions import NOTED, forget_ended_sessions
from accounts.models import SignIn
from tests.cast import Cast, browser, make_cast
from tests.doors import is_signed_in, sign_in

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def sign_in_of(client: Client) -> SignIn:
    return SignIn.objects.get(session_key=client.cookies["sessionid"].value)


def test_signing_in_leaves_a_row_at_once(cast: Cast) -> None:
    client = sign_in("alice@example.org", headers={"User-Agent": FIREFOX}, REMOTE_ADDR="192.0.2.7")
    row = sign_in_of(client)
    assert (row.user, row.browser, row.seen_from) == (cast.alice.user, "Firefox, Linux", "192.0.2.7")


def test_a_wrong_password_leaves_none(cast: Cast) -> None:
    sign_in("alice@example.org", "a guess")
    assert not SignIn.objects.exists()


def test_the_page_lists_ones_own_sessions_and_marks_this_one(cast: Cast) -> None:
    sign_in("bob@example.org", headers={"User-Agent": "Bobs-Browser"})
    sign_in("alice@example.org", headers={"User-Agent": FIREFOX}, REMOTE_ADDR="192.0.2.7")
    page = sign_in("alice@example.org").get("/account/").content.decode()
    assert "Firefox, Linux" in page
    assert "192.0.2.7" in page
    assert page.count("this one") == 1
    assert "Bobs-Browser" not in page


def test_one_session_is_ended_and_the_others_stay(cast: Cast) -> None:
    here, there, third = (sign_in("alice@example.org") for _ in range(3))
    here.post(f"/account/sessions/{sign_in_of(there).pk}/end/")
    assert not is_signed_in(there)
    assert is_signed_in(here)
    assert is_signed_in(third)


def test_all_others_are_ended_at_once(cast: Cast) -> None:
    here, bob, others = sign_in("alice@example.org"), sign_in("bob@example.org"), []
    others = [sign_in("alice@example.org") for _ in range(2)]
    here.post("/account/sessions/end/")
    assert not any(map(is_signed_in, others))
    assert is_signed_in(here)
    assert is_signed_in(bob)


def test_ending_this_one_signs_out(cast: Cast) -> None:
    client = sign_in("alice@example.org")
    answer = client.post(f"/account/sessions/{sign_in_of(client).pk}/end/")
    assert answer["Location"] == "/accounts/login/"
    assert not is_signed_in(client)
    assert not SignIn.objects.exists()


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_somebody_elses_session_does_not_exist(cast: Cast, who: str) -> None:
    alice = sign_in("alice@example.org")
    assert browser(getattr(cast, who)).post(f"/account/sessions/{sign_in_of(alice).pk}/end/").status_code == 404
    assert is_signed_in(alice)


def test_signing_out_takes_the_row_along(cast: Cast) -> None:
    sign_in("alice@example.org").post("/accounts/logout/")
    assert not SignIn.objects.exists()


def test_when_a_session_was_seen_is_written_every_five_minutes(cast: Cast) -> None:
    client = sign_in("alice@example.org")
    long_ago = timezone.now() - timedelta(hours=1)
    SignIn.objects.update(last_seen_at=long_ago)
    client.get("/")
    assert sign_in_of(client).last_seen_at == long_ago, "a moment ago is now"
    session = client.session
    session[NOTED] = [session.session_key, long_ago.timestamp()]
    session.save()
    client.get("/")
    assert sign_in_of(client).last_seen_at > long_ago


def test_a_session_that_is_gone_is_not_listed_and_its_row_is_tidied_away(cast: Cast) -> None:
    gone, expired = sign_in("alice@example.org"), sign_in("alice@example.org")
    Session.objects.filter(pk=gone.cookies["sessionid"].value).delete()
    Session.objects.filter(pk=expired.cookies["sessionid"].value).update(expire_date=timezone.now())
    here = sign_in("alice@example.org")
    assert here.get("/account/").content.decode().count("/end/") == 1
    forget_ended_sessions()
    assert SignIn.objects.count() == 2


def test_an_api_key_leaves_no_session(cast: Cast) -> None:
    from tests.people import with_key

    assert with_key(cast.alice).get("/api/corpora/").status_code == 200
    assert not SignIn.objects.exists()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (FIREFOX, "Firefox, Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/143.0.0.0 Safari/537.36 Edg/143.0", "Edge, Windows"),
        ("Mozilla/5.0 (Linux; Android 16) Chrome/143.0.0.0 Mobile Safari/537.36", "Chrome, Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1", "Safari, iPhone"),
        ("curl/8.14", "curl/8.14"),
        ("\x00<script>" + "x" * 500, "<script>" + "x" * 71),
        ("", ""),
    ],
)
def test_a_browser_is_named_as_its_user_knows_it(said: str, told: str) -> None:
    assert browser_of(RequestFactory().get("/", headers={"User-Agent": said})) == told


@pytest.mark.parametrize(("address", "told"), [("192.0.2.7", "192.0.2.7"), ("2001:db8::7", "2001:db8::7"), ("", None)])
def test_where_from_is_an_address_or_nothing(address: str, told: str | None) -> None:
    assert ip_of(RequestFactory().get("/", REMOTE_ADDR=address)) == told

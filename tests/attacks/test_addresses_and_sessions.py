"""The attack on accounts: somebody else's address, reset, invitation, key and sign-in (findings 3, 7, 12, 13).

What is asked is what came of it, not which page refused: a route that is gone has refused as well.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import SESSION_KEY
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import NoReverseMatch, reverse

from accounts import invitations
from accounts.models import Membership, User
from config.env import cache as configured_cache
from tests.factories import PASSWORD, MembershipFactory
from tests.people import People, signed_in, with_key

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

NEW_PASSWORD = "a-quite-different-battery"
RESET_LINK = re.compile(r"https?://[^/\s]+(/\S*reset\S*)")


@pytest.fixture(autouse=True)
def kept_mail(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def claim(member: Membership, address: str) -> None:
    """Everything that allauth offers to make an address one's own, its confirmation excepted."""
    client = signed_in(member)
    for path in ("/accounts/email/", "/account/email/"):
        for action in ("action_add", "action_primary", "action_send", ""):
            client.post(path, {"email": address, action: "1"} if action else {"email": address})


def ask_for_reset(address: str, client: Client | None = None) -> list[str]:
    """The addresses of the links that this request has mailed to anybody."""
    before = len(mail.outbox)
    (client or Client()).post(reverse("account_reset_password"), {"email": address})
    return [link for message in mail.outbox[before:] for link in RESET_LINK.findall(str(message.body))]


def follow(link: str) -> Client:
    """Whoever has the link sets a password with it."""
    client = Client()
    page = client.get(link, follow=True)
    client.post(page.request["PATH_INFO"], {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})
    return client


def sign_in(address: str, password: str, **extra: Any) -> Client:
    client = Client()
    client.post(reverse("account_login"), {"login": address, "password": password}, **extra)
    return client


def user_of(client: Client) -> str | None:
    """The key of whoever is signed in."""
    return client.session.get(SESSION_KEY)


def test_a_reset_reaches_only_the_account_whose_address_it_is(people: People) -> None:
    """3a. Zoe, of another organization, has claimed Bob's address beforehand."""
    bob = people.bob.user
    claim(people.zoe, bob.email)
    links = ask_for_reset(bob.email)
    assert len(links) == 1, "one account has this address"
    follow(links[0])
    assert user_of(sign_in(bob.email, NEW_PASSWORD)) == str(bob.pk)
    assert User.objects.get(pk=people.zoe.user_id).check_password(PASSWORD), "the link set another's password"


def test_whoever_claims_a_free_address_gets_no_mail_of_its_later_owner(people: People) -> None:
    claim(people.zoe, "later@example.org")
    later = MembershipFactory(organization=people.bob.organization, user__email="later@example.org")
    links = ask_for_reset("later@example.org")
    assert len(links) == 1
    follow(links[0])
    assert user_of(sign_in("later@example.org", NEW_PASSWORD)) == str(later.user_id)


def test_nobody_takes_an_address_without_proving_it(people: People) -> None:
    """3b."""
    was = people.zoe.user.email
    claim(people.zoe, "ceo@aurora.example")
    assert User.objects.get(pk=people.zoe.user_id).email == was


def test_an_invitation_is_for_whoever_proved_its_address(people: People) -> None:
    """3c. Charlie has got hold of the link that was made for somebody else."""
    _offered, token = invitations.create_invitation("newcomer@example.org", "admin", people.ada)
    claim(people.charlie, "newcomer@example.org")
    signed_in(people.charlie).post(reverse("invitation", args=[token]))
    assert not Membership.objects.filter(user=people.charlie.user, organization=people.ada.organization).exists()


def test_an_unproved_row_of_an_address_opens_nothing(people: People) -> None:
    """As 0.1.0 left them behind: a reset does not look at them, and neither does an invitation."""
    from allauth.account.models import EmailAddress

    bob = people.bob.user
    for address in (bob.email, "newcomer@example.org"):
        EmailAddress.objects.create(user=people.zoe.user, email=address, verified=False, primary=False)
    links = ask_for_reset(bob.email)
    assert len(links) == 1
    follow(links[0])
    assert user_of(sign_in(bob.email, NEW_PASSWORD)) == str(bob.pk)
    assert ask_for_reset("newcomer@example.org") == []


def test_a_reset_ends_sessions_and_keys(people: People) -> None:
    """12. Whoever had the account before has nothing of it afterwards."""
    thief, program = signed_in(people.bob), with_key(people.bob)
    assert (thief.get("/").status_code, program.get("/api/corpora/").status_code) == (200, 200)
    follow(*ask_for_reset(people.bob.user.email))
    assert (thief.get("/").status_code, program.get("/api/corpora/").status_code) == (302, 401)


def test_a_change_of_the_password_ends_other_sessions_and_offers_to_revoke_keys(people: People) -> None:
    """12."""
    mine, elsewhere, program = signed_in(people.bob), signed_in(people.bob), with_key(people.bob)
    page = mine.get(reverse("account_change_password"))
    offered = re.search(rb'<input[^>]*type="checkbox"[^>]*name="([^"]*key[^"]*)"|name="([^"]*key[^"]*)"', page.content)
    assert offered, "the page does not speak of keys"
    name = next(one for one in offered.groups() if one).decode()
    given = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD, name: "on"}
    mine.post(reverse("account_change_password"), given)
    assert User.objects.get(pk=people.bob.user_id).check_password(NEW_PASSWORD)
    assert mine.get("/").status_code == 200, "whoever changed it stays"
    assert elsewhere.get("/").status_code == 302
    assert program.get("/api/corpora/").status_code == 401


@pytest.fixture
def dead_cache(settings: Any) -> Iterator[None]:
    """The cache of an installation whose Redis does not answer: nothing listens on port 9."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CACHE_URL", "redis://:secret@127.0.0.1:9/1")
        settings.CACHES = {"default": configured_cache()}
    yield
    cache.clear()


def test_with_redis_down_the_right_password_signs_in(people: People, dead_cache: None) -> None:
    """7. On 0.1.0 the very first, right attempt was refused with 429."""
    assert user_of(sign_in(people.bob.user.email, PASSWORD)) == str(people.bob.user_id)
    Client().post(reverse("account_reset_password"), {"email": people.bob.user.email})
    assert any(people.bob.user.email in message.to for message in mail.outbox)


def test_with_redis_down_wrong_passwords_are_still_counted(people: People, dead_cache: None) -> None:
    """7. An outage lifts no limit: after enough wrong attempts even the right password has to wait."""
    for _ in range(30):
        sign_in(people.bob.user.email, "wrong")
    assert user_of(sign_in(people.bob.user.email, PASSWORD)) is None


def test_others_wrong_passwords_keep_nobody_out(people: People) -> None:
    """13. On 0.1.0 a dozen of them, from anywhere, locked the owner out (docs/security.md has what remains)."""
    session, program = signed_in(people.bob), with_key(people.bob)
    for n in range(12):
        sign_in(people.bob.user.email, "wrong", REMOTE_ADDR=f"127.0.0.{9 + n % 5}")
    assert user_of(sign_in(people.bob.user.email, PASSWORD, REMOTE_ADDR="127.0.0.30")) == str(people.bob.user_id)
    assert (session.get("/").status_code, program.get("/api/corpora/").status_code) == (200, 200)


def test_a_forwarded_address_is_no_way_round_the_limit(people: People) -> None:
    for n in range(30):
        sign_in(people.bob.user.email, "wrong", HTTP_X_FORWARDED_FOR=f"10.0.0.{n}")
    assert user_of(sign_in(people.bob.user.email, PASSWORD, HTTP_X_FORWARDED_FOR="10.0.1.1")) is None


@pytest.mark.parametrize(
    "name", ["account_signup", "account_email", "account_request_login_code", "socialaccount_login"]
)
def test_what_nobody_asked_for_is_closed(name: str, people: People) -> None:
    """No open sign-up, no codes by mail, no social accounts: the address is not there, or makes nobody."""
    try:
        path = reverse(name)
    except NoReverseMatch:
        return
    before = User.objects.count()
    given = {"email": "x@example.org", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    client = Client()
    client.post(path, given)
    assert User.objects.count() == before
    assert user_of(client) is None


def test_a_reset_tells_nobody_which_addresses_there_are(people: People) -> None:
    def told(address: str) -> tuple[int, str, bytes]:
        client = Client()
        answer = client.post(reverse("account_reset_password"), {"email": address})
        page = client.get(answer["Location"]) if answer.status_code == 302 else answer
        return answer.status_code, answer.get("Location", ""), without_tokens(page.content, address)

    assert told(people.bob.user.email) == told("nobody@example.org")


def test_a_refused_sign_in_tells_nobody_which_addresses_there_are(people: People) -> None:
    def told(address: str) -> tuple[int, bytes]:
        answer = Client().post(reverse("account_login"), {"login": address, "password": "wrong"})
        return answer.status_code, without_tokens(answer.content, address)

    assert told(people.bob.user.email) == told("nobody@example.org")


def without_tokens(page: bytes, address: str) -> bytes:
    """A page without what differs each time: tokens, nonces and the address that was sent."""
    page = re.sub(rb"[A-Za-z0-9]{64}", b"TOKEN", page)
    return re.sub(rb'nonce="[^"]*"', b"", page).replace(address.encode(), b"ADDRESS")


def test_a_session_is_a_new_one_after_signing_in(people: People) -> None:
    """Nobody fixes another's session beforehand."""
    client = Client()
    client.cookies["sessionid"] = "fixed-beforehand"
    client.post(reverse("account_login"), {"login": people.bob.user.email, "password": PASSWORD})
    assert client.cookies["sessionid"].value != "fixed-beforehand"
    cookie = client.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    copied = Client()
    copied.cookies["sessionid"] = cookie.value
    client.post(reverse("account_logout"))
    assert copied.get("/").status_code == 302, "a session outlives its sign-out"

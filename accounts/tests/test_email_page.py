"""An address belongs to whoever proved it: it changes after the password, by a link that its mailbox receives."""

import re
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.invitations import create_invitation
from accounts.models import AuditEvent, Invitation, User
from tests.cast import Cast, browser, make_cast
from tests.doors import is_signed_in, reauthenticated, sign_in
from tests.factories import PASSWORD


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def alice(cast: Cast) -> Client:
    return reauthenticated(cast.alice.user)


def link_in(message: Any) -> str:
    found = re.search(r"http://testserver(/\S+)", message.body)
    assert found
    return found[1]


def asked(client: Client, address: str = "Alicia@Example.org") -> str:
    client.post("/account/email/", {"email": address})
    return link_in(mail.outbox[-1])


def address_of(member: Any) -> str:
    return str(User.objects.get(pk=member.user_id).email)


def test_the_page_asks_for_the_password_first(cast: Cast) -> None:
    client = sign_in(cast.alice.user.email)
    for answer in (client.get("/account/email/"), client.post("/account/email/", {"email": "alicia@example.org"})):
        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/reauthenticate/")
    assert not mail.outbox


def test_looking_at_the_link_changes_nothing(cast: Cast, alice: Client) -> None:
    link = asked(alice)
    assert alice.head(link).status_code == 200
    assert address_of(cast.alice) == "alice@example.org"


def test_the_invitation_of_a_former_address_is_forgotten(cast: Cast, alice: Client) -> None:
    """Whoever is erased later is known by the present address alone."""
    for accepted in (timezone.now(), None):
        invitation, _token = create_invitation(f"{accepted}@example.org", "member", cast.admin)
        Invitation.objects.filter(pk=invitation.pk).update(email="alice@example.org", accepted_at=accepted)
    alice.post(asked(alice))
    assert [one.accepted_at for one in Invitation.objects.filter(email="alice@example.org")] == [None]


def test_a_mail_that_does_not_go_out_is_not_on_its_way(alice: Client, settings: Any) -> None:
    settings.EMAIL_BACKEND = "accounts.tests.test_mail.Refusing"
    english = {"Accept-Language": "en"}
    told = alice.post("/account/email/", {"email": "alicia@example.org"}, follow=True, headers=english).content.decode()
    assert "could not be sent" in told
    assert "on its way" not in told
    settings.EMAIL_BACKEND = "accounts.identity.mail.UnsentMail"
    assert 'name="email"' not in alice.get("/account/email/").content.decode(), "no form that leads nowhere"


def test_the_new_address_counts_once_its_link_is_opened(cast: Cast, alice: Client) -> None:
    link = asked(alice)
    assert mail.outbox[-1].to == ["alicia@example.org"]
    assert address_of(cast.alice) == "alice@example.org"
    assert "alicia@example.org" in alice.get(link).content.decode()
    assert address_of(cast.alice) == "alice@example.org", "reading a link changes nothing: mail scanners read them, too"
    alice.post(link)
    assert address_of(cast.alice) == "alicia@example.org"
    assert is_signed_in(sign_in("ALICIA@example.org"))
    assert not is_signed_in(sign_in("alice@example.org"))


def test_the_former_address_is_told_and_it_is_written_down(cast: Cast, alice: Client) -> None:
    alice.post(asked(alice))
    assert mail.outbox[-1].to == ["alice@example.org"]
    assert "alicia@example.org" in mail.outbox[-1].body
    event = AuditEvent.objects.get(action="email_changed")
    assert (event.actor, event.object_id, event.changes) == (cast.alice.user, str(cast.alice.user_id), {})


def test_a_link_works_once(alice: Client) -> None:
    link = asked(alice)
    assert alice.post(link).status_code == 302
    assert alice.post(link).status_code == 404


def test_a_link_is_worthless_after_a_day(cast: Cast, alice: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    link = asked(alice)
    monkeypatch.setattr("accounts.identity.addresses.LIFETIME", timedelta(seconds=-1))
    assert alice.post(link).status_code == 404
    assert address_of(cast.alice) == "alice@example.org"


def test_a_link_is_worthless_after_the_password_was_changed(cast: Cast, alice: Client) -> None:
    link = asked(alice)
    cast.alice.user.set_password("another-long-password")
    cast.alice.user.save()
    assert sign_in("alice@example.org", "another-long-password").post(link).status_code == 404


@pytest.mark.parametrize("who", ["bob", "charlie", None])
def test_nobody_else_can_follow_the_link(cast: Cast, alice: Client, who: str | None) -> None:
    """Who is sent a stranger's link does not end up in the stranger's account, and cannot take the address either."""
    link = asked(alice)
    answer = browser(getattr(cast, who) if who else None).post(link)
    assert answer.status_code == (404 if who else 302)
    assert address_of(cast.alice) == "alice@example.org"


@pytest.mark.parametrize("address", ["bob@example.org", "BOB@Example.ORG", " bob@example.org "])
def test_anothers_address_cannot_be_claimed_and_the_page_does_not_tell_that_it_exists(
    cast: Cast, alice: Client, address: str
) -> None:
    free = alice.post("/account/email/", {"email": "nobody@example.org"}, follow=True).content.decode()
    taken = alice.post("/account/email/", {"email": address}, follow=True).content.decode()
    notice = re.compile(r'<p class="notice[^>]*>.*?<span>(.*?)</span>', re.DOTALL)
    assert notice.findall(taken) == [said.replace("nobody", "bob") for said in notice.findall(free)]
    assert mail.outbox[-1].to == ["bob@example.org"]
    assert "http" not in mail.outbox[-1].body
    assert address_of(cast.alice) == "alice@example.org"


def test_an_invitation_is_not_taken_by_who_merely_wants_its_address(cast: Cast, alice: Client) -> None:
    """Finding 3c: the address that the link was made for became one's own by saying so."""
    _invitation, token = create_invitation("newcomer@example.org", "admin", cast.charlie)
    asked(alice, "newcomer@example.org")
    assert "Sign out" in alice.post(f"/invitations/{token}/").content.decode()
    assert not cast.alice.user.memberships.filter(organization=cast.charlie.organization).exists()


def test_an_address_that_somebody_got_meanwhile_stays_theirs(cast: Cast, alice: Client) -> None:
    link = asked(alice)
    User.objects.filter(pk=cast.bob.user_id).update(email="alicia@example.org")
    assert alice.post(link).status_code == 404
    assert address_of(cast.alice) == "alice@example.org"


def test_the_own_address_and_what_is_none_are_refused(alice: Client) -> None:
    for address in ("ALICE@example.org", "no address", ""):
        assert "errorlist" in alice.post("/account/email/", {"email": address}).content.decode()
    assert not mail.outbox


def test_the_page_of_0_1_0_is_gone(cast: Cast) -> None:
    client = browser(cast.alice)
    claim = {"email": "bob@example.org", "action_add": "", "action_primary": ""}
    assert client.post("/accounts/email/", claim).status_code == 404
    assert not EmailAddress.objects.exists()


def test_a_reset_goes_to_the_owner_alone_and_never_to_who_claims_the_address(cast: Cast) -> None:
    """Finding 3a, with the claim that 0.1.0 took."""
    EmailAddress.objects.create(user=cast.charlie.user, email="bob@example.org", verified=False)
    EmailAddress.objects.create(user=cast.alice.user, email="bob@example.org", verified=True)
    browser(None).post("/accounts/password/reset/", {"email": "BOB@example.org"})
    assert [message.to for message in mail.outbox] == [["bob@example.org"]]
    assert f"/{cast.bob.user_id.hex}-" in mail.outbox[0].body


def test_a_claim_in_the_old_table_signs_nobody_in(cast: Cast) -> None:
    EmailAddress.objects.create(user=cast.charlie.user, email="claimed@example.org", verified=True, primary=True)
    assert not is_signed_in(sign_in("claimed@example.org"))


def test_the_migration_forgets_claims_and_sessions_and_keeps_everybodys_own_sign_in(cast: Cast) -> None:
    EmailAddress.objects.create(user=cast.charlie.user, email="bob@example.org", verified=False)
    Session.objects.create(session_key="a" * 32, session_data="", expire_date=timezone.now())
    migration = import_module("accounts.migrations.0003_forget_unproven_addresses")
    migration.forget_addresses_and_sessions(apps, None)
    assert not EmailAddress.objects.exists()
    assert not Session.objects.exists()
    assert is_signed_in(sign_in("bob@example.org"))


@pytest.mark.parametrize(
    "path",
    [
        "/accounts/password/reset/",
        "/accounts/login/",
        "/accounts/password/change/",
        "/account/email/",
        "/accounts/2fa/",
    ],
)
def test_no_page_fills_the_old_table(cast: Cast, alice: Client, path: str) -> None:
    fields = {"email": "bob@example.org", "login": "bob@example.org", "password": PASSWORD}
    for client in (alice, browser(None)):
        client.get(path)
        client.post(path, fields)
    assert not EmailAddress.objects.exists()

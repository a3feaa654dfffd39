"""A new password ends what the old one had opened: other sessions always, keys on request or after a reset."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts import keys
from accounts.models import AuditEvent, SignIn, User
from tests.cast import Cast, browser, make_cast
from tests.doors import NEW, is_signed_in, reset, sign_in
from tests.factories import PASSWORD


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def change(client: Client, **more: str) -> None:
    client.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW, **more})


def test_a_change_ends_the_other_sessions_and_keeps_this_one(cast: Cast) -> None:
    here, elsewhere = sign_in("alice@example.org"), sign_in("alice@example.org")
    assert is_signed_in(elsewhere)
    change(here)
    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)
    assert SignIn.objects.filter(user=cast.alice.user).count() == 1


def test_a_change_leaves_keys_alone_unless_it_is_asked_to_revoke_them(cast: Cast) -> None:
    _key, secret = keys.issue_key(cast.alice)
    change(sign_in("alice@example.org"))
    assert keys.membership_of_key(secret) == cast.alice


def test_a_change_revokes_the_keys_on_request(cast: Cast) -> None:
    (_, alices), (_, bobs) = keys.issue_key(cast.alice), keys.issue_key(cast.bob)
    change(sign_in("alice@example.org"), revoke_keys="on")
    assert keys.membership_of_key(alices) is None
    assert keys.membership_of_key(bobs) == cast.bob


def test_a_change_is_written_down_and_told_by_mail(cast: Cast) -> None:
    change(sign_in("alice@example.org"))
    event = AuditEvent.objects.get(action="password_changed")
    assert (event.organization, event.actor) == (cast.alice.organization, cast.alice.user)
    assert [message.to for message in mail.outbox] == [["alice@example.org"]]
    assert mail.outbox[0].subject == "[Acervo] Your password was changed"
    assert "127.0.0.1" in mail.outbox[0].body


def test_a_wrong_old_password_changes_nothing(cast: Cast) -> None:
    client = sign_in("alice@example.org")
    client.post("/accounts/password/change/", {"oldpassword": "a guess", "password1": NEW, "password2": NEW})
    assert User.objects.get(pk=cast.alice.user_id).check_password(PASSWORD)
    assert not mail.outbox


def test_a_reset_ends_every_session_and_revokes_every_key(cast: Cast) -> None:
    _key, secret = keys.issue_key(cast.alice)
    elsewhere = sign_in("alice@example.org")
    reset(cast)
    assert not is_signed_in(elsewhere)
    assert keys.membership_of_key(secret) is None
    event = AuditEvent.objects.get(action="password_reset")
    assert (event.actor, event.changes) == (cast.alice.user, {"revoked_keys": 1})
    assert (mail.outbox[-1].to, mail.outbox[-1].subject) == (["alice@example.org"], "[Acervo] Your password was reset")


def test_a_reset_in_a_browser_that_is_signed_in_ends_that_session_too(cast: Cast) -> None:
    client = reset(cast, sign_in("alice@example.org"))
    assert not is_signed_in(client)
    assert is_signed_in(sign_in("alice@example.org", NEW))


def test_a_reset_link_works_once(cast: Cast) -> None:
    reset(cast)
    link = re.search(r"http://testserver(\S+)", str(mail.outbox[-2].body))
    assert link
    assert "no longer works" in browser(None).get(link[1], follow=True).content.decode()


def test_known_and_unknown_addresses_get_the_same_answer_and_a_mail_each(cast: Cast) -> None:
    answers = []
    for address in ("alice@example.org", "nobody@example.org"):
        answer = browser(None).post("/accounts/password/reset/", {"email": address}, follow=True)
        answers.append((answer.redirect_chain, re.sub(r"[A-Za-z0-9]{64}", "", answer.content.decode())))
    assert answers[0] == answers[1]
    assert [message.to for message in mail.outbox] == [["alice@example.org"], ["nobody@example.org"]]
    assert "http" not in mail.outbox[1].body


def test_a_mail_server_that_fails_does_not_tell_the_two_apart(cast: Cast, settings: object) -> None:
    settings.EMAIL_BACKEND = "accounts.tests.test_mail.Refusing"  # type: ignore[attr-defined]
    for address in ("alice@example.org", "nobody@example.org"):
        assert browser(None).post("/accounts/password/reset/", {"email": address}).status_code == 302


def test_a_deactivated_user_gets_no_link(cast: Cast) -> None:
    User.objects.filter(pk=cast.alice.user_id).update(is_active=False)
    browser(None).post("/accounts/password/reset/", {"email": "alice@example.org"})
    assert "http" not in mail.outbox[0].body


def test_somebody_without_a_password_is_led_to_a_link(cast: Cast) -> None:
    client = browser(cast.alice)
    cast.alice.user.set_unusable_password()
    cast.alice.user.save()
    client.force_login(cast.alice.user)
    assert client.get("/accounts/password/change/")["Location"] == "/accounts/password/reset/"


def test_a_password_that_an_operator_sets_ends_sessions_and_keys(cast: Cast) -> None:
    _key, secret = keys.issue_key(cast.alice)
    alice, operator = sign_in("alice@example.org"), Client()
    operator.force_login(User.objects.create_superuser("operator@example.org"))
    path = reverse("admin:auth_user_password_change", args=[cast.alice.user_id])
    operator.post(path, {"usable_password": "true", "password1": NEW, "password2": NEW})
    assert is_signed_in(sign_in("alice@example.org", NEW))
    assert not is_signed_in(alice)
    assert keys.membership_of_key(secret) is None
    assert AuditEvent.objects.get(action="password_reset").actor.email == "operator@example.org"  # type: ignore[union-attr]

"""Somebody who has lost the second factor is helped by an operator, which is written down and told by mail."""

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, User
from tests.cast import Cast, browser, make_cast
from tests.doors import is_signed_in, sign_in, sign_in_with_code, with_app


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def test_the_command_removes_it_ends_sessions_and_tells(cast: Cast) -> None:
    with_app(cast.alice.user)
    client = sign_in_with_code(cast.alice.user)
    call_command("reset_second_factor", "Alice@example.org")
    assert not is_signed_in(client)
    assert is_signed_in(sign_in("alice@example.org")), "with the password alone"
    event = AuditEvent.objects.get(action="second_factor_reset")
    assert (event.actor, event.object_id) == (None, str(cast.alice.user_id))
    assert mail.outbox[-1].to == ["alice@example.org"]


def test_the_command_says_that_there_is_nothing_to_do(cast: Cast) -> None:
    for email, told in (("alice@example.org", "no second factor"), ("nobody@example.org", "no user")):
        with pytest.raises(CommandError, match=told):
            call_command("reset_second_factor", email)
    assert not AuditEvent.objects.exists()


def reset(client: Client, cast: Cast) -> None:
    chosen = {"action": "reset_two_factor", "_selected_action": [str(cast.alice.user_id), str(cast.bob.user_id)]}
    client.post(reverse("admin:accounts_user_changelist"), chosen)


def test_an_operator_resets_it_in_the_admin(cast: Cast) -> None:
    with_app(cast.alice.user)
    with_app(cast.charlie.user)
    operator = Client()
    operator.force_login(User.objects.create_superuser("operator@example.org"))
    assert "alice@example.org" in operator.get(reverse("admin:accounts_user_changelist")).content.decode()
    reset(operator, cast)
    assert [row.user for row in Authenticator.objects.all()] == [cast.charlie.user], "who was not chosen keeps it"
    assert AuditEvent.objects.get(action="second_factor_reset").actor.email == "operator@example.org"  # type: ignore[union-attr]
    assert [message.to for message in mail.outbox] == [["alice@example.org"]]


@pytest.mark.parametrize("who", ["admin", "bob", "charlie"])
def test_nobody_else_can(cast: Cast, who: str) -> None:
    with_app(cast.alice.user)
    reset(browser(getattr(cast, who)), cast)
    assert Authenticator.objects.filter(user=cast.alice.user).exists()

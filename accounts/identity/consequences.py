"""What follows when a password or a second factor changes: other sessions and programs end, keys go, and it is written
down.

The mails to the user are allauth's (`ACCOUNT_EMAIL_NOTIFICATIONS`); their words are in templates/account/email and
templates/mfa/email.
"""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.signals import password_changed, password_reset
from allauth.mfa.signals import authenticator_added, authenticator_removed, authenticator_reset
from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_out
from django.http import HttpRequest

from accounts import audit, keys
from accounts.identity.oauth.grants import end_all
from accounts.identity.sessions import end_other_sessions, note_session
from accounts.models import SignIn, User


def connect_consequences() -> None:
    password_changed.connect(after_password_change)
    password_reset.connect(after_password_reset)
    authenticator_added.connect(after_new_factor)
    for signal in (authenticator_removed, authenticator_reset):
        signal.connect(after_factor_change)
    user_logged_out.connect(after_sign_out)


def after_password_change(request: HttpRequest, user: User, **_signal: Any) -> None:
    note_session(request)  # it has got another key just now
    end_other_sessions(user, kept=request.session.session_key)
    end_all(user)
    audit.record_everywhere(user, user, "password_changed")


def after_password_reset(request: HttpRequest, user: User, **_signal: Any) -> None:
    """Whoever resets may not be who made the keys, or may fear who else has them."""
    if request.user.is_authenticated:
        logout(request)  # by the link in the same browser: its session ends below, and nothing may save it again
    forget_credentials(user, user)
    get_adapter(request).forget_failed_sign_ins(request, user)


def forget_credentials(user: User, actor: User) -> None:
    """End every session, revoke every key and shut out every program of a user whose password was set anew by mail or
    by an operator."""
    end_other_sessions(user)
    end_all(user)
    audit.record_everywhere(user, actor, "password_reset", revoked_keys=keys.revoke_all(user))


def after_new_factor(request: HttpRequest, user: User, authenticator: Any, **_signal: Any) -> None:
    """Sessions that began with the password alone end, and the programs that such sessions let in."""
    note_session(request)
    end_other_sessions(user, kept=request.session.session_key)
    end_all(user)
    audit.record_everywhere(user, user, "second_factor_added", kind=authenticator.type)


def after_factor_change(user: User, authenticator: Any, **_signal: Any) -> None:
    audit.record_everywhere(user, user, "second_factor_changed", kind=authenticator.type)


def after_sign_out(request: HttpRequest, **_signal: Any) -> None:
    SignIn.objects.filter(session_key=request.session.session_key or "").delete()

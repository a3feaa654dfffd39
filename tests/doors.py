"""Signing in as a person does, and what it takes to change how: for tests of the pages of sign-in."""

import re
from typing import Any

from allauth.mfa.models import Authenticator
from django.core import mail
from django.test import Client

from accounts.identity.sealing import seal
from accounts.models import User
from tests.cast import Cast, browser
from tests.codes import code_of
from tests.factories import PASSWORD

NEW = "a-new-and-longer-password"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def sign_in(email: str, password: str = PASSWORD, **extra: Any) -> Client:
    """A browser after the sign-in form, whatever came of it."""
    client = browser(None)
    client.post("/accounts/login/", {"login": email, "password": password}, **extra)
    return client


def is_signed_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def reauthenticated(user: User) -> Client:
    """A signed-in browser that has just given the password once more."""
    client = sign_in(user.email)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def with_app(user: User) -> Authenticator:
    """An authenticator app with SECRET, set up for the user."""
    made: Authenticator = Authenticator.objects.create(
        user=user, type=Authenticator.Type.TOTP, data={"secret": seal(SECRET)}
    )
    return made


def sign_in_with_code(user: User) -> Client:
    client = sign_in(user.email)
    client.post("/accounts/2fa/authenticate/", {"code": code_of(SECRET)})
    return client


def reset(cast: Cast, client: Client | None = None) -> Client:
    """Alice's password is NEW, by the link of the mail."""
    client = client or browser(None)
    client.post("/accounts/password/reset/", {"email": cast.alice.user.email})
    link = re.search(r"http://testserver(\S+)", str(mail.outbox[-1].body))
    assert link
    page = client.get(link[1], follow=True)
    client.post(page.request["PATH_INFO"], {"password1": NEW, "password2": NEW})
    assert User.objects.get(pk=cast.alice.user_id).check_password(NEW)
    return client

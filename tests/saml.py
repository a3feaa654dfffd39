"""A browser that comes back from a SAML provider made by hand, and what is to come of it."""

from collections.abc import Callable
from typing import Any

from accounts.models import User
from sign_on.models import IdentityProvider
from tests.fakes.saml.signer import Asked, as_form, asked_of
from tests.sign_on import begun, posted


def came_back(provider: IdentityProvider, made: Callable[[Asked], Any]) -> Any:
    client, url = begun(provider)
    asked = asked_of(url)
    return posted(provider, {"SAMLResponse": as_form(made(asked)), "RelayState": asked.state}, client)


def reason_of(provider: IdentityProvider) -> str:
    provider.refresh_from_db()
    return provider.failure


def assert_refused(provider: IdentityProvider, answer: Any, *reasons: str) -> None:
    assert answer.status_code == 403
    assert not User.objects.filter(email__in=["nadia@here.test", "mallory@here.test"]).exists()
    assert reason_of(provider) in reasons

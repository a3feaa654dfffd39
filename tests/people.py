"""The callers of the authorization tests: Alice owns, Bob is in her team, Charlie is a stranger (DESIGN.md)."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from accounts import keys
from accounts.http.principal import SESSION_ORGANIZATION
from accounts.models import Membership
from tests.factories import MembershipFactory, OrganizationFactory, UserFactory


@dataclass(frozen=True, slots=True)
class People:
    """Memberships: three of Alice's organization, three of another one."""

    alice: Membership
    bob: Membership
    ada: Membership  # the admin
    charlie: Membership  # a stranger
    zoe: Membership  # the strangers' admin
    alice_elsewhere: Membership  # Alice herself, in the strangers' organization

    @classmethod
    def assembled(cls) -> "People":
        here, elsewhere = OrganizationFactory(name="Here"), OrganizationFactory(name="Elsewhere")
        alice = UserFactory(name="Alice")
        return cls(
            alice=MembershipFactory(user=alice, organization=here),
            bob=MembershipFactory(user__name="Bob", organization=here),
            ada=MembershipFactory(user__name="Ada", organization=here, role="admin"),
            charlie=MembershipFactory(user__name="Charlie", organization=elsewhere),
            zoe=MembershipFactory(user__name="Zoe", organization=elsewhere, role="admin"),
            alice_elsewhere=MembershipFactory(user=alice, organization=elsewhere),
        )


def signed_in(membership: Membership, *, checks_csrf: bool = False) -> Client:
    """A browser with this member's session, working in this organization."""
    client, user = Client(enforce_csrf_checks=checks_csrf), membership.user
    session = SessionStore()  # signing in by `force_login` writes it four times
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session[SESSION_ORGANIZATION] = str(membership.organization_id)
    session.create()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return client


def with_secret(secret: str) -> Client:
    return Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {secret}"})


def with_key(membership: Membership) -> Client:
    """A program with this member's API key and no cookies."""
    return with_secret(keys.issue_key(membership)[1])

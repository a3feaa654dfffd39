"""The fixed cast of page tests: Alice owns, Bob and the admin are in her organization, Charlie is a stranger."""

from dataclasses import dataclass

from django.test import Client

from accounts.models import Membership
from tests.factories import MembershipFactory, OrganizationFactory, UserFactory


@dataclass(frozen=True, slots=True)
class Cast:
    alice: Membership
    bob: Membership
    admin: Membership
    charlie: Membership


def make_cast() -> Cast:
    library = OrganizationFactory(name="Library", slug="library")
    elsewhere = OrganizationFactory(name="Elsewhere", slug="elsewhere")
    return Cast(
        alice=MembershipFactory(organization=library, user=UserFactory(name="Alice", email="alice@example.org")),
        bob=MembershipFactory(organization=library, user=UserFactory(name="Bob", email="bob@example.org")),
        admin=MembershipFactory(organization=library, role="admin", user=UserFactory(name="Ada")),
        charlie=MembershipFactory(organization=elsewhere, role="admin", user=UserFactory(name="Charlie")),
    )


def browser(member: Membership | None, language: str = "en") -> Client:
    """A signed-in browser, or an anonymous one. Pages are read in English unless told otherwise."""
    client = Client(headers={"Accept-Language": language})
    if member:
        client.force_login(member.user)
    return client

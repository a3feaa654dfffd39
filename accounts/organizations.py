"""A new organization with its first admin: what operators and tests begin with."""

import secrets
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from accounts import audit, keys
from accounts.limits.amounts import unlimited
from accounts.models import Membership, Organization, User

MAX_SLUG = 50


class OrganizationExists(Exception):
    """Another organization has the slug."""


class Deactivated(Exception):
    """The user could not sign in."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """A new organization's first admin with what opens it. `password` is None for who had an account already."""

    admin: Membership
    password: str | None
    api_key: str


def slug_of(name: str) -> str:
    """The slug that a name stands for; empty for a name without a letter that a slug may have."""
    return slugify(name)[:MAX_SLUG].strip("-")


@unlimited()
def create_organization(name: str, slug: str, email: str) -> Beginning:
    """Make the organization, its admin's membership and key, and the account where there is none; or nothing.

    Raises OrganizationExists and Deactivated.
    """
    try:
        with transaction.atomic():
            organization = Organization.objects.create(name=name, slug=slug)
            user, password = account_of(email)
            admin = Membership.objects.create(organization=organization, user=user, role=Membership.Role.ADMIN)
            audit.record_for(organization, None, "created", organization)
            _key, secret = keys.issue_key(admin, "manage.py organization")
    except IntegrityError:
        raise OrganizationExists from None
    return Beginning(admin, password, secret)


def account_of(email: str) -> tuple[User, str | None]:
    """The user of an address, made with a random password when there is none."""
    known = User.objects.filter(email=email.lower()).first()
    if known is None:
        password = secrets.token_urlsafe(12)
        return User.objects.create_user(email, password), password
    if not known.is_active:
        raise Deactivated
    return known, None

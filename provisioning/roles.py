"""Which groups make admins: who comes into one is an admin at once, who is in none any more is a member.

Whoever never was in such a group keeps the role that an admin gave them.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from accounts import members
from accounts.models import Membership
from provisioning.models import DirectoryGroup


def promote(by: Membership, entries: Iterable[UUID]) -> None:
    """Those of the entries that a group makes admins."""
    for member in _of(by, entries, Membership.Role.MEMBER).filter(pk__in=_admins_by_group(by)):
        members.change_role(member, Membership.Role.ADMIN, by)


def demote(by: Membership, entries: Iterable[UUID]) -> None:
    """Those of the entries that no group makes admins any more. Raises LastAdmin."""
    for member in _of(by, entries, Membership.Role.ADMIN).exclude(pk__in=_admins_by_group(by)):
        members.change_role(member, Membership.Role.MEMBER, by)


def _of(by: Membership, entries: Iterable[UUID], role: str) -> QuerySet[Membership]:
    return Membership.objects.in_organization_of(by).filter(directory_user__in=list(entries), role=role)


def _admins_by_group(by: Membership) -> QuerySet[DirectoryGroup, Any]:
    mapped = DirectoryGroup.objects.in_organization_of(by).filter(makes_admins=True)
    return mapped.filter(users__membership__isnull=False).values_list("users__membership", flat=True)

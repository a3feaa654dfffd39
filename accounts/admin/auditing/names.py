"""What the ids of audit events are called now; each floor names its own things, and nothing personal has a name."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

from accounts.identity.oauth.rows import OAuthGrant
from accounts.models import ApiKey, AuditEvent, Invitation, Membership, Organization, User

Name = tuple[str, str]  # the kind of thing, as its model is called, and its id
Namer = Callable[[set[str], set[UUID]], Iterable[tuple[Any, str]]]
NAMERS: dict[str, Namer] = {}
REFERENCES = ("agent", "corpus")  # what the changes of an event point to beside its object


def name_for_audit(kind: str, namer: Namer) -> None:
    """`namer(ids, organizations)` gives id and name of what the admins of these organizations may know."""
    NAMERS[kind] = namer


def mentioned(event: AuditEvent) -> list[Name]:
    """All that an event points to."""
    others = [(kind, str(event.changes[kind])) for kind in REFERENCES if event.changes.get(kind)]
    return [(event.object_type, event.object_id), *others]


def named_in(events: Iterable[AuditEvent]) -> dict[Name, str]:
    """One query for each kind of thing, however many events there are."""
    wanted, homes = defaultdict(set), set()
    for event in events:
        homes.add(event.organization_id)
        for kind, pk in mentioned(event):
            wanted[kind].add(pk)
    return {
        (kind, str(pk)): name for kind, ids in wanted.items() if kind in NAMERS for pk, name in NAMERS[kind](ids, homes)
    }


def _called(user: User) -> str:
    return user.name or user.email


def _members(ids: set[str], homes: set[UUID]) -> list[tuple[Any, str]]:
    found = Membership.objects.filter(pk__in=ids, organization__in=homes).select_related("user")
    return [(one.pk, _called(one.user)) for one in found]


def _users(ids: set[str], homes: set[UUID]) -> list[tuple[Any, str]]:
    found = User.objects.filter(pk__in=ids, memberships__organization__in=homes).distinct()
    return [(one.pk, _called(one)) for one in found]


def _invitations(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    return Invitation.objects.filter(pk__in=ids, organization__in=homes).values_list("pk", "email")


def _keys(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    return ApiKey.objects.filter(pk__in=ids, membership__organization__in=homes).values_list("pk", "name")


def _programs(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    return OAuthGrant.objects.filter(pk__in=ids, membership__organization__in=homes).values_list("pk", "client__name")


def _organizations(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    return Organization.objects.filter(pk__in=set(map(str, homes)) & ids).values_list("pk", "name")


name_for_audit("membership", _members)
name_for_audit("user", _users)
name_for_audit("invitation", _invitations)
name_for_audit("apikey", _keys)
name_for_audit("oauthgrant", _programs)
name_for_audit("organization", _organizations)

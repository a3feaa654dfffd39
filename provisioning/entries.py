"""Users of a directory: invited, bound to the membership that they take, switched off and on, removed.

Nobody is made a member without having said so: what the directory says of an address that is not a member's yet is an
invitation, whether or not it is somebody's account elsewhere (ADR 0027).
"""

from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts import audit, invitations, members
from accounts.models import Invitation, Membership, Organization
from accounts.tenancy.scope import system_scope
from provisioning import roles
from provisioning.models import DirectoryToken, DirectoryUser
from provisioning.problems import DirectoryFull, Taken

MOST_USERS = 50_000  # of an organization

Mail = Callable[[Invitation, str], object]


class DirectoryPerson(NamedTuple):
    """What a directory says of somebody."""

    user_name: str
    email: str
    external_id: str = ""
    display_name: str = ""
    formatted_name: str = ""
    given_name: str = ""
    family_name: str = ""
    is_active: bool = True


WRITTEN = tuple(name for name in DirectoryPerson._fields if name != "is_active")


def directory_users(by: Membership) -> QuerySet[DirectoryUser]:
    return DirectoryUser.objects.in_organization_of(by).select_related("membership")


def make_entry(by: Membership, said: DirectoryPerson, mail: Mail) -> DirectoryUser:
    """A new one, or the one of a member whom the directory had not named yet. In a transaction that has locked the
    members. Raises Taken and DirectoryFull."""
    entry = _unclaimed(by, said)
    if entry is None:
        if directory_users(by).count() >= MOST_USERS:
            raise DirectoryFull
        entry = DirectoryUser(organization=by.organization, is_active=said.is_active)
    is_new = entry._state.adding
    _write(by, entry, said)
    audit.record(by, "created" if is_new else "changed", entry)
    _let_in_or_out(by, entry, said.is_active, mail)
    return entry


def change_entry(by: Membership, entry: DirectoryUser, said: DirectoryPerson, mail: Mail) -> None:
    """In a transaction that has locked the members. Raises Taken and LastAdmin."""
    former = entry.email
    changed = [name for name in WRITTEN if getattr(entry, name) != getattr(said, name)]
    if changed or not entry.is_claimed:
        _write(by, entry, said)
        audit.record(by, "changed", entry, fields=sorted(changed))
    if former != entry.email and entry.membership is None:
        _withdraw(by, former)
    _let_in_or_out(by, entry, said.is_active, mail)


def delete_entry(by: Membership, entry: DirectoryUser) -> None:
    """The membership ends as an admin would end it. Raises LastAdmin."""
    audit.record(by, "deleted", entry)
    if entry.membership:
        members.end_membership(entry.membership, by)  # the entry goes with it
    else:
        _withdraw(by, entry.email)
        entry.delete()


def _unclaimed(by: Membership, said: DirectoryPerson) -> DirectoryUser | None:
    """Raises Taken where it is the directory's already."""
    same = directory_users(by).filter(Q(user_key=said.user_name.casefold()) | Q(email=said.email))
    found = list(same[:2])
    if not found:
        return None
    if len(found) > 1 or found[0].is_claimed:
        raise Taken
    return found[0]


def _write(by: Membership, entry: DirectoryUser, said: DirectoryPerson) -> None:
    former = (entry.user_name, entry.email)
    for name in WRITTEN:
        setattr(entry, name, getattr(said, name))
    others = directory_users(by).exclude(pk=entry.pk)
    if (
        former != (entry.user_name, entry.email)
        and others.filter(Q(user_key=entry.user_name.casefold()) | Q(email=entry.email)).exists()
    ):
        raise Taken
    entry.is_claimed = True
    entry.save()


def _let_in_or_out(by: Membership, entry: DirectoryUser, is_active: bool, mail: Mail) -> None:
    if entry.is_active != is_active:
        entry.is_active = is_active
        entry.save(update_fields=["is_active", "updated_at"])
    if entry.membership is None:
        _invite(by, entry, mail) if is_active else _withdraw(by, entry.email)
    elif entry.membership.is_active != is_active:
        members.change_active(entry.membership, is_active, by)
        entry.membership.is_active = is_active


def _open_invitations(by: Membership, email: str) -> QuerySet[Invitation]:
    return Invitation.objects.filter(organization=by.organization, email=email, accepted_at=None)


def _invite(by: Membership, entry: DirectoryUser, mail: Mail) -> None:
    """Once: while the address has a link that works, it gets no other."""
    if not any(one.is_open for one in _open_invitations(by, entry.email)):
        mail(*invitations.create_invitation(entry.email, Membership.Role.MEMBER, by))


def _withdraw(by: Membership, email: str) -> None:
    for one in _open_invitations(by, email):
        invitations.withdraw_invitation(one, by)


def adopt_members(organization: Organization) -> None:
    """Give the organization's members entries, so that its directory finds them."""
    joined = organization.memberships.filter(directory_user=None).select_related("user")
    if DirectoryUser.objects.filter(organization=organization).exists():
        for member in joined:
            _bind(organization, member)
    else:
        new = [_entry_of(organization, member, member.user.email) for member in joined]
        DirectoryUser.objects.bulk_create(new, batch_size=500)


@system_scope()
def bind_new_member(member: Membership) -> None:
    """Whoever has joined an organization with a directory is from now on whom that speaks of. What it is just saying
    is waited for."""
    if DirectoryToken.objects.filter(organization=member.organization_id).exists():
        with transaction.atomic():
            members.lock_members(member)
            _bind(member.organization, member)


def _bind(organization: Organization, member: Membership) -> None:
    email, by = member.user.email, members.directory_of(organization)
    entries = directory_users(by)
    waiting = entries.filter(membership=None, email=email).first()
    if waiting is None:
        _adopt(organization, member)
        return
    waiting.membership = member
    waiting.save(update_fields=["membership", "updated_at"])
    if not waiting.is_active:
        members.change_active(member, False, by)
    roles.promote(by, [waiting.pk])


def _adopt(organization: Organization, member: Membership) -> None:
    email = member.user.email
    taken = DirectoryUser.objects.filter(organization=organization, user_key=email.casefold()).exists()
    _entry_of(organization, member, str(member.pk) if taken else email).save(force_insert=True)


def _entry_of(organization: Organization, member: Membership, user_name: str) -> DirectoryUser:
    return DirectoryUser(
        organization=organization,
        membership=member,
        user_name=user_name,
        user_key=user_name.casefold(),
        email=member.user.email,
        display_name=member.user.name,
        is_claimed=False,
    )


def known_ids(by: Membership, ids: set[UUID]) -> set[UUID]:
    """Those that are users of this directory."""
    return set(directory_users(by).filter(pk__in=ids).values_list("pk", flat=True))

"""Groups of a directory and who is in them."""

from collections.abc import Set
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import ngettext

from accounts import audit
from accounts.models import Membership
from provisioning import roles
from provisioning.entries import known_ids
from provisioning.models import DirectoryGroup
from provisioning.problems import DirectoryFull, InvalidValue

MOST_GROUPS = 5_000  # of an organization


def groups_of(by: Membership) -> QuerySet[DirectoryGroup]:
    return DirectoryGroup.objects.in_organization_of(by)


def make_group(by: Membership, name: str, external_id: str, users: Set[UUID]) -> DirectoryGroup:
    """In a transaction that has locked the members. Raises DirectoryFull, and InvalidValue for a user of nobody."""
    if groups_of(by).count() >= MOST_GROUPS:
        raise DirectoryFull
    group = DirectoryGroup.objects.create(organization=by.organization, display_name=name, external_id=external_id)
    audit.record(by, "created", group)
    change_users(by, group, users)
    return group


def change_group(by: Membership, group: DirectoryGroup, name: str, external_id: str, users: Set[UUID]) -> None:
    """In a transaction that has locked the members. Raises LastAdmin and InvalidValue."""
    fields = {"display_name": name, "external_id": external_id}
    changed = [field for field, value in fields.items() if getattr(group, field) != value]
    if changed:
        group.display_name, group.external_id = name, external_id
        group.save()
        audit.record(by, "changed", group, fields=changed)
    change_users(by, group, users)


def change_users(by: Membership, group: DirectoryGroup, users: Set[UUID]) -> None:
    """These and no others. Who comes is promoted before who goes is demoted: an admin is left as long as can be."""
    present = user_ids(group)
    coming, going = users - present, present - users
    if not (coming or going):
        return
    if unknown := coming - known_ids(by, set(coming)):
        said = {"count": len(unknown), "id": min(unknown)}
        raise InvalidValue(
            ngettext(
                "No user of the directory has this id: %(id)s.",
                "%(count)d of these ids are of no user of the directory; one of them is %(id)s.",
                len(unknown),
            )
            % said
        )
    through = DirectoryGroup.users.through
    through.objects.bulk_create(
        [through(directorygroup_id=group.pk, directoryuser_id=one) for one in coming], batch_size=500
    )
    through.objects.filter(directorygroup=group, directoryuser__in=going).delete()
    group.save(update_fields=["updated_at"])
    audit.record(by, "changed", group, fields=["users"], coming=len(coming), going=len(going))
    if group.makes_admins:
        roles.promote(by, coming)
        roles.demote(by, going)


def user_ids(group: DirectoryGroup) -> set[UUID]:
    return set(group.users.order_by().values_list("pk", flat=True))


def delete_group(by: Membership, group: DirectoryGroup) -> None:
    """Raises LastAdmin."""
    audit.record(by, "deleted", group)
    was_mapped, users = group.makes_admins, user_ids(group)
    group.delete()
    if was_mapped:
        roles.demote(by, users)


def map_to_admins(by: Membership, group: DirectoryGroup, makes_admins: bool) -> None:
    """An admin's choice. In a transaction that has locked the members. Raises LastAdmin."""
    group.makes_admins = makes_admins
    group.save(update_fields=["makes_admins", "updated_at"])
    audit.record(by, "changed", group, makes_admins=makes_admins)
    (roles.promote if makes_admins else roles.demote)(by, user_ids(group))

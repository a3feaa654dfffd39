"""Who belongs to an organization and as what: an organization always keeps an admin."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.models import Membership, Organization
from accounts.problems import Problem
from accounts.tenancy.scope import system_scope


class LastAdmin(Problem):
    status_code = 409
    code = "last_admin"
    default_detail = _("The organization would be left without an admin. Make somebody else an admin first.")


def change_role(member: Membership, role: str, by: Membership) -> None:
    """Make a member an admin or back. Raises LastAdmin."""
    with keeping_an_admin(by):
        Membership.objects.filter(pk=member.pk).update(role=role)
        audit.record(by, "changed", member, role=role)


def change_active(member: Membership, is_active: bool, by: Membership) -> None:
    """Switch a membership off, so that from the next request on it opens nothing, or on again with all that it had.
    Raises LastAdmin."""
    with keeping_an_admin(by):
        Membership.objects.filter(pk=member.pk).update(is_active=is_active)
        audit.record(by, "activated" if is_active else "deactivated", member)


def end_membership(member: Membership, by: Membership) -> None:
    """End a membership: its API keys go with it, and its next retrieval finds nothing. Raises LastAdmin."""
    with keeping_an_admin(by):
        audit.record(by, "removed", member, role=member.role)
        with system_scope():  # the member's keys and replies go with it
            Membership.objects.filter(pk=member.pk).delete()


def directory_of(organization: Organization) -> Membership:
    """In whose name an organization's directory acts: an admin's, of nobody, and never saved."""
    return Membership(organization=organization, role=Membership.Role.ADMIN)


def lock_members(by: Membership) -> None:
    """Until the transaction ends, others that change members of the organization wait."""
    Organization.objects.select_for_update().get(pk=by.organization_id)


@contextmanager
def keeping_an_admin(by: Membership) -> Iterator[None]:
    """Undo what is done inside when no active admin is left; changes of one organization wait for each other."""
    with transaction.atomic():
        lock_members(by)
        yield
        if not Membership.objects.in_organization_of(by).active().filter(role=Membership.Role.ADMIN).exists():
            raise LastAdmin

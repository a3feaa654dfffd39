"""Whoever was removed from every organization: what was their own there is still theirs, to take along and to erase.

They act through a membership that is never saved, as operators do, in a scope that ends with the page: only pages that
ask for what is one's own may be reached so.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from accounts.identity.provided import needs_provider
from accounts.models import Membership, Organization, User
from accounts.problems import NotFound
from accounts.tenancy.scope import system_scope, tenant_scope
from chat.models import Conversation, Export, Project
from corpora.models import Corpus

OWNED = (Corpus, Conversation, Project, Export)


@system_scope()  # a person without an organization has no rows in any
def former_organizations(user: User) -> list[Organization]:
    """Where things of theirs are left, and they are no member any more, or switched off: a member takes along what is
    their own as a member, by a session that opens it."""
    left: set[UUID] = set()
    for model in OWNED:
        left.update(model._base_manager.filter(owner_id=user.pk).values_list("organization_id", flat=True))
    mine = user.memberships.select_related("user", "organization")
    left -= {one.organization_id for one in mine if one.is_active or needs_provider(one)}
    return list(Organization.objects.filter(pk__in=left).order_by("name", "pk"))


@contextmanager
def as_former_member(user: User, wanted: str) -> Iterator[Membership]:
    """Of the organization with this id, or of the first; of none where nothing is left. Raises NotFound."""
    found = former_organizations(user)
    chosen = [one for one in found if not wanted or str(one.pk) == wanted]
    if wanted and not chosen:
        raise NotFound
    if not chosen:
        yield Membership(user=user)
        return
    with tenant_scope(chosen[0].pk, user.pk):
        yield Membership(user=user, organization=chosen[0])

"""An agent by what a caller names it with: its id or its slug."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.text import slugify

from accounts.models import Membership
from accounts.problems import NotFound
from agents.models import Agent
from config.prepared import Prepared


def agent_for(membership: Membership, reference: str) -> Agent:
    """An agent by id or slug, among those the caller may see. Raises NotFound."""
    if "\0" in reference:  # PostgreSQL refuses to look for it
        raise NotFound
    try:
        found = _with_id(organization=membership.organization_id, pk=UUID(reference))
    except ValueError:
        found = _with_slug(organization=membership.organization_id, slug=reference)
    if not found or not (found[0].is_active or membership.is_admin):
        raise NotFound
    return found[0]


def agent_in_role(membership: Membership, role: str) -> Agent:
    """The agent that plays a role, as clients of an information layer name it ("coder", "Technical interviewer"): a
    role is an agent's slug, or the name that the slug is made of. Raises NotFound."""
    try:
        return agent_for(membership, role)
    except NotFound:
        return agent_for(membership, slugify(role))


def agents_named(organization: UUID, **named: Any) -> QuerySet[Agent]:
    return Agent.objects.filter(organization_id=organization, **named).order_by()


_with_id = Prepared(lambda **named: agents_named(**named))
_with_slug = Prepared(lambda **named: agents_named(**named))

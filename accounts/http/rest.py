"""Typed access to what DRF puts on a request."""

from rest_framework.request import Request

from accounts.models import Membership
from accounts.problems import AdminRequired


def membership_of(request: Request) -> Membership:
    """The membership that asks. `IsMember` guarantees that there is one."""
    assert isinstance(request.auth, Membership)
    return request.auth


def admin_of(request: Request) -> Membership:
    """The membership that asks, when it is an admin's; a 403 problem otherwise."""
    membership = membership_of(request)
    if not membership.is_admin:
        raise AdminRequired
    return membership

"""What every template knows of who asks."""

from functools import partial
from typing import Any

from django.http import HttpRequest

from accounts.http.principal import membership_of_session, memberships_of


def membership_context(request: HttpRequest) -> dict[str, Any]:
    """Template context: the active membership, and on demand all that the person has."""
    membership = membership_of_session(request) if hasattr(request, "user") else None
    return {
        "membership": membership,
        "memberships": partial(memberships_of, request, membership.user) if membership else (),
    }

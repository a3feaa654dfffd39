"""From a request to the membership that asks, for every kind of view."""

from typing import Any

from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware

from accounts import keys
from accounts.models import Membership, User
from accounts.problems import Problem, Unauthenticated

SESSION_ORGANIZATION = "organization_id"


def membership_of_session(request: HttpRequest) -> Membership | None:
    """The signed-in user's active membership: the organization chosen in the session, else the oldest one."""
    user = request.user
    if not isinstance(user, User) or not user.is_active:
        return None
    if not hasattr(request, "_membership"):
        mine = user.memberships.select_related("user", "organization")
        chosen = request.session.get(SESSION_ORGANIZATION)
        request._membership = (  # type: ignore[attr-defined]  # a per-request memo, as Django does for users
            mine.filter(organization_id=chosen).first() if chosen else None
        ) or mine.first()
    return request._membership  # type: ignore[attr-defined, no-any-return]


def bearer_of(request: HttpRequest) -> str | None:
    """The API key of the request, or None. A request with a key never looks at cookies (R22)."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


class _CsrfCheck(CsrfViewMiddleware):
    def _reject(self, request: HttpRequest, reason: str) -> Any:
        return reason


def enforce_csrf(request: HttpRequest) -> None:
    """Raise a 403 problem when a session request lacks a valid CSRF token."""

    def unused(_request: HttpRequest) -> Any:
        return None

    check = _CsrfCheck(unused)
    check.process_request(request)
    if reason := check.process_view(request, unused, (), {}):
        raise CsrfFailed(str(reason))


class CsrfFailed(Problem):
    status_code = 403
    code = "csrf_failed"


def principal_of(request: HttpRequest) -> Membership:
    """The membership that asks, by key or by session, for views outside DRF. Raises a 401 or 403 problem."""
    if (secret := bearer_of(request)) is not None:
        membership = keys.membership_of_key(secret)
    else:
        membership = membership_of_session(request)
        if membership and request.method not in ("GET", "HEAD", "OPTIONS"):
            enforce_csrf(request)
    if membership is None:
        raise Unauthenticated
    return membership

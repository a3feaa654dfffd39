"""From a request to the membership that asks, for every kind of view."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth import get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.functional import SimpleLazyObject

from accounts import keys
from accounts.identity.places import ip_of
from accounts.identity.provided import may_open, provided_organization
from accounts.identity.second_factor import require_second_factor
from accounts.models import Membership, User
from accounts.problems import Problem, Unauthenticated
from accounts.tenancy.scope import become_member, become_person, system_scope

SESSION_ORGANIZATION = "organization_id"


class SignedIn(AuthenticationMiddleware):
    """Django's `request.user`, looked up in the system's name: the session says who asks, nothing else does yet."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: user_of(request))  # type: ignore[assignment]  # as Django does


def user_of(request: HttpRequest) -> Any:
    """The session's user, or an anonymous one. From here on the request is that person's."""
    with system_scope():
        user = get_user(request)
    if isinstance(user, User) and user.is_superuser and provided_organization(request):
        return AnonymousUser()  # an organization's provider vouches for no operator
    if user.pk:
        become_person(user.pk)
    return user


def membership_of_session(request: HttpRequest) -> Membership | None:
    """The signed-in user's active membership: the organization chosen in the session, else the oldest one; of those
    alone that this session may open.

    From here on the request is that member's.
    """
    user = request.user
    if not isinstance(user, User) or not user.is_active:
        return None
    if not hasattr(request, "_membership"):
        mine = user.memberships.active().select_related("user", "organization")
        chosen = request.session.get(SESSION_ORGANIZATION)
        with system_scope():
            found = _opened(request, mine.filter(organization_id=chosen)[:1]) if chosen else None
            found = found or _opened(request, mine)
        request._membership = found  # type: ignore[attr-defined]  # a per-request memo, as Django does for users
        if found:
            become_member(found.organization_id, found.user_id, is_admin=found.is_admin)
    return request._membership  # type: ignore[attr-defined, no-any-return]


def _opened(request: HttpRequest, memberships: Iterable[Membership]) -> Membership | None:
    found = next((one for one in memberships if may_open(request, one)), None)
    if found:
        found.is_signed_on = provided_organization(request) is not None
    return found


def memberships_of(request: HttpRequest, user: User) -> list[Membership]:
    """All of a person's that this session may open, each with its organization: of those that are not chosen, a
    member's session shows nothing."""
    with system_scope():
        return [
            one for one in user.memberships.active().select_related("user", "organization") if may_open(request, one)
        ]


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
        membership = keys.membership_of_key(secret, ip_of(request))
    elif membership := membership_of_session(request):
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            enforce_csrf(request)
        require_second_factor(membership)
    if membership is None:
        raise Unauthenticated
    return membership

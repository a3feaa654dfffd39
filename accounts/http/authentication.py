"""DRF's view of who asks. `request.auth` is always the Membership, `request.user` its user."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts import keys
from accounts.http.principal import bearer_of, enforce_csrf, membership_of_session
from accounts.identity.places import ip_of
from accounts.identity.second_factor import require_second_factor
from accounts.models import Membership, User
from accounts.problems import Unauthenticated

if TYPE_CHECKING:
    from rest_framework.views import APIView

Credentials = tuple[User, Membership] | None


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <API key>`. A wrong key is a 401 even when a session would do."""

    def authenticate(self, request: Request) -> Credentials:
        secret = bearer_of(request._request)
        if secret is None:
            return None
        membership = keys.membership_of_key(secret, ip_of(request._request))
        if membership is None:
            raise Unauthenticated
        return membership.user, membership

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class MembershipSessionAuthentication(BaseAuthentication):
    """The session cookie with CSRF, under the active membership."""

    def authenticate(self, request: Request) -> Credentials:
        membership = membership_of_session(request._request)
        if membership is None:
            return None
        enforce_csrf(request._request)
        require_second_factor(membership)
        return membership.user, membership


class IsMember(BasePermission):
    """Deny by default: only a membership may call the API."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        return isinstance(request.auth, Membership)


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # drf-spectacular registers it untyped
    """How the OpenAPI schema describes API keys."""

    target_class = ApiKeyAuthentication
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # drf-spectacular registers it untyped
    """How the OpenAPI schema describes the session cookie."""

    target_class = MembershipSessionAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}

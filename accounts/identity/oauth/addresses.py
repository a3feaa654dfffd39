"""The names that the protocol has for us: who gives tokens out, and what they are for."""

from django.conf import settings
from django.http import Http404, HttpRequest
from django.urls import reverse


def issuer_of(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")


def resource_of(request: HttpRequest) -> str:
    """What a token is good for: `/mcp`, at the host that is asked."""
    return request.build_absolute_uri(reverse("mcp"))


def is_for_mcp(request: HttpRequest, resources: list[str]) -> bool:
    """Whether a program asks for nothing but `/mcp` (RFC 8707); a slash behind it changes nothing, nor does silence."""
    return all(one.rstrip("/") == resource_of(request) for one in resources if one)


def challenge_of(request: HttpRequest, is_wrong: bool) -> str:
    """What a 401 at `/mcp` says: where to ask how to get in (RFC 9728), and whether something was wrong with what was
    shown (RFC 6750)."""
    said = ['error="invalid_token"'] if is_wrong else []
    if settings.MCP_OAUTH:
        said.append(f'resource_metadata="{request.build_absolute_uri(reverse("oauth-resource"))}"')
    return f"Bearer {', '.join(said)}".strip()


def require_oauth() -> None:
    """Raises Http404 where the installation is without it."""
    if not settings.MCP_OAUTH:
        raise Http404

"""What programs ask without a browser: where things are, to be registered, for tokens, and to give them back."""

from collections.abc import Callable
from functools import wraps
from ipaddress import IPv6Address, ip_address, ip_network

from allauth.core.internal import ratelimit
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST
from oauth2_provider.oauth2_backends import OAuthLibCore

from accounts.http.bodies import JSONParser, json_of
from accounts.identity.oauth.addresses import is_for_mcp, issuer_of, require_oauth, resource_of
from accounts.identity.oauth.registration import LONGEST_BODY, Refused, register_program, registered_as
from accounts.identity.places import ip_of
from accounts.problems import Problem
from accounts.tenancy.scope import system_scope

REGISTRATIONS = {"oauth_registration": "20/h/key"}
LONGEST_VALUE = 2_000  # characters of one that is sent for tokens
Endpoint = Callable[[HttpRequest], HttpResponse]


class AsGranted(OAuthLibCore):  # type: ignore[misc]  # the toolkit ships no type information
    """Tokens are for the resource that the code was for: what is asked for here was compared, and is passed on to
    nobody who would read it again, more strictly or with an error of Python's."""

    def extract_body(self, request: HttpRequest) -> list[tuple[str, str]]:
        return [(name, value) for name, value in super().extract_body(request) if name != "resource"]


def open_to_programs(view: Endpoint) -> Endpoint:
    """Nobody's session counts, so nothing is asked of one; it is the code or token that opens. Not there without
    MCP_OAUTH."""

    @csrf_exempt
    @wraps(view)
    def answered(request: HttpRequest) -> HttpResponse:
        require_oauth()
        return view(request)

    return answered


def failure(error: str, description: str, status: int = 400, **headers: str) -> JsonResponse:
    said = {"error": error, "error_description": description}
    return JsonResponse(said, status=status, headers=headers)


@open_to_programs
@require_GET
def protected_resource(request: HttpRequest) -> HttpResponse:
    """RFC 9728."""
    return JsonResponse(
        {
            "resource": resource_of(request),
            "authorization_servers": [issuer_of(request)],
            "scopes_supported": ["mcp"],
            "bearer_methods_supported": ["header"],
            "resource_name": "Acervo",
        }
    )


@open_to_programs
@require_GET
def authorization_server(request: HttpRequest) -> HttpResponse:
    """RFC 8414."""
    return JsonResponse(
        {
            "issuer": issuer_of(request),
            "authorization_endpoint": request.build_absolute_uri(reverse("oauth-authorize")),
            "token_endpoint": request.build_absolute_uri(reverse("oauth-token")),
            "registration_endpoint": request.build_absolute_uri(reverse("oauth-register")),
            "revocation_endpoint": request.build_absolute_uri(reverse("oauth-revoke")),
            "scopes_supported": ["mcp"],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
    )


@open_to_programs
@require_POST
def registration(request: HttpRequest) -> HttpResponse:
    """RFC 7591, open to anybody and limited for each address: who may come in is said on the consent page."""
    place = network_of(ip_of(request))
    if not ratelimit.consume(request, app="acervo", action="oauth_registration", key=place, config=REGISTRATIONS):
        return failure("temporarily_unavailable", "Too many programs were registered.", 429, **{"Retry-After": "3600"})
    try:
        is_small = request.content_type == JSONParser.media_type and len(request.body) <= LONGEST_BODY
        said = json_of(request.body) if is_small else None
    except (ValueError, Problem):
        said = None
    if not isinstance(said, dict):
        return failure("invalid_client_metadata", f"A JSON object of at most {LONGEST_BODY} bytes is wanted.")
    try:
        with system_scope():
            client = register_program(said)
    except Refused as refused:
        return failure(refused.error, refused.description)
    return JsonResponse(registered_as(client), status=201)


def network_of(address: str | None) -> str:
    """Of IPv6 whoever has one address has 2^64; but an address of IPv4 within one of IPv6 is one of IPv4."""
    found = ip_address(address) if address else None
    if isinstance(found, IPv6Address) and not found.ipv4_mapped:
        return str(ip_network((found, 64), strict=False))
    return str(getattr(found, "ipv4_mapped", None) or found or "")


@open_to_programs
@require_POST
def token(request: HttpRequest) -> HttpResponse:
    return _asked(request, "create_token_response")


@open_to_programs
@require_POST
def revocation(request: HttpRequest) -> HttpResponse:
    """RFC 7009. Whatever is sent, the answer tells nothing of what there is."""
    return _asked(request, "create_revocation_response")


@system_scope()  # the code or token is the credential
def _asked(request: HttpRequest, question: str) -> HttpResponse:
    """A refusal is an answer, not an exception: what it ended stays ended."""
    if request.META.get("QUERY_STRING"):
        return failure("invalid_request", "What is asked stands in the body, nothing in the address.")
    if any("\0" in value or len(value) > LONGEST_VALUE for value in request.POST.values()):
        return failure("invalid_request", "A value is too long, or no text.")
    if not is_for_mcp(request, request.POST.getlist("resource")):
        return failure("invalid_target", "Tokens are for /mcp alone.")
    with transaction.atomic():
        _url, headers, body, status = getattr(AsGranted(), question)(request)
    return HttpResponse(body or "", status=status, headers={"Content-Type": "application/json", **headers})

"""Programs by OAuth: the page that asks whether one may come in, and the list of those that may."""

import re
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauthlib.common import add_params_to_uri
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error, InvalidRequestError

from accounts.http.middleware import POLICY
from accounts.http.principal import memberships_of
from accounts.identity.oauth import grants
from accounts.identity.oauth.addresses import is_for_mcp, issuer_of, require_oauth, resource_of
from accounts.identity.oauth.registration import is_local, is_redirect_address, origin_of
from accounts.identity.oauth.rows import OAuthClient
from accounts.identity.second_factor import lacks_second_factor
from accounts.models import Membership, User
from accounts.pages.access import member_page, slice_of
from accounts.tenancy.scope import system_scope

CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")  # a SHA-256 in base64 (RFC 7636, section 4.2)


class AddressAlone(OAuthLibCore):  # type: ignore[misc]  # the toolkit ships no type information
    """Reads what is asked from the address, which the person was shown; oauthlib would let the form's fields win."""

    def extract_body(self, request: HttpRequest) -> list[tuple[str, str]]:
        return []


@require_GET
@member_page
def programs(request: HttpRequest, membership: Membership) -> HttpResponse:
    return render(request, "accounts/programs.html", {"grants": slice_of(grants.grants_of(membership), request)})


@require_POST
@member_page
def program_revoke(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    grants.end_grant(get_object_or_404(membership.oauth_grants, pk=pk), membership)
    messages.success(request, _("The program is no longer let in."))
    return redirect("programs")


@require_http_methods(["GET", "POST"])
@member_page
def authorize(request: HttpRequest, membership: Membership) -> HttpResponse:
    """RFC 6749, section 4.1.1. The address says everything that is asked; the form, only what is answered. To an
    address that the program has not registered, nobody is ever sent; and before they have answered, to none but a
    program on their own computer (RFC 9700, section 4.11.2: anybody registers, so a link would lead anywhere)."""
    require_oauth()
    try:
        scopes, asked = checked_request(request)
        if request.method == "POST" and "organization" in request.POST:
            return HttpResponseRedirect(callback_of(request, scopes, asked))
    except FatalClientError:
        return render(request, "accounts/program_refused.html", status=400)
    except OAuthToolkitError as refused:
        if request.method == "GET" and not is_local(refused.oauthlib_error.redirect_uri):
            return render(request, "accounts/program_refused.html", status=400)
        return HttpResponseRedirect(with_issuer(request, refused.oauthlib_error))
    return consent_page(request, membership, asked)


def consent_page(request: HttpRequest, membership: Membership, asked: dict[str, Any]) -> HttpResponse:
    origin = origin_of(asked["redirect_uri"])
    client = client_of(asked)
    context = {
        "client": client,
        "host": urlsplit(origin).netloc,
        "is_local": is_local(origin),
        "memberships": open_in(request),
        "chosen": membership,
    }
    page = render(request, "accounts/program_consent.html", context)
    page.headers["Content-Security-Policy"] = POLICY.replace("form-action 'self'", f"form-action 'self' {origin}")
    return page


def open_in(request: HttpRequest) -> list[Membership]:
    """Where the person may let a program in: what this session opens, but where a second factor is asked for and not
    there."""
    return [one for one in memberships_of(request, cast(User, request.user)) if not lacks_second_factor(one)]


@system_scope()  # a program belongs to no organization
def checked_request(request: HttpRequest) -> tuple[list[str], dict[str, Any]]:
    """Raises FatalClientError for what must not be answered by a redirection, OAuthToolkitError for other faults."""
    address = request.GET.get("redirect_uri")
    if address is not None and not is_redirect_address(address):  # of loopback the toolkit reads no port
        raise FatalClientError
    try:
        scopes, asked = AddressAlone().validate_authorization_request(request)
    except ValueError as error:  # oauthlib's, where the address has a percent sign with no digits behind it
        raise FatalClientError from error
    asked["resource"] = [resource_of(request)]
    if asked.get("code_challenge_method") != "S256" or not CHALLENGE.fullmatch(asked["code_challenge"]):
        raise_fault(asked, InvalidRequestError(description="PKCE with S256 is required."))
    if request.GET.get("response_mode", "query") != "query":
        raise_fault(asked, InvalidRequestError(description="The answer goes into the query."))
    if not is_for_mcp(request, request.GET.getlist("resource")):
        raise_fault(asked, CustomOAuth2Error(error="invalid_target", description="Tokens are for /mcp alone."))
    return list(scopes), asked


def raise_fault(asked: dict[str, Any], error: Any) -> None:
    error.state = asked.get("state")
    raise OAuthToolkitError(error=error, redirect_uri=asked["redirect_uri"])


def callback_of(request: HttpRequest, scopes: list[str], asked: dict[str, Any]) -> str:
    """Where the browser goes with the answer. Raises Http404 for an organization that is not the person's own, or not
    open to them now; OAuthToolkitError where it is a refusal."""
    allowed = request.POST.get("answer") == "allow"
    if allowed:
        asked["grant"] = grants.let_in(chosen_membership(request), client_of(asked))
    with system_scope():
        return str(AddressAlone().create_authorization_response(request, scopes, asked, allowed)[0])


def chosen_membership(request: HttpRequest) -> Membership:
    own = {str(one.pk): one for one in open_in(request)}
    if (chosen := own.get(request.POST.get("organization", ""))) is None:
        raise Http404
    return chosen


@system_scope()
def client_of(asked: dict[str, Any]) -> OAuthClient:
    return OAuthClient.objects.get(client_id=asked["client_id"])


def with_issuer(request: HttpRequest, error: Any) -> str:
    """A refusal names who refuses, as an answer does (RFC 9207)."""
    return str(add_params_to_uri(error.redirect_uri, [*error.twotuples, ("iss", issuer_of(request))]))

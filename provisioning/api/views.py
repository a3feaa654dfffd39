"""From a request to SCIM and back: who asks, how often, in which words an answer is given.

The room behind it, with the library of SCIM's schemas, is entered with the first request: it takes half a second.
"""

from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from django.utils.log import log_response
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from accounts.http.bodies import TooManyParts, json_of
from accounts.http.principal import bearer_of
from accounts.identity.places import ip_of
from accounts.limits import reserving
from accounts.members import directory_of
from accounts.models import Membership
from accounts.problems import Malformed, MethodNotAllowed, Problem, Unauthenticated, UnsupportedMediaType, problem_for
from provisioning.models import DirectoryToken
from provisioning.problems import NotOffered, TooMany
from provisioning.tokens import token_of

CONTENT_TYPE = "application/scim+json"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
TAKEN = (CONTENT_TYPE, "application/json")
ROWS = ("Users", "Groups")
OF_MANY, OF_ONE, DESCRIBED = ("GET", "POST"), ("GET", "PUT", "PATCH", "DELETE"), ("GET",)
NOT_OFFERED = (".search", "Me", "Bulk")
LONGEST_DETAIL = 300


@csrf_exempt  # no cookie opens anything here
def scim(request: HttpRequest, kind: str, pk: str = "") -> HttpResponse:
    try:
        return answer_scim(request, kind, pk)
    except Exception as error:
        if (problem := problem_for(error)) is None:
            raise
        refusal = scim_refusal(problem)
        if isinstance(problem, NotOffered):  # 501, and no fault of this server's, as which Django would log it
            said = (refusal.reason_phrase, request.path)
            log_response("%s: %s", *said, response=refusal, request=request, level="warning")
        return refusal


def answer_scim(request: HttpRequest, kind: str, pk: str) -> HttpResponse:
    if pk.rpartition("/")[2] in NOT_OFFERED:
        directory_that_asks(request)  # nobody else makes this server say that it cannot
        raise NotOffered
    allowed = (OF_ONE if pk else OF_MANY) if kind in ROWS else DESCRIBED
    if request.method not in allowed:
        raise MethodNotAllowed(headers={"Allow": ", ".join(allowed)})
    by = directory_that_asks(request)
    from provisioning.api import dispatching

    status, told, headers = dispatching.dispatch(request, by, kind, pk, scim_body(request))
    content = orjson.dumps(told) if told is not None else b""
    return HttpResponse(content, status=status, headers=headers, content_type=CONTENT_TYPE)


def directory_that_asks(request: HttpRequest) -> Membership:
    """In whose name the request acts, when it brings a token of a directory. Sessions and API keys are none."""
    token = token_of(bearer_of(request) or "", ip_of(request))
    if token is None:
        raise Unauthenticated(_("Send a token of the organization's directory as 'Authorization: Bearer …'."))
    count_request(token)
    return directory_of(token.organization)


def count_request(token: DirectoryToken) -> None:
    """By the limit of writes: the token is who is counted, beside its organization. Raises QuotaExceeded."""
    counted = Membership(organization=token.organization, user_id=token.pk)
    counted._state.adding = False
    reserving.reserve(counted, writes=1)


def scim_body(request: HttpRequest) -> dict[str, Any]:
    """Only now, when it is known who asks."""
    if request.method not in ("POST", "PUT", "PATCH"):
        return {}
    if request.content_type not in TAKEN:
        raise UnsupportedMediaType
    try:
        found = json_of(request.body)
    except TooManyParts:
        raise TooMany from None
    except ValueError:
        raise Malformed from None
    if not isinstance(found, dict):
        raise Malformed
    return found


def scim_refusal(problem: Problem) -> HttpResponse:
    """RFC 7644 §3.12."""
    told = {"schemas": [ERROR], "status": str(problem.status_code), "detail": str(problem.detail)[:LONGEST_DETAIL]}
    kind = getattr(problem, "scim_type", "invalidSyntax" if isinstance(problem, Malformed) else "")
    headers = dict(problem.headers)
    if problem.status_code == Unauthenticated.status_code:
        headers["WWW-Authenticate"] = "Bearer"
    content = orjson.dumps({**told, **({"scimType": kind} if kind else {})})
    return HttpResponse(content, status=problem.status_code, headers=headers, content_type=CONTENT_TYPE)

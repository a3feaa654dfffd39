"""`/mcp`: what the API offers, as the Model Context Protocol has it: for programs whose model calls it (docs/mcp.md).

Every request is complete by itself and answered whole, so any process answers it and none keeps a session: streamable
HTTP as the revision of 2026-07-28 has it, and as clients of the revisions before it are served without a session.
"""

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.types import OpenApiTypes

from accounts.http.bodies import JSONParser, json_of
from accounts.http.openapi import described, problems
from accounts.http.principal import bearer_of, principal_of
from accounts.identity.oauth.addresses import challenge_of, resource_of
from accounts.identity.oauth.credentials import ACCESS_PREFIX
from accounts.identity.oauth.grants import membership_of_token
from accounts.identity.places import ip_of
from accounts.models import Membership
from accounts.problems import MethodNotAllowed, Unauthenticated, UnsupportedMediaType, answering_problems
from config.concurrency.threads import in_thread

REFUSED = (400, 404, 406)
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
ERRORS = {(status, "application/json"): OpenApiTypes.OBJECT for status in REFUSED}  # as JSON-RPC has them


class NoMessage(Exception):
    """As JSON-RPC says it where nobody can know which request it was."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.told = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": sentence}}


@described(
    "POST",
    request=OpenApiTypes.OBJECT,
    responses={200: OpenApiTypes.OBJECT, 202: None, **ERRORS, **problems(*REFUSED)},
)
@csrf_exempt  # `principal_of` enforces CSRF for sessions; keys and tokens ignore cookies (RELIABILITY R22)
@answering_problems
async def mcp(request: HttpRequest) -> HttpResponseBase:
    """One message. There is nothing to listen to (GET) and no session to end (DELETE)."""
    if request.method != "POST":
        raise MethodNotAllowed(headers={"Allow": "POST"})
    membership = await in_thread(caller_of, request)
    try:
        body = await in_thread(message_of, request)
    except NoMessage as refused:
        return JsonResponse(refused.told, status=400)
    exchange = await in_thread(loaded_exchange)
    return await exchange(request, body, membership)


def caller_of(request: HttpRequest) -> Membership:
    """By an API key, by a token that the person let the program have for this address, or by session. Raises a 401
    that says where to ask for a token, or a 403 problem."""
    secret = bearer_of(request) or ""
    try:
        if not (settings.MCP_OAUTH and secret.startswith(ACCESS_PREFIX)):
            return principal_of(request)
        if (membership := membership_of_token(secret, resource_of(request), ip_of(request))) is None:
            raise Unauthenticated
    except Unauthenticated:
        raise Unauthenticated(headers={"WWW-Authenticate": challenge_of(request, is_wrong=bool(secret))}) from None
    return membership


def message_of(request: HttpRequest) -> bytes:
    """What everywhere else is refused is refused here: another type, too much, too deep, texts that nobody can keep.
    What is no JSON, or no message, does not reach the SDK: it would read more (NaN, halves of pairs), and look for what
    is wrong with a megabyte of something else for seconds. Raises NoMessage and problems."""
    if request.content_type != JSONParser.media_type:
        raise UnsupportedMediaType
    try:
        found = json_of(request.body)
    except ValueError:
        raise NoMessage(PARSE_ERROR, "This is no JSON.") from None
    if isinstance(found, list):
        raise NoMessage(INVALID_REQUEST, "Send one message at a time: batches are not taken.")
    if not is_message(found):
        raise NoMessage(INVALID_REQUEST, "This is no message of JSON-RPC 2.0.")
    return request.body


def is_message(found: Any) -> bool:
    """A request or a notification of JSON-RPC, whatever it asks for."""
    if not isinstance(found, dict) or found.get("jsonrpc") != "2.0":
        return False
    kinds = ((found.get("method"), str), (found.get("id", ""), str | int), (found.get("params", {}), dict))
    return all(isinstance(value, kind) for value, kind in kinds)


@cache
def loaded_exchange() -> Callable[[HttpRequest, bytes, Membership], Awaitable[HttpResponseBase]]:
    """The SDK takes a second to load and 27 MB, and every command and worker loads the views: at the first message."""
    from chat.api.mcp.exchange import exchange

    return exchange

"""The authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, 3.1; RFC 7636, 9207, 9700).

What a browser was sent away with waits in its own session, once and for ten minutes.
"""

import base64
import hashlib
import secrets
import time
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote_plus, urlencode

from sign_on.models import IdentityProvider
from sign_on.problems import ProviderFailed, SignOnRefused, TokenRefused
from sign_on.provider.discovery import Endpoints, endpoints_of
from sign_on.provider.fetching import fetch_object
from sign_on.provider.tokens import believed_claims
from tools.sealing import SealLost

SCOPES = "openid email profile"
LONGEST_CODE = 4096
WAITS_SECONDS = 600


class Leaving(NamedTuple):
    """What is kept of a browser that goes to the provider, and where it goes."""

    state: str
    kept: dict[str, Any]
    url: str


def leave(provider: IdentityProvider, callback: str, then: str, address: str = "") -> Leaving:
    """`then` is where to go after the sign-in; `address` what the person has typed, for the provider's form. Raises
    ProviderFailed."""
    endpoints = endpoints_of(provider.issuer)
    state, nonce, verifier = (secrets.token_urlsafe(32) for _each in range(3))
    asked = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": callback,
        "scope": SCOPES,
        "state": state,
        "nonce": nonce,
        "code_challenge": _challenge(verifier),
        "code_challenge_method": "S256",
        **({"login_hint": address} if address else {}),
    }
    mark = "&" if "?" in endpoints.authorization else "?"
    kept = {
        "provider": str(provider.pk),
        "issuer": provider.issuer,
        "nonce": nonce,
        "verifier": verifier,
        "then": then,
        "began": time.time(),
    }
    return Leaving(state, kept, f"{endpoints.authorization}{mark}{urlencode(asked)}")


def come_back(
    provider: IdentityProvider, kept: Mapping[str, Any], answered: Mapping[str, str], callback: str
) -> dict[str, Any]:
    """The claims about who has signed in there. `kept` is of the browser that left, `answered` the query that it came
    back with. Raises SignOnRefused."""
    if kept["provider"] != str(provider.pk) or kept["issuer"] != provider.issuer:
        raise SignOnRefused("state")
    if not 0 <= time.time() - kept["began"] < WAITS_SECONDS:
        raise SignOnRefused("too_late")
    endpoints = endpoints_of(provider.issuer)
    if answered.get("iss", "" if endpoints.names_issuer else provider.issuer) != provider.issuer:
        raise SignOnRefused("other_issuer")
    if "error" in answered:
        raise SignOnRefused("denied" if answered["error"] == "access_denied" else "provider_error")
    code = answered.get("code", "")
    if not 0 < len(code) <= LONGEST_CODE:
        raise SignOnRefused("state")
    told = _exchange_code(provider, endpoints, code, kept["verifier"], callback)
    claims = believed_claims(
        told.get("id_token"), provider.issuer, endpoints.jwks, provider.client_id, nonce=kept["nonce"]
    )
    return _completed(provider, endpoints, claims, told.get("access_token"))


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _exchange_code(
    provider: IdentityProvider, endpoints: Endpoints, code: str, verifier: str, callback: str
) -> dict[str, Any]:
    try:
        secret = provider.open_secret()
    except SealLost:
        raise ProviderFailed("no_secret") from None
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": callback, "code_verifier": verifier}
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    if "client_secret_post" in endpoints.methods and "client_secret_basic" not in endpoints.methods:
        form |= {"client_id": provider.client_id, "client_secret": secret}
    else:  # what stands where nothing is said (RFC 8414, 2); both parts are form-encoded first (RFC 6749, 2.3.1)
        pair = f"{quote_plus(provider.client_id)}:{quote_plus(secret)}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    return fetch_object(provider.issuer, "POST", endpoints.token, headers, urlencode(form).encode())


def _completed(provider: IdentityProvider, endpoints: Endpoints, claims: dict[str, Any], token: Any) -> dict[str, Any]:
    """With what the provider only tells when it is asked for it: of the same person, and nothing that the token has."""
    wanted = {"email", "email_verified", "name", *filter(None, [provider.groups_claim])}
    if wanted <= claims.keys() or not endpoints.userinfo or not _is_bearer(token):
        return claims
    told = fetch_object(provider.issuer, "GET", endpoints.userinfo, {"Authorization": f"Bearer {token}"})
    if told.get("sub") != claims["sub"]:
        raise TokenRefused("claims")
    more = {name: value for name, value in told.items() if name in wanted and name not in claims}
    if "email" in claims:  # the two are about one address
        more.pop("email_verified", None)
    return {**claims, **more}


def _is_bearer(token: Any) -> bool:
    """One that can stand in a line of a request (RFC 6750, 2.1)."""
    return isinstance(token, str) and 0 < len(token) <= 16 * 1024 and token.isascii() and token.isprintable()

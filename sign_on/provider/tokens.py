"""What an ID token must meet before it is believed (OpenID Connect Core 1.0, 3.1.3.7).

django-allauth does not verify a signature in the code flow, knows no nonce, and takes the issuer from the metadata that
it fetched; so the token is judged here, by PyJWT.
"""

from hmac import compare_digest
from typing import Any

import jwt

from sign_on.models import LONGEST_SUBJECT
from sign_on.problems import TokenRefused
from sign_on.provider.discovery import key_of

ALGORITHMS = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
LEEWAY = 60  # seconds that clocks may differ
LONGEST_TOKEN = 64 * 1024
NEEDED = ["iss", "sub", "aud", "exp", "iat"]
LEAST_RSA_BITS = 2048


def believed_claims(token: Any, issuer: str, jwks: str, client_id: str, nonce: str) -> dict[str, Any]:
    """The claims of a token that this issuer signed for this client, in answer to this very request. Raises
    TokenRefused, and ProviderFailed where its key cannot be had."""
    if not isinstance(token, str) or len(token) > LONGEST_TOKEN:
        raise TokenRefused("no_token")
    algorithm, kid = _head(token)
    key = key_of(issuer, jwks, kid)
    if getattr(key.key, "key_size", LEAST_RSA_BITS) < LEAST_RSA_BITS and key.key_type == "RSA":
        raise TokenRefused("signature")
    try:
        claims: dict[str, Any] = jwt.decode(
            token, key.key, [algorithm], {"require": NEEDED}, audience=client_id, issuer=issuer, leeway=LEEWAY
        )
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise TokenRefused(_reason(error)) from None
    _check_party(claims, client_id)
    _check_nonce(claims, nonce)
    _check_subject(claims)
    return claims


def _head(token: str) -> tuple[str, str | None]:
    try:
        head = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise TokenRefused("no_token") from None
    algorithm, kid = head.get("alg"), head.get("kid")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS or not isinstance(kid, str | None):
        raise TokenRefused("algorithm")
    return algorithm, kid


def _reason(error: Exception) -> str:
    if isinstance(error, jwt.ExpiredSignatureError | jwt.ImmatureSignatureError | jwt.InvalidIssuedAtError):
        return "expired"
    if isinstance(error, jwt.InvalidAudienceError):
        return "audience"
    if isinstance(error, jwt.InvalidIssuerError):
        return "issuer"
    return "claims" if isinstance(error, jwt.MissingRequiredClaimError) else "signature"


def _check_party(claims: dict[str, Any], client_id: str) -> None:
    """A token for several is for the one that it names."""
    party, is_for_several = claims.get("azp"), isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if (is_for_several or party is not None) and party != client_id:
        raise TokenRefused("audience")


def _check_nonce(claims: dict[str, Any], nonce: str) -> None:
    told = claims.get("nonce")
    if not isinstance(told, str) or not told.isascii() or not compare_digest(told, nonce):
        raise TokenRefused("nonce")


def _check_subject(claims: dict[str, Any]) -> None:
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
        raise TokenRefused("claims")

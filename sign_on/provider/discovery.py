"""Where a provider's addresses and keys are: its metadata (OpenID Connect Discovery 1.0) and its key set (RFC 7517)."""

from typing import Any, NamedTuple

import jwt
from django.core.cache import cache

from accounts.keys import digest
from sign_on.problems import ProviderFailed
from sign_on.provider.fetching import check_provider_address, fetch_object

PATH = "/.well-known/openid-configuration"
KEPT_SECONDS = 600
ASKED_AGAIN_SECONDS = 60  # a key that is not in the kept set makes it fetched anew, once in this time
MOST_KEYS = 50
OF_KEYS = ("kty", "kid", "use", "alg", "n", "e", "crv", "x", "y")  # RFC 7517, 4; RFC 7518, 6; RFC 8037


class Endpoints(NamedTuple):
    """What is used of a provider's metadata. `userinfo` is empty where there is none."""

    authorization: str
    token: str
    jwks: str
    userinfo: str
    methods: list[str]  # by which a client says who it is
    names_issuer: bool  # whether its answers say who they come from (RFC 9207)


def endpoints_of(issuer: str, *, is_fresh: bool = False) -> Endpoints:
    """Of the very issuer that was asked for: metadata that names another is refused. Raises ProviderFailed."""
    key = kept_name("metadata", issuer)
    told = None if is_fresh else cache.get(key)
    if told is None:
        told = list(_read(issuer, fetch_object(issuer, "GET", issuer.rstrip("/") + PATH)))
        cache.set(key, told, KEPT_SECONDS)
    return Endpoints(*told)


def _read(issuer: str, told: dict[str, Any]) -> Endpoints:
    if told.get("issuer") != issuer:
        raise ProviderFailed("other_issuer")
    urls = [told.get(f"{name}_endpoint") for name in ("authorization", "token", "userinfo")] + [told.get("jwks_uri")]
    authorization, token, userinfo, jwks = (one if isinstance(one, str) else "" for one in urls)
    for url in filter(None, (token, jwks, userinfo)):
        check_provider_address(url)
    if authorization:
        check_provider_address(authorization, is_for_browsers=True)
    if not (authorization and token and jwks):
        raise ProviderFailed("no_endpoints")
    methods = told.get("token_endpoint_auth_methods_supported")
    known = [one for one in methods if _is_plain(one)] if isinstance(methods, list) else []
    names_issuer = told.get("authorization_response_iss_parameter_supported") is True
    return Endpoints(authorization, token, jwks, userinfo, known[:20], names_issuer)


def key_of(issuer: str, url: str, kid: str | None) -> jwt.PyJWK:
    """The key that signs, by its id; without one the only key of the set. Raises ProviderFailed."""
    kept = kept_name("keys", issuer)
    told = cache.get(kept)
    if told is None or (_chosen(told, kid) is None and cache.add(f"{kept}:again", 1, ASKED_AGAIN_SECONDS)):
        told = _keys_of(fetch_object(issuer, "GET", url))
        cache.set(kept, told, KEPT_SECONDS)
    found = _chosen(told, kid)
    if found is None:
        raise ProviderFailed("no_key")
    return found


def _keys_of(told: dict[str, Any]) -> list[dict[str, str]]:
    """What is used of the set; the rest may be what no cache keeps."""
    listed = told.get("keys")
    rows = [one for one in listed[:MOST_KEYS] if isinstance(one, dict)] if isinstance(listed, list) else []
    return [{name: one[name] for name in OF_KEYS if _is_plain(one.get(name))} for one in rows]


def _is_plain(told: Any) -> bool:
    return isinstance(told, str) and told.isascii()


def _chosen(told: list[dict[str, str]], kid: str | None) -> jwt.PyJWK | None:
    rows = [one for one in told if one.get("use", "sig") == "sig" and one.get("kty") != "oct"]
    rows = [one for one in rows if one.get("kid") == kid] if kid is not None else rows
    if len(rows) != 1:
        return None
    try:
        return jwt.PyJWK(rows[0])
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None


def kept_name(what: str, issuer: str) -> str:
    return f"sign_on:{what}:{digest(issuer)}"

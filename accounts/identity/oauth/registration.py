"""What a program says of itself when it registers (RFC 7591), read strictly: everything in it is a stranger's word.

A program is public: it is given no secret, whichever way of proving itself it asks for.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from accounts.identity.oauth.rows import OAuthClient

LONGEST_BODY = 16 * 1024
LONGEST_NAME = 80
LONGEST_ADDRESS = 500
MOST_ADDRESSES = 10
LOOPBACK = ("127.0.0.1", "localhost")
WITHIN_ADDRESS = re.compile(r"[A-Za-z0-9._~:/?@!$&'()*+,;=%-]+")  # RFC 3986, without fragment and brackets
UNSEEN = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs by their category, with nothing to see
HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")


class Refused(Exception):
    """What is wrong, in the words of RFC 7591."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.error, self.description = error, description


def register_program(said: Mapping[str, Any]) -> OAuthClient:
    """Raises Refused."""
    kinds = said.get("grant_types", ["authorization_code"])
    if not isinstance(kinds, list) or "authorization_code" not in kinds:
        raise Refused("invalid_client_metadata", "Only the grant type authorization_code is given here.")
    addresses = redirect_addresses(said.get("redirect_uris"))
    return OAuthClient.objects.create(
        name=displayable(said.get("client_name")),
        redirect_uris=" ".join(addresses),
        client_type=OAuthClient.CLIENT_PUBLIC,
        authorization_grant_type=OAuthClient.GRANT_AUTHORIZATION_CODE,
        client_secret="",
        hash_client_secret=False,
        registration_source=OAuthClient.RegistrationSource.DCR,
    )


def registered_as(client: OAuthClient) -> dict[str, Any]:
    """What was registered, which may be less than was said."""
    return {
        "client_id": client.client_id,
        "client_id_issued_at": int(client.created.timestamp()),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris.split(),
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": "mcp",
    }


def displayable(name: Any) -> str:
    """A line of letters, digits and signs: nothing that moves, hides or turns round what stands beside it."""
    beginning = unicodedata.normalize("NFC", str(name)[: 4 * LONGEST_NAME]) if isinstance(name, str) else ""
    seen = "".join(one for one in beginning if one not in UNSEEN)
    kept = "".join(one if unicodedata.category(one)[0] not in "CMZ" or is_mark(one) else " " for one in seen)
    return " ".join(kept.split())[:LONGEST_NAME].strip()


def is_mark(letter: str) -> bool:
    """One that writes a language (Devanagari's vowels), in contrast to those that pile up on any letter."""
    return unicodedata.category(letter) == "Mc"


def redirect_addresses(said: Any) -> list[str]:
    if not isinstance(said, list) or not 0 < len(said) <= MOST_ADDRESSES:
        raise Refused("invalid_redirect_uri", f"redirect_uris: a list of 1 to {MOST_ADDRESSES} addresses.")
    for address in said:
        if not is_redirect_address(address):
            raise Refused(
                "invalid_redirect_uri",
                "redirect_uris: https, or http to 127.0.0.1 or localhost; no fragment, no user name, plain ASCII.",
            )
    return list(dict.fromkeys(said))


def is_redirect_address(address: Any) -> bool:
    if not isinstance(address, str) or len(address) > LONGEST_ADDRESS or not WITHIN_ADDRESS.fullmatch(address):
        return False
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    if port == 0 or "@" in parts.netloc or not HOST.fullmatch(host):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)


def is_local(address: str) -> bool:
    """Whether an address that was registered is on the computer of whoever is sent there."""
    return address.startswith("http:")


def origin_of(address: str) -> str:
    """Scheme, host and port of an address that was registered: as a policy's `form-action` takes it."""
    parts: SplitResult = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}"

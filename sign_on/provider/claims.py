"""What is read of the claims about somebody. All of it is a provider's text."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

GOOGLE = "https://accounts.google.com"
LONGEST_ADDRESS, LONGEST_NAME = 254, 150
MOST_GROUPS, LONGEST_GROUP = 2_000, 300


class Person(NamedTuple):
    """`address` is empty unless the provider says that it is verified. `groups` is None where it says that there are
    too many to list."""

    subject: str
    address: str
    name: str
    groups: frozenset[str] | None


def person_of(claims: Mapping[str, Any], groups_claim: str) -> Person:
    return Person(
        subject=claims["sub"],
        address=_address(claims) if _is_verified(claims) else "",
        name=_line(claims.get("name")),
        groups=_groups(claims, groups_claim),
    )


def _is_verified(claims: Mapping[str, Any]) -> bool:
    """Said outright: no word about it is no yes. Microsoft says it by `xms_edov`, some say it as text."""
    if claims.get("iss") == GOOGLE and not _is_of_workspace(claims):
        return False
    said = claims.get("email_verified", claims.get("xms_edov"))
    return said is True or said == "true" or (said == 1 and "email_verified" not in claims)


def _is_of_workspace(claims: Mapping[str, Any]) -> bool:
    """Anybody has a Google account with the address of a mailbox that they could read once, and keeps it. For those of
    a Workspace the domain answers, and `hd` says so (Google Identity, "Verify the Google ID token")."""
    return isinstance(claims.get("hd"), str) and claims["hd"] != ""


def _address(claims: Mapping[str, Any]) -> str:
    told = claims.get("email")
    if not isinstance(told, str) or len(told) > LONGEST_ADDRESS or not told.isascii():
        return ""
    try:
        validate_email(told)
    except ValidationError:
        return ""
    return told.lower()


def _line(told: Any) -> str:
    """Printable, without marks of direction, on one line."""
    if not isinstance(told, str):
        return ""
    kept = "".join(one if one.isprintable() else " " for one in told[: 4 * LONGEST_NAME])
    return " ".join(kept.split())[:LONGEST_NAME]


def _groups(claims: Mapping[str, Any], name: str) -> frozenset[str] | None:
    told = claims.get(name) if name else None
    elsewhere = claims.get("_claim_names")  # where Microsoft says that there are more than it lists
    if told is None and isinstance(elsewhere, dict) and name in elsewhere:
        return None
    listed = [told] if isinstance(told, str) else told
    if not isinstance(listed, list):
        return frozenset()
    return frozenset(one for one in listed[:MOST_GROUPS] if isinstance(one, str) and len(one) <= LONGEST_GROUP)

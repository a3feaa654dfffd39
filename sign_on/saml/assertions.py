"""What a response must meet before it is believed (SAML 2.0 Core, 2.3 to 2.7; Profiles, 4.1.4), and what it tells of
somebody, as claims of OpenID Connect (`sign_on.provider.claims`), so that what follows is the same for both."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sign_on.models import LONGEST_SUBJECT, IdentityProvider
from sign_on.problems import SignOnRefused, TokenRefused
from sign_on.saml.certificates import certificates_of
from sign_on.saml.markup import (
    ASSERTION,
    BLANKS,
    PROTOCOL,
    Element,
    children,
    only_child,
    saml_message,
    text_within,
    value_within,
)
from sign_on.saml.signing import signed_assertion

MOST_RESPONSE = 128 * 1024  # bytes; one with 150 groups of Microsoft Entra has 20 KB
SKEW = timedelta(seconds=60)  # that clocks may differ
STATUS = "urn:oasis:names:tc:SAML:2.0:status:"
LEFT_THERE = {f"{STATUS}AuthnFailed", f"{STATUS}RequestDenied"}
FORMAT, OLD_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:", "urn:oasis:names:tc:SAML:1.1:nameid-format:"
TRANSIENT, MAIL = f"{FORMAT}transient", f"{OLD_FORMAT}emailAddress"
BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
KNOWN_CONDITIONS = {f"{ASSERTION}{one}" for one in ("AudienceRestriction", "OneTimeUse", "ProxyRestriction")}
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)")
CLAIMS = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/"
OF_ADDRESS = ("email", "mail", "urn:oid:0.9.2342.19200300.100.1.3", f"{CLAIMS}emailaddress")
OF_NAME = (
    "name", "displayName", "urn:oid:2.16.840.1.113730.3.1.241",
    "http://schemas.microsoft.com/identity/claims/displayname", "cn", "urn:oid:2.5.4.3",
)  # fmt: skip
TOO_MANY_GROUPS = "http://schemas.microsoft.com/claims/groups.link"  # Entra names where they can be asked for


class ExpectedResponse(NamedTuple):
    """Of a response: whom it is for, where it is posted to, what it answers."""

    audience: str
    recipient: str
    request: str


class Told(NamedTuple):
    """Of whom, and by which assertion: its ID."""

    assertion: str
    claims: dict[str, Any]


def believed_response(provider: IdentityProvider, written: bytes, expected: ExpectedResponse) -> Told:
    """Raises SignOnRefused."""
    response = saml_message(written, MOST_RESPONSE)
    _check_response(response, provider, expected)
    assertion = signed_assertion(response, _certificates(provider))
    now = datetime.now(UTC)
    named = assertion.get("ID", "")
    issued = _instant(assertion.get("IssueInstant"))
    if assertion.get("Version") != "2.0" or not named:
        raise TokenRefused("no_xml")
    if issued > now + SKEW:
        raise TokenRefused("stale")
    _check_issuer(only_child(assertion, f"{ASSERTION}Issuer", "other_entity"), provider)
    _check_conditions(only_child(assertion, f"{ASSERTION}Conditions", "stale"), expected.audience, now)
    subject = only_child(assertion, f"{ASSERTION}Subject", "no_subject")
    _check_confirmed(subject, expected, now)
    _check_session(assertion, now)
    return Told(named, _claims(provider, assertion, subject))


def _certificates(provider: IdentityProvider) -> Any:
    try:
        return certificates_of(provider.certificates)
    except ValueError:
        raise TokenRefused("incomplete") from None


def _check_response(response: Element, provider: IdentityProvider, expected: ExpectedResponse) -> None:
    """Where it is not signed this can refuse and nothing else."""
    if response.tag != f"{PROTOCOL}Response" or response.get("Version") != "2.0":
        raise TokenRefused("no_xml")
    if response.get("InResponseTo") != expected.request:
        raise TokenRefused("other_request")
    if response.get("Destination", expected.recipient) != expected.recipient:
        raise TokenRefused("other_recipient")
    for issuer in children(response, f"{ASSERTION}Issuer"):
        _check_issuer(issuer, provider)
    code = only_child(only_child(response, f"{PROTOCOL}Status", "no_xml"), f"{PROTOCOL}StatusCode", "no_xml")
    if code.get("Value") != f"{STATUS}Success":
        inner = {one.get("Value") for one in code.iter(f"{PROTOCOL}StatusCode")}
        raise SignOnRefused("denied" if inner & LEFT_THERE else "provider_error")


def _check_issuer(issuer: Element, provider: IdentityProvider) -> None:
    if text_within(issuer) != provider.issuer or issuer.get("Format", f"{FORMAT}entity") != f"{FORMAT}entity":
        raise TokenRefused("other_entity")


def _check_conditions(conditions: Element, audience: str, now: datetime) -> None:
    """A condition that is not known is not met (Core, 2.5.1)."""
    _check_times(conditions, now)
    if not {one.tag for one in conditions} <= KNOWN_CONDITIONS:
        raise TokenRefused("no_xml")
    restrictions = children(conditions, f"{ASSERTION}AudienceRestriction")
    named = [{text_within(one) for one in children(each, f"{ASSERTION}Audience")} for each in restrictions]
    if not named or not all(audience in each for each in named):
        raise TokenRefused("other_audience")


def _check_times(element: Element, now: datetime) -> None:
    if "NotBefore" in element.attrib and _instant(element.get("NotBefore")) > now + SKEW:
        raise TokenRefused("stale")
    if "NotOnOrAfter" in element.attrib and _instant(element.get("NotOnOrAfter")) <= now - SKEW:
        raise TokenRefused("stale")


def _check_confirmed(subject: Element, expected: ExpectedResponse, now: datetime) -> None:
    """By whoever bears it: here, now, in answer to this very request. One of several confirmations is enough."""
    reason = "other_recipient"
    for confirmation in children(subject, f"{ASSERTION}SubjectConfirmation"):
        found = children(confirmation, f"{ASSERTION}SubjectConfirmationData")
        if confirmation.get("Method") != BEARER or len(found) != 1:
            continue
        try:
            _check_bearer(found[0], expected, now)
        except TokenRefused as error:
            reason = error.reason
        else:
            return
    raise TokenRefused(reason)


def _check_bearer(confirmed: Element, expected: ExpectedResponse, now: datetime) -> None:
    if confirmed.get("Recipient") != expected.recipient:
        raise TokenRefused("other_recipient")
    if confirmed.get("InResponseTo") != expected.request:
        raise TokenRefused("other_request")
    if "NotOnOrAfter" not in confirmed.attrib:
        raise TokenRefused("stale")
    _check_times(confirmed, now)


def _check_session(assertion: Element, now: datetime) -> None:
    statements = children(assertion, f"{ASSERTION}AuthnStatement")
    if not statements:
        raise TokenRefused("no_subject")
    for statement in statements:
        if "SessionNotOnOrAfter" in statement.attrib and _instant(statement.get("SessionNotOnOrAfter")) <= now - SKEW:
            raise TokenRefused("stale")


def _instant(told: str | None) -> datetime:
    if told is None or not INSTANT.fullmatch(told):
        raise TokenRefused("stale")
    try:
        instant = datetime.fromisoformat(told)
        if not 2000 <= instant.year < 9000:  # else a skew would leave what dates can say
            raise TokenRefused("stale")
        return instant.astimezone(UTC)
    except (ValueError, OverflowError):
        raise TokenRefused("stale") from None


def _claims(provider: IdentityProvider, assertion: Element, subject: Element) -> dict[str, Any]:
    """An assertion knows no "verified": the provider is the organization's alone, by its certificate, and its word
    counts for a domain that the organization has proven (docs/sign-on.md)."""
    attributes: dict[str, list[str]] = {}
    for name, value in _attributes(assertion):
        attributes.setdefault(name, []).append(value)
    name_id = only_child(subject, f"{ASSERTION}NameID", "no_subject")
    named = name_id.get("Format", "")
    mails = [text_within(name_id)] if named == MAIL and not provider.email_attribute else []
    of_address = (provider.email_attribute,) if provider.email_attribute else OF_ADDRESS
    groups = attributes.get(provider.groups_claim, [])
    has_too_many = not groups and TOO_MANY_GROUPS in attributes
    return {
        provider.groups_claim: None if has_too_many else groups,
        "_claim_names": {provider.groups_claim: ""} if has_too_many else {},
        "sub": _subject(provider, name_id, attributes),
        "email": _single(attributes, of_address, mails).strip(BLANKS),
        "email_verified": True,
        "name": _single(attributes, OF_NAME, []),
    }


def _attributes(assertion: Element) -> Iterator[tuple[str, str]]:
    for statement in children(assertion, f"{ASSERTION}AttributeStatement"):
        for attribute in children(statement, f"{ASSERTION}Attribute"):
            for value in children(attribute, f"{ASSERTION}AttributeValue"):
                yield attribute.get("Name", ""), value_within(value)


def _single(attributes: dict[str, list[str]], names: tuple[str, ...], otherwise: list[str]) -> str:
    """Of the first of these attributes that is there. One with several values says nothing."""
    told = next((attributes[name] for name in names if name in attributes), otherwise)
    return told[0] if len(told) == 1 else ""


def _subject(provider: IdentityProvider, name_id: Element, attributes: dict[str, list[str]]) -> str:
    """What stays: a name that is another at each sign-in is none. To the letter: a blank more is somebody else."""
    if provider.subject_attribute:
        told = _single(attributes, (provider.subject_attribute,), [])
    else:
        told = "" if name_id.get("Format") == TRANSIENT else value_within(name_id)
    if not 0 < len(told) <= LONGEST_SUBJECT or not told.isprintable():
        raise TokenRefused("no_subject")
    return told

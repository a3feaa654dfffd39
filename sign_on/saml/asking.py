"""The web browser profile, begun here (SAML 2.0 Profiles, 4.1): a request by redirect, its answer by a posted form.

The form comes from another site, so no cookie comes with it (SameSite=Lax) and nobody is signed in by it. What it says
is judged, sealed, and taken by the browser itself to the page that OpenID Connect comes back to as well; there the
session must be the one that began. A request's id is made of its state and of SECRET_KEY: what was asked needs no row,
and what nobody asked for is answered by nobody.
"""

import base64
import secrets
import time
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode
from xml.sax.saxutils import quoteattr

from django.core.cache import cache
from django.utils.crypto import salted_hmac

from sign_on.models import IdentityProvider
from sign_on.problems import SignOnRefused, TokenRefused
from sign_on.provider.asking import WAITS_SECONDS, Leaving
from sign_on.provider.claims import Person, person_of
from sign_on.provider.discovery import kept_name
from tools import sealing

LONGEST_STATE = 80  # bytes that a relay state may have (Bindings, 3.4.3)
LONGEST_FORM = 200_000  # characters of a response: of 128 KB, in base64
TAKEN_SECONDS = 120  # from the posted form to the page after it
REQUEST = (
    '<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID={id} Version="2.0" '
    "IssueInstant={instant} Destination={destination} AssertionConsumerServiceURL={consumer} "
    'ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST">'
    '<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">{entity}</saml:Issuer>'
    '<samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>'
)


class Addresses(NamedTuple):
    """Of a provider's row here: what we are called there, which is where our metadata is, and where answers go."""

    entity: str
    consumer: str


def leave_for_saml(provider: IdentityProvider, addresses: Addresses, then: str) -> Leaving:
    """Raises SignOnRefused."""
    if not (provider.issuer and provider.sso_url and provider.certificates):
        raise SignOnRefused("incomplete")
    state = secrets.token_urlsafe(32)
    asked = REQUEST.format(
        id=quoteattr(request_id(provider, state)),
        instant=quoteattr(datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")),
        destination=quoteattr(provider.sso_url),
        consumer=quoteattr(addresses.consumer),
        entity=addresses.entity.replace("&", "&amp;").replace("<", "&lt;"),
    )
    deflate = zlib.compressobj(wbits=-15)
    packed = base64.b64encode(deflate.compress(asked.encode()) + deflate.flush()).decode()
    mark = "&" if "?" in provider.sso_url else "?"
    kept = {"provider": str(provider.pk), "issuer": provider.issuer, "then": then, "began": time.time()}
    url = f"{provider.sso_url}{mark}{urlencode({'SAMLRequest': packed, 'RelayState': state})}"
    return Leaving(state, kept, url)


def request_id(provider: IdentityProvider, state: str) -> str:
    return "_" + salted_hmac("sign_on.saml", f"{provider.pk}:{state}", algorithm="sha256").hexdigest()


def sealed_answer(provider: IdentityProvider, addresses: Addresses, state: str, posted: str) -> str:
    """What a posted form says of somebody, or why it is not believed: for the browser to carry on, unread."""
    told: dict[str, Any] = {"by": _judged_by(provider), "state": state, "at": time.time()}
    try:
        told["person"] = _kept(provider, _person(provider, addresses, state, posted))
    except SignOnRefused as error:
        told["refused"] = error.reason
    return sealing.seal_json(told)


def come_back_by_saml(provider: IdentityProvider, kept: Mapping[str, Any], answered: Mapping[str, str]) -> Person:
    """Who has signed in there, to the browser that left for it. Raises SignOnRefused."""
    if kept["provider"] != str(provider.pk) or kept["issuer"] != provider.issuer:
        raise SignOnRefused("state")
    if not 0 <= time.time() - kept["began"] < WAITS_SECONDS:
        raise SignOnRefused("too_late")
    try:
        told = sealing.unseal_json(answered.get("answer", ""))
    except sealing.SealLost:
        raise SignOnRefused("state") from None
    if not isinstance(told, dict) or (told.get("by"), told.get("state")) != (_judged_by(provider), answered["state"]):
        raise SignOnRefused("state")
    if not 0 <= time.time() - told["at"] < TAKEN_SECONDS:
        raise SignOnRefused("too_late")
    if "refused" in told:
        raise TokenRefused(told["refused"])
    subject, address, name, groups = told["person"]
    return Person(subject, address, name, None if groups is None else frozenset(groups))


def _person(provider: IdentityProvider, addresses: Addresses, state: str, posted: str) -> Person:
    from sign_on.saml.assertions import ExpectedResponse, believed_response  # lxml and signxml

    if len(posted) > LONGEST_FORM:
        raise TokenRefused("too_much")
    try:
        written = base64.b64decode("".join(posted.split()), validate=True)
    except ValueError:
        raise TokenRefused("no_xml") from None
    expected = ExpectedResponse(addresses.entity, addresses.consumer, request_id(provider, state))
    told = believed_response(provider, written, expected)
    used = kept_name(f"assertion:{provider.pk}", told.assertion)
    if not cache.add(used, 1, WAITS_SECONDS):  # its request waits no longer
        raise TokenRefused("replayed")
    return person_of(told.claims, provider.groups_claim)


def _judged_by(provider: IdentityProvider) -> str:
    """The row as it was: what was believed by settings that have changed since, such as a certificate, is believed no
    more."""
    return f"{provider.pk}:{provider.updated_at.isoformat()}"


def _kept(provider: IdentityProvider, person: Person) -> list[Any]:
    """It stands in an address, so of the groups one that decides is enough."""
    groups = None if person.groups is None else sorted(person.groups.intersection(provider.admin_groups))[:1]
    return [person.subject, person.address, person.name, groups]

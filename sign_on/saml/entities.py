"""The metadata that an admin gives of a provider (SAML 2.0 Metadata, 2.3 and 2.4)."""

from typing import NamedTuple

from sign_on.problems import TokenRefused
from sign_on.saml.certificates import MOST_CERTIFICATES, as_pem, certificates_of
from sign_on.saml.markup import METADATA, SIGNATURE, children, metadata, only_child, text_within

MOST_METADATA = 256 * 1024  # bytes
REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
SAML = "urn:oasis:names:tc:SAML:2.0:protocol"


class Entity(NamedTuple):
    """A provider: its entity ID, where a browser is sent to, its certificates as PEM."""

    issuer: str
    sso_url: str
    certificates: str


def provider_entity(written: str) -> Entity:
    """Its own signature is not looked at: the admin who gives it is who is believed. Raises TokenRefused."""
    root = metadata(written.encode(errors="replace"), MOST_METADATA)
    if root.tag != f"{METADATA}EntityDescriptor":
        raise TokenRefused("no_entity")
    role = only_child(root, f"{METADATA}IDPSSODescriptor", "no_entity")
    if SAML not in role.get("protocolSupportEnumeration", "").split():
        raise TokenRefused("no_entity")
    if role.get("WantAuthnRequestsSigned") in ("true", "1"):
        raise TokenRefused("wants_signed")
    places = children(role, f"{METADATA}SingleSignOnService")
    urls = [one.get("Location", "").strip() for one in places if one.get("Binding") == REDIRECT]
    if not urls or not root.get("entityID"):
        raise TokenRefused("no_entity")
    keys = [one for one in children(role, f"{METADATA}KeyDescriptor") if one.get("use", "signing") == "signing"]
    found = [text_within(one) for key in keys for one in key.iter(f"{SIGNATURE}X509Certificate")]
    try:
        read = {certificate: None for one in found for certificate in certificates_of(one)}
    except ValueError:
        raise TokenRefused("no_certificate") from None
    if not 0 < len(read) <= MOST_CERTIFICATES:
        raise TokenRefused("no_certificate")
    return Entity(root.get("entityID").strip(), urls[0], as_pem(list(read)))

"""A SAML provider made by hand: what it signs, with its own key, a test decides; and what is done to it afterwards."""

import base64
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from lxml import etree
from signxml import DigestAlgorithm, SignatureMethod, XMLSigner

ISSUER, SSO_URL = "https://idp.here.test/metadata", "https://idp.here.test/sso?tenant=1"
SAML = "urn:oasis:names:tc:SAML:2.0:assertion"
SAMLP = "urn:oasis:names:tc:SAML:2.0:protocol"
DS = "http://www.w3.org/2000/09/xmldsig#"
PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
MAIL = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"

Change = Callable[[Any], None]


class Asked(NamedTuple):
    """What a browser was sent to the provider with."""

    id: str
    consumer: str
    entity: str
    state: str


def asked_of(url: str) -> Asked:
    query = parse_qs(urlsplit(url).query)
    request = etree.fromstring(zlib.decompress(base64.b64decode(query["SAMLRequest"][0]), wbits=-15))
    entity = request.findtext(f"{{{SAML}}}Issuer")
    return Asked(request.get("ID"), request.get("AssertionConsumerServiceURL"), entity, query["RelayState"][0])


class Keys(NamedTuple):
    key: Any
    certificate: str


@cache
def keys(name: str = "idp", days: int = 365, bits: int = 2048) -> Keys:
    """One's own of each name. `days`: until when it is valid. No bits: of a curve."""
    key = rsa.generate_private_key(65537, bits) if bits else ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    until = datetime.now(UTC) + timedelta(days=days)
    made = x509.CertificateBuilder(called, called, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(until - timedelta(days=800)).not_valid_after(until)
    return Keys(key, made.sign(key, SHA256()).public_bytes(Encoding.PEM).decode())


class Weak(XMLSigner):
    """signxml's signer, that signs with SHA-1 as well."""

    def check_deprecated_methods(self) -> None:
        """Nothing is."""


RESPONSE = f"""<samlp:Response xmlns:samlp="{SAMLP}" xmlns:saml="{SAML}" ID="{{response_id}}" Version="2.0" IssueInstant="{{now}}" Destination="{{destination}}" InResponseTo="{{answers}}">
  <saml:Issuer>{{response_issuer}}</saml:Issuer>
  <samlp:Status><samlp:StatusCode Value="{{status}}"/></samlp:Status>
  <saml:Assertion ID="{{assertion_id}}" Version="2.0" IssueInstant="{{issued}}">
    <saml:Issuer>{{issuer}}</saml:Issuer>
    <saml:Subject>
      <saml:NameID Format="{{format}}">{{name_id}}</saml:NameID>
      <saml:SubjectConfirmation Method="{{method}}"><saml:SubjectConfirmationData Recipient="{{recipient}}" InResponseTo="{{confirms}}" NotOnOrAfter="{{confirmed_until}}"/></saml:SubjectConfirmation>
    </saml:Subject>
    <saml:Conditions NotBefore="{{not_before}}" NotOnOrAfter="{{not_after}}"><saml:AudienceRestriction><saml:Audience>{{audience}}</saml:Audience></saml:AudienceRestriction>{{condition}}</saml:Conditions>
    <saml:AuthnStatement AuthnInstant="{{now}}" SessionNotOnOrAfter="{{session_until}}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>
    <saml:AttributeStatement>{{attributes}}</saml:AttributeStatement>
  </saml:Assertion>
</samlp:Response>"""  # noqa: E501
PERSON = {"email": ["nadia@here.test"], "displayName": ["Nadia"], "groups": ["staff"]}


def at(**ahead: float) -> str:
    return (datetime.now(UTC) + timedelta(**ahead)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def written(asked: Asked, attributes: Mapping[str, list[str]] = PERSON, **said: str) -> Any:
    """A response, unsigned; `said` is what it says otherwise."""
    serial = base64.b16encode(datetime.now(UTC).isoformat().encode()).decode()
    told = {
        "response_id": f"_r{serial}", "assertion_id": f"_a{serial}", "now": at(), "issued": at(),
        "destination": asked.consumer, "recipient": asked.consumer, "answers": asked.id, "confirms": asked.id,
        "issuer": ISSUER, "response_issuer": ISSUER, "audience": asked.entity,
        "status": "urn:oasis:names:tc:SAML:2.0:status:Success", "method": "urn:oasis:names:tc:SAML:2.0:cm:bearer",
        "format": PERSISTENT, "name_id": "n-1", "condition": "",
        "not_before": at(minutes=-2), "not_after": at(minutes=5), "confirmed_until": at(minutes=5),
        "session_until": at(hours=8),
        "attributes": "".join(
            f'<saml:Attribute Name="{name}">'
            + "".join(f"<saml:AttributeValue>{value}</saml:AttributeValue>" for value in values)
            + "</saml:Attribute>"
            for name, values in attributes.items()
        ),
        **said,
    }  # fmt: skip
    return etree.fromstring(RESPONSE.format(**told))


def assertion_in(response: Any) -> Any:
    return next(response.iter(f"{{{SAML}}}Assertion"))


def signed(
    response: Any,
    by: Keys | None = None,
    *,
    over: str = "assertion",
    method: SignatureMethod | None = None,
    digest: DigestAlgorithm = DigestAlgorithm.SHA256,
    shown: str | None = None,
) -> Any:
    """The response, of which the assertion, the response or both are signed. `shown`: a certificate in its KeyInfo."""
    by = by or keys()
    usual = (
        SignatureMethod.ECDSA_SHA256 if isinstance(by.key, ec.EllipticCurvePrivateKey) else SignatureMethod.RSA_SHA256
    )
    for place in ("assertion", "response") if over == "both" else (over,):
        element = assertion_in(response) if place == "assertion" else response
        holder = etree.Element(f"{{{DS}}}Signature", Id="placeholder", nsmap={"ds": DS})
        element.insert(1, holder)  # behind the issuer
        alone = etree.fromstring(etree.tostring(element))
        signer = Weak(signature_algorithm=method or usual, digest_algorithm=digest, c14n_algorithm=EXCLUSIVE)
        done = signer.sign(
            alone, key=by.key, cert=shown or by.certificate, reference_uri=element.get("ID"), id_attribute="ID"
        )
        if place == "response":
            return done
        element.getparent().replace(element, done)
    return response


def as_form(response: Any) -> str:
    return base64.b64encode(response if isinstance(response, bytes) else etree.tostring(response)).decode()

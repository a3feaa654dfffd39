"""Which part of a response its provider has signed (XML Signature, by signxml): that alone is read.

A signature counts where it belongs, over the element that it stands in, and with an entered certificate's key; what the
response itself says of keys is not looked at. So moving, doubling or wrapping signed elements (Somorovsky et al., "On
Breaking SAML", 2012) leaves either the same assertion or none.
"""

import logging
from collections.abc import Sequence

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.x509 import Certificate
from lxml import etree
from signxml.algorithms import DigestAlgorithm, SignatureMethod
from signxml.exceptions import SignXMLException
from signxml.verifier import SignatureConfiguration, XMLVerifier

from sign_on.problems import TokenRefused
from sign_on.saml.certificates import is_valid_now
from sign_on.saml.markup import ASSERTION, PROTOCOL, SIGNATURE, Element, children, ids_within, only_child

logging.getLogger("signxml").setLevel(logging.WARNING)  # it would tell what was signed

XMLDSIG = "http://www.w3.org/2000/09/xmldsig#"
ENVELOPED, EXCLUSIVE = f"{XMLDSIG}enveloped-signature", "http://www.w3.org/2001/10/xml-exc-c14n#"
DIGESTS = frozenset({DigestAlgorithm.SHA256, DigestAlgorithm.SHA384, DigestAlgorithm.SHA512})
METHODS = frozenset(SignatureMethod[f"{name}_SHA{bits}"] for name in ("RSA", "ECDSA") for bits in (256, 384, 512)) | {
    SignatureMethod.SHA256_RSA_MGF1,
    SignatureMethod.SHA384_RSA_MGF1,
    SignatureMethod.SHA512_RSA_MGF1,
}
MOST_OF_SIGNATURE = 200  # elements: a signature with a chain of certificates has twenty
PLACES = {f"{PROTOCOL}Response": "./", f"{ASSERTION}Assertion": f"./{ASSERTION}Assertion/"}


def signed_assertion(response: Element, certificates: Sequence[Certificate]) -> Element:
    """The response's one assertion as it was signed, itself or with the response. Raises TokenRefused."""
    assertion = _only_assertion(response)
    signatures = _signatures(response)
    if not signatures:
        raise TokenRefused("unsigned")
    valid = [one for one in certificates if is_valid_now(one)]
    if not valid:
        raise TokenRefused("certificate_expired")
    signed = [_verified(response, one, valid) for one in signatures]  # each of them, not only one
    innermost = signed[-1]
    if innermost.tag == f"{PROTOCOL}Response":
        innermost = only_child(innermost, f"{ASSERTION}Assertion", "many_assertions")
    if innermost.get("ID") != assertion.get("ID"):
        raise TokenRefused("misplaced")
    return innermost


def _only_assertion(response: Element) -> Element:
    if next(response.iter(f"{ASSERTION}EncryptedAssertion", f"{ASSERTION}EncryptedID"), None) is not None:
        raise TokenRefused("encrypted")
    found = list(response.iter("{*}Assertion"))
    if len(found) != 1 or children(response, f"{ASSERTION}Assertion") != found:
        raise TokenRefused("many_assertions")
    named = list(ids_within(response))
    if len(named) != len(set(named)):
        raise TokenRefused("misplaced")
    return found[0]


def _signatures(response: Element) -> list[Element]:
    """The response's, the assertion's, or both. Raises TokenRefused for any that lies elsewhere."""
    found = list(response.iter("{*}Signature"))
    parents = [one.getparent().tag for one in found if one.getparent() is not None]
    if len(parents) != len(found) or len(set(parents)) != len(parents) or not set(parents) <= PLACES.keys():
        raise TokenRefused("misplaced")
    for one in found:
        if sum(1 for _each in one.iter()) > MOST_OF_SIGNATURE:  # it is looked at before its key is
            raise TokenRefused("too_much")
        _check_reference(one)
    return found


def _check_reference(signature: Element) -> None:
    """It is over its parent, all of it but itself."""
    signed_info = only_child(signature, f"{SIGNATURE}SignedInfo", "misplaced")
    reference = only_child(signed_info, f"{SIGNATURE}Reference", "misplaced")
    named = signature.getparent().get("ID")
    if not named or reference.get("URI") != f"#{named}" or children(signature, f"{SIGNATURE}Object"):
        raise TokenRefused("misplaced")
    transforms = only_child(reference, f"{SIGNATURE}Transforms", "weak")
    told = [one.get("Algorithm") for one in children(transforms, f"{SIGNATURE}Transform")]
    canonical = only_child(signed_info, f"{SIGNATURE}CanonicalizationMethod", "weak").get("Algorithm")
    if told not in ([ENVELOPED, EXCLUSIVE], [ENVELOPED, f"{EXCLUSIVE}WithComments"]):
        raise TokenRefused("weak")
    if canonical not in (EXCLUSIVE, f"{EXCLUSIVE}WithComments", "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"):
        raise TokenRefused("weak")
    _check_algorithms(signed_info, reference)


def _check_algorithms(signed_info: Element, reference: Element) -> None:
    method = only_child(signed_info, f"{SIGNATURE}SignatureMethod", "weak").get("Algorithm")
    digest = only_child(reference, f"{SIGNATURE}DigestMethod", "weak").get("Algorithm")
    if method not in {one.value for one in METHODS} or digest not in {one.value for one in DIGESTS}:
        raise TokenRefused("weak")


def _verified(response: Element, signature: Element, certificates: Sequence[Certificate]) -> Element:
    """What it is over, read anew from what was digested."""
    parent = signature.getparent()
    config = SignatureConfiguration(
        location=PLACES[parent.tag],
        signature_methods=METHODS,
        digest_algorithms=DIGESTS,
        ignore_ambiguous_key_info=True,
    )
    for certificate in certificates:
        try:
            result = XMLVerifier().verify(response, x509_cert=certificate, id_attribute="ID", expect_config=config)
        except (SignXMLException, etree.LxmlError, UnsupportedAlgorithm, ValueError, TypeError, AttributeError):
            continue
        signed: Element = None if isinstance(result, list) else result.signed_xml
        if signed is not None and (signed.tag, signed.get("ID")) == (parent.tag, parent.get("ID")):
            return signed
    raise TokenRefused("forged")

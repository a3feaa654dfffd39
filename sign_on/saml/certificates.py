"""The certificates that an admin entered, by whose keys a provider signs. Nothing is asked of who issued them."""

import base64
import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

MOST_CERTIFICATES = 5  # the present one, the next one, and what is left of former ones
LONGEST_CERTIFICATES = 30_000  # characters of all
LEAST_RSA_BITS, MOST_RSA_BITS = 2048, 8192
SOON = timedelta(days=30)
CURVES = (ec.SECP256R1, ec.SECP384R1, ec.SECP521R1)
BLOCK = re.compile(r"-----BEGIN CERTIFICATE-----([^-]{1,20000})-----END CERTIFICATE-----")


class ToldCertificate(NamedTuple):
    """`state`: valid, soon (it ends within a month), ended, or early (it has not begun)."""

    fingerprint: str
    ends: datetime
    state: str


def certificates_of(written: str) -> list[x509.Certificate]:
    """PEM, or one certificate's bare base64 as in metadata; of keys that are strong enough. Raises ValueError."""
    if len(written) > LONGEST_CERTIFICATES:
        raise ValueError("too long")
    blocks = BLOCK.findall(written) or [written]
    if BLOCK.sub("", written).strip() and blocks != [written]:
        raise ValueError("more than certificates")
    found = {_read(one): None for one in blocks}
    if len(found) > MOST_CERTIFICATES:
        raise ValueError("too many")
    return list(found)


def as_pem(certificates: list[x509.Certificate]) -> str:
    return "".join(one.public_bytes(Encoding.PEM).decode() for one in certificates)


def is_valid_now(certificate: x509.Certificate) -> bool:
    return certificate.not_valid_before_utc <= datetime.now(UTC) < certificate.not_valid_after_utc


def told_certificates(written: str) -> list[ToldCertificate]:
    return [_told(one) for one in certificates_of(written)] if written else []


def _read(block: str) -> x509.Certificate:
    try:
        der = base64.b64decode("".join(block.split()), validate=True)
        certificate = x509.load_der_x509_certificate(der)
        key = certificate.public_key()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise ValueError("no certificate") from error
    is_rsa = isinstance(key, rsa.RSAPublicKey) and LEAST_RSA_BITS <= key.key_size <= MOST_RSA_BITS
    is_curve = isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, CURVES)
    if not (is_rsa or is_curve):
        raise ValueError("weak key")
    return certificate


def _told(certificate: x509.Certificate) -> ToldCertificate:
    ends, now = certificate.not_valid_after_utc, datetime.now(UTC)
    state = "ended" if ends <= now else "soon" if ends - now < SOON else "valid"
    state = "early" if certificate.not_valid_before_utc > now else state
    return ToldCertificate(certificate.fingerprint(SHA256()).hex(":").upper(), ends, state)

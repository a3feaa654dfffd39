"""Secrets of second factors at rest: encrypted with SECRET_KEY, so that a copy of the database alone makes no code."""

import base64
import logging
import secrets

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.utils.crypto import salted_hmac

logger = logging.getLogger(__name__)

SALT = "accounts.identity.sealing"


def seal(text: str) -> str:
    return _cipher().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """The text. After a change of SECRET_KEY a random one, which no code fits: the factor must be set up anew."""
    try:
        return _cipher().decrypt(sealed.encode()).decode()
    except InvalidToken:
        logger.warning("a second factor cannot be read: it was set up under another SECRET_KEY")
        return base64.b32encode(secrets.token_bytes(20)).decode()


def _cipher() -> Fernet:
    key = salted_hmac(SALT, "", secret=settings.SECRET_KEY, algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(key))

"""What must not be read where it lies, credentials in rows and answers in the cache: encrypted with DATA_SOURCE_KEYS,
the first for what is written, all for what is read.

A key is changed in three steps: put the new one before the old one, run `manage.py reseal_sources`, take the old one
away. Without the setting the key is made from SECRET_KEY.
"""

import base64
import json
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db.models import Model
from django.utils.crypto import salted_hmac

SALT = "tools.sealing"
SEALED_COLUMNS: list[tuple[type[Model], str]] = []  # what `reseal_sources` seals anew; each app adds its own


class SealLost(Exception):
    """It was sealed with a key that is no longer there."""


def seal_json(told: Any) -> str:
    """Whatever JSON can say."""
    return _cipher().encrypt(json.dumps(told).encode()).decode()


def unseal_json(sealed: str) -> Any:
    """Raises SealLost."""
    try:
        return json.loads(_cipher().decrypt(sealed.encode()))
    except InvalidToken:
        raise SealLost from None


def seal_anew(sealed: str) -> str:
    """The same, sealed with the first key. Raises SealLost."""
    try:
        return _cipher().rotate(sealed.encode()).decode()
    except InvalidToken:
        raise SealLost from None


def _cipher() -> MultiFernet:
    keys = settings.DATA_SOURCE_KEYS or [_key_of_secret()]
    return MultiFernet([Fernet(key) for key in keys])


def _key_of_secret() -> bytes:
    digest = salted_hmac(SALT, "", secret=settings.SECRET_KEY, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest)

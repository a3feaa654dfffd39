"""API keys: random, hashed, shown once, revocable (RELIABILITY R6)."""

import hashlib
import secrets
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from accounts import audit
from accounts.models import ApiKey, Membership
from config.prepared import Prepared

PREFIX = "acv_"
LAST_USED_RESOLUTION = timedelta(minutes=1)


def digest(secret: str) -> str:
    """SHA-256 of a random secret. 256 bits of entropy need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def issue_key(membership: Membership, name: str = "") -> tuple[ApiKey, str]:
    """Make a key; return its row and the secret, which is not kept anywhere."""
    secret = PREFIX + secrets.token_urlsafe(32)
    key = ApiKey.objects.create(membership=membership, name=name, prefix=secret[:12], key_hash=digest(secret))
    audit.record(membership, "created", key)
    return key, secret


def revoke_key(key: ApiKey, by: Membership) -> None:
    """Make the key useless at once."""
    key.revoked_at = timezone.now()
    key.save(update_fields=["revoked_at"])
    audit.record(by, "revoked", key)


def _with_digest(key_hash: str) -> QuerySet[ApiKey]:
    keys = ApiKey.objects.usable().select_related("membership__user", "membership__organization")
    return keys.filter(key_hash=key_hash).order_by()


_usable = Prepared(_with_digest)


def membership_of_key(secret: str) -> Membership | None:
    """The membership that a key speaks for, or None when it is unknown, revoked or its user is inactive."""
    found = _usable(key_hash=digest(secret))
    if not found:
        return None
    key, now = found[0], timezone.now()
    if key.last_used_at is None or now - key.last_used_at > LAST_USED_RESOLUTION:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)
    return key.membership

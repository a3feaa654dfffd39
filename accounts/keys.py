"""API keys: random, hashed, shown once, revocable, with or without an end (RELIABILITY R6)."""

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import audit
from accounts.limits import stock
from accounts.models import ApiKey, Membership, User
from accounts.tenancy.scope import become_member, system_scope
from config.prepared import Prepared

PREFIX = "acv_"
LAST_USED_RESOLUTION = timedelta(minutes=1)


def digest(secret: str) -> str:
    """SHA-256 of a random secret. 256 bits of entropy need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def issue_key(membership: Membership, name: str = "", days: int | None = None) -> tuple[ApiKey, str]:
    """Make a key that works for so many days, or until it is revoked; return its row and the secret, which is not
    kept anywhere. Raises QuotaExceeded."""
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        stock.make_room(membership, keys=1)
        key = ApiKey.objects.create(
            membership=membership,
            name=name,
            prefix=secret[:12],
            key_hash=digest(secret),
            expires_at=timezone.now() + timedelta(days=days) if days else None,
        )
        audit.record(membership, "created", key)
    return key, secret


@stock.counter_of("keys")
def count_keys(by: Membership) -> dict[str, stock.Held]:
    """Those that still open something."""
    usable = ApiKey.objects.usable().filter(membership__organization=by.organization_id)
    return {"keys": stock.Held(usable.filter(membership__user=by.user_id).count(), usable.count())}


def revoke_key(key: ApiKey, by: Membership) -> None:
    """Make the key useless at once."""
    key.revoked_at = timezone.now()
    key.save(update_fields=["revoked_at"])
    audit.record(by, "revoked", key)


@system_scope()
def revoke_all(user: User) -> int:
    """Revoke every key of a person, in every organization. Returns how many there were."""
    revoked = 0
    for membership in user.memberships.select_related("user", "organization"):
        for key in membership.api_keys.filter(revoked_at=None):
            revoke_key(key, membership)
            revoked += 1
    return revoked


def _with_digest(key_hash: str) -> QuerySet[ApiKey]:
    keys = ApiKey.objects.usable().select_related("membership__user", "membership__organization")
    return keys.filter(key_hash=key_hash).order_by()


_usable = Prepared(_with_digest)


def membership_of_key(secret: str, seen_from: str | None = None) -> Membership | None:
    """The membership that a key speaks for, or None when it is unknown, revoked, expired or its user is inactive.
    From here on the request is that member's.

    `seen_from` is the network address that the key came from.
    """
    with system_scope():
        found = _usable(key_hash=digest(secret))
    if not found:
        return None
    key, member, now = found[0], found[0].membership, timezone.now()
    become_member(member.organization_id, member.user_id, is_admin=member.is_admin)
    if key.last_used_at is None or now - key.last_used_at > LAST_USED_RESOLUTION:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now, last_used_from=seen_from)
    member.acting_key = key.pk
    return member

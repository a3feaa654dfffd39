"""Idempotency-Key: the same key with the same body answers once, for 24 h (API.md)."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.http.bodies import is_kept
from accounts.models import IdempotentReply, Membership
from accounts.problems import Problem
from config.concurrency.clock import DatabaseNow
from config.concurrency.heartbeat import HEARTBEAT_SECONDS, LEASE, beating

LIFETIME = timedelta(hours=24)
ABANDONED = timedelta(minutes=5)  # without a lease: of a process of 0.1.0, beside this one in an upgrade
MAX_KEY = 200  # characters
HEADER = "Idempotency-Key"


class KeyReused(Problem):
    status_code = 422
    code = "idempotency_key_reused"
    default_detail = _("This Idempotency-Key was sent with another body. Use a new key.")


class KeyTooLong(Problem):
    default_detail = _("An Idempotency-Key has at most 200 characters.")


class KeyUnusable(Problem):
    default_detail = _("An Idempotency-Key has only characters that a header may have.")


class StillRunning(Problem):
    status_code = 409
    code = "request_in_progress"
    default_detail = _("The first request with this Idempotency-Key is still running. Try again in a moment.")


def fingerprint(*parts: str) -> str:
    """SHA-256 over what makes two requests the same."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def claim_key(membership: Membership, key: str, request_hash: str) -> tuple[IdempotentReply, bool]:
    """Reserve a key. Returns its row, and whether it already holds an answer to replay.

    Raises KeyTooLong, KeyUnusable, KeyReused for another body, and StillRunning while the first has not answered.
    """
    if len(key) > MAX_KEY:
        raise KeyTooLong
    if not is_kept(key):
        raise KeyUnusable
    mine = IdempotentReply.objects.filter(membership=membership)
    died = Q(lease_expires_at__lt=DatabaseNow()) | Q(lease_expires_at=None, created_at__lt=DatabaseNow(-ABANDONED))
    mine.filter(Q(died, status=None) | Q(created_at__lt=DatabaseNow(-LIFETIME))).delete()
    try:
        with transaction.atomic():
            lease = DatabaseNow(LEASE)
            return mine.create(membership=membership, key=key, request_hash=request_hash, lease_expires_at=lease), False
    except IntegrityError:
        held = mine.filter(key=key).first()
    if held is None:  # the first request has failed in this very moment and freed its key
        raise StillRunning
    if held.request_hash != request_hash:
        raise KeyReused
    if held.status is None:
        raise StillRunning
    return held, True


def free_key(reply: IdempotentReply) -> None:
    """Give a key back that led to no answer; one that did is settled, and stays."""
    IdempotentReply.objects.filter(pk=reply.pk, status=None).delete()


def keep_reply(reply: IdempotentReply, status: int, body: Any) -> bool:
    """Keep the answer for later repeats. False where the lease was lost, and the key is another request's."""
    return bool(IdempotentReply.objects.filter(pk=reply.pk).update(status=status, body=body))


def once(
    membership: Membership, key: str | None, request_hash: str, act: Callable[[], tuple[int, Any]]
) -> tuple[int, Any]:
    """Run `act` (returns status and JSON body), or replay its first answer when the key was seen before.

    A failed act frees its key, so that the client may try again.
    """
    if not key:
        return act()
    reply, answered = claim_key(membership, key, request_hash)
    if answered:
        return reply.status or 200, reply.body
    held = IdempotentReply.objects.filter(pk=reply.pk)
    try:
        with beating(lambda: held.update(lease_expires_at=DatabaseNow(LEASE)), HEARTBEAT_SECONDS):
            status, body = act()
    except BaseException:
        reply.delete()
        raise
    keep_reply(reply, status, body)
    return status, body

"""Tokens of directories: random, hashed, shown once, several at a time so that one can take over from another."""

import secrets
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.keys import digest
from accounts.limits.uses import lock_organization
from accounts.models import Membership
from accounts.tenancy.scope import become_directory, system_scope
from provisioning.entries import adopt_members
from provisioning.models import DirectoryToken
from provisioning.problems import DirectoryFull

PREFIX = "acvscim_"
MOST_TOKENS = 10  # of an organization, that work
LAST_USED_RESOLUTION = timedelta(minutes=1)


def issue_token(by: Membership, token: DirectoryToken) -> str:
    """Save the token; return its secret, which is not kept anywhere. Who is a member already can be found by the
    directory from then on. Raises DirectoryFull."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token.prefix, token.token_hash = secret[:14], digest(secret)
    with transaction.atomic():
        lock_organization(by.organization_id)
        if DirectoryToken.objects.filter(organization=by.organization_id, revoked_at=None).count() >= MOST_TOKENS:
            raise DirectoryFull
        token.save(force_insert=True)
        audit.record(by, "created", token)
        adopt_members(token.organization)
    return secret


def revoke_token(by: Membership, token: DirectoryToken) -> None:
    """Make it useless at once."""
    token.revoked_at = timezone.now()
    token.save(update_fields=["revoked_at"])
    audit.record(by, "revoked", token)


def token_of(secret: str, seen_from: str | None = None) -> DirectoryToken | None:
    """The usable token of a secret. From here on the request is that of its organization's directory."""
    with system_scope():
        usable = DirectoryToken.objects.select_related("organization").filter(revoked_at=None)
        token = usable.filter(token_hash=digest(secret)).first()
    if token is None:
        return None
    become_directory(token.organization_id)
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > LAST_USED_RESOLUTION:
        DirectoryToken.objects.filter(pk=token.pk).update(last_used_at=now, last_used_from=seen_from)
    return token

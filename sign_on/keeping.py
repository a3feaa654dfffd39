"""An organization's provider is kept by admins: made, changed, checked, deleted. Each act is audited."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.models import Membership
from sign_on.enforcing import check_enforcement, note_enforced_domains
from sign_on.models import IdentityProvider, ProvidedIdentity
from sign_on.problems import SignOnRefused
from sign_on.provider.discovery import endpoints_of

FLAGS = ("is_active", "is_enforced")
BELIEVED = frozenset({"issuer", "subject_attribute"})


def save_provider(by: Membership, provider: IdentityProvider, **fields: Any) -> None:
    """Make it, or change these fields of it; `secret` is sealed, and only that it changed is told. Another issuer, or
    another word for who somebody is, is not enforced until somebody has come by it; and by another word a subject that
    is known may be somebody else's, so all are forgotten. Raises EnforcementRefused."""
    is_new, told = provider._state.adding, sorted(fields)
    if "secret" in fields:
        provider.keep_secret(fields.pop("secret"))
    if not is_new and not BELIEVED.isdisjoint(fields):
        fields["is_enforced"] = False
    for name, value in fields.items():
        setattr(provider, name, value)
    with transaction.atomic():
        if fields.get("is_enforced"):
            check_enforcement(by, provider)
        provider.save()
        if not is_new and "subject_attribute" in fields:
            ProvidedIdentity.objects.in_organization_of(by).delete()  # of former issuers, too
        note_enforced_domains(by.organization)
        flags = {name: getattr(provider, name) for name in FLAGS if name in fields}
        audit.record(by, "created" if is_new else "changed", provider, fields=told, **flags)


def delete_provider(by: Membership, provider: IdentityProvider) -> None:
    """Its people keep their accounts and memberships, and sign in with passwords."""
    with transaction.atomic():
        audit.record(by, "deleted", provider)
        ProvidedIdentity.objects.in_organization_of(by).delete()  # of former issuers, too
        provider.delete()
        note_enforced_domains(by.organization)


def check_provider(by: Membership, provider: IdentityProvider) -> str:
    """Ask it for its metadata, and note how that went: ok, or the reason's name."""
    try:
        endpoints_of(provider.issuer, is_fresh=True)
        outcome = "ok"
    except SignOnRefused as error:
        outcome = error.reason
    provider.checked_at, provider.check_outcome = timezone.now(), outcome
    provider.save(update_fields=["checked_at", "check_outcome"])
    audit.record(by, "checked", provider, outcome=outcome)
    return outcome


def unlink(by: Membership, identity: ProvidedIdentity) -> None:
    """The next sign-in with it is a first one."""
    with transaction.atomic():
        audit.record(by, "unlinked", identity)
        identity.delete()

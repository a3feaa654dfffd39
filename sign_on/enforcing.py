"""Whether an organization's people come through its provider alone. What a request asks of it stands in the
organization's row (`accounts.identity.provided`), and is written here."""

from django.db import transaction

from accounts import audit
from accounts.identity.provided import domain_of
from accounts.limits.uses import lock_organization
from accounts.models import Membership, Organization, User
from sign_on.models import IdentityProvider, MailDomain
from sign_on.problems import EnforcementRefused


def note_enforced_domains(organization: Organization) -> None:
    """After any change of the provider or a domain: in the same transaction, one of an organization at once."""
    lock_organization(organization.pk)
    is_enforced = IdentityProvider.objects.filter(organization=organization, is_active=True, is_enforced=True).exists()
    proved = MailDomain.objects.filter(organization=organization).exclude(proved_at=None)
    organization.sign_on_domains = sorted(proved.values_list("name", flat=True)) if is_enforced else []
    organization.save(update_fields=["sign_on_domains"])


def check_enforcement(by: Membership, provider: IdentityProvider) -> None:
    """Who asks for it has come that way, unless their address is of none of the domains: else they would lock
    themselves out. An operator is never bound by it. Raises EnforcementRefused."""
    proved = set(MailDomain.objects.in_organization_of(by).exclude(proved_at=None).values_list("name", flat=True))
    is_theirs = domain_of(by.user.email) in proved
    if not proved or (is_theirs and not by.is_signed_on and not by.user.is_superuser):
        raise EnforcementRefused


def check_still_inside(by: Membership, organization: Organization) -> None:
    """As `check_enforcement`, of one who has just added to what is enforced. Raises EnforcementRefused."""
    is_bound = domain_of(by.user.email) in organization.sign_on_domains
    if is_bound and not by.is_signed_on and not by.user.is_superuser:
        raise EnforcementRefused


def lift_enforcement(organization: Organization, actor: User | None) -> bool:
    """Passwords open the organization again. False when they did anyway. For operators, when a provider is lost."""
    with transaction.atomic():
        provider = IdentityProvider.objects.filter(organization=organization, is_enforced=True).first()
        if provider is None:
            return False
        provider.is_enforced = False
        provider.save(update_fields=["is_enforced"])
        note_enforced_domains(organization)
        audit.record_for(organization, actor, "changed", provider, is_enforced=False)
    return True

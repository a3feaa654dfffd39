"""Mail domains: an admin names one, a TXT record proves it, and it counts until the record has been away for days."""

from collections.abc import Iterator
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from accounts import audit
from accounts.limits.places import Places
from accounts.limits.uses import lock_organization
from accounts.models import Membership, Organization
from sign_on.enforcing import check_still_inside, note_enforced_domains
from sign_on.models import MailDomain
from sign_on.problems import DomainsFull, DomainTaken
from sign_on.records import LookupFailed, txt_records

MOST_DOMAINS = 50  # of an organization
CHECKED_EVERY = timedelta(days=1)
MISSED_FOR = timedelta(days=3)  # until a domain counts no more whose record is gone
AT_ONCE = 50  # rechecked in one round
places = Places(at_once=2, patience=1.0, of_one=1)  # of buttons: slow name servers hold no more threads


def domain_name(written: str) -> str:
    """As it is kept: lower case, ASCII. Raises ValueError for what is none."""
    try:
        name = written.strip().rstrip(".").lower().encode("idna").decode()
    except UnicodeError:
        raise ValueError(written) from None
    labels = name.split(".")
    letters = set("abcdefghijklmnopqrstuvwxyz0123456789-")
    is_well = all(one and set(one) <= letters and one[0] != "-" != one[-1] for one in labels)
    if len(labels) < 2 or not is_well or len(name) > 230 or labels[-1].isdigit():
        raise ValueError(written)
    return name


def add_domain(by: Membership, domain: MailDomain) -> None:
    """Raises DomainsFull."""
    with transaction.atomic():
        lock_organization(by.organization_id)
        if MailDomain.objects.in_organization_of(by).count() >= MOST_DOMAINS:
            raise DomainsFull
        domain.save(force_insert=True)
        audit.record(by, "created", domain)


def remove_domain(by: Membership, domain: MailDomain) -> None:
    with transaction.atomic():
        audit.record(by, "deleted", domain)
        domain.delete()
        note_enforced_domains(by.organization)


def check_domain(by: Membership, domain: MailDomain) -> str:
    """Ask for the record now, and note what came of it: proved, missing or unknown. Raises DomainTaken and Busy,
    and EnforcementRefused where it would lock who asks out."""
    with places.taken(by.organization_id):
        outcome = _look(domain)
    return outcome if _note(domain, outcome, by.organization, by) else "unknown"


def check_again() -> int:
    """Look at those whose turn it is; of upkeep. How many there were."""
    before = timezone.now() - CHECKED_EVERY
    due = MailDomain.objects.exclude(proved_at=None).filter(checked_at__lt=before).select_related("organization")
    checked = list(due.order_by(F("checked_at"))[:AT_ONCE])
    for domain in checked:
        _note(domain, _look(domain), domain.organization, None)
    return len(checked)


def _look(domain: MailDomain) -> str:
    try:
        found = txt_records(domain.record_name)
    except LookupFailed:
        return "unknown"
    return "proved" if domain.record_value in found else "missing"


def _note(domain: MailDomain, outcome: str, organization: Organization, by: Membership | None) -> bool:
    """False when the domain has been deleted meanwhile."""
    try:
        with transaction.atomic():
            lock_organization(organization.pk)
            domain.refresh_from_db()
            was_proved = domain.proved_at is not None
            _settle(domain, outcome)
            domain.save(update_fields=["checked_at", "check_outcome", "proved_at", "missing_since"])
            for action in _told(was_proved, domain):
                audit.record_for(organization, by.user if by else None, action, domain)
                note_enforced_domains(organization)
                if by:
                    check_still_inside(by, organization)
    except MailDomain.DoesNotExist:
        return False
    except IntegrityError:
        raise DomainTaken from None
    return True


def _settle(domain: MailDomain, outcome: str) -> None:
    now = timezone.now()
    domain.checked_at, domain.check_outcome = now, outcome
    if outcome == "proved":
        domain.proved_at, domain.missing_since = domain.proved_at or now, None
    elif outcome == "missing":
        domain.missing_since = domain.missing_since or now
        if now - domain.missing_since >= MISSED_FOR:
            domain.proved_at = None


def _told(was_proved: bool, domain: MailDomain) -> Iterator[str]:
    if was_proved != (domain.proved_at is not None):
        yield "lost" if was_proved else "proved"

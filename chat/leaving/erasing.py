"""Asking for the erasure of a person or of an organization. From that moment nobody gets in and nothing is read;
the workers do the rest (`workers.erasure.parties`), and leave a receipt.
"""

from uuid import UUID

from django.db import transaction
from django.db.models import Count, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.identity.sessions import end_other_sessions
from accounts.members import LastAdmin
from accounts.models import Invitation, Membership, Organization, User
from accounts.tenancy.scope import system_scope
from agents.models import Agent
from chat.signals import erasure_requested
from config.concurrency.clock import read_database_clock
from corpora.models import Corpus, Document, ErasureReceipt
from sign_on.models import IdentityProvider

Kind = ErasureReceipt.Kind


@system_scope()  # in every organization, and of an operator's choosing
def request_user_erasure(user: User, by: User | None, organization: Organization | None = None) -> ErasureReceipt:
    """Erase an account with all that is its own, in every organization. Raises LastAdmin.

    What it uploaded to global corpora stays: it is the organizations'.
    """
    with transaction.atomic():
        refuse_last_admin(user)
        receipt = open_receipt(Kind.USER, user.pk, by, organization, owner=user.pk)
        shut_out(user)
        mark_for_erasure(Corpus.objects.filter(owner_id=user.pk))
        for membership in user.memberships.select_related("organization"):
            audit.record_for(membership.organization, by, "erased", user)
        transaction.on_commit(lambda: erasure_requested.send(ErasureReceipt, receipt_id=receipt.pk))
    return receipt


@system_scope()
def request_organization_erasure(organization: Organization, by: User | None) -> ErasureReceipt:
    """Erase an organization: corpora, agents, conversations, and the people who belong to no other."""
    with transaction.atomic():
        receipt = open_receipt(Kind.ORGANIZATION, organization.pk, by, organization)
        Invitation.objects.filter(organization=organization).delete()
        IdentityProvider.objects.filter(organization=organization).update(is_active=False)
        Agent.objects.filter(organization=organization).update(is_active=False)
        for user in people_of_none_but(organization):
            shut_out(user)
        Membership.objects.filter(organization=organization, user__is_active=True).delete()
        mark_for_erasure(Corpus.objects.filter(organization=organization))
        audit.record_for(organization, by, "erased", organization)
        transaction.on_commit(lambda: erasure_requested.send(ErasureReceipt, receipt_id=receipt.pk))
    return receipt


def open_receipt(
    kind: str, subject: UUID, by: User | None, organization: Organization | None, owner: UUID | None = None
) -> ErasureReceipt:
    """The one that is open, if somebody was faster."""
    said = {"organization": organization, "owner_id": owner, "requested_by": by and by.pk}
    receipt, _created = ErasureReceipt.objects.get_or_create(
        kind=kind, subject_id=subject, finished_at=None, defaults={**said, "requested_at": timezone.now()}
    )
    return receipt


def people_of_none_but(organization: Organization) -> QuerySet[User]:
    """Members without another membership. Operators are nobody's members alone: their account stays."""
    counted = User.objects.annotate(organizations=Count("memberships", distinct=True))
    return counted.filter(organizations=1, memberships__organization=organization, is_superuser=False)


def refuse_last_admin(user: User) -> None:
    for own in user.memberships.filter(role=Membership.Role.ADMIN).select_related("organization"):
        Organization.objects.select_for_update().get(pk=own.organization_id)
        others = Membership.objects.in_organization_of(own).active().exclude(pk=own.pk)
        if not others.filter(role=Membership.Role.ADMIN).exists():
            sentence = _("You are the last admin of %(name)s. Make somebody else an admin there first.")
            raise LastAdmin(sentence % {"name": own.organization.name})


def shut_out(user: User) -> None:
    """No password, key or session opens anything from now on."""
    user.is_active = False
    user.set_unusable_password()
    user.save(update_fields=["is_active", "password"])
    end_other_sessions(user)


def mark_for_erasure(corpora: QuerySet[Corpus]) -> None:
    """With all their documents, whether alive or in the trash. Their rows are locked first, as uploads do."""
    unmarked = corpora.exclude(deleted_at__isnull=False, kept_until=None)
    ids = list(unmarked.select_for_update().order_by("pk").values_list("pk", flat=True))
    gone = {"deleted_at": Coalesce("deleted_at", read_database_clock()), "kept_until": None}
    Document.objects.filter(corpus__in=ids).update(**gone)
    corpora.filter(pk__in=ids).update(**gone)

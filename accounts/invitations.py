"""Invitations: an admin offers a membership; the receiver of the token takes it, once, within seven days."""

import secrets
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import audit
from accounts.identity.mail import deliver
from accounts.keys import digest
from accounts.members import lock_members
from accounts.models import Invitation, Membership, User
from accounts.problems import Problem
from accounts.tenancy.scope import system_scope

LIFETIME = timedelta(days=7)


class AlreadyMember(Problem):
    status_code = 409
    code = "already_member"
    default_detail = gettext_lazy("This person already belongs to the organization.")


def create_invitation(email: str, role: str, by: Membership) -> tuple[Invitation, str]:
    """Offer a membership; return the invitation and its token, which is not kept anywhere.

    An open invitation of the same address is replaced, so that an address has one valid link.
    """
    email = email.lower()
    if Membership.objects.in_organization_of(by).filter(user__email=email).exists():
        raise AlreadyMember
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        Invitation.objects.filter(organization=by.organization, email=email, accepted_at=None).delete()
        invitation = Invitation.objects.create(
            organization=by.organization,
            email=email,
            role=role,
            token_hash=digest(token),
            invited_by_id=by.user_id,
            expires_at=timezone.now() + LIFETIME,
        )
        audit.record(by, "invited", invitation, role=role)
    return invitation, token


def renew_invitation(invitation: Invitation, by: Membership) -> str:
    """Give the invitation a new token and seven more days; the old link stops working."""
    token = secrets.token_urlsafe(32)
    invitation.token_hash = digest(token)
    invitation.expires_at = timezone.now() + LIFETIME
    invitation.save(update_fields=["token_hash", "expires_at"])
    audit.record(by, "resent", invitation)
    return token


def withdraw_invitation(invitation: Invitation, by: Membership) -> None:
    """Take the offer back; its link stops working at once."""
    audit.record(by, "revoked", invitation)
    invitation.delete()


@system_scope()
def open_invitation(token: str) -> Invitation | None:
    """The invitation of a token, or None when it is unknown, used, revoked or expired."""
    invitation = Invitation.objects.select_related("organization").filter(token_hash=digest(token)).first()
    return invitation if invitation and invitation.is_open else None


@system_scope()
def accept_invitation(invitation: Invitation, user: User) -> Membership | None:
    """Make the user a member. None when somebody was faster with the same token.

    The conditional update is what makes a token single-use, also for two requests at once. The members are locked
    before it, as by who withdraws invitations together with members.
    """
    now = timezone.now()
    with transaction.atomic():
        lock_members(Membership(user=user, organization=invitation.organization))
        offered = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, expires_at__gt=now)
        if not offered.update(accepted_at=now):
            return None
        membership, _created = Membership.objects.get_or_create(
            user=user, organization=invitation.organization, defaults={"role": invitation.role}
        )
        audit.record(membership, "accepted", invitation, role=membership.role)
    return membership


@system_scope()
def accept_invitation_as_new_user(invitation: Invitation, name: str, password: str) -> Membership | None:
    """Make the user and the membership together, or neither: None when somebody was faster."""
    try:
        with transaction.atomic():
            user = User.objects.create_user(invitation.email, password, name=name)
            membership = accept_invitation(invitation, user)
            if membership is None:
                transaction.set_rollback(True)
    except IntegrityError:  # the same form sent twice at once
        return None
    return membership


def mail_invitation(invitation: Invitation, link: str) -> bool:
    """Mail the link in the current (the inviter's) language. False when that reaches nobody."""
    subject = _("Invitation to %(organization)s") % {"organization": invitation.organization.name}
    return deliver(invitation.email, subject, "accounts/invitation_mail.txt", invitation=invitation, link=link)

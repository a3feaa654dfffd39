"""Who must sign in with two factors, who does, and how an operator helps somebody who has lost theirs.

A session of somebody with a second factor has passed it, or is the one that it was set up in: all others are ended at
that moment (`accounts.identity.consequences`). So "has one" is all that needs to be asked.
"""

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.identity.mail import deliver
from accounts.identity.sessions import end_other_sessions
from accounts.models import Membership, Organization, User
from accounts.problems import Problem
from accounts.tenancy.scope import system_scope

SECOND_FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)  # recovery codes only stand in for one


class TwoFactorRequired(Problem):
    status_code = 403
    code = "two_factor_required"
    default_detail = _("Your organization asks for two-factor sign-in. Set it up on your account's page.")


def has_second_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user_id=user.pk, type__in=SECOND_FACTORS).exists())


def second_factor_exists(user_field: str = "pk") -> Exists:
    """The same as an expression, for lists: `user_field` leads from a row to its user's id."""
    return Exists(Authenticator.objects.filter(user_id=OuterRef(user_field), type__in=SECOND_FACTORS))


def lacks_second_factor(membership: Membership) -> bool:
    """Whether the membership may do nothing yet: its organization asks for two factors and its user has one. Of who
    came through the organization's own provider, that one has asked."""
    if membership.is_signed_on:
        return False
    return membership.organization.requires_two_factor and not has_second_factor(membership.user)


def require_second_factor(membership: Membership) -> None:
    if lacks_second_factor(membership):
        raise TwoFactorRequired


@system_scope()
def operator_lacks_second_factor(user: User) -> bool:
    """An operator reads every organization, so the strictest one's rule is theirs, too."""
    return Organization.objects.filter(requires_two_factor=True).exists() and not has_second_factor(user)


def change_requirement(required: bool, by: Membership) -> None:
    """Ask everybody in the admin's organization for two factors, or no longer. It counts from the next request on."""
    organization = by.organization
    organization.requires_two_factor = required
    organization.save(update_fields=["requires_two_factor"])
    audit.record(by, "changed", organization, requires_two_factor=required)


def tell_of_reset(user: User) -> None:
    deliver(user.email, str(_("Two-factor sign-in was reset")), "accounts/second_factor_reset_mail.txt")


def reset_second_factor(user: User, actor: User | None) -> bool:
    """Take a person's second factors and recovery codes away and end their sessions. False when there were none.

    For operators alone: whoever then knows the password gets in, so they make sure first that it is the person.
    """
    with transaction.atomic():
        removed, _by_model = Authenticator.objects.filter(user_id=user.pk).delete()
        if not removed:
            return False
        end_other_sessions(user)
        audit.record_everywhere(user, actor, "second_factor_reset")
    return True

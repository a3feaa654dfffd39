"""Who somebody of a provider is here: known by (issuer, subject); before that by a verified address of a domain that
the provider's own organization has proven, and by nothing else.

So an organization's provider makes nobody somebody of another organization's domain, and whom it makes somebody may
open that organization alone (`accounts.identity.provided`).
"""

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.identity.provided import domain_of
from accounts.limits.uses import lock_organization
from accounts.members import LastAdmin, change_role
from accounts.models import Membership, User
from accounts.tenancy.scope import system_scope
from sign_on.models import IdentityProvider, MailDomain, ProvidedIdentity
from sign_on.problems import SignOnRefused
from sign_on.provider.claims import Person


@system_scope()
def membership_of_person(provider: IdentityProvider, person: Person) -> Membership:
    """The membership to sign in with, made where it is the first time, in the role that the groups say. Raises
    SignOnRefused."""
    with transaction.atomic():
        lock_organization(provider.organization_id)  # two first sign-ins at once
        identity = ProvidedIdentity.objects.filter(
            organization=provider.organization_id, issuer=provider.issuer, subject=person.subject
        ).first()
        user = identity.user if identity else _user_for(provider, person)
        _check_user(user)
        if identity is None:
            membership = _join(provider, person, user)
        else:
            ProvidedIdentity.objects.filter(pk=identity.pk).update(last_used_at=timezone.now())
            membership = _known(provider, user)
    _follow_groups(provider, person, membership)
    return membership


def _user_for(provider: IdentityProvider, person: Person) -> User:
    """The member whose verified address it is, or somebody new with it. Raises SignOnRefused."""
    if not person.address:
        raise SignOnRefused("unverified")
    proved = MailDomain.objects.filter(organization=provider.organization_id).exclude(proved_at=None)
    if not proved.filter(name=domain_of(person.address)).exists():
        raise SignOnRefused("foreign_domain")
    user = User.objects.filter(email=person.address).first()
    if user is None:
        return User.objects.create_user(person.address, None, name=person.name)
    _check_user(user)
    if user.provided_identities.filter(organization=provider.organization_id, issuer=provider.issuer).exists():
        raise SignOnRefused("address_taken")  # of who had the address before, most likely
    if not user.memberships.filter(organization=provider.organization_id).exists():
        raise SignOnRefused("account_exists")  # made by whom? Its password would open what it joins
    return user


def _check_user(user: User) -> None:
    """An operator sees every organization, so none of them may say who that is."""
    if user.is_superuser or user.is_staff:
        raise SignOnRefused("operator")
    if not user.is_active:
        raise SignOnRefused("inactive")


def _join(provider: IdentityProvider, person: Person, user: User) -> Membership:
    identity = ProvidedIdentity.objects.create(
        organization_id=provider.organization_id, issuer=provider.issuer, subject=person.subject, user=user
    )
    membership, is_new = Membership.objects.select_related("user", "organization").get_or_create(
        user=user, organization_id=provider.organization_id
    )
    audit.record(membership, "linked", identity, joined=is_new)
    return membership


def _known(provider: IdentityProvider, user: User) -> Membership:
    """Whom an admin has removed here does not come back by signing in."""
    mine = Membership.objects.filter(organization=provider.organization_id, user=user)
    membership = mine.select_related("user", "organization").first()
    if membership is None:
        raise SignOnRefused("not_member")
    return membership


def _follow_groups(provider: IdentityProvider, person: Person, membership: Membership) -> None:
    """Only where the organization named groups. The last admin stays one: an organization keeps one."""
    if not provider.admin_groups or person.groups is None:
        return
    is_admin = not person.groups.isdisjoint(provider.admin_groups)
    role = Membership.Role.ADMIN if is_admin else Membership.Role.MEMBER
    if membership.role == role:
        return
    try:
        change_role(membership, role, membership)
    except LastAdmin:
        return
    membership.role = role

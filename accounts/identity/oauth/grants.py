"""Letting a program in, asking in whose name a token speaks, and ending it again."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts import audit
from accounts.identity.oauth.rows import OAuthAccessToken, OAuthClient, OAuthCode, OAuthGrant, OAuthRefreshToken
from accounts.keys import LAST_USED_RESOLUTION, digest
from accounts.models import Membership, User
from accounts.tenancy.scope import become_member, system_scope
from config.sign_in import OAUTH2_PROVIDER

UNUSED_FOR = timedelta(days=1)  # a program that registered and was let in by nobody
MOST_EXCHANGES = 2_000  # of refresh tokens that are remembered; in thirty days one an hour are 720
REFRESHABLE_FOR = timedelta(seconds=int(str(OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])))


@system_scope()  # the organization that was chosen need not be the session's
def let_in(membership: Membership, client: OAuthClient) -> OAuthGrant:
    """The member's grant for the program, which is the same however often it asks again. What was exchanged too often
    begins anew."""
    with transaction.atomic():
        grant, is_new = OAuthGrant.objects.get_or_create(membership=membership, client=client)
        if is_new:
            audit.record(membership, "connected", grant)
        if has_exchanged_enough(grant):
            grant.access_tokens.all().delete()
            grant.refresh_tokens.all().delete()
    return grant


def has_exchanged_enough(grant: OAuthGrant) -> bool:
    """Whether a program has to ask again: each exchange leaves a row, and nothing else would end them."""
    return bool(grant.refresh_tokens.count() >= MOST_EXCHANGES)


def grants_of(membership: Membership) -> QuerySet[OAuthGrant]:
    """The member's programs that can still come in."""
    alive = OAuthRefreshToken.objects.filter(grant=OuterRef("pk"), revoked=None)
    return membership.oauth_grants.filter(Exists(alive)).select_related("client")


def end_grant(grant: OAuthGrant, by: Membership) -> None:
    """Codes and tokens go with it: the program's next request is a stranger's."""
    with transaction.atomic():
        audit.record(by, "revoked", grant)
        grant.delete()


@system_scope()
def end_all(user: User) -> None:
    """Every program of a person, in every organization: whoever let them in may not be who knows the new password."""
    for membership in user.memberships.select_related("user", "organization"):
        for grant in membership.oauth_grants.all():
            end_grant(grant, membership)


def membership_of_token(secret: str, resource: str, seen_from: str | None = None) -> Membership | None:
    """The membership that an access token speaks for at this resource, or None when it is unknown, revoked, expired,
    another resource's, or its member is switched off. From here on the request is that member's."""
    with system_scope():
        token = _usable().filter(token_checksum=digest(secret)).first()
    if token is None or token.resource != [resource]:
        return None
    grant: OAuthGrant = token.grant
    member, now = grant.membership, timezone.now()
    become_member(member.organization_id, member.user_id, is_admin=member.is_admin)
    if grant.last_used_at is None or now - grant.last_used_at > LAST_USED_RESOLUTION:
        member.oauth_grants.filter(pk=grant.pk).update(last_used_at=now, last_used_from=seen_from)
    return member


def _usable() -> QuerySet[OAuthAccessToken]:
    of_active = {"grant__membership__is_active": True, "grant__membership__user__is_active": True}
    usable = OAuthAccessToken.objects.filter(expires__gt=timezone.now(), **of_active)
    return usable.select_related("grant__membership__user", "grant__membership__organization")


def forget_past_grants() -> None:
    """For the workers' upkeep: what has expired, grants that nothing is left of, and programs that nobody let in."""
    now = timezone.now()
    OAuthCode.objects.filter(expires__lt=now).delete()
    OAuthRefreshToken.objects.filter(revoked__lt=now - REFRESHABLE_FOR).delete()
    OAuthRefreshToken.objects.filter(revoked=None, access_token=None).delete()
    OAuthRefreshToken.objects.filter(revoked=None, access_token__expires__lt=now - REFRESHABLE_FOR).delete()
    OAuthAccessToken.objects.filter(expires__lt=now, refresh_token=None).delete()
    over = OAuthGrant.objects.filter(created_at__lt=now - UNUSED_FOR, codes=None, access_tokens=None)
    over.filter(refresh_tokens=None).delete()
    OAuthClient.objects.filter(created__lt=now - UNUSED_FOR, grants=None).delete()

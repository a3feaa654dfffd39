"""Whose an address is: it stands in `User.email`, and changes only to one whose mailbox has answered.

django-allauth's own table of addresses stays empty: an address that somebody merely claims would stand in it beside
the one that its owner signs in with.
"""

from datetime import timedelta

from django.core import signing
from django.db import IntegrityError, transaction

from accounts import audit
from accounts.models import Invitation, User
from accounts.tenancy.scope import system_scope

LIFETIME = timedelta(days=1)
SALT = "accounts.identity.addresses"


def change_token(user: User, wanted: str) -> str:
    """What the mail to a new address carries. A changed address or password makes it worthless."""
    return signing.dumps([str(user.pk), user.email, wanted], salt=_salt_of(user))


def wanted_address(user: User, token: str) -> str | None:
    """The address that a token of this very user proves; None when it is anybody else's, old or worthless."""
    try:
        person, former, wanted = signing.loads(token, salt=_salt_of(user), max_age=LIFETIME)
    except (signing.BadSignature, ValueError):
        return None
    return str(wanted) if (person, former) == (str(user.pk), user.email) else None


@system_scope()
def is_taken(address: str) -> bool:
    return User.objects.filter(email=address.lower()).exists()


def change_address(user: User, wanted: str) -> bool:
    """Make the proven address the user's, and forget by which invitations they once joined with the former one. False
    when somebody else has it by now."""
    former = user.email
    user.email = wanted
    try:
        with transaction.atomic():
            user.save(update_fields=["email"])
            audit.record_everywhere(user, user, "email_changed")
            with system_scope():
                Invitation.objects.filter(email__iexact=former).exclude(accepted_at=None).delete()
    except IntegrityError:
        user.email = former
        return False
    return True


def _salt_of(user: User) -> str:
    return f"{SALT}:{user.password}"

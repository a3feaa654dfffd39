"""Sessions that an organization's own provider has opened (docs/sign-on.md), and what they open.

Such a session opens that organization and nothing else: whoever runs the provider could sign in there as anybody, and
must not become somebody elsewhere by it. So it also neither sees nor changes what the account is opened with, nor what
the person is called or has elsewhere.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any
from uuid import UUID

from allauth.account.signals import user_logged_in as sign_in_completed
from django.contrib import messages
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Membership, Organization, User
from accounts.tenancy.scope import system_scope

PROVIDED = "provided_organization"  # in the session: whose provider has opened it
LONGEST = timedelta(hours=12)  # of such a session: who is no longer known to the provider is out by then

View = Callable[..., HttpResponseBase]


def connect_provided_sessions() -> None:
    user_logged_in.connect(forget_provider)
    sign_in_completed.connect(note_provider)


def provided_organization(request: HttpRequest) -> UUID | None:
    said = request.session.get(PROVIDED)
    return UUID(said) if said else None


def may_open(request: HttpRequest, membership: Membership) -> bool:
    """Whether the request's session is one that this membership is used with."""
    provided = provided_organization(request)
    if provided:
        return provided == membership.organization_id
    return not needs_provider(membership)


def needs_provider(membership: Membership) -> bool:
    """Whether a password does not open it: the organization has proven the domain of the person's address, and says
    that its people come through its provider alone."""
    return domain_of(membership.user.email) in membership.organization.sign_on_domains


@system_scope()  # names of where the person belongs, which this session may not open
def closed_organizations(request: HttpRequest) -> list[Organization]:
    """Those of the person that only the organization's own provider opens; another provider learns of none."""
    if not isinstance(request.user, User) or provided_organization(request):
        return []
    mine = request.user.memberships.select_related("user", "organization")
    return [one.organization for one in mine if needs_provider(one)]


def domain_of(address: str) -> str:
    """As domains are kept: lower case, and ASCII where it is one that DNS has."""
    domain = address.rpartition("@")[2].lower()
    try:
        return domain if domain.isascii() else domain.encode("idna").decode()
    except UnicodeError:
        return domain


def forget_provider(request: HttpRequest | None, **_signal: Any) -> None:
    """Whatever way in it was, the session is no longer a provider's; `note_provider` comes after, where it is."""
    if request is not None and hasattr(request, "session"):
        request.session.pop(PROVIDED, None)


def note_provider(request: HttpRequest, user: User, provided: str = "", **_signal: Any) -> None:
    """At the end of a sign-in, a second factor included. `provided` is what began it (`sign_on.pages`)."""
    if provided:
        request.session[PROVIDED] = provided
        request.session.set_expiry(timezone.now() + LONGEST)  # a number of seconds would begin anew with each change


def with_free_address(view: View) -> View:
    """A page that changes the address: not for whom an organization lets in by its provider alone, since that is asked
    of the address's domain."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if closed := closed_organizations(request):
            said = _("Your address stays: by it you sign in through %(name)s.")
            messages.error(request, said % {"name": closed[0].name})
            return redirect("account")
        return view(request, *args, **kwargs)

    return page


def with_own_credentials(view: View) -> View:
    """A page about the account itself, above all its credentials: not for sessions that a provider has opened."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated and provided_organization(request):
            said = _("You came through your organization. Sign in with your password for that.")
            messages.error(request, said)
            return redirect("account")
        return view(request, *args, **kwargs)

    return page

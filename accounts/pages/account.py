"""Pages of one's own account: name, sessions, API keys, and the organization one works in."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts import keys
from accounts.http.principal import SESSION_ORGANIZATION, memberships_of
from accounts.identity.provided import with_own_credentials
from accounts.identity.second_factor import has_second_factor
from accounts.identity.sessions import note_session, sign_ins_of
from accounts.limits.declared import Per
from accounts.limits.present import present_limits
from accounts.models import Membership
from accounts.pages.access import member_page, own_page, slice_of
from accounts.pages.forms import KeyForm, NameForm


@require_GET
@member_page
def account(request: HttpRequest, membership: Membership) -> HttpResponse:
    return account_page(request, membership)


def account_page(
    request: HttpRequest,
    membership: Membership,
    name_form: NameForm | None = None,
    key_form: KeyForm | None = None,
    secret: str = "",
) -> HttpResponse:
    """The account page, with forms as they were refused, or with a new key's secret."""
    note_session(request)  # or the first look at the list would lack this one
    sessions = sign_ins_of(membership.user)
    if membership.is_signed_on:  # where else somebody is signed in is not for whom the provider lets in
        sessions = [one for one in sessions if one.session_key == request.session.session_key]
    context = {
        "name_form": name_form or NameForm(instance=membership.user),
        "key_form": key_form or KeyForm(),
        "secret": secret,
        "keys": slice_of(membership.api_keys.filter(revoked_at=None), request),
        "sessions": sessions,
        "this_session": request.session.session_key,
        "two_factor": has_second_factor(membership.user),
        "limits": present_limits(membership, Per.USER) if settings.QUOTAS else [],
    }
    return render(request, "accounts/account.html", context)


@require_POST
@with_own_credentials
@member_page
def account_name(request: HttpRequest, membership: Membership) -> HttpResponse:
    form = NameForm(request.POST, instance=membership.user)
    if not form.is_valid():
        return account_page(request, membership, name_form=form)
    form.save()
    messages.success(request, _("Your name is saved."))
    return redirect("account")


@require_POST
@member_page
def key_create(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Answers with the page itself instead of a redirect: the secret is shown now and never again."""
    form = KeyForm(request.POST)
    if not form.is_valid():
        return account_page(request, membership, key_form=form)
    _key, secret = keys.issue_key(membership, form.cleaned_data["name"], form.cleaned_data["days"])
    return account_page(request, membership, secret=secret)


@require_POST
@member_page
def key_revoke(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    keys.revoke_key(get_object_or_404(membership.api_keys.filter(revoked_at=None), pk=pk), membership)
    messages.success(request, _("The key is revoked. It no longer opens anything."))
    return redirect("account")


@require_POST
@own_page  # whoever has no second factor for the one organization may go on in another
def organization_switch(request: HttpRequest, membership: Membership) -> HttpResponse:
    chosen = request.POST.get("organization", "")
    for other in memberships_of(request, membership.user):
        if str(other.organization_id) == chosen:
            request.session[SESSION_ORGANIZATION] = chosen
            messages.success(request, _("You now work in %(name)s.") % {"name": other.organization.name})
    return redirect("dashboard")

"""The page behind an invitation's link: join with the account one has, or make one."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import invitations
from accounts.http.principal import SESSION_ORGANIZATION
from accounts.models import Invitation, Membership, User
from accounts.pages.forms import JoinForm
from accounts.tenancy.scope import system_scope


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])  # what looks at links before their reader asks for heads
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Unknown, used, withdrawn and expired tokens get the same 404 page."""
    offered = invitations.open_invitation(token)
    if offered is None:
        return render(request, "accounts/invitation_gone.html", status=404)
    user = request.user
    if isinstance(user, User) and user.email == offered.email:
        return join_signed_in(request, offered, user)
    if has_account(offered.email) or user.is_authenticated:
        return render(request, "accounts/invitation_sign_in.html", {"invitation": offered})
    return join_as_new(request, offered)


@system_scope()
def has_account(email: str) -> bool:
    return User.objects.filter(email=email).exists()


def join_signed_in(request: HttpRequest, offered: Invitation, user: User) -> HttpResponse:
    if request.method == "POST":
        return welcome(request, invitations.accept_invitation(offered, user))
    return render(request, "accounts/invitation.html", {"invitation": offered})


def join_as_new(request: HttpRequest, offered: Invitation) -> HttpResponse:
    form = JoinForm(request.POST or None, email=offered.email)
    if request.method == "POST" and form.is_valid():
        membership = invitations.accept_invitation_as_new_user(
            offered, form.cleaned_data["name"], form.cleaned_data["password"]
        )
        if membership:
            with system_scope():  # it notes the time in the user's row, who has signed in only then
                login(request, membership.user, backend=settings.AUTHENTICATION_BACKENDS[0])
        return welcome(request, membership)
    return render(request, "accounts/invitation.html", {"invitation": offered, "form": form})


def welcome(request: HttpRequest, membership: Membership | None) -> HttpResponse:
    if membership is None:
        return render(request, "accounts/invitation_gone.html", status=404)
    request.session[SESSION_ORGANIZATION] = str(membership.organization_id)
    messages.success(request, _("Welcome to %(name)s.") % {"name": membership.organization.name})
    return redirect("dashboard")

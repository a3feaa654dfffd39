"""Pages of an organization's members and invitations, for its admins; for others they do not exist."""

from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts import invitations
from accounts import members as membership_rules
from accounts.identity.mail import is_mail_set_up
from accounts.identity.second_factor import change_requirement, has_second_factor, second_factor_exists
from accounts.models import Invitation, Membership
from accounts.pages.access import admin_page, slice_of
from accounts.pages.forms import InviteForm, RoleForm


@require_GET
@admin_page
def members(request: HttpRequest, membership: Membership) -> HttpResponse:
    return members_page(request, membership, InviteForm())


def members_page(
    request: HttpRequest, membership: Membership, form: InviteForm, offered: dict[str, object] | None = None
) -> HttpResponse:
    """The page, after an invitation with its link in `offered` (shown once)."""
    people = Membership.objects.in_organization_of(membership).select_related("user")
    people = people.annotate(two_factor=second_factor_exists("user_id"))
    if wanted := request.GET.get("q", "").strip():
        people = people.filter(Q(user__name__matches=wanted) | Q(user__email__matches=wanted))
    waiting = Invitation.objects.filter(organization=membership.organization, accepted_at=None)
    context = {
        "people": slice_of(people.order_by("user__name", "user__email"), request),
        "q": wanted,
        "waiting": waiting[:100],
        "form": form,
        "roles": Membership.Role.choices,
        "offered": offered,
    }
    return render(request, "accounts/members.html", context)


@require_POST
@admin_page
def member_role(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    member = get_object_or_404(Membership.objects.in_organization_of(membership), pk=pk)
    form = RoleForm(request.POST)
    if form.is_valid():
        membership_rules.change_role(member, form.cleaned_data["role"], membership)
        messages.success(request, _("The role is changed."))
    return redirect("members" if pk != membership.pk else "dashboard")


@require_POST
@admin_page
def member_remove(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    member = get_object_or_404(Membership.objects.in_organization_of(membership).select_related("user"), pk=pk)
    membership_rules.end_membership(member, membership)
    messages.success(request, _("%(name)s no longer belongs to the organization.") % {"name": member.user})
    return redirect("members" if pk != membership.pk else "dashboard")


@require_POST
@admin_page
def two_factor_require(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Ask every member for two factors, or no longer. Who asks for it has one: else they would lock themselves out."""
    required = request.POST.get("required") == "1"
    if required and not has_second_factor(membership.user):
        messages.error(request, _("Set up two-factor sign-in for yourself first."))
        return redirect("mfa_index")
    change_requirement(required, membership)
    told = _("Two-factor sign-in is now required.") if required else _("Two-factor sign-in is no longer required.")
    messages.success(request, told)
    return redirect("members")


@require_POST
@admin_page
def member_invite(request: HttpRequest, membership: Membership) -> HttpResponse:
    form = InviteForm(request.POST)
    if not form.is_valid():
        return members_page(request, membership, form)
    invitation, token = invitations.create_invitation(form.cleaned_data["email"], form.cleaned_data["role"], membership)
    return offer(request, membership, invitation, token)


@require_POST
@admin_page
def invitation_resend(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    invitation = waiting_invitation(membership, pk)
    return offer(request, membership, invitation, invitations.renew_invitation(invitation, membership))


@require_POST
@admin_page
def invitation_revoke(request: HttpRequest, membership: Membership, pk: UUID) -> HttpResponse:
    invitations.withdraw_invitation(waiting_invitation(membership, pk), membership)
    messages.success(request, _("The invitation is withdrawn."))
    return redirect("members")


def waiting_invitation(membership: Membership, pk: UUID) -> Invitation:
    waiting = Invitation.objects.filter(organization=membership.organization, accepted_at=None)
    return get_object_or_404(waiting.select_related("organization"), pk=pk)


def offer(request: HttpRequest, membership: Membership, invitation: Invitation, token: str) -> HttpResponse:
    """Mail the link; where no mail goes out at all, show it once to the admin instead.

    Who joins by a mailed link has proven the address, so the admin must not have the link as well, nor get it for an
    address that the mail server refuses.
    """
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    is_mailed = invitations.mail_invitation(invitation, link)
    offered = {"email": invitation.email, "link": "" if is_mail_set_up() else link, "mailed": is_mailed}
    return members_page(request, membership, InviteForm(), offered)

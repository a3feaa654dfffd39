"""Changing one's address: asked for after the password, done by the link that the new mailbox receives."""

from allauth.account.decorators import reauthentication_required
from allauth.core import ratelimit
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.identity import addresses
from accounts.identity.mail import deliver, is_mail_set_up
from accounts.identity.provided import with_free_address, with_own_credentials
from accounts.models import Membership, User
from accounts.pages.access import member_page
from accounts.pages.forms import AddressForm


@require_http_methods(["GET", "POST"])
@with_own_credentials
@with_free_address
@member_page
@reauthentication_required(app="allauth.account")  # type: ignore[untyped-decorator]  # allauth ships no type information
def address_change(request: HttpRequest, membership: Membership) -> HttpResponse:
    form = AddressForm(request.POST or None, user=membership.user)
    if request.method == "POST" and form.is_valid():
        return offer_address(request, membership.user, form.cleaned_data["email"])
    return render(request, "accounts/address.html", {"form": form, "can_mail": is_mail_set_up()})


def offer_address(request: HttpRequest, user: User, wanted: str) -> HttpResponse:
    """Mail the link. The page says the same of an address that somebody else has; its owner is told by mail."""
    if not ratelimit.consume(request, action="manage_email", user=user):
        messages.error(request, _("That was too often. Try again in a minute."))
        return redirect("address-change")
    if addresses.is_taken(wanted):
        is_sent = deliver(wanted, _("Your address on Acervo"), "accounts/address_taken_mail.txt")
    else:
        path = reverse("address-confirm", args=[addresses.change_token(user, wanted)])
        link = request.build_absolute_uri(path)
        is_sent = deliver(wanted, _("Confirm your address"), "accounts/address_mail.txt", link=link, user=user)
    if not is_sent:
        messages.error(request, _("The mail could not be sent. Try again later, or ask an operator."))
        return redirect("address-change")
    told = _("A message with a link is on its way to %(address)s. Until you open it, your address stays as it is.")
    messages.success(request, told % {"address": wanted})
    return redirect("account")


@require_http_methods(["GET", "HEAD", "POST"])
@with_own_credentials
@with_free_address
@member_page
def address_confirm(request: HttpRequest, membership: Membership, token: str) -> HttpResponse:
    """Only signed in as who asked: nobody is talked into confirming their mailbox for another's account."""
    user = membership.user
    wanted = addresses.wanted_address(user, token)
    if wanted is None:
        return render(request, "accounts/address_gone.html", status=404)
    if request.method != "POST":
        return render(request, "accounts/address_confirm.html", {"wanted": wanted})
    former = user.email
    if not addresses.change_address(user, wanted):
        return render(request, "accounts/address_gone.html", status=404)
    deliver(former, _("Your address was changed"), "accounts/address_changed_mail.txt", former=former, wanted=wanted)
    messages.success(request, _("Your address is now %(address)s.") % {"address": wanted})
    return redirect("account")

"""Which way an address signs in: the form with a password, or the page that leads to an organization's provider.

It is the address's domain that leads, never an account: nobody learns here who has one. A form cannot lead out of the
site by itself (`form-action`), so a link does.
"""

from typing import Any

from allauth.account.utils import get_next_redirect_url
from allauth.account.views import LoginView
from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from accounts.identity.provided import domain_of
from accounts.tenancy.scope import system_scope
from sign_on.models import IdentityProvider

LED = "led_to_provider"  # in the session: where its own form has said that the person may go
WITH_PASSWORD = "with_password"  # noqa: S105 - a field's name


class ProvidedAddressForm(forms.Form):
    email = forms.EmailField(
        label=_("Email address at your organization"), widget=forms.EmailInput(attrs={"autocomplete": "username"})
    )


@system_scope()  # nobody has signed in yet
def identity_provider_for(address: str) -> IdentityProvider | None:
    """Of the organization that has proven the address's domain, where it has one that is active."""
    domain = domain_of(address.strip())
    active = IdentityProvider.objects.filter(is_active=True)
    return active.filter(
        organization__mail_domains__name=domain, organization__mail_domains__proved_at__isnull=False
    ).first()


class LeadingSignIn(LoginView):  # type: ignore[misc]  # allauth ships no type information
    """django-allauth's. An address whose organization has a provider is led there before its password is looked at,
    unless somebody says that they mean to use it."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if WITH_PASSWORD not in request.POST:
            address = request.POST.get("login", "")[:254]
            if provider := identity_provider_for(address):
                return lead_page(request, provider, address)
        response: HttpResponseBase = super().post(request, *args, **kwargs)
        return response

    def get_form(self, *args: Any, **kwargs: Any) -> Any:
        """Who is led elsewhere has no password here: the browser does not ask for one, the form itself does."""
        form = super().get_form(*args, **kwargs)
        form.use_required_attribute = False
        return form

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        asked = self.request.GET if self.request.method == "GET" else self.request.POST
        return {**context, "with_password": WITH_PASSWORD in asked}


sign_in = LeadingSignIn.as_view()


def lead(request: HttpRequest) -> HttpResponse:
    """Sign in with your organization: for which address?"""
    form = ProvidedAddressForm(request.POST or None)
    if form.is_valid():
        address = form.cleaned_data["email"]
        if provider := identity_provider_for(address):
            return lead_page(request, provider, address)
        form.add_error("email", _("No organization signs in addresses of this domain. Use your password."))
    return render(request, "sign_on/organization.html", {"form": form, "next": get_next_redirect_url(request) or ""})


def lead_page(request: HttpRequest, provider: IdentityProvider, address: str) -> HttpResponse:
    """A link to the provider, which works in this browser alone."""
    request.session[LED] = str(provider.pk)
    context = {
        "provider": provider,
        "address": address,
        "domain": domain_of(address),
        "next": get_next_redirect_url(request) or "",
        "with_password": WITH_PASSWORD,
    }
    return render(request, "sign_on/lead.html", context)

"""To an organization's provider and back: what is sent away with, what is believed, and the session that it opens."""

import logging
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from allauth.account.internal.flows.login import perform_login
from allauth.account.models import Login
from allauth.account.utils import get_next_redirect_url
from allauth.core import ratelimit
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.http.principal import SESSION_ORGANIZATION
from accounts.models import Membership
from accounts.tenancy.scope import system_scope
from sign_on.models import IdentityProvider
from sign_on.pages.leading import LED
from sign_on.people import membership_of_person
from sign_on.problems import SignOnRefused
from sign_on.provider import asking
from sign_on.provider.asking import Leaving
from sign_on.provider.claims import Person, person_of
from sign_on.reasons import told_person
from sign_on.saml import asking as saml

logger = logging.getLogger(__name__)

LEFT = "sign_on"  # in the session: what was sent away with, by its state
MOST_LEFT = 5  # tabs
LONGEST_ANSWER = 8_192


def begin(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Away to the provider. A link, because a form may lead nowhere outside; but not one that somebody else has made:
    a provider may say at once who has come, and its people's session would take the place of another's."""
    provider = active_provider(pk)
    if request.session.get(LED) != str(pk):
        return redirect(to_the_form(request))
    try:
        if not ratelimit.consume(request, action="sign_on"):
            raise SignOnRefused("busy")
        then = get_next_redirect_url(request) or ""
        leaving = _leave(request, provider, then)
    except SignOnRefused as error:
        return refuse_sign_on(request, provider, error.reason, is_noted=error.reason != "busy")
    left = dict(list(request.session.get(LEFT, {}).items())[1 - MOST_LEFT :])
    request.session[LEFT] = {**left, leaving.state: leaving.kept}
    return redirect(leaving.url)


def callback(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Back from the provider. A state is good once, whatever comes with it."""
    provider = active_provider(pk)
    answered = {name: str(value) for name, value in request.GET.items() if len(value) <= LONGEST_ANSWER}
    left = dict(request.session.get(LEFT, {}))
    kept = left.pop(answered.get("state", ""), None)
    if kept is None:
        return refuse_sign_on(request, provider, "state", is_noted=False)
    request.session[LEFT] = left
    try:
        if not ratelimit.consume(request, action="sign_on"):
            raise SignOnRefused("busy")
        membership = membership_of_person(provider, _come_back(request, provider, kept, answered))
    except SignOnRefused as error:
        return refuse_sign_on(request, provider, error.reason)
    return admit(request, membership, kept["then"])


def _leave(request: HttpRequest, provider: IdentityProvider, then: str) -> Leaving:
    if provider.is_saml:
        return saml.leave_for_saml(provider, saml_addresses(request, provider), then)
    return asking.leave(provider, callback_url(request, provider), then, request.GET.get("email", "")[:254])


def _come_back(
    request: HttpRequest, provider: IdentityProvider, kept: dict[str, Any], answered: dict[str, str]
) -> Person:
    if provider.is_saml:
        return saml.come_back_by_saml(provider, kept, answered)
    claims = asking.come_back(provider, kept, answered, callback_url(request, provider))
    return person_of(claims, provider.groups_claim)


def to_the_form(request: HttpRequest) -> str:
    then = get_next_redirect_url(request)
    return reverse("sign-on") + (f"?{urlencode({'next': then})}" if then else "")


@system_scope()  # it notes the time in the user's row, who has signed in only then
def admit(request: HttpRequest, membership: Membership, then: str) -> HttpResponse:
    """As django-allauth signs in: a second factor that the person has set up here is asked for as well."""
    organization = str(membership.organization_id)
    request.session[SESSION_ORGANIZATION] = organization
    request.session.pop(LED, None)
    login = Login(user=membership.user, redirect_url=then or None, signal_kwargs={"provided": organization})
    response: HttpResponse = perform_login(request, login)
    return response


def active_provider(pk: UUID) -> IdentityProvider:
    provider = any_provider(pk)
    if not provider.is_active:
        raise Http404
    return provider


@system_scope()  # nobody has signed in yet
def any_provider(pk: UUID) -> IdentityProvider:
    provider: IdentityProvider | None = IdentityProvider.objects.select_related("organization").filter(pk=pk).first()
    if provider is None:
        raise Http404
    return provider


def callback_url(request: HttpRequest, provider: IdentityProvider) -> str:
    return request.build_absolute_uri(reverse("sign-on-callback", args=[provider.pk]))


def saml_addresses(request: HttpRequest, provider: IdentityProvider) -> saml.Addresses:
    entity, consumer = (reverse(f"sign-on-{one}", args=[provider.pk]) for one in ("metadata", "consumer"))
    return saml.Addresses(request.build_absolute_uri(entity), request.build_absolute_uri(consumer))


@system_scope()  # the admin is to find it, whoever it was
def refuse_sign_on(
    request: HttpRequest, provider: IdentityProvider, reason: str, *, is_noted: bool = True
) -> HttpResponse:
    """What to do now; of the provider nothing. Whoever comes with a state that is none leaves no trace."""
    if is_noted:
        provider.note_failure(reason)
        logger.warning("A sign-in through a provider was refused: %s", reason)
    context: dict[str, Any] = {"said": told_person(reason), "come_back_to": reverse("account_login")}
    return render(request, "sign_on/refused.html", context, status=403)

"""What a SAML provider knows of this installation: our metadata, and the address that its form is posted to."""

import re
from urllib.parse import urlencode
from uuid import UUID

from allauth.core import ratelimit
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt

from sign_on.models import IdentityProvider
from sign_on.pages.signing import active_provider, any_provider, saml_addresses
from sign_on.saml.asking import LONGEST_FORM, LONGEST_STATE, sealed_answer

STATE = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_STATE}}}")
MOST_BODY = 2 * LONGEST_FORM  # bytes: base64's `+`, `/` and `=` are three each in a form


def entity(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Our metadata. For a provider that is switched off as well: it may want this before it tells its own."""
    provider = _saml(any_provider(pk))
    context = {"addresses": saml_addresses(request, provider)}
    return render(request, "sign_on/metadata.xml", context, content_type="application/samlmetadata+xml")


@csrf_exempt  # it comes from the provider's site, without our cookies; it signs nobody in (sign_on.saml.asking)
def consume(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The posted form, judged; on to where the browser shows that it began. Neither reads nor sets a cookie."""
    provider = _saml(active_provider(pk))
    length = request.META.get("CONTENT_LENGTH") or ""
    answered = {}
    if length.isdecimal() and int(length) <= MOST_BODY and STATE.fullmatch(request.POST.get("RelayState", "")):
        answered = {"state": request.POST["RelayState"]}
        if ratelimit.consume(request, action="sign_on"):
            posted = request.POST.get("SAMLResponse", "")
            answered["answer"] = sealed_answer(provider, saml_addresses(request, provider), answered["state"], posted)
    response = redirect(f"{reverse('sign-on-callback', args=[provider.pk])}?{urlencode(answered)}")
    response.status_code = 303  # whatever the browser makes of others: this one is asked for with GET
    return response


def _saml(provider: IdentityProvider) -> IdentityProvider:
    if not provider.is_saml:
        raise Http404
    return provider

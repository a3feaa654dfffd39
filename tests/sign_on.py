"""An organization with a provider and proven domains, and browsers that sign in through it."""

from typing import Any, Protocol
from uuid import UUID

from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.identity.provided import PROVIDED
from accounts.models import Membership, Organization
from sign_on.enforcing import note_enforced_domains
from sign_on.models import IdentityProvider, MailDomain, ProvidedIdentity
from sign_on.pages.leading import LED
from tests.fakes.saml import signer
from tests.people import signed_in

KEY = UUID("5e0f6d0e-9f0c-4f5d-8b43-0d6f0a6f7c11")  # of the provider that the process knows the address of
CALLBACK = f"/accounts/organization/{KEY}/callback/"
CONSUMER = f"/accounts/organization/{KEY}/consumer/"


class Issuing(Protocol):
    issuer: str
    client_id: str
    secret: str


def provider_of(organization: Organization, issuing: Issuing | None = None, **fields: Any) -> IdentityProvider:
    told = {"issuer": issuing.issuer, "client_id": issuing.client_id} if issuing else {}
    given = {"issuer": "https://login.example.org", "client_id": "acervo", **told, **fields}
    provider = IdentityProvider(organization=organization, **given)
    provider.keep_secret(issuing.secret if issuing else "hush")
    provider.save()
    with transaction.atomic():
        note_enforced_domains(organization)
    return provider


def saml_provider_of(organization: Organization, **fields: Any) -> IdentityProvider:
    """Of the one made by hand, unless told otherwise."""
    told = {"issuer": signer.ISSUER, "sso_url": signer.SSO_URL, "certificates": signer.keys().certificate}
    given = {**told, "client_id": "", **fields}
    return provider_of(organization, protocol=IdentityProvider.Protocol.SAML, **given)


def posted(provider: IdentityProvider, form: dict[str, str], client: Client) -> Any:
    """The page after the provider's form, which comes from its site, so without the browser's cookies."""
    answer = Client(enforce_csrf_checks=True).post(reverse("sign-on-consumer", args=[provider.pk]), form)
    assert answer.status_code == 303, answer.status_code
    assert not answer.cookies
    return client.get(answer["Location"])


def the_provider_of(organization: Organization) -> IdentityProvider:
    """The one that it has; there is no second."""
    return IdentityProvider.objects.filter(organization=organization).first() or provider_of(organization)


def domain_of_organization(organization: Organization, name: str = "here.test", *, proved: bool = True) -> MailDomain:
    domain = MailDomain.objects.create(
        organization=organization, name=name, proved_at=timezone.now() if proved else None, checked_at=timezone.now()
    )
    with transaction.atomic():
        note_enforced_domains(organization)
    return domain


def identity_of(member: Membership, subject: str = "s") -> ProvidedIdentity:
    return ProvidedIdentity.objects.create(
        organization=member.organization, user=member.user, issuer="https://login.example.org", subject=subject
    )


def begun(provider: IdentityProvider, client: Client | None = None, then: str = "") -> tuple[Client, str]:
    """A browser that is on its way, and where it was sent."""
    client = client or Client()
    session = client.session  # as its own form leaves it
    session[LED] = str(provider.pk)
    session.save()
    answer = client.get(reverse("sign-on-begin", args=[provider.pk]), {"next": then} if then else {})
    assert answer.status_code == 302, answer.content.decode()[:2000]
    return client, answer["Location"]


def provided_session(membership: Membership) -> Client:
    """A browser whose session the organization's provider has opened."""
    client = signed_in(membership)
    session = client.session
    session[PROVIDED] = str(membership.organization_id)
    session.save()
    return client


def is_inside(client: Client, membership: Membership) -> bool:
    """Whether the browser's pages are this membership's."""
    answer = client.get(reverse("account"))
    return answer.status_code == 200 and answer.context["membership"].pk == membership.pk

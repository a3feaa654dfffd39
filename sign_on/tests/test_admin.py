"""The pages of single sign-on in the administration."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from sign_on.models import IdentityProvider, MailDomain, ProvidedIdentity
from tests.factories import UserFactory
from tests.fakes.names import NameServer
from tests.fakes.openid.hostile import HostileProvider
from tests.people import People, signed_in
from tests.sign_on import domain_of_organization, provided_session, provider_of

pytestmark = pytest.mark.django_db
ADD = reverse("admin:sign_on_identityprovider_add")
FORM = {
    "issuer": "https://login.example.org",
    "client_id": "acervo",
    "secret": "hush-hush-hush",
    "groups_claim": "groups",
    "admin_groups": "bosses\r\n\r\n heads ",
    "is_active": "on",
}


@pytest.fixture
def people() -> People:
    people = People.assembled()
    people.ada.user.email = "ada@here.test"
    people.ada.user.save()
    return people


@pytest.fixture
def ada(people: People) -> Client:
    return signed_in(people.ada)


def change(provider: IdentityProvider) -> str:
    return reverse("admin:sign_on_identityprovider_change", args=[provider.pk])


def test_a_provider_is_entered_and_its_secret_never_shown(people: People, ada: Client) -> None:
    assert ada.get(ADD).status_code == 200
    assert ada.post(ADD, FORM).status_code == 302
    provider = IdentityProvider.objects.get()
    assert (provider.organization_id, provider.admin_groups) == (people.ada.organization_id, ["bosses", "heads"])
    assert provider.open_secret() == "hush-hush-hush"
    assert "hush" not in provider.sealed_secret
    shown = ada.get(change(provider)).content.decode()
    assert "hush" not in shown
    assert reverse("sign-on-callback", args=[provider.pk]) in shown
    assert "hush" not in str(list(AuditEvent.objects.values_list("changes", flat=True)))
    assert ada.get(ADD).status_code == 404


def test_an_empty_secret_stays_and_another_issuer_wants_its_own(people: People, ada: Client) -> None:
    provider = provider_of(people.ada.organization)
    form = {**FORM, "issuer": provider.issuer, "secret": "", "client_id": "other"}
    assert ada.post(change(provider), form).status_code == 302
    provider.refresh_from_db()
    assert (provider.client_id, provider.open_secret()) == ("other", "hush")
    answer = ada.post(change(provider), form | {"issuer": "https://other.example.org"})
    assert "secret" in answer.context["adminform"].form.errors


@pytest.mark.parametrize(
    "issuer",
    ["http://login.example.org", "https://user@x.org", "ftp://x.org", "https://x.org:22", "https://x.org?a=1", "x"],
)
def test_an_issuer_is_judged(issuer: str, ada: Client) -> None:
    answer = ada.post(ADD, FORM | {"issuer": issuer})
    assert set(answer.context["adminform"].form.errors) == {"issuer"}


def test_enforcement_is_for_who_has_come_by_it(people: People, ada: Client) -> None:
    provider = provider_of(people.ada.organization)
    form = {**FORM, "issuer": provider.issuer, "secret": "", "is_enforced": "on"}
    ada.post(change(provider), form)
    assert not IdentityProvider.objects.get().is_enforced  # no domain is proven
    domain_of_organization(people.ada.organization)
    ada.post(change(provider), form)
    assert not IdentityProvider.objects.get().is_enforced  # they would lock themselves out
    ada = provided_session(people.ada)
    ada.post(change(provider), form)
    people.ada.organization.refresh_from_db()
    assert people.ada.organization.sign_on_domains == ["here.test"]
    ada.post(change(provider), form | {"issuer": "https://other.example.org", "secret": "new"})
    people.ada.organization.refresh_from_db()
    assert (IdentityProvider.objects.get().is_enforced, people.ada.organization.sign_on_domains) == (False, [])


def test_the_check_says_how_it_went(people: People, ada: Client, hostile: HostileProvider) -> None:
    provider = provider_of(people.ada.organization, hostile)
    check = reverse("admin:sign_on_check", args=[provider.pk])
    for metadata, outcome in (({}, "ok"), ({"issuer": "x"}, "other_issuer")):
        hostile.metadata = metadata
        assert ada.post(check).status_code == 302
        provider.refresh_from_db()
        assert provider.check_outcome == outcome
    assert ada.get(check).status_code == 404
    assert signed_in(people.zoe).post(check).status_code == 404
    assert signed_in(people.bob).post(check).status_code == 404


def test_a_domain_is_named_and_proven(people: People, ada: Client, names: NameServer) -> None:
    answer = ada.post(reverse("admin:sign_on_maildomain_add"), {"name": " Here.test"}, follow=True)
    domain = MailDomain.objects.get()
    assert domain.record_value in answer.content.decode()
    names.records[domain.record_name] = [domain.record_value]
    prove = reverse("admin:sign_on_prove", args=[domain.pk])
    assert signed_in(people.zoe).post(prove).status_code == 404
    assert ada.get(prove).status_code == 404
    ada.post(prove)
    domain.refresh_from_db()
    assert (domain.name, domain.proved_at is not None) == ("here.test", True)
    again = ada.post(reverse("admin:sign_on_maildomain_add"), {"name": "here.test"})
    assert again.context["adminform"].form.errors
    delete = reverse("admin:sign_on_maildomain_delete", args=[domain.pk])
    assert ada.post(delete, {"post": "yes"}).status_code == 302
    assert not MailDomain.objects.exists()


def test_an_identity_is_removed(people: People, ada: Client) -> None:
    provider = provider_of(people.ada.organization)
    identity = ProvidedIdentity.objects.create(
        organization=people.ada.organization, issuer=provider.issuer, subject="s", user=people.bob.user
    )
    assert ada.get(reverse("admin:sign_on_providedidentity_change", args=[identity.pk])).status_code == 200
    delete = reverse("admin:sign_on_providedidentity_delete", args=[identity.pk])
    assert ada.post(delete, {"post": "yes"}).status_code == 302
    assert not ProvidedIdentity.objects.exists()
    assert AuditEvent.objects.filter(action="unlinked").exists()


def test_a_provider_is_deleted_with_its_identities(people: People, ada: Client) -> None:
    provider = provider_of(people.ada.organization)
    ProvidedIdentity.objects.create(
        organization=people.ada.organization, issuer=provider.issuer, subject="s", user=people.bob.user
    )
    delete = reverse("admin:sign_on_identityprovider_delete", args=[provider.pk])
    assert ada.post(delete, {"post": "yes"}).status_code == 302
    assert not ProvidedIdentity.objects.exists()
    assert not IdentityProvider.objects.exists()


def test_an_operator_makes_one_for_an_organization(people: People) -> None:
    operator = Client()
    operator.force_login(UserFactory(is_superuser=True, is_staff=True))
    form: dict[str, Any] = {**FORM, "organization": str(people.zoe.organization_id)}
    assert operator.post(ADD, form).status_code == 302
    assert IdentityProvider.objects.get().organization_id == people.zoe.organization_id


def test_an_address_of_a_private_network_is_refused_where_it_is_asked_from_here(ada: Client, settings: Any) -> None:
    private = FORM | {"issuer": "https://10.1.2.3"}
    (said,) = ada.post(ADD, private).context["adminform"].form.errors["issuer"]
    assert said[0].isupper()
    assert said.endswith(".")
    settings.SIGN_ON_NETWORKS = ["10.0.0.0/8"]
    assert ada.post(ADD, private).status_code == 302
    settings.SIGN_ON_NETWORKS = []
    provider = IdentityProvider.objects.get()
    assert ada.post(change(provider), private | {"is_active": "", "secret": ""}).status_code == 302
    assert not IdentityProvider.objects.get().is_active


def test_a_domain_that_is_there_is_said_to_be_there(people: People, ada: Client) -> None:
    domain_of_organization(people.ada.organization, "aurora.example")
    answer = ada.post(reverse("admin:sign_on_maildomain_add"), {"name": "aurora.example"})
    assert [[str(one) for one in many] for many in answer.context["adminform"].form.errors.values()] == [
        ["Ya está en uso en la organización: dominio."]
    ]
    english = ada.post(
        reverse("admin:sign_on_maildomain_add"), {"name": "aurora.example"}, headers={"accept-language": "en"}
    )
    assert "The organization has one with the same already: domain." in english.content.decode()

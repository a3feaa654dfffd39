"""The pages of a SAML provider: its metadata read, ours told, certificates judged."""

import subprocess
import sys
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from lxml import etree

from accounts.models import AuditEvent
from sign_on.models import IdentityProvider
from sign_on.saml.certificates import certificates_of, told_certificates
from tests.fakes.saml.signer import ISSUER, SSO_URL, keys
from tests.people import People, signed_in
from tests.sign_on import domain_of_organization, provided_session, provider_of, saml_provider_of

pytestmark = pytest.mark.django_db
ADD = reverse("admin:sign_on_identityprovider_add")
REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
FORM = {"protocol": "saml", "groups_claim": "groups", "admin_groups": "bosses", "is_active": "on"}


def metadata(
    *certificates: str, role: str = "", url: str = SSO_URL, binding: str = REDIRECT, issuer: str = ISSUER, top: str = ""
) -> str:
    bare = ["".join(one.splitlines()[1:-1]) for one in certificates]
    held = "".join(
        f"<md:KeyDescriptor use='signing'><ds:KeyInfo><ds:X509Data><ds:X509Certificate>\n{one}\n</ds:X509Certificate>"
        "</ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
        for one in bare
    )
    return (
        f'<?xml version="1.0"?>{top}<!-- of the provider --><md:EntityDescriptor entityID="{issuer}" '
        'xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">'
        f'<md:IDPSSODescriptor {role} protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">{held}'
        f'<md:SingleSignOnService Binding="{binding}" Location="{url}"/>'
        "</md:IDPSSODescriptor></md:EntityDescriptor>"
    )


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


def errors_of(answer: Any) -> set[str]:
    return set(answer.context["adminform"].form.errors)


@pytest.mark.parametrize("way", ["pasted", "file", "by hand"])
def test_it_is_entered(way: str, people: People, ada: Client) -> None:
    certificate = keys().certificate
    given: dict[str, Any] = {
        "pasted": {"metadata": metadata(certificate).replace("&", "&amp;")},
        "file": {"metadata_file": SimpleUploadedFile("idp.xml", metadata(certificate).encode())},
        "by hand": {"entity_id": ISSUER, "sso_url": SSO_URL, "certificates": certificate},
    }[way]
    assert ada.post(ADD, FORM | given).status_code == 302
    provider = IdentityProvider.objects.get()
    assert (provider.protocol, provider.issuer, provider.sso_url) == ("saml", ISSUER, SSO_URL)
    assert certificates_of(provider.certificates) == certificates_of(certificate)
    assert (provider.admin_groups, provider.organization_id) == (["bosses"], people.ada.organization_id)
    shown = ada.get(change(provider)).content.decode()
    for name in ("sign-on-metadata", "sign-on-consumer"):
        assert f"http://testserver{reverse(name, args=[provider.pk])}" in shown
    assert told_certificates(certificate)[0].fingerprint in shown
    assert "client_id" not in ada.get(change(provider)).context["adminform"].form.fields


def test_it_is_saved_first_where_the_provider_wants_our_addresses_first(ada: Client) -> None:
    assert errors_of(ada.post(ADD, FORM)) == {"is_active"}
    assert ada.post(ADD, {**FORM, "is_active": ""}).status_code == 302
    provider = IdentityProvider.objects.get()
    answer = Client().get(reverse("sign-on-metadata", args=[provider.pk]))
    assert answer["Content-Type"] == "application/samlmetadata+xml"
    told = etree.fromstring(answer.content)
    assert told.get("entityID") == f"http://testserver{reverse('sign-on-metadata', args=[provider.pk])}"
    consumer = next(told.iter("{*}AssertionConsumerService"))
    assert consumer.get("Location") == f"http://testserver{reverse('sign-on-consumer', args=[provider.pk])}"
    form = {**FORM, "metadata": metadata(keys().certificate)}
    assert ada.post(change(provider), form).status_code == 302
    provider.refresh_from_db()
    assert (provider.is_active, provider.issuer) == (True, ISSUER)


def test_a_provider_of_openid_connect_has_none_of_it(people: People) -> None:
    provider = provider_of(people.ada.organization)
    assert Client().get(reverse("sign-on-metadata", args=[provider.pk])).status_code == 404
    assert Client().post(reverse("sign-on-consumer", args=[provider.pk])).status_code == 404


@pytest.mark.parametrize(
    "written",
    [
        "no xml",
        metadata(),
        metadata(keys().certificate, role='WantAuthnRequestsSigned="true"'),
        metadata(keys().certificate, binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"),
        metadata(keys().certificate, url="http://idp.here.test/sso"),
        metadata(keys().certificate, url="javascript:alert(1)"),
        metadata(keys().certificate, issuer="x" * 301),
        metadata(keys().certificate, issuer=""),
        metadata(keys().certificate, top='<!DOCTYPE x [<!ENTITY a "b">]>'),
        metadata(keys("weak", bits=1024).certificate),
        metadata(*(keys(str(one), bits=0).certificate for one in range(6))),
        metadata(keys().certificate).replace("IDPSSODescriptor", "SPSSODescriptor"),
        metadata(keys().certificate).replace(":2.0:protocol", ":1.1:protocol"),
        "<a>" * 50_000,
    ],
)
def test_metadata_is_judged(written: str, ada: Client) -> None:
    assert errors_of(ada.post(ADD, FORM | {"metadata": written})) == {"metadata"}
    assert not IdentityProvider.objects.exists()


def test_metadata_that_is_no_plain_xml_is_not_called_a_response(ada: Client) -> None:
    written = metadata(keys().certificate, top='<!DOCTYPE x [<!ENTITY a "b">]>')
    said = ada.post(ADD, FORM | {"metadata": written}).context["adminform"].form.errors["metadata"]
    assert [str(one) for one in said] == [
        "Los metadatos no están escritos como XML en UTF-8, o contienen un DTD o entidades: quítalos."
    ]


def test_browsers_may_be_led_into_a_network_of_their_own(ada: Client) -> None:
    """Nothing is asked of it from here."""
    form = FORM | {"entity_id": ISSUER, "sso_url": "https://10.1.2.3/sso", "certificates": keys().certificate}
    assert ada.post(ADD, form).status_code == 302


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sso_url", "http://idp.here.test"),
        ("sso_url", "https://user@idp.here.test"),
        ("sso_url", "javascript:alert(1)"),
        ("certificates", "x"),
        ("certificates", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
        ("certificates", keys("weak", bits=1024).certificate),
        ("certificates", keys().certificate + "and more"),
        ("certificates", "".join(keys(str(one), bits=0).certificate for one in range(6))),
        ("entity_id", "a\u202eb"),
        ("entity_id", "x" * 301),
    ],
)
def test_what_is_entered_is_judged(field: str, value: str, ada: Client) -> None:
    form = {**FORM, "entity_id": ISSUER, "sso_url": SSO_URL, "certificates": keys().certificate, field: value}
    assert field in errors_of(ada.post(ADD, form))
    assert not IdentityProvider.objects.exists()


def test_hosts_are_those_that_the_operator_allows(ada: Client, settings: Any) -> None:
    settings.SIGN_ON_HOSTS = [".campus.test"]
    assert errors_of(ada.post(ADD, FORM | {"metadata": metadata(keys().certificate)})) == {"metadata"}


def test_a_certificate_is_added_beside_the_former_one(people: People, ada: Client) -> None:
    provider = saml_provider_of(people.ada.organization)
    both = keys().certificate + keys("next", days=20).certificate
    form = {**FORM, "entity_id": ISSUER, "sso_url": SSO_URL, "certificates": both}
    assert ada.post(change(provider), form).status_code == 302
    provider.refresh_from_db()
    assert [one.state for one in told_certificates(provider.certificates)] == ["valid", "soon"]
    assert "ends soon" in ada.get(change(provider), headers={"accept-language": "en"}).content.decode()
    assert AuditEvent.objects.latest("created_at").changes["fields"] == ["admin_groups", "certificates"]


def test_its_protocol_stays(people: People, ada: Client) -> None:
    """The subjects of one protocol are nobody in the other."""
    provider = saml_provider_of(people.ada.organization)
    form = {**FORM, "protocol": "oidc", "issuer": "https://login.example.org", "client_id": "c", "secret": "s"}
    ada.post(change(provider), form)
    provider.refresh_from_db()
    assert (provider.protocol, provider.client_id) == ("saml", "")


@pytest.mark.parametrize("changed", [{"entity_id": "urn:other"}, {"subject_attribute": "employee"}])
def test_whoever_may_be_somebody_else_then_is_not_enforced(changed: dict[str, str], people: People) -> None:
    provider = saml_provider_of(people.ada.organization)
    domain_of_organization(people.ada.organization)
    ada = provided_session(people.ada)
    form = {**FORM, "entity_id": ISSUER, "sso_url": SSO_URL, "certificates": provider.certificates, "is_enforced": "on"}
    ada.post(change(provider), form)
    people.ada.organization.refresh_from_db()
    assert people.ada.organization.sign_on_domains == ["here.test"]
    ada.post(change(provider), form | changed)
    people.ada.organization.refresh_from_db()
    assert (IdentityProvider.objects.get().is_enforced, people.ada.organization.sign_on_domains) == (False, [])


def test_nothing_is_asked_of_it_from_here(people: People, ada: Client) -> None:
    provider = saml_provider_of(people.ada.organization)
    assert ada.post(reverse("admin:sign_on_check", args=[provider.pk])).status_code == 404


def test_signatures_are_loaded_when_they_are_looked_at() -> None:
    """lxml and signxml: by a sign-in, not by every process of the installation."""
    asked = (
        "import django; django.setup(); import config.urls, sys; "
        "print([one for one in ('lxml', 'signxml') if one in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert told.stdout.strip().endswith("[]")

"""A whole sign-in with a real SAML provider: there, through its form, and back."""

from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse

from accounts.identity.provided import PROVIDED
from accounts.models import AuditEvent, Membership, User
from sign_on.models import IdentityProvider, ProvidedIdentity
from sign_on.saml.entities import provider_entity
from tests.fakes.saml.real import RealProvider
from tests.fakes.saml.signer import MAIL, TRANSIENT
from tests.people import People
from tests.sign_on import KEY, begun, domain_of_organization, is_inside, posted, saml_provider_of

pytestmark = pytest.mark.django_db
NADIA = {"email": "Nadia@here.test", "displayName": "Nadia", "groups": ["staff"]}


@pytest.fixture
def people() -> People:
    return People.assembled()


@pytest.fixture
def provider(people: People, real_saml: RealProvider) -> IdentityProvider:
    domain_of_organization(people.ada.organization)
    entity = provider_entity(real_saml.metadata())
    assert entity.sso_url == real_saml.sso_url
    return saml_provider_of(people.ada.organization, pk=KEY, admin_groups=["bosses"], **entity._asdict())


def came_back(real: RealProvider, provider: IdentityProvider, name: str, then: str = "") -> tuple[Client, Any]:
    client, url = begun(provider, then=then)
    return client, posted(provider, real.signed_in(url, name), client)


@pytest.mark.parametrize(
    "options",
    [{}, {"signResponse": True, "signAssertion": False}, {"signResponse": True, "signatureNamespacePrefix": "ds"}],
)
def test_the_first_sign_in_makes_a_member(
    options: dict[str, Any], real_saml: RealProvider, provider: IdentityProvider
) -> None:
    real_saml.tell(options, nadia=NADIA)
    client, answer = came_back(real_saml, provider, "nadia", then="/account/")
    provider.refresh_from_db()
    assert (answer.status_code, provider.failure) == (302, "")
    assert answer["Location"] == "/account/"
    user = User.objects.get(email="nadia@here.test")
    membership = user.memberships.get()
    assert (user.name, user.has_usable_password()) == ("Nadia", False)
    assert (membership.organization_id, membership.role) == (provider.organization_id, "member")
    assert is_inside(client, membership)
    assert client.session[PROVIDED] == str(provider.organization_id)
    told = AuditEvent.objects.get(action="linked")
    assert (told.actor_id, told.changes) == (user.pk, {"joined": True})
    identity = ProvidedIdentity.objects.get()
    assert (identity.issuer, identity.subject) == (real_saml.issuer, "id-of-nadia")


def test_the_next_one_is_the_same_person_whatever_the_address_has_become(
    real_saml: RealProvider, provider: IdentityProvider
) -> None:
    real_saml.tell({}, nadia=NADIA)
    came_back(real_saml, provider, "nadia")
    for changed in ({"email": "other@elsewhere.test"}, {"email": "zoe@elsewhere.test"}):
        real_saml.tell(nadia=NADIA | changed)
        client, answer = came_back(real_saml, provider, "nadia")
        assert answer.status_code == 302
        assert is_inside(client, Membership.objects.get(user__email="nadia@here.test"))
    assert ProvidedIdentity.objects.count() == 1


def test_groups_decide_the_role_at_every_sign_in(real_saml: RealProvider, provider: IdentityProvider) -> None:
    for groups, role in ((["bosses"], "admin"), ("staff", "member"), (["staff", "bosses"], "admin"), ([], "member")):
        real_saml.tell({}, nadia=NADIA | {"groups": groups})
        came_back(real_saml, provider, "nadia")
        assert Membership.objects.get(user__email="nadia@here.test").role == role
    real_saml.tell({}, nadia=NADIA | {"groups": ["bosses"]})
    came_back(real_saml, provider, "nadia")
    more = {"http://schemas.microsoft.com/claims/groups.link": "https://graph.example.org/groups"}
    real_saml.tell({}, nadia={name: value for name, value in NADIA.items() if name != "groups"} | more)
    came_back(real_saml, provider, "nadia")  # more groups than are listed: the role stays
    assert Membership.objects.get(user__email="nadia@here.test").role == "admin"


@pytest.mark.parametrize(
    ("said", "fields", "reason"),
    [
        ({"email": "nadia@elsewhere.test"}, {}, "foreign_domain"),
        ({"email": "nadia@sub.here.test"}, {}, "foreign_domain"),
        ({"email": ["nadia@here.test", "zoe@here.test"]}, {}, "unverified"),
        ({"email": "no address"}, {}, "unverified"),
        ({}, {"email_attribute": "contact"}, "unverified"),
        ({"format": TRANSIENT}, {}, "no_subject"),
        ({}, {"subject_attribute": "employee"}, "no_subject"),
        ({"employee": ["1", "2"]}, {"subject_attribute": "employee"}, "no_subject"),
    ],
)
def test_what_proves_nothing_lets_nobody_in(
    said: dict[str, Any], fields: dict[str, str], reason: str, real_saml: RealProvider, provider: IdentityProvider
) -> None:
    IdentityProvider.objects.update(**fields)
    real_saml.tell({}, stranger=NADIA | said)
    client, answer = came_back(real_saml, provider, "stranger")
    assert answer.status_code == 403
    assert SESSION_KEY not in client.session
    assert not ProvidedIdentity.objects.exists()
    assert not User.objects.filter(name="Nadia").exists()
    provider.refresh_from_db()
    assert provider.failure == reason


def test_who_somebody_is_and_their_address_stand_where_the_admin_says(
    real_saml: RealProvider, provider: IdentityProvider
) -> None:
    IdentityProvider.objects.update(subject_attribute="employee", email_attribute="contact")
    said = {"employee": "7", "contact": "nadia@here.test", "email": "zoe@elsewhere.test", "format": TRANSIENT}
    real_saml.tell({}, nadia=said)
    assert came_back(real_saml, provider, "nadia")[1].status_code == 302
    assert ProvidedIdentity.objects.get(user__email="nadia@here.test").subject == "7"


def test_a_name_id_that_is_an_address_is_one(real_saml: RealProvider, provider: IdentityProvider) -> None:
    real_saml.tell({}, nadia={"id": "nadia@here.test", "format": MAIL})
    assert came_back(real_saml, provider, "nadia")[1].status_code == 302
    assert User.objects.filter(email="nadia@here.test").exists()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"signAssertion": False}, "unsigned"),
        ({"signatureAlgorithm": "rsa-sha1"}, "weak"),
        ({"digestAlgorithm": "sha1"}, "weak"),
        ({"lifetimeInSeconds": -600}, "stale"),
        ({"audience": "urn:of-another"}, "other_audience"),
        ({"samlStatusCode": "urn:oasis:names:tc:SAML:2.0:status:Responder"}, "provider_error"),
    ],
)
def test_a_provider_that_is_set_up_badly_is_told_to_the_admin(
    options: dict[str, Any], reason: str, real_saml: RealProvider, provider: IdentityProvider
) -> None:
    real_saml.tell(options, nadia=NADIA)
    answer = came_back(real_saml, provider, "nadia")[1]
    assert answer.status_code == 403
    assert real_saml.issuer not in answer.content.decode()
    provider.refresh_from_db()
    assert provider.failure == reason


def test_a_second_factor_that_the_person_has_here_is_asked_for(
    real_saml: RealProvider, provider: IdentityProvider, people: People
) -> None:
    people.bob.user.email = "bob@here.test"
    people.bob.user.save()
    TOTP.activate(people.bob.user, generate_totp_secret())
    real_saml.tell({}, bob={"email": "bob@here.test"})
    client, answer = came_back(real_saml, provider, "bob", then="/account/")
    assert answer["Location"] == reverse("mfa_authenticate")
    assert SESSION_KEY not in client.session

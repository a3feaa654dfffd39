"""A whole sign-in with a certified provider: there, through its forms, and back."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.identity.provided import PROVIDED
from accounts.identity.sealing import unseal
from accounts.models import AuditEvent, Membership, User
from sign_on.models import IdentityProvider, ProvidedIdentity
from tests.codes import code_of
from tests.fakes.openid.real import RealProvider
from tests.people import People
from tests.sign_on import CALLBACK, KEY, begun, domain_of_organization, is_inside, provider_of

pytestmark = pytest.mark.django_db
NADIA = {"email": "Nadia@here.test", "email_verified": True, "name": "Nadia", "groups": ["staff"]}


@pytest.fixture
def people() -> People:
    return People.assembled()


@pytest.fixture
def provider(people: People, real: RealProvider) -> IdentityProvider:
    domain_of_organization(people.ada.organization)
    return provider_of(people.ada.organization, real, pk=KEY, admin_groups=["bosses"])


def came_back(real: RealProvider, provider: IdentityProvider, name: str, then: str = "") -> tuple[Client, Any]:
    client, url = begun(provider, then=then)
    return client, client.get(CALLBACK, real.signed_in(url, name))


def test_the_first_sign_in_makes_a_member(real: RealProvider, provider: IdentityProvider) -> None:
    real.tell(nadia=NADIA)
    client, answer = came_back(real, provider, "nadia", then="/account/")
    assert (answer.status_code, answer["Location"]) == (302, "/account/")
    user = User.objects.get(email="nadia@here.test")
    membership = user.memberships.get()
    assert (user.name, user.has_usable_password()) == ("Nadia", False)
    assert (membership.organization_id, membership.role) == (provider.organization_id, "member")
    assert is_inside(client, membership)
    told = AuditEvent.objects.get(action="linked")
    assert (told.actor_id, told.changes) == (user.pk, {"joined": True})
    ends = client.session.get_expiry_date()
    assert timedelta(hours=11) < ends - timezone.now() <= timedelta(hours=12)
    session = client.session
    session["anything"] = 1  # does not begin the hours anew
    session.save()
    assert client.session.get_expiry_date() == ends


def test_the_next_one_is_the_same_person_whatever_the_address_has_become(
    real: RealProvider, provider: IdentityProvider
) -> None:
    real.tell(nadia=NADIA)
    came_back(real, provider, "nadia")
    for changed in ({"email": "other@elsewhere.test"}, {"email_verified": False}, {"email": "zoe@elsewhere.test"}):
        real.tell(nadia=NADIA | changed)
        client, answer = came_back(real, provider, "nadia")
        assert answer.status_code == 302
        assert is_inside(client, Membership.objects.get(user__email="nadia@here.test"))
    assert ProvidedIdentity.objects.count() == 1


def test_groups_decide_the_role_at_every_sign_in(real: RealProvider, provider: IdentityProvider) -> None:
    for groups, role in ((["bosses"], "admin"), (["staff"], "member"), (["staff", "bosses"], "admin")):
        real.tell(nadia=NADIA | {"groups": groups})
        came_back(real, provider, "nadia")
        assert Membership.objects.get(user__email="nadia@here.test").role == role


def test_the_last_admin_stays_one(real: RealProvider, provider: IdentityProvider, people: People) -> None:
    people.ada.user.email = "ada@here.test"
    people.ada.user.save()
    real.tell(ada={"email": "ada@here.test", "email_verified": True, "groups": []})
    client, _answer = came_back(real, provider, "ada")
    assert is_inside(client, people.ada)
    people.ada.refresh_from_db()
    assert people.ada.role == "admin"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"email_verified": False}, "unverified"),
        ({"email_verified": None}, "unverified"),
        ({"email": "nadia@elsewhere.test"}, "foreign_domain"),
        ({"email": "nadia@sub.here.test"}, "foreign_domain"),
        ({"email": None}, "unverified"),
    ],
)
def test_an_address_that_proves_nothing_lets_nobody_in(
    said: dict[str, Any], reason: str, real: RealProvider, provider: IdentityProvider
) -> None:
    real.tell(stranger={name: value for name, value in (NADIA | said).items() if value is not None})
    client, answer = came_back(real, provider, "stranger")
    assert answer.status_code == 403
    assert SESSION_KEY not in client.session
    assert not ProvidedIdentity.objects.exists()
    assert not User.objects.filter(name="Nadia").exists()
    provider.refresh_from_db()
    assert provider.failure == reason


def test_a_second_factor_that_the_person_has_here_is_asked_for(
    real: RealProvider, provider: IdentityProvider, people: People
) -> None:
    """And what was begun at the provider stays a provider's session behind it."""
    people.bob.user.email = "bob@here.test"
    people.bob.user.save()
    secret = TOTP.activate(people.bob.user, generate_totp_secret()).instance
    real.tell(bob={"email": "bob@here.test", "email_verified": True})
    client, answer = came_back(real, provider, "bob", then="/account/")
    assert answer["Location"] == reverse("mfa_authenticate")
    assert SESSION_KEY not in client.session
    code = code_of(unseal(secret.data["secret"]))
    assert client.post(reverse("mfa_authenticate"), {"code": code})["Location"] == "/account/"
    assert is_inside(client, people.bob)
    assert client.session[PROVIDED] == str(provider.organization_id)


def test_an_answer_is_good_once_and_in_its_own_browser(real: RealProvider, provider: IdentityProvider) -> None:
    real.tell(nadia=NADIA)
    client, url = begun(provider)
    answered = real.signed_in(url, "nadia")
    assert Client().get(CALLBACK, answered).status_code == 403
    assert client.get(CALLBACK, answered).status_code == 302
    client.logout()
    assert client.get(CALLBACK, answered).status_code == 403


def test_a_stolen_code_is_worth_nothing_without_its_verifier(real: RealProvider, provider: IdentityProvider) -> None:
    """The provider itself refuses it: PKCE."""
    real.tell(nadia=NADIA)
    _victim, url = begun(provider)
    stolen = real.signed_in(url, "nadia")["code"]
    client, url = begun(provider)
    mine = real.signed_in(url, "nadia")
    assert client.get(CALLBACK, mine | {"code": stolen}).status_code == 403


def test_a_wrong_secret_is_told_to_the_admin_alone(real: RealProvider, provider: IdentityProvider) -> None:
    provider.keep_secret("not this one")
    provider.save()
    real.tell(nadia=NADIA)
    _client, answer = came_back(real, provider, "nadia")
    assert answer.status_code == 403
    assert real.issuer not in answer.content.decode()
    provider.refresh_from_db()
    assert provider.failure == "status"

"""What a session opens: a provider's its organization alone, a password's nothing that is enforced."""

from typing import Any

import pytest
from django.contrib.auth import SESSION_KEY
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.identity.provided import PROVIDED
from accounts.models import AuditEvent, Membership
from sign_on.models import IdentityProvider
from tests.people import People, signed_in, with_key
from tests.sign_on import domain_of_organization, is_inside, provided_session, provider_of

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-walk-to-the-door"
MEMBERS_OWN = [
    "account_change_password", "account_reauthenticate", "mfa_index", "mfa_activate_totp", "mfa_reauthenticate",
    "mfa_add_webauthn", "mfa_generate_recovery_codes", "address-change",
]  # fmt: skip


@pytest.fixture
def people() -> People:
    people = People.assembled()
    for member in (people.alice, people.ada):
        member.user.email = f"{member.user.name.lower()}@here.test"
        member.user.set_password(PASSWORD)
        member.user.save()
    return people


@pytest.fixture
def provider(people: People) -> IdentityProvider:
    domain_of_organization(people.ada.organization)
    return provider_of(people.ada.organization)


@pytest.fixture
def enforced(people: People) -> IdentityProvider:
    domain_of_organization(people.ada.organization)
    return provider_of(people.ada.organization, is_enforced=True)


def switched(client: Client, membership: Membership) -> None:
    client.post(reverse("organization-switch"), {"organization": str(membership.organization_id)})


def test_a_providers_session_opens_its_organization_alone(people: People, provider: IdentityProvider) -> None:
    client = provided_session(people.alice)
    switched(client, people.alice_elsewhere)
    assert is_inside(client, people.alice)
    assert "Elsewhere" not in client.get(reverse("dashboard")).content.decode()
    people.alice.delete()
    assert client.get(reverse("account")).status_code == 403
    assert client.get("/api/corpora/").status_code == 401


def test_a_password_opens_what_is_not_enforced(people: People, provider: IdentityProvider) -> None:
    client = signed_in(people.alice)
    assert is_inside(client, people.alice)
    switched(client, people.alice_elsewhere)
    assert is_inside(client, people.alice_elsewhere)


def test_a_password_does_not_open_what_is(people: People, enforced: IdentityProvider) -> None:
    client = signed_in(people.alice)
    assert is_inside(client, people.alice_elsewhere)
    switched(client, people.alice)
    assert is_inside(client, people.alice_elsewhere)
    people.alice_elsewhere.delete()
    answer = client.get(reverse("account"))
    assert answer.status_code == 403
    assert reverse("sign-on") in answer.content.decode()
    assert client.get("/api/corpora/").status_code == 401


def test_guests_with_other_addresses_and_keys_go_on(people: People, enforced: IdentityProvider) -> None:
    assert is_inside(signed_in(people.bob), people.bob)
    assert with_key(people.alice).get("/api/corpora/").status_code == 200
    assert is_inside(provided_session(people.alice), people.alice)


def test_another_providers_session_does_not_open_it(people: People, enforced: IdentityProvider) -> None:
    """Alice came by the provider of her other organization."""
    client = provided_session(people.alice_elsewhere)
    switched(client, people.alice)
    assert is_inside(client, people.alice_elsewhere)


@pytest.mark.parametrize("name", MEMBERS_OWN)
def test_a_providers_session_does_not_touch_how_the_account_signs_in(
    name: str, people: People, provider: IdentityProvider
) -> None:
    client = provided_session(people.alice)
    for answer in (client.get(reverse(name)), client.post(reverse(name), {"password": PASSWORD})):
        assert (answer.status_code, answer["Location"]) == (302, reverse("account"))


def test_it_sees_and_ends_no_other_session(people: People, provider: IdentityProvider) -> None:
    elsewhere, client = signed_in(people.alice), provided_session(people.alice)
    elsewhere.get(reverse("account"))
    shown = client.get(reverse("account")).context["sessions"]
    assert [one.session_key for one in shown] == [client.session.session_key]
    other = people.alice.user.sign_ins.exclude(session_key=client.session.session_key).get()
    assert client.post(reverse("session-end", args=[other.pk])).status_code == 404
    client.post(reverse("sessions-end"))
    assert is_inside(elsewhere, people.alice)


def test_who_becomes_an_operator_is_signed_out_of_it(people: People, provider: IdentityProvider) -> None:
    client = provided_session(people.ada)
    people.ada.user.is_superuser = True
    people.ada.user.save()
    assert client.get(reverse("account")).status_code == 302
    assert client.get(reverse("admin:accounts_user_changelist")).status_code in (302, 404)


def test_the_provider_has_asked_for_the_second_factor(people: People, provider: IdentityProvider) -> None:
    people.alice.organization.requires_two_factor = True
    people.alice.organization.save()
    assert signed_in(people.alice).get(reverse("account")).status_code == 302
    assert is_inside(provided_session(people.alice), people.alice)


def test_a_password_makes_the_session_an_own_one_again(people: People, provider: IdentityProvider) -> None:
    client = provided_session(people.alice)
    client.login(email="alice@here.test", password=PASSWORD)
    assert PROVIDED not in client.session


def test_the_form_leads_by_the_domain_and_looks_at_no_password(people: People, provider: IdentityProvider) -> None:
    for address in ("alice@here.test", "nobody@HERE.test"):
        client = Client()
        answer = client.post(reverse("account_login"), {"login": address, "password": PASSWORD, "next": "/account/"})
        assert answer.status_code == 200
        assert reverse("sign-on-begin", args=[provider.pk]) in answer.content.decode()
        assert "next=%2Faccount%2F" in answer.content.decode()
        assert SESSION_KEY not in client.session
    form = client.get(reverse("account_login"), {"with_password": "1"})
    assert 'name="with_password"' in form.content.decode()
    told = {"login": "alice@here.test", "password": PASSWORD, "with_password": "1"}
    assert client.post(reverse("account_login"), told).status_code == 302
    assert SESSION_KEY in client.session


@pytest.mark.parametrize("address", ["alice@elsewhere.test", "alice@claimed.test", "alice", "@", "a@b@here.tes"])
def test_other_addresses_are_led_nowhere(address: str, provider: IdentityProvider) -> None:
    domain_of_organization(provider.organization, "claimed.test", proved=False)
    answer = Client().post(reverse("account_login"), {"login": address, "password": PASSWORD})
    assert "/accounts/organization/" + str(provider.pk) not in answer.content.decode()
    assert Client().post(reverse("sign-on"), {"email": address}).context["form"].errors


def test_the_organizations_page_leads_there(provider: IdentityProvider) -> None:
    answer = Client().post(reverse("sign-on"), {"email": "new@here.test", "next": "https://evil.example.org/"})
    assert reverse("sign-on-begin", args=[provider.pk]) in answer.content.decode()
    assert "evil" not in answer.content.decode()


def test_a_provider_that_is_switched_off_is_not_there(provider: IdentityProvider) -> None:
    provider.is_active = False
    provider.save()
    for name in ("sign-on-begin", "sign-on-callback"):
        assert Client().get(reverse(name, args=[provider.pk])).status_code == 404
    assert Client().post(reverse("sign-on"), {"email": "new@here.test"}).context["form"].errors


def test_an_operator_lets_passwords_in_again(people: People, enforced: IdentityProvider, capsys: Any) -> None:
    slug = people.alice.organization.slug
    call_command("sign_on", slug)
    assert "enforced for here.test" in capsys.readouterr().out
    call_command("sign_on", slug, "--passwords")
    assert is_inside(signed_in(people.alice), people.alice)
    assert AuditEvent.objects.filter(action="changed", changes={"is_enforced": False}, actor=None).exists()
    with pytest.raises(CommandError, match="not enforced"):
        call_command("sign_on", slug, "--passwords")
    with pytest.raises(CommandError, match="no organization"):
        call_command("sign_on", "nowhere")

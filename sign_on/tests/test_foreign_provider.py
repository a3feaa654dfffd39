"""What the admin of one organization, who runs its provider, can do to people of it who belong to another one too."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.identity.addresses import change_token
from tests.fakes.openid.hostile import HostileProvider
from tests.people import People, signed_in
from tests.sign_on import domain_of_organization, is_inside, provided_session, provider_of

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-walk-to-the-door"


@pytest.fixture
def people() -> People:
    people = People.assembled()
    people.alice.user.email = "alice@here.test"
    people.alice.user.set_password(PASSWORD)
    people.alice.user.save()
    domain_of_organization(people.ada.organization)
    return people


def test_a_providers_session_does_not_name_the_person_elsewhere(people: People) -> None:
    provider_of(people.ada.organization)
    provided_session(people.alice).post(reverse("account-name"), {"name": "Mallory"})
    people.alice.user.refresh_from_db()
    assert people.alice.user.name == "Alice"


@pytest.mark.parametrize("address", ["alice@bücher.test", "alice@BÜCHER.test", "alice@xn--bcher-kva.test"])
def test_enforcement_and_the_way_there_know_a_domain_however_it_is_written(address: str, people: People) -> None:
    domain_of_organization(people.ada.organization, "xn--bcher-kva.test")
    provider = provider_of(people.ada.organization, is_enforced=True)
    people.alice.user.email = address
    people.alice.user.save()
    people.alice_elsewhere.delete()
    assert signed_in(people.alice).get(reverse("account")).status_code == 403
    answer = Client().post(reverse("account_login"), {"login": address, "password": PASSWORD})
    assert reverse("sign-on-begin", args=[provider.pk]) in answer.content.decode()


def test_a_full_stop_of_another_script_is_one(people: People) -> None:
    """Mail to it arrives at the very domain."""
    provider_of(people.ada.organization, is_enforced=True)
    people.alice.user.email = "alice@here\u3002test"
    people.alice.user.save()
    people.alice_elsewhere.delete()
    assert signed_in(people.alice).get(reverse("account")).status_code == 403


def test_who_is_bound_to_the_provider_does_not_get_out_of_it_by_another_address(people: People) -> None:
    """By the password of another organization, whose pages offer that."""
    client = signed_in(people.alice_elsewhere)
    token = change_token(people.alice.user, "alice@free.test")
    provider_of(people.ada.organization, is_enforced=True)
    assert is_inside(client, people.alice_elsewhere)
    for answer in (
        client.get(reverse("address-change")),
        client.post(reverse("address-change"), {"email": "alice@free.test"}),
        client.post(reverse("address-confirm", args=[token])),
    ):
        assert (answer.status_code, answer["Location"]) == (302, reverse("account"))
    people.alice.user.refresh_from_db()
    assert people.alice.user.email == "alice@here.test"


def test_a_link_from_elsewhere_leads_to_no_provider(people: People, hostile: HostileProvider) -> None:
    """It would sign a stranger in, unasked, as somebody of the provider's: what they write then is another's."""
    provider = provider_of(people.ada.organization, hostile)
    for client in (Client(), signed_in(people.charlie)):
        answer = client.get(reverse("sign-on-begin", args=[provider.pk]), {"next": "/account/"})
        assert (answer.status_code, answer["Location"]) == (302, reverse("sign-on") + "?next=%2Faccount%2F")
    assert is_inside(client, people.charlie)
    assert not hostile.asked


def test_who_was_led_to_one_provider_is_led_to_no_other(people: People, hostile: HostileProvider) -> None:
    domain_of_organization(people.zoe.organization, "elsewhere.test")
    here, elsewhere = (provider_of(one.organization, hostile) for one in (people.ada, people.zoe))
    client = Client(enforce_csrf_checks=False)
    client.post(reverse("sign-on"), {"email": "somebody@elsewhere.test"})
    there = client.get(reverse("sign-on-begin", args=[here.pk]))["Location"]
    assert there == reverse("sign-on")
    assert client.get(reverse("sign-on-begin", args=[elsewhere.pk]))["Location"].startswith(hostile.issuer)

"""What an attacker of the SAML sign-in got through with, before it was mended."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from lxml import etree

from accounts.models import User
from sign_on.models import IdentityProvider, ProvidedIdentity
from sign_on.saml.asking import WAITS_SECONDS
from tests.fakes.saml.signer import DS, ISSUER, SSO_URL, Asked, as_form, asked_of, at, keys, signed, written
from tests.people import People, signed_in
from tests.saml import assert_refused, came_back, reason_of
from tests.sign_on import begun, domain_of_organization, saml_provider_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    cache.clear()


@pytest.fixture
def people() -> People:
    return People.assembled()


@pytest.fixture
def provider(people: People) -> IdentityProvider:
    domain_of_organization(people.ada.organization)
    return saml_provider_of(people.ada.organization, admin_groups=["bosses"])


def many_attributes() -> dict[str, str]:
    return {f"a{each:05}": "" for each in range(11_000)}


def on_the_response(response: Any) -> Any:
    for name, value in many_attributes().items():
        response.set(name, value)
    return response


def in_what_is_signed_first(response: Any) -> Any:
    """A transform may hold anything, and stands in what is made canonical before the key is asked."""
    etree.SubElement(next(response.iter(f"{{{DS}}}Transform")), "{urn:x}a", many_attributes())
    return response


def with_many_keys(response: Any) -> Any:
    """Each with an identifier, which the schema of signatures compares: for every certificate anew."""
    told = next(response.iter(f"{{{DS}}}KeyInfo"))
    for each in range(1_500):
        etree.SubElement(told, f"{{{DS}}}X509Data", Id=f"k{each}").append(etree.Element("{urn:x}a"))
    return response


@pytest.mark.parametrize("swell", [on_the_response, in_what_is_signed_first, with_many_keys])
def test_what_grows_faster_than_its_size_is_bounded(swell: Callable[[Any], Any], provider: IdentityProvider) -> None:
    """To list attributes, and their canonical order, cost the square of how many there are: 0.7 s a form."""

    def made(asked: Asked) -> bytes:
        return bytes(etree.tostring(swell(signed(written(asked), over="response"))))

    assert_refused(provider, came_back(provider, made), "too_much")


@pytest.mark.parametrize("blank", ["\u00a0", "\u3000", "\u2028", " ", "\n"])
@pytest.mark.parametrize("attribute", ["", "employee"])
def test_a_name_with_a_blank_more_is_not_the_one_without(
    attribute: str, blank: str, provider: IdentityProvider
) -> None:
    """A provider whose people name themselves knows `n-1` and `n-1 ` as two."""
    provider.subject_attribute = attribute
    provider.save()

    def of(subject: str, address: str) -> Any:
        told = {"email": [address], "employee": [subject]}
        return came_back(provider, lambda asked: signed(written(asked, told, name_id=subject)))

    assert of("n-1", "nadia@here.test").status_code == 302
    nadia = ProvidedIdentity.objects.get(subject="n-1")
    of(f"n-1{blank}", "mallory@here.test")
    of(f"{blank}n-1", "mallory@here.test")
    assert ProvidedIdentity.objects.get(subject="n-1").last_used_at == nadia.last_used_at


def test_a_group_with_a_blank_more_is_another(provider: IdentityProvider) -> None:
    told = {"email": ["nadia@here.test"], "groups": ["bosses "]}
    assert came_back(provider, lambda asked: signed(written(asked, told))).status_code == 302
    assert User.objects.get(email="nadia@here.test").memberships.get().role == "member"


def test_an_address_may_stand_between_blanks(provider: IdentityProvider) -> None:
    told = {"email": ["\n  nadia@here.test\n  "]}
    assert came_back(provider, lambda asked: signed(written(asked, told))).status_code == 302
    assert User.objects.filter(email="nadia@here.test").exists()


def test_what_a_certificate_signed_ends_with_it(provider: IdentityProvider) -> None:
    """A stolen key's form that was posted before the certificate was taken out, and is carried on after."""
    client, url = begun(provider)
    asked = asked_of(url)
    form = {"SAMLResponse": as_form(signed(written(asked))), "RelayState": asked.state}
    there = Client().post(reverse("sign-on-consumer", args=[provider.pk]), form)["Location"]
    provider.certificates = keys("next").certificate
    provider.save()
    assert_refused(provider, client.get(there), "state")


def test_a_refusal_that_is_noted_in_between_ends_nobodys_sign_in(provider: IdentityProvider) -> None:
    client, url = begun(provider)
    asked = asked_of(url)
    form = {"SAMLResponse": as_form(signed(written(asked))), "RelayState": asked.state}
    there = Client().post(reverse("sign-on-consumer", args=[provider.pk]), form)["Location"]
    came_back(provider, lambda another: signed(written(another), keys("mallory")))
    assert reason_of(provider) == "forged"
    assert client.get(there).status_code == 302


def test_another_word_for_who_somebody_is_makes_nobody_somebody_else(
    provider: IdentityProvider, people: People
) -> None:
    """Nadia's NameID is the number of Mallory, whose attribute says who he is from then on."""
    assert came_back(provider, lambda asked: signed(written(asked, name_id="1001"))).status_code == 302
    form = {
        "protocol": "saml", "groups_claim": "groups", "admin_groups": "bosses", "is_active": "on",
        "entity_id": ISSUER, "sso_url": SSO_URL, "certificates": keys().certificate, "subject_attribute": "number",
    }  # fmt: skip
    change = reverse("admin:sign_on_identityprovider_change", args=[provider.pk])
    assert signed_in(people.ada).post(change, form).status_code == 302
    told = {"email": ["mallory@here.test"], "number": ["1001"]}
    provider.refresh_from_db()
    assert came_back(provider, lambda asked: signed(written(asked, told, name_id="m"))).status_code == 302
    assert ProvidedIdentity.objects.get(subject="1001").user.email == "mallory@here.test"


def test_an_assertion_is_remembered_no_longer_than_its_request_waits(
    provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider that says "good for years" would fill the cache of all."""
    kept: dict[str, int] = {}

    def add(key: str, value: Any, timeout: int) -> bool:
        kept[key] = timeout
        return True

    monkeypatch.setattr(cache, "add", add)
    came_back(provider, lambda asked: signed(written(asked, confirmed_until=at(days=900))))
    assert [seconds for key, seconds in kept.items() if "assertion" in key] == [WAITS_SECONDS]

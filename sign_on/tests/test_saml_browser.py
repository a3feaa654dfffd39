"""The posted form signs nobody in: the browser that began does, once, with the answer to its own request."""

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import User
from sign_on.models import IdentityProvider
from sign_on.saml import asking
from tests.fakes.saml.signer import SAML, as_form, asked_of, keys, signed, written
from tests.people import People, signed_in
from tests.saml import assert_refused, reason_of
from tests.sign_on import begun, domain_of_organization, is_inside, posted, saml_provider_of

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


def test_a_response_is_good_once(provider: IdentityProvider) -> None:
    client, url = begun(provider)
    asked = asked_of(url)
    form = {"SAMLResponse": as_form(signed(written(asked))), "RelayState": asked.state}
    assert posted(provider, form, client).status_code == 302
    client.logout()
    assert posted(provider, form, client).status_code == 403
    other, _url = begun(provider)
    session = other.session  # as if two requests of one browser had come at once
    session["sign_on"] = {asked.state: next(iter(session["sign_on"].values()))}
    session.save()
    assert posted(provider, form, other).status_code == 403
    assert reason_of(provider) == "replayed"


def test_nobody_is_signed_in_by_somebody_elses_response(provider: IdentityProvider, people: People) -> None:
    """Login CSRF: Mallory's own response, posted by the browser of another."""
    _mallory, url = begun(provider)
    asked = asked_of(url)
    form = {"SAMLResponse": as_form(signed(written(asked))), "RelayState": asked.state}
    consumer = reverse("sign-on-consumer", args=[provider.pk])
    there = Client().post(consumer, form)["Location"]
    victims = (Client(), begun(provider)[0], signed_in(people.charlie))
    for victim in victims:
        assert victim.get(there).status_code == 403
    assert is_inside(victims[-1], people.charlie)
    assert not User.objects.filter(email="nadia@here.test").exists()
    assert reason_of(provider) == ""  # who has begun nothing leaves no trace


def test_what_nobody_asked_for_is_refused(provider: IdentityProvider) -> None:
    """A sign-in that the provider begins has no request."""
    client, url = begun(provider)
    asked = asked_of(url)
    for relay in ("", "https://elsewhere.test/", "x" * 81, "guessed"):
        response = signed(written(asked._replace(id="_x")))
        assert posted(provider, {"SAMLResponse": as_form(response), "RelayState": relay}, client).status_code == 403
    response = written(asked)
    del response.attrib["InResponseTo"]
    del next(response.iter(f"{{{SAML}}}SubjectConfirmationData")).attrib["InResponseTo"]
    form = {"SAMLResponse": as_form(signed(response)), "RelayState": asked.state}
    assert_refused(provider, posted(provider, form, client), "other_request")


def test_a_response_answers_the_request_of_its_own_state(provider: IdentityProvider) -> None:
    """Another's response under the own state: both are real."""
    _other, url = begun(provider)
    theirs = asked_of(url)
    client, url = begun(provider)
    form = {"SAMLResponse": as_form(signed(written(theirs))), "RelayState": asked_of(url).state}
    assert_refused(provider, posted(provider, form, client), "other_request")


def test_what_the_browser_carries_is_sealed_for_its_sign_in(provider: IdentityProvider, people: People) -> None:
    domain_of_organization(people.zoe.organization, "elsewhere.test")
    other = saml_provider_of(people.zoe.organization)
    _client, url = begun(provider)
    asked = asked_of(url)
    form = {"SAMLResponse": as_form(signed(written(asked))), "RelayState": asked.state}
    answer = Client().post(reverse("sign-on-consumer", args=[provider.pk]), form)["Location"].partition("answer=")[2]
    for chosen in (provider, other):
        client, url = begun(chosen)
        callback = reverse("sign-on-callback", args=[chosen.pk])
        for carried in (answer, answer[:-4], "", "x", "é"):
            client, url = begun(chosen)
            assert client.get(callback, {"state": asked_of(url).state, "answer": carried}).status_code == 403


def test_it_is_carried_at_once(provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    client, url = begun(provider)
    asked = asked_of(url)
    form = {"SAMLResponse": as_form(signed(written(asked))), "RelayState": asked.state}
    there = Client().post(reverse("sign-on-consumer", args=[provider.pk]), form)["Location"]
    monkeypatch.setattr(asking, "TAKEN_SECONDS", 0)
    assert_refused(provider, client.get(there), "too_late")


def test_of_another_organizations_provider_nothing_counts(provider: IdentityProvider, people: People) -> None:
    """Whoever runs one may say what they like of its own organization, and nothing of this one."""
    mallory = keys("mallory")
    other = saml_provider_of(people.zoe.organization, certificates=mallory.certificate)
    client, url = begun(provider)
    asked = asked_of(url)
    form = {"SAMLResponse": as_form(signed(written(asked), mallory)), "RelayState": asked.state}
    assert posted(provider, form, client).status_code == 403
    client, url = begun(other)
    asked = asked_of(url)
    form = {"SAMLResponse": as_form(signed(written(asked), mallory)), "RelayState": asked.state}
    assert posted(other, form, client).status_code == 403
    assert reason_of(other) == "foreign_domain"
    assert not User.objects.filter(email="nadia@here.test").exists()


def test_who_posts_without_a_sign_in_leaves_no_trace(provider: IdentityProvider) -> None:
    client = Client()
    assert posted(provider, {"SAMLResponse": "x", "RelayState": "of-nobody"}, client).status_code == 403
    assert posted(provider, {}, client).status_code == 403
    assert reason_of(provider) == ""
    consumer = reverse("sign-on-consumer", args=[provider.pk])
    assert client.get(consumer).status_code == 405
    provider.is_active = False
    provider.save()
    assert client.post(consumer, {"RelayState": "x"}).status_code == 404

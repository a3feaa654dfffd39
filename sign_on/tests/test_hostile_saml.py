"""SAML responses that lie, are signed by somebody else, or were meant for another: none opens anything."""

import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from lxml import etree
from signxml import DigestAlgorithm, SignatureMethod

from accounts.models import User
from sign_on.models import IdentityProvider
from sign_on.saml import asking
from tests.fakes.saml.signer import (
    DS,
    MAIL,
    SAML,
    SAMLP,
    TRANSIENT,
    Asked,
    as_form,
    asked_of,
    assertion_in,
    at,
    keys,
    signed,
    written,
)  # fmt: skip
from tests.people import People, signed_in
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


def came_back(provider: IdentityProvider, made: Callable[[Asked], Any]) -> Any:
    client, url = begun(provider)
    asked = asked_of(url)
    return posted(provider, {"SAMLResponse": as_form(made(asked)), "RelayState": asked.state}, client)


def reason_of(provider: IdentityProvider) -> str:
    provider.refresh_from_db()
    return provider.failure


def assert_refused(provider: IdentityProvider, answer: Any, *reasons: str) -> None:
    assert answer.status_code == 403
    assert not User.objects.filter(email__in=["nadia@here.test", "mallory@here.test"]).exists()
    assert reason_of(provider) in reasons


@pytest.mark.parametrize("over", ["assertion", "response", "both"])
def test_an_honest_one_is_believed(over: str, provider: IdentityProvider) -> None:
    assert came_back(provider, lambda asked: signed(written(asked), over=over)).status_code == 302
    assert User.objects.get(email="nadia@here.test").name == "Nadia"


@pytest.mark.parametrize("bits", [0, 3072])
def test_other_keys_sign_as_well(bits: int, provider: IdentityProvider) -> None:
    other = keys("another", bits=bits)
    provider.certificates += other.certificate  # beside the former one, while it is exchanged
    provider.save()
    for by in (other, keys()):
        assert came_back(provider, lambda asked, by=by: signed(written(asked), by)).status_code == 302


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"issuer": "https://other.test"}, "other_entity"),
        ({"response_issuer": "https://other.test"}, "other_entity"),
        ({"audience": "https://other.test/metadata"}, "other_audience"),
        ({"audience": ""}, "other_audience"),
        ({"destination": "https://other.test/consumer"}, "other_recipient"),
        ({"recipient": "https://other.test/consumer"}, "other_recipient"),
        ({"recipient": ""}, "other_recipient"),
        ({"answers": "_another"}, "other_request"),
        ({"confirms": "_another"}, "other_request"),
        ({"confirms": ""}, "other_request"),
        ({"not_before": at(minutes=5)}, "stale"),
        ({"not_after": at(minutes=-5)}, "stale"),
        ({"confirmed_until": at(minutes=-5)}, "stale"),
        ({"confirmed_until": ""}, "stale"),
        ({"confirmed_until": "9999-12-31T23:59:59Z"}, "stale"),
        ({"confirmed_until": "2999-01-01T00:00:00"}, "stale"),
        ({"confirmed_until": "2999-13-01T00:00:00Z"}, "stale"),
        ({"issued": at(hours=1)}, "stale"),
        ({"session_until": at(hours=-1)}, "stale"),
        ({"method": "urn:oasis:names:tc:SAML:2.0:cm:holder-of-key"}, "other_recipient"),
        ({"format": TRANSIENT}, "no_subject"),
        ({"name_id": ""}, "no_subject"),
        ({"name_id": "x" * 256}, "no_subject"),
        ({"name_id": "a&#x202e;b"}, "no_subject"),
        ({"name_id": "a<b xmlns=''>c</b>"}, "no_subject"),
        ({"status": "urn:oasis:names:tc:SAML:2.0:status:Responder"}, "provider_error"),
        ({"status": "urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"}, "denied"),
        ({"condition": '<saml:AudienceRestriction><saml:Audience>urn:x</saml:Audience></saml:AudienceRestriction>'},
         "other_audience"),
        ({"condition": '<x:Only xmlns:x="urn:x"/>'}, "no_xml"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("over", ["assertion", "response"])
def test_what_is_not_for_this_sign_in_is_refused(
    said: dict[str, str], reason: str, over: str, provider: IdentityProvider
) -> None:
    assert_refused(provider, came_back(provider, lambda asked: signed(written(asked, **said), over=over)), reason)


def without(tag: str) -> Callable[[Any], None]:
    def change(response: Any) -> None:
        found = next(response.iter(f"{{{SAML}}}{tag}"))
        found.getparent().remove(found)

    return change


def without_attribute(tag: str, name: str) -> Callable[[Any], None]:
    def change(response: Any) -> None:
        found = next(one for one in response.iter() if etree.QName(one).localname == tag)
        del found.attrib[name]

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (without("AudienceRestriction"), "other_audience"),
        (without("Conditions"), "stale"),
        (without("AuthnStatement"), "no_subject"),
        (without("SubjectConfirmation"), "other_recipient"),
        (without("SubjectConfirmationData"), "other_recipient"),
        (without("NameID"), "no_subject"),
        (without("Subject"), "no_subject"),
        (without_attribute("Response", "InResponseTo"), "other_request"),
        (without_attribute("SubjectConfirmationData", "InResponseTo"), "other_request"),
        (without_attribute("SubjectConfirmationData", "Recipient"), "other_recipient"),
        (without_attribute("SubjectConfirmationData", "NotOnOrAfter"), "stale"),
        (without_attribute("Assertion", "Version"), "no_xml"),
        (without_attribute("Assertion", "IssueInstant"), "stale"),
        (without_attribute("StatusCode", "Value"), "provider_error"),
    ],
)
def test_what_must_be_said_is(change: Callable[[Any], None], reason: str, provider: IdentityProvider) -> None:
    def made(asked: Asked) -> Any:
        response = written(asked)
        change(response)
        return signed(response)

    assert_refused(provider, came_back(provider, made), reason)


def as_mallory(element: Any) -> Any:
    """The same of somebody else, under another name."""
    evil = deepcopy(element)
    for one in evil.iter(f"{{{SAML}}}NameID"):
        one.text = "mallory"
    for one in evil.iter(f"{{{SAML}}}AttributeValue"):
        one.text = (one.text or "").replace("nadia", "mallory")
    return evil


def signature_of(element: Any) -> Any:
    return element.find(f"{{{DS}}}Signature")


def renamed(element: Any) -> Any:
    element.set("ID", "_evil")
    return element


def wrapped_1(response: Any) -> Any:
    evil = renamed(as_mallory(response))
    signature_of(evil).append(response)
    inner = signature_of(response)
    response.remove(inner)
    return evil


def wrapped_2(response: Any) -> Any:
    evil, inner = renamed(as_mallory(response)), signature_of(response)
    response.remove(inner)
    signature_of(evil).addprevious(response)
    return evil


def wrapped_3(response: Any) -> Any:
    evil = renamed(as_mallory(assertion_in(response)))
    evil.remove(signature_of(evil))
    assertion_in(response).addprevious(evil)
    return response


def wrapped_4(response: Any) -> Any:
    original = assertion_in(response)
    evil = renamed(as_mallory(original))
    evil.remove(signature_of(evil))
    response.replace(original, evil)
    evil.append(original)
    return response


def wrapped_5(response: Any) -> Any:
    original = assertion_in(response)
    evil = renamed(as_mallory(original))
    original.remove(signature_of(original))
    original.addprevious(evil)
    return response


def wrapped_6(response: Any) -> Any:
    original = assertion_in(response)
    evil = renamed(as_mallory(original))
    original.remove(signature_of(original))
    response.replace(original, evil)
    signature_of(evil).append(original)
    return response


def wrapped_7(response: Any) -> Any:
    evil = as_mallory(assertion_in(response))
    evil.remove(signature_of(evil))
    extensions = etree.Element(f"{{{SAMLP}}}Extensions")
    extensions.append(evil)
    response.insert(1, extensions)
    return response


def wrapped_8(response: Any) -> Any:
    original = assertion_in(response)
    evil = as_mallory(original)
    original.remove(signature_of(original))
    response.replace(original, evil)
    etree.SubElement(signature_of(evil), f"{{{DS}}}Object").append(original)
    return response


def beside_a_signature_of_the_response(response: Any) -> Any:
    """The signature stays valid where it is; what is read would be another's."""
    response.append(renamed(as_mallory(assertion_in(response))))
    return response


@pytest.mark.parametrize(
    ("wrap", "over"),
    [
        (wrapped_1, "response"), (wrapped_2, "response"), (wrapped_3, "assertion"), (wrapped_4, "assertion"),
        (wrapped_5, "assertion"), (wrapped_6, "assertion"), (wrapped_7, "assertion"), (wrapped_8, "assertion"),
        (beside_a_signature_of_the_response, "assertion"),
    ],
)  # fmt: skip
def test_a_signature_is_not_wrapped(wrap: Callable[[Any], Any], over: str, provider: IdentityProvider) -> None:
    """XSW 1 to 8 of "On Breaking SAML"."""
    answer = came_back(provider, lambda asked: wrap(signed(written(asked), over=over)))
    assert_refused(provider, answer, "many_assertions", "misplaced")


def alone_in_its_place(response: Any) -> Any:
    """The signed assertion hides as an element that no reader knows, and is found by its ID all the same."""
    original = assertion_in(response)
    evil = renamed(as_mallory(original))
    original.remove(signature_of(original))
    hidden = etree.SubElement(response, "Elsewhere", ID=original.get("ID"))
    hidden.extend(list(original))
    response.replace(original, evil)
    return response


def renumbered(response: Any) -> Any:
    """Two elements with the ID: some reader takes the first, some the last."""
    etree.SubElement(response, "Other").set("Id", assertion_in(response).get("ID"))
    return response


def over_nothing(response: Any) -> Any:
    next(response.iter(f"{{{DS}}}Reference")).set("URI", "")
    return response


def over_part(response: Any) -> Any:
    transforms = next(response.iter(f"{{{DS}}}Transforms"))
    path = etree.SubElement(transforms, f"{{{DS}}}Transform", Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116")
    etree.SubElement(path, f"{{{DS}}}XPath").text = "not(ancestor-or-self::*)"
    return response


def elsewhere(response: Any) -> Any:
    extensions = etree.Element(f"{{{SAMLP}}}Extensions", ID="_elsewhere")
    extensions.append(deepcopy(signature_of(assertion_in(response))))
    next(extensions.iter(f"{{{DS}}}Reference")).set("URI", "#_elsewhere")
    response.insert(1, extensions)
    return response


def twice(response: Any) -> Any:
    signature = signature_of(assertion_in(response))
    signature.addnext(deepcopy(signature))
    return response


@pytest.mark.parametrize("change", [alone_in_its_place, renumbered, over_nothing, over_part, elsewhere, twice])
def test_a_signature_is_over_all_of_what_it_stands_in(change: Callable[[Any], Any], provider: IdentityProvider) -> None:
    answer = came_back(provider, lambda asked: change(signed(written(asked))))
    assert_refused(provider, answer, "misplaced", "weak")


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (lambda asked: written(asked), "unsigned"),
        (lambda asked: signed(written(asked), keys("mallory")), "forged"),
        (lambda asked: signed(written(asked), keys("mallory"), shown=keys().certificate), "forged"),
        (lambda asked: signed(written(asked), method=SignatureMethod.RSA_SHA1), "weak"),
        (lambda asked: signed(written(asked), digest=DigestAlgorithm.SHA1), "weak"),
        (lambda asked: as_mallory(signed(written(asked))), "forged"),
        (lambda asked: as_mallory(signed(written(asked), over="response")), "forged"),
        (lambda asked: signed(signed(written(asked), keys("mallory")), over="response"), "forged"),
        (lambda asked: signed(signed(written(asked)), keys("mallory"), over="response"), "forged"),
    ],
)
def test_a_signature_is_the_providers(made: Callable[[Asked], Any], reason: str, provider: IdentityProvider) -> None:
    assert_refused(provider, came_back(provider, made), reason)


def test_an_algorithm_that_is_renamed_is_refused(provider: IdentityProvider) -> None:
    """A public key that somebody uses as a shared secret."""

    def made(asked: Asked) -> Any:
        response = signed(written(asked))
        method = next(response.iter(f"{{{DS}}}SignatureMethod"))
        method.set("Algorithm", "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256")
        return response

    assert_refused(provider, came_back(provider, made), "weak")


def test_a_certificate_that_has_ended_counts_no_more(provider: IdentityProvider) -> None:
    ended = keys("ended", days=-1)
    provider.certificates = ended.certificate
    provider.save()
    assert_refused(provider, came_back(provider, lambda asked: signed(written(asked), ended)), "certificate_expired")


def test_an_assertion_that_is_encrypted_is_refused_with_a_word_about_it(provider: IdentityProvider) -> None:
    def made(asked: Asked) -> Any:
        response = written(asked)
        response.replace(assertion_in(response), etree.Element(f"{{{SAML}}}EncryptedAssertion"))
        return signed(response, over="assertion") if response.find(f".//{{{SAML}}}Assertion") is not None else response

    assert_refused(provider, came_back(provider, made), "encrypted")


def doctored(old: str, new: str) -> Callable[[Asked], bytes]:
    def made(asked: Asked) -> bytes:
        text = etree.tostring(signed(written(asked, name_id="nadia@here.test.evil.test", format=MAIL))).decode()
        assert old in text
        return text.replace(old, new, 1).encode()

    return made


LAUGHS = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
DTD = f'<!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}<!ENTITY file SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    "made",
    [
        doctored("nadia@here.test.evil.test</saml:NameID>", "nadia@here.test<!---->.evil.test</saml:NameID>"),
        doctored("nadia@here.test.evil.test</saml:NameID>", "<![CDATA[mallory@here.test]]></saml:NameID>"),
        doctored("nadia@here.test.evil.test</saml:NameID>", "mallory@here.test<?x?>nadia@here.test</saml:NameID>"),
        doctored("<samlp:Response", f"{DTD}<samlp:Response"),
        doctored("<samlp:Response", '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd"><samlp:Response'),
        doctored("nadia@here.test.evil.test</saml:NameID>", "&a9;</saml:NameID>"),
        doctored("</samlp:Response>", ""),
        lambda asked: etree.tostring(signed(written(asked))).decode().encode("utf-16"),
        lambda asked: b'<?xml version="1.0" encoding="UTF-7"?>' + etree.tostring(written(asked)) + b"+ADw-x/+AD4-",
        lambda asked: b"",
        lambda asked: b"\x00" * 100,
        lambda asked: b"<a>" * 10_000,
        lambda asked: b"<a/>",
    ],
)
def test_what_is_no_plain_xml_is_not_read(made: Callable[[Asked], bytes], provider: IdentityProvider) -> None:
    assert_refused(provider, came_back(provider, made), "no_xml")


@pytest.mark.parametrize(
    "made",
    [
        lambda asked: b"<a>" + b" " * 132_000 + b"</a>",
        lambda asked: b"<a>" + b"<b/>" * 20_000 + b"</a>",
        lambda asked: b"x" * 170_000,
    ],
)
def test_what_is_too_long_costs_little(made: Callable[[Asked], bytes], provider: IdentityProvider) -> None:
    began = time.process_time()
    assert_refused(provider, came_back(provider, made), "too_much")
    assert time.process_time() - began < 1


def test_a_body_beyond_all_bounds_is_not_looked_at(provider: IdentityProvider) -> None:
    client, url = begun(provider)
    answer = posted(provider, {"SAMLResponse": "A" * 500_000, "RelayState": asked_of(url).state}, client)
    assert answer.status_code == 403
    assert reason_of(provider) == ""


def test_namespaces_without_end_cost_little(provider: IdentityProvider) -> None:
    """Canonical form repeats what each element needs."""

    def made(asked: Asked) -> bytes:
        response = signed(written(asked))
        told = assertion_in(response).find(f"{{{SAML}}}AttributeStatement")
        inner = told
        for depth in range(200):
            names = {f"n{depth}x{each}": f"urn:{depth}:{each}" for each in range(12)}
            inner = etree.SubElement(inner, f"{{urn:{depth}:0}}a", nsmap=names)
        return etree.tostring(response)

    began = time.process_time()
    assert_refused(provider, came_back(provider, made), "forged")
    assert time.process_time() - began < 2


# The browser


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

"""SAML responses that lie, were meant for another, or are no plain XML: none opens anything."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from lxml import etree

from accounts.models import User
from sign_on.models import IdentityProvider
from tests.fakes.saml.signer import MAIL, SAML, TRANSIENT, Asked, asked_of, assertion_in, at, keys, signed, written
from tests.people import People
from tests.saml import assert_refused, came_back, reason_of
from tests.sign_on import begun, domain_of_organization, posted, saml_provider_of

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
        ({"not_before": at(days=2)}, "stale"),  # of when tests are collected, which may be an hour ago
        ({"not_after": at(minutes=-5)}, "stale"),
        ({"confirmed_until": at(minutes=-5)}, "stale"),
        ({"confirmed_until": ""}, "stale"),
        ({"confirmed_until": "9999-12-31T23:59:59Z"}, "stale"),
        ({"confirmed_until": "2999-01-01T00:00:00"}, "stale"),
        ({"confirmed_until": "2999-13-01T00:00:00Z"}, "stale"),
        ({"issued": at(days=2)}, "stale"),
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

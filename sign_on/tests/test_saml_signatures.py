"""Signatures that are somebody else's, or over something else than what is read (XSW 1 to 8)."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from django.core.cache import cache
from lxml import etree
from signxml import DigestAlgorithm, SignatureMethod

from sign_on.models import IdentityProvider
from tests.fakes.saml.signer import DS, SAML, SAMLP, Asked, assertion_in, keys, signed, written
from tests.people import People
from tests.saml import assert_refused, came_back
from tests.sign_on import domain_of_organization, saml_provider_of

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
        return response

    assert_refused(provider, came_back(provider, made), "encrypted")

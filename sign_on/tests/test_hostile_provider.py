"""A provider that lies, at the wire: whatever it says that is not true opens nothing and costs little."""

import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import User
from config.cache import JSONSerializer
from sign_on.models import IdentityProvider
from sign_on.problems import ProviderFailed
from sign_on.provider import fetching
from sign_on.provider.discovery import endpoints_of, kept_name
from sign_on.provider.fetching import fetch_object
from tests.fakes.openid.hostile import HostileProvider, hostile_provider, public, send
from tests.people import People
from tests.sign_on import begun, domain_of_organization, provider_of

pytestmark = pytest.mark.django_db
NADIA = {"sub": "n-1", "email": "nadia@here.test", "email_verified": True}


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    cache.clear()
    fetching.breakers.clear()


@pytest.fixture
def provider(hostile: HostileProvider) -> IdentityProvider:
    organization = People.assembled().ada.organization
    domain_of_organization(organization)
    return provider_of(organization, hostile)


def came_back(hostile: HostileProvider, provider: IdentityProvider, **claims: Any) -> Any:
    client, url = begun(provider)
    asked = parse_qs(urlsplit(url).query)
    hostile.claims = {"nonce": asked["nonce"][0], **NADIA, **claims}
    callback = reverse("sign-on-callback", args=[provider.pk])
    return client.get(callback, {"code": "c", "state": asked["state"][0]})


def reason_of(provider: IdentityProvider) -> str:
    provider.refresh_from_db()
    return provider.failure


def test_an_honest_one_is_believed(hostile: HostileProvider, provider: IdentityProvider) -> None:
    assert came_back(hostile, provider).status_code == 302
    assert User.objects.filter(email="nadia@here.test").exists()


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"iss": "https://login.example.org"}, "issuer"),
        ({"iss": None}, "issuer"),
        ({"aud": "somebody-else"}, "audience"),
        ({"aud": ["acervo", "somebody-else"]}, "audience"),
        ({"aud": ["acervo", "somebody-else"], "azp": "somebody-else"}, "audience"),
        ({"azp": "somebody-else"}, "audience"),
        ({"aud": None}, "audience"),
        ({"nonce": "of-another-request"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"nonce": 7}, "nonce"),
        ({"nonce": "\ud800"}, "nonce"),
        ({"exp": 1_000_000_000}, "expired"),
        ({"exp": None}, "claims"),
        ({"exp": float("inf")}, "signature"),
        ({"iat": 99_999_999_999}, "expired"),
        ({"nbf": 99_999_999_999}, "expired"),
        ({"sub": None}, "claims"),
        ({"sub": ""}, "claims"),
        ({"sub": "x" * 256}, "claims"),
        ({"sub": "a\x00b"}, "claims"),
        ({"sub": "a\u202eb"}, "claims"),
    ],
)
def test_a_token_that_is_not_ours_is_refused(
    claims: dict[str, Any], reason: str, hostile: HostileProvider, provider: IdentityProvider
) -> None:
    answer = came_back(hostile, provider, **claims)
    assert answer.status_code == 403
    assert not User.objects.filter(email="nadia@here.test").exists()
    assert reason_of(provider) in (reason, "claims", "signature")


def wrong_key(hostile: HostileProvider) -> None:
    hostile.signs_with = hostile.other


def no_algorithm(hostile: HostileProvider) -> None:
    hostile.signs_with, hostile.algorithm = None, "none"


def public_key_as_secret(hostile: HostileProvider) -> None:
    """The classic: HMAC with what everybody knows."""
    hostile.signs_with, hostile.algorithm = "x" * 64, "HS256"
    hostile.keys = [{"kty": "oct", "kid": "one", "k": jwt.utils.base64url_encode(b"x" * 64).decode(), "alg": "HS256"}]


def foreign_kid(hostile: HostileProvider) -> None:
    hostile.signs_with, hostile.head = hostile.other, {"kid": "two"}


def swapped_kid(hostile: HostileProvider) -> None:
    hostile.keys = [public(hostile.key, "one"), public(hostile.other, "two")]
    hostile.head = {"kid": "two"}


def ambiguous_kid(hostile: HostileProvider) -> None:
    hostile.keys = [public(hostile.other, "one"), public(hostile.key, "one")]


def key_in_the_head(hostile: HostileProvider) -> None:
    hostile.signs_with = hostile.other
    hostile.head = {"jwk": public(hostile.other, "one"), "jku": f"{hostile.issuer}/other", "kid": "one"}


def encryption_key(hostile: HostileProvider) -> None:
    hostile.keys = [public(hostile.key, "one", use="enc")]


@pytest.mark.parametrize(
    "change",
    [
        wrong_key,
        no_algorithm,
        public_key_as_secret,
        foreign_kid,
        swapped_kid,
        ambiguous_kid,
        key_in_the_head,
        encryption_key,
    ],
)
def test_a_signature_that_is_not_the_issuers_is_refused(
    change: Callable[[HostileProvider], None], hostile: HostileProvider, provider: IdentityProvider
) -> None:
    change(hostile)
    assert came_back(hostile, provider).status_code == 403
    assert not User.objects.filter(email="nadia@here.test").exists()
    assert reason_of(provider) in ("signature", "algorithm", "no_key")


def test_a_new_key_is_fetched_once_in_a_while(hostile: HostileProvider, provider: IdentityProvider) -> None:
    assert came_back(hostile, provider).status_code == 302
    hostile.keys, hostile.signs_with, hostile.head = [public(hostile.other, "two")], hostile.other, {"kid": "two"}
    assert came_back(hostile, provider).status_code == 302
    hostile.head = {"kid": "three"}
    for _each in range(3):
        assert came_back(hostile, provider).status_code == 403
    assert hostile.asked.count("/jwks") == 2


@pytest.mark.parametrize("issuer", ["https://login.example.org", "", None, ["x"], "http://127.0.0.1"])
def test_metadata_of_another_issuer_is_refused(issuer: Any, hostile: HostileProvider) -> None:
    hostile.metadata = {"issuer": issuer}
    with pytest.raises(ProviderFailed, match="other_issuer"):
        endpoints_of(hostile.issuer)


@pytest.mark.parametrize("name", ["token_endpoint", "jwks_uri", "authorization_endpoint", "userinfo_endpoint"])
@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "javascript:alert(1)", "https://user@127.0.0.1/", "http://127.0.0.1:22/", "//x", "x"]
)
def test_metadata_leads_to_no_other_service(name: str, url: str, hostile: HostileProvider) -> None:
    hostile.metadata = {name: url}
    with pytest.raises(ProviderFailed):
        endpoints_of(hostile.issuer)


def test_addresses_of_the_own_network_are_refused_at_every_step(
    hostile: HostileProvider, provider: IdentityProvider, settings: Any
) -> None:
    hostile.metadata = {"token_endpoint": hostile.issuer.replace("127.0.0.1", "127.0.0.2") + "/token"}
    endpoints_of(hostile.issuer)  # kept from now on
    settings.SIGN_ON_NETWORKS = ["127.0.0.1/32"]
    with pytest.raises(ProviderFailed, match="private"):
        endpoints_of(hostile.issuer, is_fresh=True)
    assert came_back(hostile, provider).status_code == 403
    assert reason_of(provider) == "private"
    settings.SIGN_ON_NETWORKS = []
    with pytest.raises(ProviderFailed, match="private"):
        fetch_object(hostile.issuer, "GET", hostile.issuer)
    settings.SIGN_ON_PLAIN_HTTP = False
    with pytest.raises(ProviderFailed, match="not_encrypted"):
        fetch_object(hostile.issuer, "GET", hostile.issuer)


def drip(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def flood(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * 65536)


def flood_of_heads(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    while True:
        handler.wfile.write(b"X-A: " + b"a" * 60000 + b"\r\n")


def upgrade(handler: Any) -> None:
    handler.wfile.write(b"HTTP/1.1 101 Go on\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\nother")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda handler: send(handler, b"{}", 302, Location="/else"), "redirect"),
        (lambda handler: send(handler, b"{}", 500), "status"),
        (lambda handler: send(handler, b"[1]"), "no_json"),
        (lambda handler: send(handler, b"[" * 200_000), "no_json"),
        (lambda handler: send(handler, b"\xff\xfe{"), "no_json"),
        (lambda handler: send(handler, b"{" + b"x" * 10, 200, **{"Content-Length": "99"}) or handler.connection.close(),
         "timeout|no_http"),
        (lambda handler: handler.wfile.write(b"SSH-2.0-x\r\n") and None, "no_http|timeout"),
        (upgrade, "no_http"),
        (drip, "timeout"),
        (flood, "too_much"),
        (flood_of_heads, "too_much|no_http"),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_costs_little(
    answer: Callable[[Any], None], reason: str, hostile: HostileProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 1.0)
    hostile.answers["/.well-known/openid-configuration"] = answer
    began = time.monotonic()
    with pytest.raises(ProviderFailed, match=reason):
        endpoints_of(hostile.issuer)
    assert time.monotonic() - began < 2.5
    assert "/else" not in hostile.asked


def test_a_slow_one_is_left_alone_for_a_while(hostile: HostileProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 0.3)
    monkeypatch.setattr(fetching, "SLOW_SECONDS", 0.2)
    hostile.answers["/.well-known/openid-configuration"] = drip
    began, reasons = time.monotonic(), []
    for _each in range(20):
        with pytest.raises(ProviderFailed) as refusal:
            endpoints_of(hostile.issuer)
        reasons.append(refusal.value.reason)
    assert reasons[0] == "timeout"
    assert reasons[-1] == "resting"
    assert time.monotonic() - began < 3


def test_who_names_anothers_server_as_its_own_does_not_have_that_one_left_alone(
    hostile: HostileProvider, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many organizations are at the same server; one of them leads to a page of it that takes long."""
    monkeypatch.setattr(fetching, "SECONDS", 0.3)
    monkeypatch.setattr(fetching, "SLOW_SECONDS", 0.2)
    with hostile_provider() as honest:
        hostile.metadata = {"token_endpoint": f"{honest.issuer}/long"}
        honest.answers["/long"] = drip
        for _each in range(4):
            assert came_back(hostile, provider).status_code == 403
        assert reason_of(provider) == "resting"
        assert endpoints_of(honest.issuer).token == f"{honest.issuer}/token"


def test_what_is_kept_of_keys_is_what_every_cache_keeps(hostile: HostileProvider, provider: IdentityProvider) -> None:
    odd: dict[str, Any] = {"x": float("nan"), "y": 2**70, "z": "\ud800", "x5c": [[[]]], "e2": "\ud800"}
    hostile.keys = [public(hostile.key, "one", **odd), public(hostile.other, "\ud800")]
    hostile.metadata = {"token_endpoint_auth_methods_supported": ["\ud800", "client_secret_post"]}
    assert came_back(hostile, provider).status_code == 302
    for name in ("keys", "metadata"):
        assert JSONSerializer().dumps(cache.get(kept_name(name, hostile.issuer)))


def test_one_provider_is_asked_one_thing_at_a_time(hostile: HostileProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    with fetching.places.taken(hostile.issuer), pytest.raises(ProviderFailed, match="busy"):
        endpoints_of(hostile.issuer)
    assert not hostile.asked


def test_userinfo_of_somebody_else_is_refused(hostile: HostileProvider, provider: IdentityProvider) -> None:
    hostile.metadata = {"userinfo_endpoint": f"{hostile.issuer}/userinfo"}
    hostile.userinfo = NADIA | {"sub": "somebody-else"}
    assert came_back(hostile, provider, email=None, email_verified=None).status_code == 403
    hostile.userinfo = dict(NADIA)
    assert came_back(hostile, provider, email=None, email_verified=None).status_code == 302


def test_userinfo_does_not_verify_the_address_of_the_token(
    hostile: HostileProvider, provider: IdentityProvider
) -> None:
    hostile.metadata = {"userinfo_endpoint": f"{hostile.issuer}/userinfo"}
    hostile.userinfo = {"sub": "n-1", "email": "else@here.test", "email_verified": True}
    assert came_back(hostile, provider, email_verified=None).status_code == 403
    assert reason_of(provider) == "unverified"


def test_an_answer_that_names_another_issuer_is_refused(hostile: HostileProvider, provider: IdentityProvider) -> None:
    hostile.metadata = {"authorization_response_iss_parameter_supported": True}
    for named in ({"iss": "https://login.example.org"}, {}):
        client, url = begun(provider)
        state = parse_qs(urlsplit(url).query)["state"][0]
        answer = client.get(reverse("sign-on-callback", args=[provider.pk]), {"code": "c", "state": state, **named})
        assert answer.status_code == 403
        assert reason_of(provider) == "other_issuer"
    assert "/token" not in hostile.asked


def test_what_a_provider_says_of_an_error_is_shown_to_nobody(
    hostile: HostileProvider, provider: IdentityProvider
) -> None:
    for error, reason in (("access_denied", "denied"), ("<b>scream", "provider_error")):
        client, url = begun(provider)
        state = parse_qs(urlsplit(url).query)["state"][0]
        told = {"error": error, "error_description": "call this number", "state": state}
        answer = client.get(reverse("sign-on-callback", args=[provider.pk]), told)
        assert answer.status_code == 403
        assert "scream" not in answer.content.decode()
        assert "number" not in answer.content.decode()
        assert reason_of(provider) == reason


def test_a_state_of_another_provider_is_worth_nothing(hostile: HostileProvider, provider: IdentityProvider) -> None:
    other = provider_of(People.assembled().zoe.organization, hostile)
    client, url = begun(provider)
    state = parse_qs(urlsplit(url).query)["state"][0]
    answer = client.get(reverse("sign-on-callback", args=[other.pk]), {"code": "c", "state": state})
    assert answer.status_code == 403
    assert "/token" not in hostile.asked


def test_what_is_sent_away_with(hostile: HostileProvider, provider: IdentityProvider) -> None:
    _client, url = begun(provider)
    asked = parse_qs(urlsplit(url).query)
    assert asked["response_type"] == ["code"]
    assert asked["code_challenge_method"] == ["S256"]
    assert len(asked["state"][0]) == len(asked["nonce"][0]) == len(asked["code_challenge"][0]) == 43
    assert "hush" not in url


def test_an_unknown_state_leaves_no_trace(provider: IdentityProvider) -> None:
    answer = Client().get(reverse("sign-on-callback", args=[provider.pk]), {"code": "c", "state": "made-up"})
    assert answer.status_code == 403
    assert reason_of(provider) == ""

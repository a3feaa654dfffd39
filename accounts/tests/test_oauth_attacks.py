"""Attacks on OAuth for `/mcp`: by programs and pages that want more than they were given, or to see it fail."""

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.test import Client

from accounts.identity.consequences import after_new_factor
from accounts.identity.oauth.registration import displayable
from accounts.identity.oauth.rows import OAuthCode, OAuthRefreshToken
from tests.people import People, signed_in
from tests.programs import RESOURCE, Program, list_tools, register

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]
LOOPBACK = "http://127.0.0.1:7777/callback"


@pytest.fixture(autouse=True)
def nobody_has_registered_yet() -> None:
    cache.clear()


@pytest.fixture
def program() -> Program:
    return Program.registered()


class TestTheAddress:
    @pytest.mark.parametrize(
        "query", ["client_id=%zz", "abc", "%", "client_id=%00", "client_id=%ff", "client_id=%ud800"]
    )
    def test_one_that_nobody_can_read(self, query: str, people: People) -> None:
        assert signed_in(people.alice).get(f"/oauth/authorize?{query}").status_code == 400
        for path in ("/oauth/token", "/oauth/revoke"):
            answer = Client().post(f"{path}?{query}", {"token": "x", "client_id": "x"})
            assert answer.status_code == 400

    @pytest.mark.parametrize(
        "address",
        [
            "http://127.0.0.1:99999/callback", "http://127.0.0.1:x/callback", "http://127.0.0.1:0/callback",
            "http://127.0.0.1:-1/callback", "http://[127.0.0.1/callback", f"{LOOPBACK}#", f"{LOOPBACK}?",
            f"{LOOPBACK}\n", f"{LOOPBACK};x", "http://127.0.0.1:7777/call\nback", "http://127.0.0.1:７７７７/callback",
            "http://127.0.0.1:7777\\@evil.example/callback", "http://127.0.0.1:7777/./callback", "",
            "http://127.0.0.1:7777/%63allback", "http://127.0.0.1.:7777/callback",
        ],
    )  # fmt: skip
    def test_a_callback_that_is_not_quite_the_one(self, address: str, program: Program, people: People) -> None:
        answer = signed_in(people.alice).get(program.asked(redirect_uri=address))
        assert answer.status_code == 400
        assert "Location" not in answer

    def test_a_port_that_is_none_of_a_host(self, people: People) -> None:
        stranger = Program(register(redirect_uris=["https://app.example/cb"]).json()["client_id"])
        asked = stranger.asked(redirect_uri="https://app.example:99999/cb")
        assert signed_in(people.alice).get(asked).status_code == 400

    @pytest.mark.parametrize(
        "changes",
        [
            {"scope": "everything"}, {"code_challenge_method": "plain"}, {"response_type": "token"},
            {"resource": "https://x.example/"}, {"response_mode": "fragment"},
        ],
    )  # fmt: skip
    def test_no_link_leads_elsewhere_before_somebody_answers(self, changes: dict[str, str], people: People) -> None:
        """Anybody registers: a faulty request would make of this host a way to any other."""
        elsewhere = "https://evil.example/cb"
        stranger = Program(register(redirect_uris=[elsewhere]).json()["client_id"], callback=elsewhere)
        answer = signed_in(people.alice).get(stranger.asked(**changes))
        assert answer.status_code == 400
        assert "Location" not in answer

    @pytest.mark.parametrize("challenge", ["", "x", "x" * 42, "x" * 44, "x" * 200, "ñ" * 43, "x" * 42 + "\n"])
    def test_a_challenge_that_no_verifier_has(self, challenge: str, program: Program, people: People) -> None:
        assert program.answered(people.alice, code_challenge=challenge)["error"] == "invalid_request"
        assert not OAuthCode.objects.exists()

    @pytest.mark.parametrize("mode", ["fragment", "form_post", "web_message"])
    def test_the_answer_goes_into_the_query_alone(self, mode: str, program: Program, people: People) -> None:
        """A fragment goes on with whoever is redirected from there."""
        assert program.answered(people.alice, response_mode=mode)["error"] == "invalid_request"
        assert program.answered(people.alice, response_mode=mode, scope="everything")["iss"]

    @pytest.mark.parametrize("name", ["request", "request_uri", "prompt", "claims", "nonce", "id_token_hint"])
    def test_what_openid_connect_has_beside_changes_nothing(self, name: str, program: Program, people: People) -> None:
        page = signed_in(people.alice).get(program.asked(**{name: "none"}))
        assert page.status_code == 200
        assert not OAuthCode.objects.exists()


class TestTheBody:
    @pytest.mark.parametrize(
        ("changes", "error"),
        [
            ({"grant_type": "openid"}, "unauthorized_client"),
            ({"resource": "http://["}, "invalid_target"),
            ({"resource": ["https://x.example/", RESOURCE]}, "invalid_target"),
            ({"redirect_uri": "http://["}, "invalid_request"),
            ({"grant_type": "refresh_token"}, "invalid_request"),
        ],
    )
    def test_one_that_is_odd(self, changes: dict[str, Any], error: str, program: Program, people: People) -> None:
        code = program.answered(people.alice)["code"]
        answer = program.exchanged(**{"code": code, **changes})
        assert answer.status_code == 400
        assert answer.json()["error"] == error

    def test_a_resource_that_is_none_when_refreshing(self, program: Program, people: People) -> None:
        answer = program.refreshed(program.let_in(people.alice)["refresh_token"], resource="http://[")
        assert answer.json()["error"] == "invalid_target"

    def test_a_slash_behind_the_resource_is_taken_back_too(self, program: Program, people: People) -> None:
        code = program.answered(people.alice, resource=f"{RESOURCE}/")["code"]
        assert program.exchanged(code, resource=f"{RESOURCE}/").status_code == 200

    @pytest.mark.parametrize("charset", ["utf-7", "utf-16", "latin-1"])
    @pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
    def test_halves_of_signs(self, path: str, charset: str, program: Program) -> None:
        said = {"grant_type": "refresh_token", "client_id": program.id, "refresh_token": "+2AA-", "token": "+2AA-"}
        parts = [f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{said[name]}\r\n' for name in said]
        body = "".join([*parts, "--x--\r\n"])
        answer = Client().post(path, body.encode(), content_type=f"multipart/form-data; boundary=x; charset={charset}")
        assert answer.status_code < 500


class TestTheRows:
    def test_who_exchanges_without_end_has_to_ask_again(
        self, program: Program, people: People, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each exchange leaves a row for thirty days, by which a second use is noticed."""
        monkeypatch.setattr("accounts.identity.oauth.grants.MOST_EXCHANGES", 3)
        for _time in range(2):
            tokens = program.let_in(people.alice)
            for _exchange in range(2):
                tokens = program.refreshed(tokens["refresh_token"]).json()
            assert program.refreshed(tokens["refresh_token"]).json()["error"] == "invalid_grant"
            assert OAuthRefreshToken.objects.count() == 3
        assert list_tools(program.let_in(people.alice)["access_token"]).status_code == 200

    def test_a_new_second_factor_ends_what_the_password_alone_let_in(self, program: Program, people: People) -> None:
        secret = program.let_in(people.alice)["access_token"]
        browser = signed_in(people.alice)
        request = browser.get("/account/").wsgi_request
        factor = Authenticator(user=people.alice.user, type=Authenticator.Type.TOTP, data={})
        after_new_factor(request, people.alice.user, factor)
        assert list_tools(secret).status_code == 401


@pytest.mark.parametrize("name", ["\u3164", "\u115f\u1160", "\uffa0", "\u2800", "\u00ad", "\U000e0041", "\ufe0f"])
def test_a_name_with_nothing_to_see_is_none(name: str) -> None:
    assert displayable(name * 9) == ""


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/openid-configuration", "/oauth/userinfo", "/oauth/userinfo/", "/oauth/introspect",
        "/oauth/device-authorization", "/oauth/applications/", "/oauth/authorized_tokens/", "/o/token/",
        "/oauth/.well-known/jwks.json", "/oauth/logout/", "/admin/oauth2_provider/",
        "/admin/oauth2_provider/devicegrant/", "/admin/oauth2_provider/idtoken/", "/admin/accounts/oauthclient/",
        "/admin/accounts/oauthaccesstoken/", "/admin/accounts/oauthrefreshtoken/", "/admin/accounts/oauthcode/",
    ],
)  # fmt: skip
def test_what_the_library_has_beside_is_not_there(path: str, people: People) -> None:
    user = people.alice.user
    user.is_superuser = user.is_staff = True
    user.save()
    browser = signed_in(people.alice)
    assert browser.get(path).status_code == 404
    assert browser.post(path, {}).status_code == 404

"""OAuth 2.1 for `/mcp`: who is let in, for what, for how long, and what ends it (docs/adr/0025-oauth-for-mcp.md)."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.identity.oauth.endpoints import network_of
from accounts.identity.oauth.grants import forget_past_grants, grants_of
from accounts.identity.oauth.registration import displayable
from accounts.identity.oauth.rows import OAuthAccessToken, OAuthClient, OAuthCode, OAuthGrant, OAuthRefreshToken
from accounts.members import end_membership
from accounts.models import AuditEvent, User
from accounts.pages.sign_in.forms import PasswordForm
from accounts.tenancy.scope import system_scope
from tests.people import People, signed_in, with_secret
from tests.programs import CALLBACK, HERE, RESOURCE, Program, challenge_of, list_tools, register

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]


@pytest.fixture(autouse=True)
def nobody_has_registered_yet() -> None:
    cache.clear()


@pytest.fixture
def program() -> Program:
    return Program.registered()


class TestDiscovery:
    def test_a_stranger_is_told_where_to_ask(self) -> None:
        answer = Client().post("/mcp", {}, content_type="application/json")
        assert answer.status_code == 401
        address = f"{HERE}/.well-known/oauth-protected-resource/mcp"
        assert answer["WWW-Authenticate"] == f'Bearer resource_metadata="{address}"'
        said = Client().get(address).json()
        assert said["resource"] == RESOURCE
        assert said["authorization_servers"] == [HERE]
        assert Client().get("/.well-known/oauth-protected-resource").json() == said

    def test_the_server_says_what_it_does_and_no_more(self) -> None:
        said = Client().get("/.well-known/oauth-authorization-server").json()
        assert said["issuer"] == HERE
        assert said["code_challenge_methods_supported"] == ["S256"]
        assert said["grant_types_supported"] == ["authorization_code", "refresh_token"]
        assert said["response_types_supported"] == ["code"]
        assert said["token_endpoint_auth_methods_supported"] == ["none"]
        for name in ("authorization", "token", "registration", "revocation"):
            assert said[f"{name}_endpoint"].startswith(f"{HERE}/oauth/")

    def test_an_installation_may_do_without(self, settings: Any, people: People) -> None:
        secret = Program.registered().let_in(people.alice)["access_token"]
        settings.MCP_OAUTH = False
        assert list_tools(secret).status_code == 401
        assert "resource_metadata" not in list_tools(secret)["WWW-Authenticate"]
        assert register(redirect_uris=[CALLBACK]).status_code == 404
        assert Client().get("/.well-known/oauth-authorization-server").status_code == 404
        assert signed_in(people.alice).get("/oauth/authorize").status_code == 404


class TestRegistration:
    def test_a_program_is_public_whatever_it_asks_for(self) -> None:
        answer = register(redirect_uris=[CALLBACK], token_endpoint_auth_method="client_secret_post")
        assert answer.status_code == 201
        assert answer.json()["token_endpoint_auth_method"] == "none"
        assert "client_secret" not in answer.json()

    @pytest.mark.parametrize(
        "address",
        [
            "https://app.example/cb", "https://app.example:8443/cb?a=b", "http://127.0.0.1:1/x", "http://localhost/cb",
        ],
    )  # fmt: skip
    def test_an_address_that_may_be_sent_to(self, address: str) -> None:
        assert register(redirect_uris=[address]).json()["redirect_uris"] == [address]

    @pytest.mark.parametrize(
        "address",
        [
            "http://app.example/cb", "javascript:alert(1)", "data:text/html,x", "app.example:/cb", "cursor://cb", "",
            "https://app.example/#x", "https://a@app.example/", "https://app.example/ x", "https://app.example:99999/",
            "https:///cb", "//app.example/cb", "https://ap\u0440.example/", "https://app.example/\r\nX: y", 7, None,
            "https://app.example;script-src/", "http://localhost.evil.example/", "http://127.0.0.1.evil.example/",
            "https://*.example/", "https://[::1]/", "https://app.example/" + "a" * 500, "HTTP://x.example/",
        ],
    )  # fmt: skip
    def test_an_address_that_may_not(self, address: object) -> None:
        answer = register(redirect_uris=[address])
        assert answer.status_code == 400
        assert answer.json()["error"] == "invalid_redirect_uri"
        assert not OAuthClient.objects.exists()

    @pytest.mark.parametrize(
        "said",
        [
            {}, {"redirect_uris": []}, {"redirect_uris": CALLBACK}, {"redirect_uris": [CALLBACK] * 11},
            {"redirect_uris": [CALLBACK], "grant_types": ["client_credentials"]},
            {"redirect_uris": [CALLBACK], "grant_types": "authorization_code"},
            {"redirect_uris": [CALLBACK], "client_name": "a" * 20_000},
            {"redirect_uris": [CALLBACK], "client_name": "a\0b"},
        ],
    )  # fmt: skip
    def test_what_is_no_registration(self, said: dict[str, object]) -> None:
        assert register(**said).status_code == 400
        assert not OAuthClient.objects.exists()

    @pytest.mark.parametrize("body", ["", "[]", "null", "{", '"x"', "\xff", '{"redirect_uris": [NaN]}'])
    def test_a_body_that_is_none(self, body: str) -> None:
        answer = Client().post("/oauth/register", body.encode("latin-1"), content_type="application/json")
        assert answer.status_code == 400

    def test_a_form_of_a_foreign_page_registers_nothing(self) -> None:
        """Its readers' browsers would send it, each from an address of its own."""
        body = f'{{"redirect_uris": ["{CALLBACK}"]}}'
        assert Client().post("/oauth/register", body, content_type="text/plain").status_code == 400
        assert not OAuthClient.objects.exists()

    def test_one_address_registers_a_few_programs_an_hour(self) -> None:
        answers = [register(redirect_uris=[CALLBACK]).status_code for _ in range(21)]
        assert answers == [201] * 20 + [429]

    def test_a_network_of_ipv6_is_one_place(self) -> None:
        assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1")
        assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
        assert network_of("192.0.2.1") != network_of("192.0.2.2")
        assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1"), "as a socket of both kinds tells it"
        assert network_of(None) == ""

    @pytest.mark.parametrize(
        ("said", "shown"),
        [
            ("Claude", "Claude"),
            ("a\u202etxt.exe", "a txt.exe"),
            ("x\u200b\u200b y\n\n z\x1b[2J", "x y z [2J"),
            ("Z" + "\u0301" * 500, "Ź"),
            ("m" * 500, "m" * 80),
            ("\u2066\u2069", ""),
            ("Señor Editor", "Señor Editor"),
            (None, ""),
            (["x"], ""),
        ],
    )
    def test_a_name_is_a_line_of_plain_signs(self, said: object, shown: str) -> None:
        assert displayable(said) == shown

    def test_a_name_is_text_on_the_page(self, people: People) -> None:
        answer = register(redirect_uris=[CALLBACK], client_name="<script>x</script>")
        page = signed_in(people.alice).get(Program(answer.json()["client_id"]).asked())
        assert b"<script>x" not in page.content
        assert b"&lt;script&gt;x" in page.content


class TestConsent:
    def test_a_stranger_signs_in_first_and_comes_back(self, program: Program) -> None:
        answer = Client().get(program.asked())
        assert answer.status_code == 302
        assert urlsplit(answer["Location"]).path == "/accounts/login/"
        assert parse_qs(urlsplit(answer["Location"]).query)["next"] == [program.asked()]

    def test_the_page_says_who_asks_and_where_the_answer_goes(self, program: Program, people: People) -> None:
        page = signed_in(people.alice).get(program.asked())
        assert page.status_code == 200
        for shown in ("Editor", "127.0.0.1:7777", "Here", "Elsewhere"):
            assert shown in page.content.decode()
        policy = page["Content-Security-Policy"]
        assert "form-action 'self' http://127.0.0.1:7777;" in policy
        assert "frame-ancestors 'none'" in policy
        assert page["X-Frame-Options"] == "DENY"
        assert not OAuthGrant.objects.exists()

    def test_without_the_csrf_token_nobody_is_let_in(self, program: Program, people: People) -> None:
        form = {"answer": "allow", "organization": str(people.alice.pk)}
        answer = signed_in(people.alice, checks_csrf=True).post(program.asked(), form)
        assert answer.status_code == 403
        assert not OAuthGrant.objects.exists()

    def test_no(self, program: Program, people: People) -> None:
        said = program.answered(people.alice, "deny")
        assert said == {"error": "access_denied", "state": program.state, "iss": HERE}
        assert not OAuthGrant.objects.exists()

    @pytest.mark.parametrize("answer", ["", "Allow", "yes"])
    def test_only_yes_is_yes(self, answer: str, program: Program, people: People) -> None:
        assert program.answered(people.alice, answer)["error"] == "access_denied"

    def test_yes_comes_with_the_state_and_says_who_answers(self, program: Program, people: People) -> None:
        said = program.answered(people.alice)
        assert said["state"] == program.state
        assert said["iss"] == HERE
        assert set(said) == {"code", "state", "iss"}

    @pytest.mark.parametrize(
        "changes",
        [
            {"client_id": "nobody"}, {"client_id": None}, {"redirect_uri": "https://evil.example/"},
            {"redirect_uri": CALLBACK + "/more"}, {"redirect_uri": CALLBACK + "?a=b"},
            {"redirect_uri": "http://localhost:7777/callback"}, {"redirect_uri": "http://evil@127.0.0.1:7777/callback"},
        ],
    )  # fmt: skip
    def test_nobody_is_sent_where_the_program_did_not_register(
        self, changes: dict[str, str | None], program: Program, people: People
    ) -> None:
        for answer in (
            signed_in(people.alice).get(program.asked(**changes)),
            signed_in(people.alice).post(
                program.asked(**changes), {"answer": "allow", "organization": str(people.alice.pk)}
            ),
        ):
            assert answer.status_code == 400
            assert "Location" not in answer
        assert not OAuthCode.objects.exists()

    @pytest.mark.parametrize("name", ["client_id", "redirect_uri", "response_type", "state", "scope"])
    def test_what_is_said_twice_is_not_answered(self, name: str, program: Program, people: People) -> None:
        answer = signed_in(people.alice).get(f"{program.asked()}&{name}=https://evil.example/")
        assert answer.status_code == 400

    @pytest.mark.parametrize(
        ("changes", "error"),
        [
            ({"code_challenge": None}, "invalid_request"),
            ({"code_challenge_method": "plain"}, "invalid_request"),
            ({"code_challenge_method": None}, "invalid_request"),
            ({"response_type": "token"}, "unsupported_response_type"),
            ({"scope": "everything"}, "invalid_scope"),
            ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
            ({"resource": f"{HERE}/api/"}, "invalid_target"),
        ],
    )
    def test_what_is_not_given_here(
        self, changes: dict[str, str | None], error: str, program: Program, people: People
    ) -> None:
        said = program.answered(people.alice, **changes)
        assert said["error"] == error
        assert said["iss"] == HERE
        assert not OAuthCode.objects.exists()

    def test_an_organization_that_is_not_ones_own(self, program: Program, people: People) -> None:
        form = {"answer": "allow", "organization": str(people.charlie.pk)}
        assert signed_in(people.bob).post(program.asked(), form).status_code == 404
        assert not OAuthGrant.objects.exists()

    def test_the_second_factor_comes_first(self, program: Program, people: People) -> None:
        people.alice.organization.requires_two_factor = True
        people.alice.organization.save()
        assert signed_in(people.alice).get(program.asked())["Location"] == "/accounts/2fa/"
        form = {"answer": "allow", "organization": str(people.alice.pk)}
        assert signed_in(people.alice_elsewhere).post(program.asked(), form).status_code == 404
        assert program.answered(people.alice_elsewhere)["code"]


class TestTokens:
    def test_a_token_opens_mcp_in_the_name_of_who_let_it_in(self, program: Program, people: People) -> None:
        tokens = program.let_in(people.alice)
        assert tokens["token_type"] == "Bearer"
        assert tokens["expires_in"] <= 3600
        assert list_tools(tokens["access_token"]).status_code == 200
        grant = OAuthGrant.objects.get()
        assert grant.membership == people.alice
        assert grant.last_used_at is not None
        assert grant.last_used_from == "127.0.0.1"

    def test_it_is_of_the_organization_that_was_chosen(self, program: Program, people: People) -> None:
        form = {"answer": "allow", "organization": str(people.alice_elsewhere.pk)}
        answer = signed_in(people.alice).post(program.asked(), form)
        code = parse_qs(urlsplit(answer["Location"]).query)["code"][0]
        assert program.exchanged(code).status_code == 200
        assert OAuthAccessToken.objects.get().grant.membership == people.alice_elsewhere
        assert AuditEvent.objects.get(action="connected").organization == people.alice_elsewhere.organization

    @pytest.mark.parametrize("path", ["/api/agents/", "/api/corpora/", "/v1/models", "/api/schema/"])
    def test_it_opens_nothing_else(self, path: str, program: Program, people: People) -> None:
        secret = program.let_in(people.ada)["access_token"]
        assert with_secret(secret).get(path).status_code == 401

    def test_nothing_that_opens_is_kept(self, program: Program, people: People) -> None:
        tokens = program.let_in(people.alice)
        kept = str([list(one.objects.values()) for one in (OAuthAccessToken, OAuthRefreshToken, OAuthCode)])
        assert tokens["access_token"] not in kept
        assert tokens["refresh_token"] not in kept

    @pytest.mark.parametrize(
        "changes",
        [
            {"code_verifier": "x" * 43}, {"code_verifier": ""}, {"redirect_uri": CALLBACK + "x"}, {"code": "x"},
            {"client_id": "x"}, {"code": "a\0b"}, {"code": "x" * 5_000}, {"resource": f"{HERE}/api/"},
            {"grant_type": "password"}, {"grant_type": "client_credentials"}, {"grant_type": ""},
            {"grant_type": "urn:ietf:params:oauth:grant-type:device_code"},
        ],
    )  # fmt: skip
    def test_a_code_alone_is_not_enough(self, changes: dict[str, str], program: Program, people: People) -> None:
        code = program.answered(people.alice)["code"]
        answer = program.exchanged(**{"code": code, **changes})
        assert answer.status_code in (400, 401), answer.content
        assert not OAuthAccessToken.objects.exists()

    def test_a_code_works_once(self, program: Program, people: People) -> None:
        code = program.answered(people.alice)["code"]
        assert program.exchanged(code).status_code == 200
        assert program.exchanged(code).json()["error"] == "invalid_grant"

    def test_a_code_of_another_program(self, program: Program, people: People) -> None:
        other = Program.registered()
        other.verifier = program.verifier
        assert other.exchanged(program.answered(people.alice)["code"]).json()["error"] == "invalid_grant"

    def test_a_code_that_is_late(self, program: Program, people: People) -> None:
        code = program.answered(people.alice)["code"]
        OAuthCode.objects.update(expires=timezone.now() - timedelta(seconds=1))
        assert program.exchanged(code).json()["error"] == "invalid_grant"

    def test_another_verifier_may_not_be_put_in_with_the_answer(self, program: Program, people: People) -> None:
        form = {"answer": "allow", "organization": str(people.alice.pk), "code_challenge": challenge_of("y" * 43)}
        answer = signed_in(people.alice).post(program.asked(), form)
        code = parse_qs(urlsplit(answer["Location"]).query).get("code", [""])[0]
        assert program.exchanged(code, code_verifier="y" * 43).status_code == 400

    def test_an_expired_token(self, program: Program, people: People) -> None:
        secret = program.let_in(people.alice)["access_token"]
        OAuthAccessToken.objects.update(expires=timezone.now() - timedelta(seconds=1))
        answer = list_tools(secret)
        assert answer.status_code == 401
        assert 'error="invalid_token"' in answer["WWW-Authenticate"]

    def test_a_refresh_token_is_exchanged_once(self, program: Program, people: People) -> None:
        first = program.let_in(people.alice)
        second = program.refreshed(first["refresh_token"]).json()
        assert list_tools(second["access_token"]).status_code == 200
        assert list_tools(first["access_token"]).status_code == 401
        again = program.refreshed(first["refresh_token"])
        assert again.json()["error"] == "invalid_grant"
        assert list_tools(second["access_token"]).status_code == 401, "somebody has a token twice: all of them end"
        assert program.refreshed(second["refresh_token"]).status_code == 400
        assert not grants_of(people.alice).exists()

    def test_a_refresh_token_of_another_program(self, program: Program, people: People) -> None:
        tokens = program.let_in(people.alice)
        assert Program.registered().refreshed(tokens["refresh_token"]).status_code == 400

    def test_a_refresh_token_opens_nothing_itself(self, program: Program, people: People) -> None:
        assert list_tools(program.let_in(people.alice)["refresh_token"]).status_code == 401

    def test_a_refresh_token_that_slept_too_long(self, program: Program, people: People) -> None:
        tokens = program.let_in(people.alice)
        OAuthAccessToken.objects.update(expires=timezone.now() - timedelta(days=31))
        assert program.refreshed(tokens["refresh_token"]).status_code == 400


class TestTheEnd:
    def test_who_let_it_in_shuts_it_out(self, program: Program, people: People) -> None:
        tokens = program.let_in(people.alice)
        browser = signed_in(people.alice)
        shown = browser.get("/account/programs/").content.decode()
        assert "Editor" in shown
        assert "Editor" in re.findall(r'data-title="([^"]*)"', shown)[0]
        browser.post(f"/account/programs/{OAuthGrant.objects.get().pk}/revoke/")
        assert list_tools(tokens["access_token"]).status_code == 401
        assert program.refreshed(tokens["refresh_token"]).status_code == 400
        assert b"Editor" not in browser.get("/account/programs/").content
        assert list(AuditEvent.objects.order_by("created_at").values_list("action", flat=True)) == [
            "connected",
            "revoked",
        ]

    @pytest.mark.parametrize("other", ["bob", "ada", "charlie", "alice_elsewhere"])
    def test_nobody_else_sees_it_or_shuts_it_out(self, other: str, program: Program, people: People) -> None:
        program.let_in(people.alice)
        browser = signed_in(getattr(people, other))
        assert b"Editor" not in browser.get("/account/programs/").content
        assert browser.post(f"/account/programs/{OAuthGrant.objects.get().pk}/revoke/").status_code == 404
        assert OAuthGrant.objects.exists()

    def test_the_program_gives_its_token_back(self, program: Program, people: People) -> None:
        tokens = program.let_in(people.alice)
        said = {"token": tokens["refresh_token"], "client_id": program.id}
        assert program.http.post("/oauth/revoke", {**said, "client_id": Program.registered().id}).status_code == 200
        assert list_tools(tokens["access_token"]).status_code == 200, "another program may not"
        assert program.http.post("/oauth/revoke", said).status_code == 200
        assert list_tools(tokens["access_token"]).status_code == 401
        assert program.refreshed(tokens["refresh_token"]).status_code == 400

    def test_a_member_who_was_removed(self, program: Program, people: People) -> None:
        tokens = program.let_in(people.bob)
        end_membership(people.bob, people.ada)
        assert list_tools(tokens["access_token"]).status_code == 401
        assert program.refreshed(tokens["refresh_token"]).status_code == 400

    def test_a_user_who_was_switched_off(self, program: Program, people: People) -> None:
        tokens, code = program.let_in(people.bob), program.answered(people.bob)["code"]
        User.objects.filter(pk=people.bob.user_id).update(is_active=False)
        assert list_tools(tokens["access_token"]).status_code == 401
        assert program.refreshed(tokens["refresh_token"]).status_code == 400
        assert program.exchanged(code).status_code == 400

    def test_a_new_password(self, program: Program, people: People) -> None:
        tokens = program.let_in(people.alice)
        elsewhere = Program.registered()
        others = elsewhere.let_in(people.alice_elsewhere)
        user = people.alice.user
        user.set_password("a-long-walk-to-the-door")
        user.save()
        browser, new = signed_in(people.alice), "another-walk-to-the-door"
        form = {"oldpassword": "a-long-walk-to-the-door", "password1": new, "password2": new}
        assert browser.post("/accounts/password/change/", form).status_code == 302
        assert set(PasswordForm.base_fields) >= {"oldpassword", "password1", "password2"}
        for secret in (tokens, others):
            assert list_tools(secret["access_token"]).status_code == 401
        assert program.refreshed(tokens["refresh_token"]).status_code == 400

    def test_another_host_is_another_resource(self, program: Program, people: People, settings: Any) -> None:
        settings.ALLOWED_HOSTS = ["testserver", "other.example"]
        secret = program.let_in(people.alice)["access_token"]
        answer = Client(headers={"Host": "other.example", "Authorization": f"Bearer {secret}"}).post(
            "/mcp", {}, content_type="application/json"
        )
        assert answer.status_code == 401


class TestUpkeep:
    def test_programs_that_nobody_let_in_are_forgotten(self, program: Program, people: People) -> None:
        program.let_in(people.alice)
        Program.registered()
        old = timezone.now() - timedelta(days=2)
        OAuthClient.objects.update(created=old)
        newcomer = Program.registered()
        with system_scope():
            forget_past_grants()
        assert {one.client_id for one in OAuthClient.objects.all()} == {program.id, newcomer.id}

    def test_what_is_in_use_stays_and_what_is_over_goes(self, program: Program, people: People) -> None:
        tokens = program.let_in(people.alice)
        tokens = program.refreshed(tokens["refresh_token"]).json()
        OAuthAccessToken.objects.update(expires=timezone.now() - timedelta(days=1))
        OAuthGrant.objects.update(created_at=timezone.now() - timedelta(days=3))
        forget_past_grants()
        assert program.refreshed(tokens["refresh_token"]).status_code == 200
        later = timezone.now() - timedelta(days=40)
        OAuthAccessToken.objects.update(expires=later)
        OAuthRefreshToken.objects.exclude(revoked=None).update(revoked=later)
        OAuthClient.objects.update(created=later)
        forget_past_grants()
        for model in (OAuthCode, OAuthAccessToken, OAuthRefreshToken, OAuthGrant, OAuthClient):
            assert not model.objects.exists(), model

"""A program asks to be let in at /mcp: a person answers in the browser, and shuts it out again."""

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from accounts.identity.oauth.registration import origin_of
from tests.e2e.accessible import assert_accessible
from tests.e2e.conftest import Screenshot
from tests.e2e.visits import DESKTOP, PHONE, Visits

pytestmark = pytest.mark.browser

VERIFIER = "of-the-program-" + "x" * 40
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
NAME = "Editor de textos"


@contextmanager
def listening() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A program on the person's machine that waits for the browser to come back; what it was told."""
    told: list[dict[str, str]] = []

    class Callback(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/callback":
                told.append({name: values[0] for name, values in parse_qs(parts.query).items()})
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Back</title><link rel=icon href=data:,><p>You can close this.")

        def log_message(self, *_: object) -> None:
            """Nothing: the test says what it waits for."""

    server = HTTPServer(("127.0.0.1", 0), Callback)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/callback", told
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def sent(url: str, body: bytes, kind: str, **headers: str) -> Any:
    with urlopen(Request(url, body, {"Content-Type": kind, **headers}), timeout=20) as answer:
        return json.loads(answer.read())


def registered(url: str, callback: str) -> str:
    said = {"client_name": NAME, "redirect_uris": [callback], "token_endpoint_auth_method": "none"}
    return str(sent(f"{url}/oauth/register", json.dumps(said).encode(), "application/json")["client_id"])


def address_of(url: str, client: str, callback: str) -> str:
    said = {
        "response_type": "code", "client_id": client, "redirect_uri": callback, "state": "x-1",
        "code_challenge": CHALLENGE, "code_challenge_method": "S256", "resource": f"{url}/mcp",
    }  # fmt: skip
    return f"/oauth/authorize?{urlencode(said)}"


def exchanged(url: str, client: str, callback: str, code: str) -> str:
    said = {
        "grant_type": "authorization_code", "code": code, "client_id": client, "redirect_uri": callback,
        "code_verifier": VERIFIER,
    }  # fmt: skip
    kind = "application/x-www-form-urlencoded"
    return str(sent(f"{url}/oauth/token", urlencode(said).encode(), kind)["access_token"])


def tools(url: str, token: str) -> set[str]:
    said = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
    answer = sent(f"{url}/mcp", said, "application/json", Authorization=f"Bearer {token}")
    return {one["name"] for one in answer["result"]["tools"]}


def sign_in_here(page: Page, visits: Visits, person: str) -> None:
    login = visits.installation.people[person]
    page.get_by_label("Correo electrónico").fill(login.email)
    page.get_by_label("Contraseña", exact=True).fill(login.password)
    page.get_by_role("button", name="Iniciar sesión", exact=True).click()


def test_a_person_lets_a_program_in_and_shuts_it_out(visits: Visits, screenshot: Screenshot) -> None:
    url = visits.installation.url
    with listening() as (callback, told), visits.context(DESKTOP, also=origin_of(callback)) as context:
        page = context.new_page()
        client = registered(url, callback)
        page.goto(address_of(url, client, callback))
        sign_in_here(page, visits, "alicia")
        expect(page.get_by_role("heading", level=1)).to_have_text("¿Dejas entrar a este programa?")
        expect(page.get_by_text(NAME)).to_be_visible()
        expect(page.get_by_text(urlsplit(callback).netloc)).to_be_visible()
        assert_accessible(page)
        screenshot(page, "40-program-consent", full=True)
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name="Dejarlo entrar", exact=True).click()
        expect(page.get_by_text("You can close this.")).to_be_visible()
        (answer,) = told
        assert answer["state"] == "x-1"
        assert answer["iss"] == url
        token = exchanged(url, client, callback, answer["code"])
        assert "retrieve" in tools(url, token)

        page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
        page.goto(f"{url}/account/")
        page.get_by_role("link", name="Programas que dejas entrar").click()
        expect(page.get_by_text(NAME, exact=True).first).to_be_visible()
        assert_accessible(page)
        screenshot(page, "41-programs")
        page.get_by_role("button", name="Cerrar el paso").click()
        page.locator("#confirm-go").click()
        expect(page.get_by_text("El programa ya no puede entrar.")).to_be_visible()
        expect(page.get_by_text(NAME, exact=True)).to_have_count(0)
        with pytest.raises(HTTPError) as refused:
            tools(url, token)
        assert refused.value.code == 401


def test_no_is_an_answer(visits: Visits) -> None:
    url = visits.installation.url
    session = visits.session("alicia")
    with (
        listening() as (callback, told),
        visits.context(DESKTOP, also=origin_of(callback), storage_state=session) as context,
    ):
        page = context.new_page()
        page.goto(address_of(url, registered(url, callback), callback))
        page.get_by_role("button", name="No dejarlo entrar").click()
        expect(page.get_by_text("You can close this.")).to_be_visible()
        assert told == [{"error": "access_denied", "state": "x-1", "iss": url}]


def test_the_end_of_a_long_address_is_in_sight(visits: Visits) -> None:
    """It is the end of a host that says whose it is."""
    url, callback = visits.installation.url, f"https://claude.ai.{'o' * 60}.{'x' * 60}.evil.example/cb"
    with visits.context(PHONE, storage_state=visits.session("alicia")) as context:
        page = context.new_page()
        page.goto(address_of(url, registered(url, callback), callback))
        expect(page.get_by_text("evil.example")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

"""What every route answers to a browser that was led astray: hosts, redirects, foreign pages, frames.

All routes of the URL configuration, those of the libraries too, as the admin and as nobody.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from django.test import Client

from tests import routes
from tests.attacks.places import Sending, places_of, with_parameter
from tests.bodies import body_of
from tests.matrix import API, PAGES
from tests.people import People, signed_in, with_key
from tests.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

EVIL = "evil.example"
ADDRESSES = (
    f"https://{EVIL}/",
    f"//{EVIL}/",
    f"///{EVIL}/",
    f"/\\{EVIL}/",
    f"\\\\{EVIL}/",
    f"https:{EVIL}",
    f"/%09/{EVIL}/",
    f"\t//{EVIL}/",
    f"https://localhost@{EVIL}/",
    f"https://testserver.{EVIL}/",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
)
HOSTS = (EVIL, f"localhost@{EVIL}", f"localhost.{EVIL}", "localhost/", "[::1].evil.example", "local host", "")
NEVER = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def world(standing_world: World) -> World:
    return standing_world


def every_address(world: World) -> Iterator[str]:
    """An address of every route, with rows of our own where it takes any."""
    ids = {**world.ids, "reference": world.ids["agent"], "corpus_id": world.ids["alices"]}
    for route in sorted(set(routes.routes())):
        if "^" not in route and "(?P" not in route and not route.startswith(("healthz", "readyz", "metrics")):
            yield with_parameter(route, "", "", lambda name: ids.get(name, NEVER))


def sendings(world: World) -> Iterator[Sending]:
    """Every route once each way: as the matrix has it, and a library's with an empty form."""
    for case in API + PAGES:
        yield Sending.of(case, world)
    for route in sorted(set(routes.routes()) - routes.own_routes()):
        if "<" not in route and "^" not in route:
            yield Sending("GET", f"/{route}")
            yield Sending("POST", f"/{route}", {}, "form")


def leads_away(answer: Any) -> bool:
    """Whether a browser that follows this answer leaves."""
    location = answer.headers.get("Location", "") or answer.headers.get("HX-Redirect", "")
    told = urlsplit(location.replace("\\", "/").strip())
    return (bool(told.netloc) and told.netloc != "testserver") or told.scheme not in ("", "http", "https")


# ── redirects ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("caller", ["admin", "anonymous"])
def test_no_redirect_leads_away(caller: str, world: World) -> None:
    """Whatever a route reads of its query, form or headers is made an address elsewhere."""
    client, found = world.caller(caller), []
    client.raise_request_exception = False
    names = {"next", "return_to", "redirect", "url", "continue"}
    for sending in sendings(world):
        if sending.kind == "json" and sending.method != "GET":
            continue  # programs follow no redirects, and the API makes none
        sends_on = sending.by(client).status_code in (301, 302, 303, 307, 308)
        for place in places_of(sending, client):
            wanted = place.name[0] in names or sending.path.startswith(("/accounts/", "/i18n/"))
            for address in ADDRESSES if wanted else ADDRESSES[:sends_on]:
                if "\t" in address and place.part == "headers":
                    continue
                answer = place.filled(sending, address).by(client)
                if leads_away(answer):
                    found.append(f"{sending.method} {sending.path} {place}: {answer.headers.get('Location')}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("address", ADDRESSES)
def test_signing_in_and_out_leads_nowhere_else(address: str, people: People) -> None:
    from tests.factories import PASSWORD

    given = {"login": people.bob.user.email, "password": PASSWORD, "next": address}
    for path, client, fields in (
        ("/accounts/login/", Client(), given),
        ("/accounts/logout/", signed_in(people.bob), {"next": address}),
        ("/i18n/setlang/", Client(), {"language": "en", "next": address}),
    ):
        without = {name: value for name, value in fields.items() if name != "next"}
        for where, sent in ((f"{path}?next={quote(address)}", without), (path, fields)):
            answer = client.post(where, sent, headers={"Referer": f"https://{EVIL}/"})
            assert not leads_away(answer), (where, answer.headers.get("Location"))
    page = Client().get("/accounts/login/", {"next": address})
    assert not re.search(rb'(href|action|src)="(https?:)?//evil', body_of(page))


# ── hosts ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_that_is_not_ours_is_refused_everywhere(host: str, world: World, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    client = world.caller("admin")
    client.raise_request_exception = False
    for path in every_address(world):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code == 400, path
        assert EVIL.encode() not in body_of(answer), path


def test_a_forwarded_host_changes_nothing(world: World) -> None:
    client = world.caller("admin")
    client.raise_request_exception = False
    forwarded = {"X-Forwarded-Host": EVIL, "Forwarded": f"host={EVIL}", "X-Host": EVIL, "X-Original-URL": "/admin/"}
    for path in every_address(world):
        answer = client.get(path, headers=forwarded)
        assert EVIL.encode() not in body_of(answer), path
        assert EVIL not in str(answer.headers.items()), path


def test_a_mailed_link_has_our_own_host(people: People, mailoutbox: list[Any]) -> None:
    """A forged host in the request for a reset would lead its receiver elsewhere."""
    forged = {"X-Forwarded-Host": EVIL, "Referer": f"https://{EVIL}/", "Origin": "http://testserver"}
    Client().post("/accounts/password/reset/", {"email": people.bob.user.email}, headers=forged)
    assert mailoutbox
    assert EVIL not in "".join(str(mail.body) + mail.subject for mail in mailoutbox)


# ── foreign pages ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_no_form_of_a_library_is_taken_without_its_token(people: People) -> None:
    """Ours are in the route guard. Of OAuth's endpoints none looks at a session (accounts/tests/test_oauth.py)."""
    client = signed_in(people.ada, checks_csrf=True)
    for route in sorted(set(routes.routes()) - routes.own_routes() - {"oauth/register", "oauth/token", "oauth/revoke"}):
        if "<" not in route and "^" not in route:
            for origin in ({}, {"Origin": f"https://{EVIL}"}, {"Authorization": "Basic x"}):
                answer = client.post(f"/{route}", {}, headers=origin)
                assert answer.status_code in (403, 404, 405) or is_sign_in(answer), (route, answer.status_code)


def is_sign_in(answer: Any) -> bool:
    return answer.status_code == 302 and "/accounts/login/" in answer.headers["Location"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_what_a_foreign_page_can_send_changes_nothing(kind: str, world: World) -> None:
    """A browser sends these kinds of bodies anywhere, with its cookies, and asks nobody."""
    client = signed_in(world.people.alice, checks_csrf=True)
    for case in API:
        if case.method == "POST":
            answer = client.post(
                world.filled(case.path), b"{}", content_type=kind, headers={"Origin": f"https://{EVIL}"}
            )
            assert answer.status_code in (400, 403, 415), str(case)


def test_no_other_origin_is_let_in(world: World) -> None:
    client = world.caller("owner")
    client.raise_request_exception = False
    for path in every_address(world):
        for method in ("get", "options"):
            origin = {"Origin": f"https://{EVIL}", "Access-Control-Request-Method": "POST"}
            answer = getattr(client, method)(path, headers=origin)
            assert not [name for name in answer.headers if name.lower().startswith("access-control-")], path


def test_nothing_is_shown_in_a_frame(world: World) -> None:
    client = world.caller("admin")
    client.raise_request_exception = False
    for path in every_address(world):
        answer = client.get(path)
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"], path


# ── what is kept of an answer ───────────────────────────────────────────────────────────────────────────────────────


def test_nothing_of_an_error_is_told(world: World, settings: Any) -> None:
    """Neither paths, nor settings, nor versions, whatever is asked for."""
    settings.DEBUG = False
    for client in (with_key(world.people.alice), world.caller("admin"), Client()):
        client.raise_request_exception = False
        for path in every_address(world):
            for answer in (client.get(path + "?page=-1&cursor=%FF&q=" + "a" * 500), client.post(path, {})):
                body = body_of(answer)
                assert answer.status_code < 500, path
                for sign in (b"Traceback", b"site-packages", b"/usr/lib", b"SECRET_KEY", b"DJANGO_SETTINGS"):
                    assert sign not in body, (path, sign)
                assert "Server" not in answer.headers

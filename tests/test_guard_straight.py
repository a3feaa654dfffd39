"""The short way in past the middlewares (config/straight.py) knows the same callers as the matrix (R2, R6, R22)."""

import asyncio
from typing import Any

import orjson
import pytest
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, get_resolver, resolve

from config.straight import asynchronous_view
from tests import asgi, routes
from tests.matrix import API, CALLERS, Case
from tests.people import People, signed_in
from tests.world import ALICES_MARK, SHARED_MARK, World

pytestmark = pytest.mark.django_db(transaction=True)

TOKEN = "a" * 32
SAMPLE = "00000000-0000-4000-8000-000000000000"


def is_straight(case: Case) -> bool:
    path = case.path.partition("?")[0].replace("{slug}", "tutor")
    filled = path.replace("{agent}", SAMPLE).replace("{message}", SAMPLE)
    return "{" not in filled and asynchronous_view({"type": "http", "path": filled}) is not None


STRAIGHT = [case for case in API if is_straight(case)]


@pytest.fixture
def world() -> World:
    return World.furnished(People.assembled())


def ask(client: Client, case: Case, world: World, *, csrf: bool = True, **headers: str) -> asgi.Answer:
    """The case with a client's cookies and key; a session also sends its CSRF token, unless it is left out."""
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    sent = {"Content-Type": "application/json", **headers}
    if key := client.defaults.get("HTTP_AUTHORIZATION"):
        sent["Authorization"] = str(key)
    if csrf:
        cookies["csrftoken"] = sent["X-CSRFToken"] = TOKEN
    if cookies:
        sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    body = orjson.dumps(world.filled(case.body))
    return asyncio.run(asgi.request(case.method, world.filled(case.path), sent, [body]))


def test_every_asynchronous_view_takes_the_short_way_and_has_cases() -> None:
    straight = {route for route in routes.own_routes() if is_asynchronous(route)}
    assert straight == {
        resolve(case.path.format(agent=SAMPLE, message=SAMPLE, slug="tutor")).route for case in STRAIGHT
    }


def is_asynchronous(route: str) -> bool:
    found: list[URLPattern] = [pattern for path, pattern in leaves() if path == route]
    return all(asyncio.iscoroutinefunction(pattern.callback) for pattern in found)


def leaves(resolver: Any = None, prefix: str = "") -> Any:
    for pattern in (resolver or get_resolver()).url_patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield path, pattern
        else:
            yield from leaves(pattern, path)


@pytest.mark.parametrize("case", STRAIGHT, ids=str)
def test_each_caller_gets_the_answer_of_the_matrix(case: Case, world: World) -> None:
    alices, shared = ALICES_MARK.encode(), SHARED_MARK.encode()
    for caller in sorted(CALLERS, key=lambda name: name.startswith("deactivated")):  # which switch Alice off
        answer = ask(world.caller(caller), case, world)
        assert answer.status == case.expected[caller], caller
        assert "no-store" in answer.headers["cache-control"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert caller.startswith("owner") or alices not in answer.body
        assert case.expected[caller] == 200 or shared not in answer.body


@pytest.mark.parametrize("case", [case for case in STRAIGHT if case.method == "POST"], ids=str)
def test_a_session_without_the_csrf_token_is_refused(case: Case, world: World) -> None:
    alice = signed_in(world.people.alice)
    assert ask(alice, case, world, csrf=False).status == 403
    assert ask(alice, case, world, csrf=False, **{"X-CSRFToken": TOKEN}).status == 403, "a token without its cookie"


@pytest.mark.parametrize("case", STRAIGHT, ids=str)
def test_a_key_ignores_cookies_and_a_wrong_one_is_not_helped_by_a_session(case: Case, world: World) -> None:
    client = world.caller("owner_key")
    client.cookies = signed_in(world.people.charlie).cookies
    assert ask(client, case, world, csrf=False).status == case.rule.owner
    alice = signed_in(world.people.alice)
    assert ask(alice, case, world, Authorization="Bearer acv_wrong").status == 401


def test_a_host_that_is_not_ours_is_refused(world: World) -> None:
    assert ask(world.caller("owner_key"), STRAIGHT[0], world, Host="evil.example").status == 400
    assert "evil.example" not in settings.ALLOWED_HOSTS

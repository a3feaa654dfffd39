"""Every route, every method, every kind of caller (RELIABILITY R2, R4, R22, R23). A route without a case fails."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern
from django.urls import path as url_path

from agents.models import Assignment
from tests import routes
from tests.bodies import body_of
from tests.matrix import API, CALLERS, CASES, DOORS, OUTSIDERS, PAGES, Case
from tests.people import signed_in
from tests.world import ALICES_MARK, SHARED_MARK, World, send

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

UNSAFE = ("POST", "PATCH", "PUT", "DELETE")
METHODS = ("GET", *UNSAFE)
each_case = pytest.mark.parametrize("case", CASES, ids=str)
UNSAFE_API = [case for case in API if case.method in UNSAFE]
PUBLIC_ROUTES = {routes.route_of(case.path.format(token="any")) for case in CASES if case.public}
each_unsafe = pytest.mark.parametrize("case", [case for case in API + PAGES + DOORS if case.method in UNSAFE], ids=str)


@pytest.fixture
def world(standing_world: World) -> World:
    return standing_world


def undone(act: Callable[[], Any]) -> Any:
    """What `act` returns; what it did to the database is undone."""
    with transaction.atomic():
        done = act()
        transaction.set_rollback(True)
    return done


def ask(world: World, case: Case, caller: str, ids: dict[str, str] | None = None) -> Any:
    def asked() -> Any:
        client = world.caller(caller)
        response = send(client, case.method, world.filled(case.path, ids), world.filled(case.body, ids), page=case.page)
        response.body = body_of(response)
        return response

    return undone(asked)


def test_every_route_has_a_case() -> None:
    ids = dict.fromkeys(("token", "slug"), "name") | dict.fromkeys(NAMES, "00000000-0000-4000-8000-000000000000")
    covered = {routes.route_of(case.path.format(**ids)) for case in CASES}
    assert routes.own_routes() - covered == set()


def test_a_planted_route_without_a_case_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from config import urls

    planted: URLPattern = url_path("api/forgotten/<uuid:pk>/", lambda request, pk: None)
    monkeypatch.setattr(urls, "urlpatterns", [*urls.urlpatterns, planted])
    resolver = type(routes.get_resolver())(routes.get_resolver().pattern, urls.urlpatterns)
    assert "api/forgotten/<uuid:pk>/" in set(routes.routes(resolver))


def test_every_branch_that_is_left_out_exists() -> None:
    found = list(routes.routes())
    assert all(any(route.startswith(branch) for route in found) for branch in routes.BRANCHES)


@each_case
def test_each_caller_gets_the_answer_of_the_matrix(case: Case, world: World) -> None:
    answers = {caller: ask(world, case, caller) for caller in CALLERS}
    assert {caller: answer.status_code for caller, answer in answers.items()} == case.expected
    check_nothing_leaks(case, answers)
    for caller, answer in answers.items():
        kept = case.is_revalidated and answer.status_code == 200
        wanted = "private, no-cache" if kept else "no-store"
        assert wanted in answer.headers["Cache-Control"], caller


def check_nothing_leaks(case: Case, answers: dict[str, Any]) -> None:
    """Marks of Alice's things reach Alice alone; marks of the organization never leave it."""
    alices, shared = ALICES_MARK.encode(), SHARED_MARK.encode()
    for caller, answer in answers.items():
        if caller not in ("owner", "owner_key"):
            assert alices not in answer.body, caller
        if caller in OUTSIDERS and not case.public:
            assert shared not in answer.body, caller


NAMES = tuple(sorted(set(re.findall(r"{(\w+)}", repr(CASES))) - {"token", "slug"}))


@pytest.mark.parametrize("case", [case for case in API + PAGES if "{" in case.path + repr(case.body)], ids=str)
def test_what_belongs_to_a_stranger_answers_like_what_never_was(case: Case, world: World) -> None:
    missing = world.missing_ids()
    for caller, status in case.expected.items():
        if status != 404:
            continue
        answer, never = ask(world, case, caller), ask(world, case, caller, missing)
        assert never.status_code == 404, caller
        assert comparable(answer) == comparable(never), caller


def comparable(answer: Any) -> tuple[Any, ...]:
    """Everything a caller can compare. The API's bodies to the byte; a page's forms carry a new CSRF token every
    time, and the language switch the address that was asked for."""
    body = answer.body
    if b"<html" in body:
        body = re.sub(rb"[A-Za-z0-9]{64}", b"TOKEN", body).replace(answer.request["PATH_INFO"].encode(), b"PATH")
    headers = {name: value for name, value in answer.headers.items() if name != "Content-Length"}
    return answer.status_code, body, headers


@pytest.mark.parametrize("route", sorted(routes.own_routes() - PUBLIC_ROUTES))
def test_a_method_without_a_case_is_not_allowed(route: str, world: World) -> None:
    cases = [case for case in CASES if routes.route_of(world.filled(case.path)) == route]
    path, page = world.filled(cases[0].path), cases[0].page
    for method in set(METHODS) - {case.method for case in cases}:
        answer = undone(lambda method=method: send(signed_in(world.people.ada), method, path, {}, page=page))
        assert answer.status_code == 405, method


@each_unsafe
def test_a_session_without_the_csrf_token_is_refused(case: Case, world: World) -> None:
    client = signed_in(world.people.ada, checks_csrf=True)
    answer = send(client, case.method, world.filled(case.path), world.filled(case.body), page=case.page)
    assert answer.status_code == 403


@pytest.mark.parametrize("case", UNSAFE_API, ids=str)
def test_with_the_csrf_token_the_same_request_is_answered(case: Case, world: World) -> None:
    client = signed_in(world.people.alice, checks_csrf=True)
    client.cookies["csrftoken"] = "a" * 32
    answer = send(
        *(client, case.method, world.filled(case.path), world.filled(case.body)),
        page=case.page,
        headers={"X-CSRFToken": "a" * 32},
    )
    assert answer.status_code == case.rule.owner


@pytest.mark.parametrize("case", UNSAFE_API, ids=str)
def test_a_key_ignores_cookies(case: Case, world: World) -> None:
    """Charlie's session travels along with Alice's key: the answer is Alice's, and no CSRF token is asked for."""
    client = world.caller("owner_key")
    client.cookies = signed_in(world.people.charlie).cookies
    answer = send(client, case.method, world.filled(case.path), world.filled(case.body), page=False)
    assert answer.status_code == case.rule.owner


@pytest.mark.parametrize("secret", ["", "acv_wrong", "acv_\u00e9\u00f1", "a" * 5000])
def test_a_wrong_key_is_refused_even_with_a_good_session(secret: str, world: World) -> None:
    client = signed_in(world.people.alice)
    client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    for path in ("/api/corpora/", "/v1/models"):
        assert client.get(path).status_code == 401


def test_a_refused_assignment_in_the_panel_changes_nothing(world: World) -> None:
    before = set(Assignment.objects.values_list("agent", "corpus"))
    for case in PAGES:
        if "/agents/{agent}/" in case.path and "{shared" in case.path:
            send(signed_in(world.people.bob), case.method, world.filled(case.path), None, page=True)
    assert set(Assignment.objects.values_list("agent", "corpus")) == before


def test_a_chosen_organization_without_a_membership_is_not_entered(world: World) -> None:
    client = signed_in(world.people.charlie)
    client.post("/account/organization/", {"organization": str(world.people.alice.organization_id)})
    session = client.session
    session["organization_id"] = str(world.people.alice.organization_id)
    session.save()
    assert client.get(world.filled("/api/corpora/{shared}/")).status_code == 404


def test_the_matrix_reads_without_writing(world: World) -> None:
    """R4: no GET of the matrix changes a row, but for when a key or a session was last seen."""
    for case in CASES:
        if case.method == "GET" and not case.public:
            with_queries(world, case)


def with_queries(world: World, case: Case) -> None:
    from django.test.utils import CaptureQueriesContext

    client = signed_in(world.people.alice)
    with CaptureQueriesContext(connection) as queries:
        answer = send(client, "GET", world.filled(case.path), None, page=case.page)
        assert body_of(answer) or answer.status_code == 302
    written = [one["sql"] for one in queries if re.match(r"(INSERT|UPDATE|DELETE)", one["sql"])]
    assert not [sql for sql in written if not re.search("django_session|accounts_signin", sql)], case


def test_an_anonymous_client_is_told_how_to_sign_in(db: None) -> None:
    answer = Client().get("/api/corpora/")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")

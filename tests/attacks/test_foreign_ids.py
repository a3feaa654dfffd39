"""The table of what held, over all routes: a foreign id is answered like one that nothing has, wherever it is put.

Routes come from the URL configuration, what is asked of a request from the product itself (`places`), foreign rows from
the models (`foreign`). Ours by session, by key and as the admin; the libraries' (admin, allauth, language) likewise.
"""

from collections.abc import Iterator
from functools import cache
from random import Random
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.urls import resolve

from tests import routes
from tests.attacks.foreign import Landscape, Told, differences, formed_like, leaks, plain, watched
from tests.attacks.places import PARAMETER, Place, Sending, places_of, probed, with_parameter
from tests.matrix import API, PAGES, Case
from tests.world import is_uuid
from tools.sql.gate import parse_query
from tools.sql.statements import SqlRefused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]
BY_NIGHT = pytest.mark.nightly
KINDS = {"member", "admin", "stranger", "foreign_key", "anonymous"}  # of callers, one of each; the others by night

CASES = [case for case in API + PAGES if not case.public]
CALLERS = ("owner", "owner_key", "admin")
# What an operator's command or a mail made, not an id of a row.
SECRETS = {"token", "uidb36", "key"}


@pytest.fixture
def land(db: None) -> Landscape:
    return Landscape.made()


def allowed(caller: str) -> list[Case]:
    """The cases that this caller is answered: what is refused anyway reads nothing."""
    return [case for case in CASES if case.expected[caller] < 300 or (case.page and case.expected[caller] == 302)]


def whom(land: Landscape, caller: str) -> Client:
    client = land.own.caller(caller)
    client.raise_request_exception = False
    return client


# ── in the path ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize("caller", CALLERS)
def test_in_the_path(caller: str, land: Landscape) -> None:
    """One parameter at a time; ids of its own table and some of others."""
    client, land, found = whom(land, caller), land.seen_by(caller), []
    for case in allowed(caller):
        route = routes.route_of(land.own.filled(case.path))
        names = [name for name in PARAMETER.findall(route) if name not in SECRETS | {"name"}]
        for name in names:
            template = Sending.of(case, land.own)
            query = template.path.partition("?")[2]

            def send(one: str, name: str = name, template: Sending = template, query: str = query) -> object:
                path = replaced(template.path.partition("?")[0], name, one)
                sending = Sending(template.method, f"{path}?{query}" if query else path, template.fields, template.kind)
                return sending.by(client)

            own = str(resolve(template.path.partition("?")[0]).kwargs[name])
            found += [f"{case} {name}: {one}" for one in differences(land, send, land.kinds_like(own))]
    assert not found, "\n".join(found)


def replaced(path: str, name: str, value: str) -> str:
    """A path with another value for one of its route's parameters."""
    match = resolve(path)
    return with_parameter(str(match.route), name, value, lambda other: str(match.kwargs[other]))


def routes_of_libraries() -> Iterator[tuple[str, str]]:
    for route in sorted(set(routes.routes()) - routes.own_routes()):
        for name in PARAMETER.findall(route):
            if name not in SECRETS:
                yield route, name


@pytest.mark.slow
@pytest.mark.parametrize("caller", [*(pytest.param(one, marks=BY_NIGHT) for one in ("anonymous", "member")), "admin"])
def test_in_the_path_of_a_library(caller: str, land: Landscape) -> None:
    """The admin's pages of every model, its redirects, its passwords; allauth's and Django's own."""
    client, land, found = whom(land, caller), land.seen_by(caller), []
    known = {**land.own.ids, "content_type_id": "1"}
    for route, name in routes_of_libraries():
        for method in ("GET", "POST"):

            def send(one: str, route: str = route, name: str = name, method: str = method) -> object:
                path = with_parameter(route, name, one, lambda other: known.get(other, known["alices"]))
                fields = {"post": "yes", "name": "taken over", "action": "delete_selected"}
                return Sending(method, path, fields if method == "POST" else None, "form").by(client)

            found += [f"{method} {route} {name}: {one}" for one in differences(land, send, land.kinds_in(route))]
    assert not found, "\n".join(found)


def test_the_routes_of_libraries_are_among_them() -> None:
    met = {route.partition("/")[0] for route, _name in routes_of_libraries()}
    assert {"admin"} <= met


# ── in the query, a form, a JSON body, a header ─────────────────────────────────────────────────────────────────────


BY_KIND = [one if one in KINDS else pytest.param(one, marks=pytest.mark.nightly) for one in CALLERS]


@pytest.mark.slow
@pytest.mark.parametrize("part", ["query", "fields", "headers"])
@pytest.mark.parametrize("caller", BY_KIND)
def test_in_what_a_request_carries(caller: str, part: str, land: Landscape) -> None:
    client, land, found = whom(land, caller), land.seen_by(caller), []
    for case in allowed(caller):
        found += [f"{case} {one}" for one in attacked(land, client, Sending.of(case, land.own), part)]
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["query", "fields", "headers"])
@pytest.mark.parametrize("caller", ["anonymous", "member", "admin"])
def test_in_what_a_request_to_a_library_carries(caller: str, part: str, land: Landscape) -> None:
    client, land, found = whom(land, caller), land.seen_by(caller), []
    for route in sorted(set(routes.routes()) - routes.own_routes()):
        if "<" in route or "^" in route or "(?P" in route:
            continue
        for method in ("GET", "POST"):
            sending = Sending(
                method, f"/{route}", {} if method == "POST" else None, "form" if method == "POST" else "json"
            )
            found += [f"{method} {route} {one}" for one in attacked(land, client, sending, part, asks_rows_alone=True)]
    assert not found, "\n".join(found)


def attacked(
    land: Landscape, client: Client, sending: Sending, part: str, *, asks_rows_alone: bool = False
) -> Iterator[str]:
    """What gave a foreign id away in any place of this part, changed a foreign row or made one of ours point at it.

    `asks_rows_alone`: neither the index nor anything else that a query would not show. A place that is not looked up in
    any table meets no foreign row then.
    """
    nothing, before = land.never(land.foreign["a colleague's alices"]), cache(land.traces)
    for place in places_of(sending, client):
        if place.part != part:
            continue

        def send(one: str, place: Place = place) -> object:
            return place.filled(sending, one).by(client)

        def send_watched(one: str, place: Place = place) -> object:
            return watched(land, before(), lambda: place.filled(sending, one).sent_by(client))

        answer, tables = probed(sending, place, client, nothing)
        if asks_rows_alone and not tables:
            yield from (f"{place}: {one} came back" for one in leaks(answer, nothing, land.foreign.values()))
            continue
        acting = send_watched if tables and sending.method != "GET" else send
        told = differences(land, acting, land.kinds_of(tables), {True: Told.of(answer, nothing)})
        yield from (f"{place}: {one}" for one in told)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "sqlite"])
def test_an_id_that_nothing_has_is_refused_as_sql_like_the_one_it_stands_for(dialect: str) -> None:
    """Or what is told of a place that takes SQL would differ, now and then, by digits."""

    def told(sql: str) -> str:
        with pytest.raises(SqlRefused) as refused:
            parse_query(sql, dialect)
        return plain(str(refused.value).encode(), sql).decode()

    refusals = set()
    for n in range(200):
        one = str(UUID(int=Random(n).getrandbits(128), version=4))
        other = formed_like(one)
        assert one != other
        assert is_uuid(other)
        assert told(one) == told(other), (one, other)
        refusals.add(told(one))
    assert len(refusals) > 1


def test_the_places_are_found(land: Landscape) -> None:
    """The suite above would hold as well if it looked nowhere."""
    client = whom(land, "owner")
    expected = {
        ("POST", "/api/projects/", "json"): {"fields corpora[]", "fields name"},
        ("POST", f"/api/agents/{land.own.ids['agent']}/corpora/", "json"): {"fields corpus"},
        ("GET", "/api/conversations/", "json"): {"query project", "query cursor"},
        ("POST", "/account/organization/", "form"): {"fields organization"},
    }
    for (method, path, kind), names in expected.items():
        fields = {"name": "a", "corpus": "x"} if method == "POST" else None
        met = {str(place) for place in places_of(Sending(method, path, fields, kind), client)}
        assert names <= met, (path, met)
    chat = Sending("POST", f"/api/agents/{land.own.ids['agent']}/chat/", {"messages": [], "stream": False})
    body = {"messages": [{"role": "user", "content": "loan"}], "stream": False}
    met = {str(place) for place in places_of(Sending(chat.method, chat.path, body), client)}
    assert {"fields conversation", "fields project", "headers Idempotency-Key"} <= met


@pytest.mark.skipif(connection.vendor == "postgresql", reason="row-level security lets nothing out (tests/tenancy)")
def test_a_planted_leak_is_found(land: Landscape, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the scope of projects' corpora gone the suite says so."""
    from corpora.models import Corpus, CorpusQuerySet

    monkeypatch.setattr(CorpusQuerySet, "readable_by", lambda self, _membership: Corpus.objects.all())
    client = whom(land, "owner")
    sending = Sending("POST", "/api/projects/", {"name": "a", "corpora": []})
    assert any("corpora" in one for one in attacked(land, client, sending, "fields"))
    assert differences(land, lambda one: Sending("GET", f"/api/corpora/{one}/").by(client))

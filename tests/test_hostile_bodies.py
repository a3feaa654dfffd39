"""Bodies and queries that nobody means well with, to every route: a problem within a second, never a fault of ours.

Run on PostgreSQL too (`.ci/nightly` does): it is the stricter one.
"""

import json
import time
from base64 import b64encode
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from accounts.http.bodies import DEEPEST
from retrieval.spaces.registry import active_space, forget_spaces
from tests import routes
from tests.hostile_requests import answered, check, rightful, whole_body
from tests.matrix import API, UPLOAD, Case
from tests.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

MOST_SECONDS = 1.0  # of processor time
JSON_CASES = [case for case in API if case.method in ("POST", "PATCH", "PUT") and case.body != UPLOAD]
each_case = pytest.mark.parametrize("case", JSON_CASES, ids=str)
# Where nobody may, it is told before the body is looked at.
TAKEN_CASES = [case for case in JSON_CASES if min(case.rule.owner, case.rule.admin) < 400]
LARGE = 1024 * 1024 - 1_000  # bytes: within the limit


def repeated(part: bytes, before: bytes = b"[", after: bytes = b"]") -> bytes:
    return before + b",".join([part] * ((LARGE - len(before) - len(after)) // (len(part) + 1))) + after


WHOLE = {
    "deep lists": b"[" * 5_000 + b"]" * 5_000,
    "deep objects": b'{"a":' * 900 + b"1" + b"}" * 900,
    "deeper than allowed": b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1),
    "objects": repeated(b"{}"),
    "lists": repeated(b"[]"),
    "objects in objects": repeated(b'{"":{}}'),
    "fields": b"{" + b",".join(b'"%d":0' % number for number in range(80_000)) + b"}",
    "too large": b'{"name":"' + b"x" * (2 * LARGE) + b'"}',
    "numbers": repeated(b"9" * 400),
    "no JSON": b'{"name":',
    "NaN": b'{"name":NaN,"top_k":NaN}',
    "infinite": b'{"name":1e999,"top_k":-Infinity}',
    "a text": b'"' + b"x" * LARGE + b'"',
    "nothing": b"",
    "null": b"null",
    "a number": b"9" * 4_400,
}
VALUES: dict[str, Any] = {
    "a huge number": 10**30,
    "a number beyond 64 bits": 2**63,
    "a negative number": -(2**63),
    "true": True,
    "null": None,
    "a list": [],
    "an object": {"a": {"b": []}},
    "not a number": "NaN",
    "infinite": "Infinity",
    "digits": "9" * 5_000,
    "a list of objects": [{}] * 300,
    "deep": json.loads("[" * (DEEPEST - 2) + "]" * (DEEPEST - 2)),
}
LARGE_VALUES = {
    "objects": repeated(b"{}", b"[", b"]"),
    "ids": b"[" + b",".join(b'"00000000-0000-4000-8000-%012d"' % number for number in range(26_000)) + b"]",
    "words": b'"' + b",".join(b"%d" % number for number in range(140_000)) + b'"',
    "fields": b"{" + b",".join(b'"%d":0' % number for number in range(80_000)) + b"}",
    "messages": repeated(b'{"role":"user","content":"a"}'),
}
# Names that some route takes and the matrix's bodies leave out.
NUMBERS = (
    *("temperature", "max_tokens", "top_k", "candidates", "min_relevance", "context_tokens", "min_confidence"),
    *("diversity", "recency_half_life_days", "granularity", "rating"),
)
OTHERS = ("filters", "preferences", "context", "corpora", "project", "conversation", "tags", "stream", "source_date")


@pytest.fixture
def world(standing_world: World) -> World:
    forget_spaces()
    active_space()  # a search makes it, and what a request does here is undone
    return standing_world


def fields_of(case: Case, world: World) -> dict[str, Any]:
    return {**dict.fromkeys(NUMBERS, 1), **dict.fromkeys(OTHERS), **whole_body(case, world)}


def timed(client: Client, method: str, path: str, **sent: Any) -> tuple[Any, float]:
    started = time.process_time()
    answer = answered(client, method, path, **sent)
    return answer, time.process_time() - started


def send(case: Case, world: World, content: bytes, *what: str) -> Any:
    """Sent by whoever may; checked as `check` does, and timed."""
    client = rightful(case, world, key=True)
    sent = {"path": world.filled(case.path), "data": content, "content_type": "application/json"}
    answer, seconds = timed(client, case.method, **sent)
    check(answer, case, *what)
    if seconds >= MOST_SECONDS:  # once more: a collection of all the suite's garbage may have fallen into it
        seconds = timed(client, case.method, **sent)[1]
    assert seconds < MOST_SECONDS, (str(case), what, seconds)
    return answer


def test_every_route_that_takes_json_is_among_them() -> None:
    """The matrix has a case for every route and method (tests/test_guard_routes.py)."""
    of_the_api = {route for route in routes.own_routes() if route.startswith(("api/", "v1/", "mcp"))}
    unsafe = {routes.route_of(sample(case)) for case in API if case.method not in ("GET", "DELETE")}
    here = {routes.route_of(sample(case)) for case in JSON_CASES}
    assert here <= of_the_api
    files = {"api/corpora/<uuid:pk>/documents/", "api/data-sources/<uuid:source_id>/files/"}
    assert unsafe - here == files


def sample(case: Case) -> str:
    ids = dict.fromkeys(WORDS, "00000000-0000-4000-8000-000000000000")
    return case.path.format(**ids | {"slug": "name"})


WORDS = {part.split("}")[0] for case in API for part in case.path.split("{")[1:]}


@pytest.mark.slow
@pytest.mark.parametrize("case", TAKEN_CASES, ids=str)
def test_a_hostile_body_is_answered_with_a_problem(case: Case, world: World) -> None:
    unseen = (200, 202, 204) if case.body is None else ()  # stopping, checking and restoring look at no body
    for what, content in WHOLE.items():
        answer = send(case, world, content, what)
        if what in ("deep lists", "deep objects", "deeper than allowed", "no JSON", "NaN"):
            assert answer.status_code in (400, 413, *unseen), what
        if what == "too large":
            assert answer.status_code in (413, *unseen), what


@each_case
def test_hostile_fields_are_answered_with_a_problem(case: Case, world: World) -> None:
    """All of them at once, as forms look at them; and those that a route needs one by one."""
    if not isinstance(case.body, dict):
        return
    needed = world.filled(case.body)
    for what, value in VALUES.items():
        send(case, world, json.dumps(dict.fromkeys(fields_of(case, world), value)).encode(), what)
        send(case, world, json.dumps({**dict.fromkeys((*NUMBERS, *OTHERS), value), **needed}).encode(), what)
    for name in needed:
        for what in ("null", "an object", "a huge number"):
            send(case, world, json.dumps({**needed, name: VALUES[what]}).encode(), name, what)


@pytest.mark.parametrize(("path", "name"), [
    *(("/api/agents/{agent}/chat/", name) for name in ("messages", "filters", "conversation")),
    *(("/api/agents/{agent}/retrieve/", name) for name in ("query", "filters", "granularity")),
    *(("/api/tools/upsert_knowledge/", name) for name in ("corpus", "text", "tags")),
    *(("/api/tools/retrieve/", name) for name in ("agent", "query")),
    *(("/api/tools/query/", name) for name in ("agent", "source", "sql")),
    *(("/api/tools/query_analytics/", name) for name in ("metric", "dimensions", "filters", "date_range")),
    *(("/api/data-sources/", name) for name in ("name", "kind")),
    *(("/api/webhooks/", name) for name in ("url", "events")),
    *(("/api/tools/get_trends/", name) for name in ("entity", "filters")),
    ("/api/tools/forecast/", "metric"),
    *(("/api/tools/query_crm/", name) for name in ("entity", "filter", "fields", "limit")),
    *(("/api/tools/get_entity/", name) for name in ("entity", "entity_id")),
    ("/api/data-sources/{source}/metrics/", "metrics"),
    ("/api/data-sources/{source}/tables/", "tables"),
    ("/api/agents/{agent}/data-sources/{source}/", "tables"),
    ("/api/corpora/{alices}/documents/move/", "documents"),
    ("/api/agents/{agent}/chat/", "documents"),
    *(("/api/projects/", name) for name in ("name", "corpora")),
    ("/v1/chat/completions", "messages"),
    ("/api/corpora/{alices}/facts/", "tags"),
    ("/api/documents/{alices_document}/", "tags"),
    ("/api/conversations/{conversation}/", "context"),
    ("/api/corpora/", "name"),
])  # fmt: skip
def test_a_megabyte_of_one_field_is_counted_before_it_is_looked_at(path: str, name: str, world: World) -> None:
    case = next(case for case in JSON_CASES if case.path == path)
    rest = {key: value for key, value in whole_body(case, world).items() if key != name}
    for what, content in LARGE_VALUES.items():
        answer = send(case, world, b'{"%s":%s,%s' % (name.encode(), content, json.dumps({"x": 0, **rest})[1:].encode()))
        assert answer.status_code in (400, 404), what


def test_more_than_two_hundred_messages_are_refused_unseen(world: World) -> None:
    said = [{"role": "user", "content": "a"}] * 200
    for path in ("/api/agents/{agent}/chat/", "/v1/chat/completions"):
        case = next(case for case in JSON_CASES if case.path == path)
        extra = {"model": world.filled("{slug}")}
        content = json.dumps({"messages": [*said, {}], **extra}).encode()
        answer = send(case, world, content)
        assert answer.status_code == 400
        assert "200" in answer.content.decode()
        assert send(case, world, json.dumps({"messages": said, "stream": False, **extra}).encode()).status_code == 200


def cursors() -> Iterator[str]:
    for offset in ("1" + "0" * 23, "9" * 5_000, "-1", "1e9", "٣"):
        yield f"o={offset}"
        yield f"r=1&o={offset}"
    for position in (
        "9" * 40,
        "1e999",
        "nan",
        "9999999-01-01",
        "2026-01-01T00:00:00+00:00",
        "\0",
        "\ud800",
        "é",
        "x" * 9_000,
    ):
        yield f"p={quote(position, errors='surrogatepass')}"
        yield f"r=1&p={quote(position, errors='surrogatepass')}"


BY_NIGHT = (pytest.mark.slow, pytest.mark.nightly)
# A schema takes long to tell, and its routes read no parameter of their own.
READS = [
    pytest.param(case, marks=BY_NIGHT if case.path.endswith("/schema/") else ()) for case in API if case.method == "GET"
]


@pytest.mark.parametrize("case", READS, ids=str)
def test_a_hostile_query_is_answered(case: Case, world: World) -> None:
    path, _, kept = world.filled(case.path).partition("?")
    client = rightful(case, world, key=True)
    huge = ("1" + "0" * 23, "-1", "9" * 5_000, "NaN", "%ff", "٣", "")
    queries = [
        f"{name}={value}" for name in ("page_size", "before", "granularity", "project", "page") for value in huge
    ]
    queries += [f"cursor={quote(b64encode(one.encode()).decode())}" for one in cursors()] + ["cursor=é", "cursor=%ff"]
    for query in queries:
        check(answered(client, "GET", f"{path}?{kept}&{query}"), case, query)

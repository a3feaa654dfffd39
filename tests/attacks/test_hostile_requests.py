"""The attack by what is sent: long lists, deep nesting, texts that no expression may meet (findings 1, 2, 9, 10).

Time is the processor's, of this process, so that a busy machine proves nothing; a second is a lot for any of them.
"""

import base64
import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.bodies import body_of
from tests.factories import AgentFactory, ConversationFactory, CorpusFactory, MessageFactory
from tests.matrix import API, Case
from tests.people import People, with_key
from tests.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

SECONDS = 1.0
RENDERING = 3.0  # of 64 kB, some 15 µs a character; the square of it took half a minute
REFUSED = {400, 401, 403, 404, 413, 415, 431}


@pytest.fixture
def world(standing_world: World) -> World:
    return standing_world


@pytest.fixture
def member(people: People) -> Client:
    client = with_key(people.alice)
    client.raise_request_exception = False
    return client


def timed(act: Callable[[], Any]) -> tuple[Any, float]:
    """What it returns, and the processor's seconds that it took."""
    began = time.process_time()
    done = act()
    return done, time.process_time() - began


def post(client: Client, path: str, body: Any) -> Any:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post(path, content, content_type="application/json")


def check_problem(answer: Any, path: str) -> None:
    """Refused as an API refuses, without a page and without a traceback."""
    assert answer.status_code in REFUSED, (answer.status_code, path)
    assert "json" in answer["Content-Type"], path
    assert b"Traceback" not in answer.content, path


# ── 1: nothing is parsed for strangers ──────────────────────────────────────────────────────────────────────────────


def json_routes() -> list[str]:
    """Every address of the API that takes JSON, once."""
    return sorted({case.path for case in API if isinstance(case.body, dict) and case.method == "POST"})


HOSTILE = {
    "a list of messages": b'{"messages": [' + b"{}," * 300_000 + b"{}]}",
    "messages that are numbers": b'{"messages": [' + b"1," * 300_000 + b"1]}",
    "a list of ids": b'{"corpora": [' + b'"x",' * 200_000 + b'"x"]}',
    "a list of tags": b'{"text": "x", "tags": [' + b"{}," * 200_000 + b"{}]}",
    "an object of names": b"{" + b",".join(b'"k%d":1' % n for n in range(60_000)) + b"}",
    "a deep list": b'{"messages": ' + b"[" * 400_000 + b"]" * 400_000 + b"}",
    "a long text": b'{"query": "' + b"`" * 900_000 + b'"}',
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_is_parsed_for_a_stranger(hostile: str, world: World) -> None:
    """1. On 0.1.0 the first of them froze the process for half a minute. A wrong key is no better than none."""
    for path in json_routes():
        filled = world.filled(path)
        for client in (Client(raise_request_exception=False), wrong_key()):
            answer, seconds = timed(lambda client=client, filled=filled: post(client, filled, HOSTILE[hostile]))
            assert answer.status_code in {401, 413}, path
            assert seconds <= SECONDS, path
            assert len(answer.content) < 10_000, "answers more than it was asked"


def wrong_key() -> Client:
    return Client(headers={"Authorization": "Bearer acv_wrong"}, raise_request_exception=False)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_member_is_refused_before_it_costs_anything(hostile: str, world: World, member: Client) -> None:
    for path in json_routes():
        filled = world.filled(path)
        answer, seconds = timed(lambda filled=filled: post(member, filled, HOSTILE[hostile]))
        assert answer.status_code < 500, path
        assert seconds <= SECONDS, path
        assert len(answer.content if not answer.streaming else b"") < 100_000, path


# ── 2: every expression and every renderer is linear ────────────────────────────────────────────────────────────────

HISTORIES = {
    "backticks, then letters": "x" + "`" * 49_000 + "a" * 50_000,
    "backticks and letters in turn": "`a" * 49_000,
    "runs of every length": "".join("`" * n + "a" for n in range(1, 430)),
    "spaces": " " * 99_000 + "a",
    "spaces before brackets": (" " * 300 + "[") * 330,
    "brackets": "[" * 99_000,
    "citations": "[1]" * 33_000,
    "stars": "*a" * 49_000,
    "bars": "|" * 99_000,
    "line ends": "\n" * 99_000,
    "digits": "1" * 99_000,
    "dots": "a." * 49_000,
}


@pytest.mark.parametrize("text", HISTORIES.values(), ids=list(HISTORIES))
@pytest.mark.parametrize("path", ["/api/agents/{slug}/chat/", "/v1/chat/completions"])
def test_a_history_costs_no_more_than_its_budget(path: str, text: str, world: World, member: Client) -> None:
    """2. On 0.1.0 the first of them froze the process for 39 seconds."""
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": text}]
    body = {"model": world.ids["slug"], "messages": [*said, {"role": "user", "content": "hola"}], "stream": False}
    answer, seconds = timed(lambda: post(member, world.filled(path), body))
    assert answer.status_code in {200, *REFUSED}
    assert seconds <= SECONDS


@pytest.mark.parametrize("text", HISTORIES.values(), ids=list(HISTORIES))
def test_a_question_costs_no_more_than_its_length(text: str, world: World, member: Client) -> None:
    for path, body in (
        ("/api/agents/{slug}/chat/", {"messages": [{"role": "user", "content": text[:8_000]}], "stream": False}),
        ("/api/agents/{slug}/retrieve/", {"query": text[:8_000]}),
    ):
        answer, seconds = timed(lambda path=path, body=body: post(member, world.filled(path), body))
        assert answer.status_code in {200, *REFUSED}, path
        assert seconds <= SECONDS, path


ANSWERS = {
    **HISTORIES,
    "a table of bare bars": "|".join("a" * 401) + "\n" + "|".join(["-"] * 401) + "\n" + "|\n" * 4_000,
    "a wide table": ("|".join(["a"] * 2_000) + "\n") + ("|".join(["-"] * 2_000) + "\n") + "|x\n" * 2_000,
    "emphasis": "**a" * 16_000,
    "links": "[a](" * 16_000,
    "images": "![" * 30_000,
    "references": "[a]: b\n" * 8_000,
    "entities": "&amp" * 16_000,
    "tags": "<a" * 32_000,
    "quotes": ">" * 32_000,
    "lists": "".join(" " * n + "- a\n" for n in range(300)),
    "fences": "```\n" * 16_000,
    "math": "$" * 32_000,
    "backslashes": "\\" * 64_000,
}


@pytest.mark.parametrize("text", ANSWERS.values(), ids=list(ANSWERS))
def test_an_answer_is_rendered_in_time_linear_in_it(text: str, people: People) -> None:
    """2. A poisoned model writes it; each view of the page renders it again."""
    talk = ConversationFactory(of=people.alice, agent=AgentFactory(organization=people.alice.organization))
    MessageFactory(conversation=talk, content="a")
    answer = MessageFactory(conversation=talk, role="assistant", content=text[:64_000])
    client = Client()
    client.force_login(people.alice.user)
    page, seconds = timed(lambda: client.get(f"/messages/{answer.pk}/"))
    assert page.status_code == 200
    assert seconds <= RENDERING
    assert len(body_of(page)) <= 40 * len(text) + 100_000, "a small answer makes a large page"


# ── 9: lists are counted before their children, ids are looked up in one query ──────────────────────────────────────


def test_a_list_of_ids_is_looked_up_at_once(people: People, member: Client) -> None:
    """9. On 0.1.0 20,000 ids were 20,000 queries."""
    corpus = CorpusFactory(personal_of=people.alice)
    with CaptureQueriesContext(connection) as few:
        assert post(member, "/api/projects/", {"name": "a", "corpora": [str(corpus.pk)]}).status_code == 201
    others = [str(CorpusFactory(personal_of=people.alice).pk) for _ in range(20)]
    with CaptureQueriesContext(connection) as many:
        assert post(member, "/api/projects/", {"name": "b", "corpora": others}).status_code == 201
    assert len(many) <= len(few) + 2
    answer, seconds = timed(lambda: post(member, "/api/projects/", {"name": "c", "corpora": [str(corpus.pk)] * 20_000}))
    assert answer.status_code in {201, *REFUSED}
    assert seconds <= SECONDS


# ── 10: a problem document, never a page ────────────────────────────────────────────────────────────────────────────

CURSORS = (
    "o=100000000000000000000000",
    "o=9223372036854775808",
    "o=-1",
    "p=" + "9" * 5_000,
    "p=a%00b",
    "p=%ED%A0%80",
    "r=1&p=9999-99-99",
    "p=0001-01-01T00%3A00%3A00%2B23%3A59",
    "r=1&p=9999-12-31T23%3A59%3A59-23%3A59",
    "p=99999999999999-01-01T00:00:00Z",
    "r=" + "1" * 5_000,
)


def lists() -> list[Case]:
    cases = [case for case in API if case.method == "GET" and case.rule.owner == 200]
    return [case for case in cases if not case.path.endswith(("/content/", "/events/", "/api/schema/"))]


def cursors() -> Iterator[str]:
    for cursor in CURSORS:
        yield base64.b64encode(cursor.encode()).decode()
    never = "00000000-0000-4000-8000-000000000000"  # the trash's are plain
    yield from (f"0001-01-01T00:00:00+23:59_{never}", f"9999-12-31T23:59:59-23:59_{never}", f"2026-01-01_{never}")
    yield from ("====", "é", "%00", "a" * 20_000, base64.b64encode(b"\xff\xfe").decode())


@pytest.mark.parametrize("case", lists(), ids=str)
def test_a_cursor_that_nobody_gave_is_refused(case: Case, world: World, member: Client) -> None:
    """10. On 0.1.0 an offset of 10²³ was a 500 with a traceback."""
    path = world.filled(case.path)
    for cursor in cursors():
        for extra in ("", "&page_size=99999999999999999999", "&page_size=-1"):
            address = f"{path}{'&' if '?' in path else '?'}cursor={quote(cursor)}{extra}"
            answer = member.get(address)
            assert answer.status_code == 200 or answer.status_code in REFUSED, address
            if answer.status_code != 200:
                check_problem(answer, address)


@pytest.mark.parametrize("depth", [33, 1_000, 5_000, 100_000])
def test_deep_nesting_is_a_problem(depth: int, world: World, member: Client) -> None:
    """10. Between a depth that is refused and one that overflows there is no other."""
    for path in json_routes():
        for body in (b'{"messages": ' + b"[" * depth + b"]" * depth + b"}", b'{"a":' * depth + b"1" + b"}" * depth):
            check_problem(post(member, world.filled(path), body), path)


def test_half_a_character_is_a_problem(world: World, member: Client) -> None:
    """10. Where 0.1.0 had it: names of agents, filters kept with a conversation."""
    half = b"\\ud800"
    for path, body in (
        ("/api/tools/retrieve/", b'{"agent": "x' + half + b'", "query": "a"}'),
        ("/v1/chat/completions", b'{"model": "x' + half + b'", "messages": [{"role": "user", "content": "a"}]}'),
    ):
        check_problem(post(member, path, body), path)
    body = b'{"context": {"filters": {"tags": ["' + half + b'"]}}}'
    path = world.filled("/api/conversations/{conversation}/")
    check_problem(member.patch(path, body, content_type="application/json"), path)

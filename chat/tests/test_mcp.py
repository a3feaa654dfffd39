"""`/mcp`, asked by the official client, as the protocol's revisions with a handshake and without one have it."""

import json
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from accounts import keys
from accounts.models import Membership, ToolCall
from agents.models import Agent
from chat.api.mcp import resources
from chat.models import Conversation
from config.concurrency.threads import in_thread
from corpora.models import Corpus, Document
from corpora.reader import reading
from tests.library import ABOUT_LOANS, Library
from tests.limits import limit, stop_the_clock
from tests.live import LiveServer

pytestmark = pytest.mark.django_db(transaction=True)
ENGLISH = {"Accept-Language": "en"}
Connect = Callable[[Membership], AbstractAsyncContextManager[Client]]


@pytest.fixture(params=["legacy", "auto"])
def connect(server: LiveServer, request: pytest.FixtureRequest) -> Connect:
    @asynccontextmanager
    async def connected(by: Membership) -> AsyncIterator[Client]:
        secret = (await in_thread(keys.issue_key, by))[1]
        async with (
            httpx2.AsyncClient(headers=ENGLISH | {"Authorization": f"Bearer {secret}"}, timeout=30) as http,
            Client(
                streamable_http_client(f"http://127.0.0.1:{server.port}/mcp", http_client=http), mode=request.param
            ) as client,
        ):
            yield client

    return connected


def words(contents: Iterable[Any]) -> str:
    return "".join(one.text for one in contents)


async def test_what_the_api_has_is_offered(connect: Connect, library: Library) -> None:
    async with connect(library.alicia) as client:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        prompts = (await client.list_prompts()).prompts
    of_data = {"query", "query_analytics", "get_trends", "forecast", "query_crm", "get_entity"}
    assert set(tools) == {"list_agents", "list_data", "ask", "retrieve", "upsert_knowledge", *of_data}
    assert {name for name, one in tools.items() if one.annotations and one.annotations.destructive_hint} == {
        "upsert_knowledge"  # which also replaces
    }
    hints = {name: one.annotations and one.annotations.read_only_hint for name, one in tools.items()}
    assert {name for name, only_reads in hints.items() if not only_reads} == {"ask", "upsert_knowledge"}
    assert "escritor-de-libros" in {one.name for one in prompts}


async def test_an_agent_answers_with_its_sources_and_keeps_the_conversation(connect: Connect, library: Library) -> None:
    async with connect(library.alicia) as client:
        answer = await client.call_tool("ask", {"agent": "writer", "question": ABOUT_LOANS})
        told = answer.structured_content
        again = await client.call_tool(
            "ask", {"agent": "writer", "question": "¿Y cuánto dura?", "conversation": told["conversation"]}
        )
    assert "veintiún días" in told["content"]
    assert told["sources"][0]["title"] == "Préstamos"
    assert told["citations"][0]["n"] == 1
    assert again.structured_content["conversation"] == told["conversation"]
    kept = await in_thread(lambda: [one.owner_id for one in Conversation.objects.all()])
    assert kept == [library.alicia.user_id]


async def test_who_has_the_address_alone_finds_what_can_be_asked(connect: Connect, library: Library) -> None:
    async with connect(library.alicia) as client:
        known = (await client.call_tool("list_agents", {})).structured_content
        data = (await client.call_tool("list_data", {"agent": "writer"})).structured_content
        absent = await client.call_tool("ask", {"agent": "nobody", "question": ABOUT_LOANS})
        unsaid = await client.call_tool("upsert_knowledge", {"text": "x"})
        unheard = await client.call_tool("retrieve", {"agent": "writer", "query": ABOUT_LOANS, "extra": 1})
    readable = await in_thread(lambda: {one.slug for one in Agent.objects.usable_by(library.alicia)})
    writable = await in_thread(lambda: {str(one.pk) for one in Corpus.objects.writable_by(library.alicia)})
    assert {one["agent"] for one in known["agents"]} == readable
    assert {one["corpus"] for one in known["corpora"]} == writable
    assert known["truncated"] is False
    assert data == {"tables": "", "metrics": "", "records": ""}
    assert "writer" in words(absent.content)
    assert "\ncorpus: " in words(unsaid.content)
    assert "\nextra: " in words(unheard.content)


async def test_what_is_no_message_is_told_so(library: Library, server: LiveServer) -> None:
    secret = (await in_thread(keys.issue_key, library.alicia))[1]
    kind = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    async with httpx2.AsyncClient(headers=kind, timeout=30) as http:
        for body, code in ((b"{", -32700), (json.dumps([ping, ping]).encode(), -32600), (b'{"id": 1}', -32600)):
            answer = await http.post(f"http://127.0.0.1:{server.port}/mcp", content=body)
            assert answer.status_code == 400
            assert (answer.json()["id"], answer.json()["error"]["code"]) == (None, code)


async def test_tools_do_what_they_do_over_the_api_and_faults_are_told_to_the_model(
    connect: Connect, library: Library
) -> None:
    async with connect(library.alicia) as client:
        found = await client.call_tool("retrieve", {"agent": "writer", "query": ABOUT_LOANS})
        faulty = await client.call_tool("retrieve", {"agent": "writer", "query": "", "top_k": 5000})
        absent = await client.call_tool("retrieve", {"agent": "nobody", "query": ABOUT_LOANS})
        silent = await client.call_tool("ask", {"agent": "writer", "question": " "})
        with pytest.raises(MCPError, match="no tool"):
            await client.call_tool("delete_everything", {})
    assert found.structured_content["chunks"][0]["title"] == "Préstamos"
    assert [one.is_error for one in (found, faulty, absent, silent)] == [False, True, True, True]
    assert "\ntop_k: " in words(faulty.content)
    assert "ErrorDetail" not in words(faulty.content + silent.content)
    assert "\nquestion: " in words(silent.content)
    assert "messages" not in words(silent.content)
    assert "Traceback" not in words(faulty.content + absent.content + silent.content)


async def test_documents_are_listed_a_page_at_a_time_and_read_in_parts(
    connect: Connect, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "PAGE", 1)
    readable = await in_thread(lambda: {str(one.pk) for one in Document.objects.readable_by(library.alicia)})
    async with connect(library.alicia) as client:
        listed, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            listed += page.resources
            if (cursor := page.next_cursor) is None:
                break
        told = {one.uri.rpartition("/")[2]: one for one in listed}
        whole = (await client.read_resource(listed[0].uri)).contents
        part = (await client.read_resource(f"{listed[0].uri}/parts/1")).contents
        for wrong in (f"{listed[0].uri}/parts/9999", "acervo://documents/", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="nothing here"):
                await client.read_resource(wrong)
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor="made up")
    assert set(told) == readable
    assert len(listed) == len(readable)
    assert part == whole[:1]
    assert words(whole)


async def test_a_long_document_says_how_to_go_on(
    connect: Connect, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "MOST_CHARACTERS", 5)
    monkeypatch.setattr(reading, "SECTION_CHARACTERS", 40)
    async with connect(library.alicia) as client:
        document = (await client.list_resources()).resources[0]
        *first, last = (await client.read_resource(document.uri)).contents
        following = (await client.read_resource(last.uri)).contents
    assert len(first) == 1
    assert "parts 1 to 1 of" in words([last])
    assert words(following) not in ("", words(first))


async def test_a_prompt_is_a_preset_s_with_the_question(connect: Connect, library: Library) -> None:
    async with connect(library.alicia) as client:
        made = await client.get_prompt("escritor-de-libros", {"question": "¿Qué tono?"})
        with pytest.raises(MCPError, match="question"):
            await client.get_prompt("escritor-de-libros", {})
        with pytest.raises(MCPError, match="no prompt"):
            await client.get_prompt("writer", {"question": "?"})
    assert words([made.messages[0].content]).endswith("¿Qué tono?")


async def test_another_organization_is_told_of_nothing(connect: Connect, library: Library) -> None:
    alices = await in_thread(lambda: list(Document.objects.readable_by(library.alicia)))
    async with connect(library.carla) as client:
        answer = await client.call_tool("ask", {"agent": "writer", "question": ABOUT_LOANS})
        kept = await client.call_tool("upsert_knowledge", {"corpus": str(alices[0].corpus_id), "text": "Es mío."})
        listed = (await client.list_resources()).resources
        for one in alices:
            with pytest.raises(MCPError, match="nothing here"):
                await client.read_resource(f"acervo://documents/{one.pk}")
    assert answer.is_error
    assert kept.is_error
    assert not listed


async def test_a_colleague_is_told_of_what_is_shared_alone(connect: Connect, library: Library) -> None:
    async with connect(library.bob) as client:
        listed = (await client.list_resources()).resources
        kept = await client.call_tool("upsert_knowledge", {"corpus": str(library.loans.pk), "text": "Es mío."})
    assert [one.name for one in listed] == ["prestamos.md"]
    assert kept.is_error, "what is shared is written by admins"


@pytest.mark.parametrize(("method", "status"), [("GET", 405), ("DELETE", 405), ("POST", 401)])
def test_without_a_key_there_is_nothing(server: LiveServer, method: str, status: int) -> None:
    answer = httpx2.request(method, f"http://127.0.0.1:{server.port}/mcp", json={} if method == "POST" else None)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b'{"jsonrpc":"2.0","id":1,"method":"x"}']
)
def test_what_is_no_message_is_refused(server: LiveServer, library: Library, body: bytes) -> None:
    headers = {"Authorization": f"Bearer {keys.issue_key(library.alicia)[1]}", "Content-Type": "application/json"}
    answer = httpx2.post(f"http://127.0.0.1:{server.port}/mcp", content=body, headers=headers)
    assert {"error", "code"} & answer.json().keys(), "JSON-RPC's error, or a problem"
    assert answer.status_code in (200, 400)


def test_a_form_is_no_message_and_a_notification_is_taken_without_an_answer(
    server: LiveServer, library: Library
) -> None:
    url, secret = f"http://127.0.0.1:{server.port}/mcp", keys.issue_key(library.alicia)[1]
    headers = {"Authorization": f"Bearer {secret}"}
    refused = httpx2.post(url, files={"file": b"x"}, headers=headers)
    assert (refused.status_code, refused.headers["content-type"]) == (415, "application/problem+json")
    taken = httpx2.post(url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
    assert (taken.status_code, taken.content) == (202, b"")


async def test_questions_and_searches_are_counted_here_too(
    connect: Connect, library: Library, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(settings, questions=1, searches=1)
    stop_the_clock(monkeypatch)
    asked = {"agent": "writer", "question": ABOUT_LOANS}
    sought = {"agent": "writer", "query": ABOUT_LOANS}
    async with connect(library.alicia) as client:
        answers = [await client.call_tool("ask", asked) for _ in range(2)]
        searches = [await client.call_tool("retrieve", sought) for _ in range(2)]
    assert [one.is_error for one in answers + searches] == [False, True, False, True]
    records = await in_thread(lambda: list(ToolCall.objects.values_list("kind", "user")))
    assert records == [("retrieve", library.alicia.user_id)]


def test_deep_and_long_messages_are_refused_in_time(server: LiveServer, library: Library) -> None:
    """What a parser could choke on, as arguments and as an address."""
    headers = {"Authorization": f"Bearer {keys.issue_key(library.alicia)[1]}", "Content-Type": "application/json"}
    deep, long = "[" * 100_000 + "]" * 100_000, json.dumps("a" * 900_000)
    for params in (
        f'{{"name": "ask", "arguments": {{"question": {deep}}}}}',
        f'{{"name": "retrieve", "arguments": {{"agent": {long}, "query": "a"}}}}',
        f'{{"name": {long}}}',
    ):
        body = f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}'
        began = time.monotonic()
        answer = httpx2.post(f"http://127.0.0.1:{server.port}/mcp", content=body, headers=headers, timeout=30)
        assert answer.status_code < 500
        assert len(answer.content) < 5_000
        assert time.monotonic() - began < 5


def message(server: LiveServer, by: Membership, method: str, params: dict[str, Any]) -> httpx2.Response:
    """By hand, since the official client sends no such thing."""
    headers = ENGLISH | {"Authorization": f"Bearer {keys.issue_key(by)[1]}", "Content-Type": "application/json"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    return httpx2.post(f"http://127.0.0.1:{server.port}/mcp", content=body, headers=headers, timeout=30)


NOBODY = "00000000-0000-0000-0000-000000000000"


@pytest.mark.parametrize(
    "cursor",
    [f"0001-01-01T00:00:00+23:59 {NOBODY}", f"9999-12-31T23:59:59-23:59 {NOBODY}", f"2020-01-01 {NOBODY}", "0 0", " "],
)
def test_a_cursor_made_by_hand_is_refused_or_reads_what_there_is(
    server: LiveServer, library: Library, cursor: str
) -> None:
    answer = message(server, library.alicia, "resources/list", {"cursor": cursor}).json()
    assert answer.get("result", {}).get("resources") == [] or "cursor" in answer["error"]["message"]


@pytest.mark.parametrize("uri", [f"acervo://documents/{'-' * 36}", f"acervo://documents/{'a' * 36}"])
def test_an_address_that_is_nearly_one_is_of_nothing(server: LiveServer, library: Library, uri: str) -> None:
    answer = message(server, library.alicia, "resources/read", {"uri": uri}).json()
    assert "nothing here" in answer["error"]["message"]


@pytest.mark.parametrize("text", ["hush\0word", "hush\ud800word"])
def test_texts_that_no_database_keeps_are_refused_as_over_the_api(
    server: LiveServer, library: Library, text: str
) -> None:
    kept = {"corpus": str(library.loans.pk), "text": "Una multa.", "meta": {"a": text}}
    for name, arguments in (("ask", {"agent": text, "question": text}), ("upsert_knowledge", kept)):
        answer = message(server, library.admin, "tools/call", {"name": name, "arguments": arguments})
        assert answer.status_code == 400
    assert not Document.objects.filter(title__contains="multa").exists()


def test_a_message_that_is_too_long_says_so(server: LiveServer, library: Library, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000
    asked = {"name": "ask", "arguments": {"agent": "writer", "question": "a" * 20_000}}
    assert message(server, library.alicia, "tools/call", asked).status_code == 413

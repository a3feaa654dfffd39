"""The chat's model calls tools: what it is offered, what it is told, what readers are told, and what is kept of it."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import Membership, ToolCall
from accounts.tenancy.scope import system_scope
from chat.answering.calling import making
from chat.answering.calling.making import tables_read
from chat.answering.calling.toolkit import NamedSource, toolkit_for
from chat.answering.inquiry import prepare
from chat.answering.questions import ChatQuestion
from chat.answering.spending import most_spent_by
from chat.models import AnswerTable, Conversation, Message, Trace
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from tests.limits import limit
from tests.live import Caller, LiveServer, SseEvent, asked, text_of
from tests.metrics import sales
from tests.people import signed_in
from tests.shops import EMAIL, grant, shop
from tools import asking
from tools.analytics import computing
from tools.models import DataSource
from tools.sql.statements import ReadableColumn, ReadableTable

pytestmark = pytest.mark.django_db(transaction=True)
BY_REGION = "SELECT region, count(*) AS n, max(email) AS mail FROM customers GROUP BY region ORDER BY region"
NOT_FINITE = {
    "source": "Shop", "sql": "SELECT id FROM customers WHERE id > :least", "params": {"least": math.nan},
}  # fmt: skip
ABOUT_SALES = "¿Cuántos clientes hay en cada región según la tabla de la tienda?"


def call(sql: str = BY_REGION, source: str = "Shop", name: str = "query", **more: Any) -> dict[str, Any]:
    return {"name": name, "arguments": {"source": source, "sql": sql, **more}}


@pytest.fixture(autouse=True)
def nothing_rests() -> None:
    asking.breakers.clear()


@pytest.fixture
def source(library: Library) -> DataSource:
    made = shop(library.alicia.organization, described="Quién compra")
    for agent in (library.writer, library.researcher):
        grant(agent, *made.tables.all())
    return made


@pytest.fixture
def alicia(server: LiveServer, library: Library, source: DataSource) -> Caller:
    return server.by_key(library.alicia)


def named(events: list[SseEvent], name: str) -> list[Any]:
    return [one.data for one in events if one.name == name]


def sent_to(model: ModelServer) -> list[dict[str, Any]]:
    return [one["body"] for one in model.requests() if one["path"] in ("chat", "messages")]


def told_to(model: ModelServer) -> str:
    """All that the model was ever sent."""
    return json.dumps(sent_to(model), ensure_ascii=False)


def row_of(events: list[SseEvent]) -> Message:
    return Message.objects.get(pk=named(events, "sources")[0]["message"])


def results_in(body: dict[str, Any]) -> list[str]:
    return [str(one["content"]) for one in body["messages"] if one["role"] == "tool"]


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ('select "Clientes"."Id" from ventas."Clientes" join b.pagos p on p.id = 1 order by 1', ["Clientes", "pagos"]),
        ("select id from \"order\" where region = 'Clientes' -- pagos", ["order"]),
        ("with pagos as (select id from b.pagos) select 'Clientes' as \"order\" from pagos", ["pagos"]),
        ("select 1", []),
        ("select id from gone", []),
    ],
)
def test_a_title_names_the_tables_that_the_statement_reads(sql: str, tables: list[str]) -> None:
    known = tuple(
        ReadableTable(name, (ReadableColumn("id"), ReadableColumn("Id"), ReadableColumn("region")), schema)
        for schema, name in (("ventas", "order"), ("ventas", "Clientes"), ("a", "pagos"), ("b", "pagos"))
    )
    source = NamedSource("Tienda", known, "postgres")
    assert sorted(tables_read(source, {"sql": sql}, {})) == sorted(tables)
    assert tables_read(source, {"metric": "order"}, {"table": "pagos"}) == ["pagos"]


def test_an_agent_without_tables_sends_exactly_what_it_always_sent(
    server: LiveServer, library: Library, chat_model: ModelServer
) -> None:
    shop(library.alicia.organization)  # which no agent was given
    server.by_key(library.alicia).answers("writer", ABOUT_LOANS)
    (body,) = sent_to(chat_model)
    known = {"model", "messages", "temperature", "max_tokens", "stream", "stream_options"}
    assert set(body) == known
    assert [set(one) for one in body["messages"]] == [{"role", "content"}] * 2
    assert "herramienta" not in told_to(chat_model)


def test_an_agent_without_tables_is_asked_once_whether_it_has_any(
    library: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    library.writer.model = "openai:fake"
    with django_assert_num_queries(2):  # the other: tools of other services
        assert toolkit_for(library.alicia, library.writer) is None


def test_what_an_agent_reads_is_fetched_once_for_all_its_tools(
    alicia: Caller, library: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    library.writer.model = "openai:fake"
    with django_assert_num_queries(6):  # whether there is any, tables, columns, metrics, dimensions, foreign tools
        kit = toolkit_for(library.alicia, library.writer)
    assert kit is not None
    assert "query" in kit.tools


def test_a_model_is_offered_the_tools_that_read_and_no_agent_to_choose(alicia: Caller, chat_model: ModelServer) -> None:
    alicia.answers("writer", ABOUT_LOANS)
    (body,) = sent_to(chat_model)
    functions = {one["function"]["name"]: one["function"] for one in body["tools"]}
    assert "query" in functions
    assert not {"upsert_knowledge", "retrieve"} & set(functions)
    offered = functions["query"]
    assert set(offered["parameters"]["properties"]) == {"source", "sql", "params"}
    assert offered["parameters"]["required"] == ["source", "sql"]
    assert 'Source "Shop" (DuckDB\'s SQL):' in offered["description"]
    assert "- customers (Quién compra): id integer; region text" in offered["description"]
    assert "email" not in offered["description"]
    assert "/api/" not in offered["description"]


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_rows_become_a_numbered_source_that_the_answer_cites(
    provider: str, alicia: Caller, library: Library, source: DataSource, chat_model: ModelServer, settings: Any
) -> None:
    if provider == "anthropic":
        settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL = "sk-test", chat_model.anthropic_url
        library.researcher.model = "anthropic:fake"
        library.researcher.save()
    chat_model.script(calls=[[call()]], text="En el norte hay 1 cliente [1]. En el sur hay 77 clientes [1].")
    events = alicia.answers("researcher", ABOUT_SALES)
    first, second = named(events, "sources")
    assert (first["attempt"], second["attempt"]) == (1, 2)
    assert [one for one in named(events, "status") if one["stage"] == "calling"] == [
        {"stage": "calling", "attempt": 1, "tool": "query", "source": "Shop"}
    ]
    (table,) = [one for one in second["sources"] if "kind" in one]
    passages = [one for one in second["sources"] if "kind" not in one]
    n = table["n"]
    assert n == len(passages) + 1
    assert (table["title"], table["tables"], table["row_count"]) == ("Shop: customers", ["customers"], 2)
    assert table["rows"] == [["north", 1, "•••"], ["south", 1, "•••"]]
    assert table["statement"] == BY_REGION
    assert EMAIL not in told_to(chat_model)
    asked_last = told_to(chat_model)
    assert f'<source id=\\"{n}\\"' in asked_last.replace("\\\\", "\\")
    ids = [int(one.id) for one in events if one.id]
    assert ids == sorted(set(ids))


def test_a_metric_is_asked_for_by_name_and_becomes_a_source(
    alicia: Caller, library: Library, chat_model: ModelServer
) -> None:
    table = sales(library.alicia.organization)
    grant(library.researcher, table)
    asked = {"metric": "ventas", "dimensions": ["región"], "group_by": "month"}
    chat_model.script(calls=[[{"name": "query_analytics", "arguments": asked}]], text="En el norte, 10 en enero [1].")
    events = alicia.answers("researcher", ABOUT_SALES)
    (body, _after) = sent_to(chat_model)
    functions = {one["function"]["name"]: one["function"] for one in body["tools"]}
    assert {"query", "query_analytics", "get_trends", "forecast"} <= set(functions)
    assert "agent" not in functions["query_analytics"]["parameters"]["properties"]
    assert 'metric "ventas" (Lo facturado)' in functions["query_analytics"]["description"]
    (told,) = [one for one in named(events, "sources")[1]["sources"] if "kind" in one]
    assert (told["title"], told["tool"], told["row_count"]) == ("Ventas: sales", "query_analytics", 4)
    assert [one["name"] for one in told["columns"]] == ["month", "región", "ventas"]
    assert json.loads(told["statement"]) == asked
    (step,) = Trace.objects.get(message=row_of(events)).attempts[0]["calls"]
    assert (step["tool"], step["source"], step["rows"]) == ("query_analytics", str(table.source_id), 4)


def test_what_is_computed_of_a_series_is_told_with_its_numbers(
    alicia: Caller, library: Library, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = "".join(f"2024-{n % 12 + 1:02}-01,norte,{100 + n},a@x\n" for n in range(12))
    days += "".join(f"2023-{n % 12 + 1:02}-01,norte,{90 + n},a@x\n" for n in range(12))
    grant(library.researcher, sales(library.alicia.organization, rows=f"day,region,amount,email\n{days}"))
    monkeypatch.setattr(computing, "SECONDS", 300.0)
    asked = {"entity": "ventas", "period": "month"}
    chat_model.script(calls=[[{"name": "get_trends", "arguments": asked}]], text="Suben [1].")
    events = alicia.answers("researcher", ABOUT_SALES)
    (told,) = [one for one in named(events, "sources")[1]["sources"] if "kind" in one]
    assert (told["row_count"], told["numbers"]["periods"], told["numbers"]["direction"]) == (24, 24, "up")
    assert '"strength_of_season"' in told_to(chat_model).replace("\\", "")


def test_what_rows_bear_out_is_supported_and_the_rest_is_marked(alicia: Caller, chat_model: ModelServer) -> None:
    n = len(named(alicia.answers("researcher", ABOUT_SALES), "sources")[0]["sources"]) + 1
    chat_model.script(calls=[[call()]], text=f"En el norte hay 1 cliente [{n}]. En el sur hay 77 clientes [{n}].")
    events = alicia.answers("researcher", ABOUT_SALES)
    (done,) = named(events, "done")
    assert done["cited"] == [n]
    assert [one["text"] for one in done["citations"]] == ["region: north · n: 1 · mail: •••", None]
    assert done["state"] == "partly_supported"
    kept = AnswerTable.objects.get(message=row_of(events))
    assert (kept.n, kept.cited, kept.quotes) == (n, True, ["region: north · n: 1 · mail: •••", None])


def test_an_answer_of_rows_alone_is_not_without_documents(alicia: Caller, chat_model: ModelServer) -> None:
    n = len(named(alicia.answers("researcher", ABOUT_SALES), "sources")[0]["sources"]) + 1
    chat_model.script(calls=[[call()]], text=f"En el norte hay 1 cliente [{n}].")
    events = alicia.answers("researcher", ABOUT_SALES)
    assert named(events, "done")[0]["state"] == row_of(events).state == "supported"
    chat_model.script(calls=[[call()]], text="En el norte hay 1 cliente.")
    assert named(alicia.answers("researcher", ABOUT_SALES), "done")[0]["state"] == "without_documents"


def test_a_strict_agent_that_fetches_nothing_refuses_as_ever(
    alicia: Caller, server: LiveServer, library: Library, chat_model: ModelServer
) -> None:
    chat_model.script(text="Yo creo que hay muchos clientes [1].")
    refusal = text_of(alicia.answers("researcher", ABOUT_SALES))
    assert refusal.startswith("No tengo información suficiente")
    chat_model.script(calls=[[call("DROP TABLE customers")]], text="Yo creo que hay muchos clientes [1].")
    events = alicia.answers("researcher", ABOUT_SALES)
    assert text_of(events) == refusal
    assert named(events, "done")[0]["state"] == "not_in_documents"
    assert "creo" not in json.dumps([one.data for one in events], ensure_ascii=False)


def test_what_is_said_before_a_call_is_told_once_more_and_goes_on(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(calls=[[call()]], saying="Voy a mirar.", text="Hay 1 cliente.")
    events = alicia.answers("writer", ABOUT_LOANS)
    by_attempt: dict[int, str] = {}
    for one in named(events, "token"):
        by_attempt[one["attempt"]] = by_attempt.get(one["attempt"], "") + one["token"]
    assert by_attempt == {1: "Voy a mirar.", 2: "Voy a mirar.\n\nHay 1 cliente."}
    assert row_of(events).content == by_attempt[2]
    with alicia.follow(row_of(events).pk) as stream:
        followed = list(stream)
    assert text_of(followed) == by_attempt[2]
    assert named(followed, "sources")[-1]["sources"][-1]["kind"] == "table"


def test_a_call_is_audited_counted_and_traced_as_one_over_the_api_is(
    alicia: Caller, library: Library, source: DataSource, chat_model: ModelServer
) -> None:
    chat_model.script(calls=[[call(), call("SELECT password FROM customers"), call(name="upsert_knowledge")]])
    events = alicia.answers("writer", ABOUT_LOANS)
    record = ToolCall.objects.get()
    assert (record.user_id, record.agent_id, record.source_id) == (
        library.alicia.user_id,
        library.writer.pk,
        source.pk,
    )
    (attempt,) = Trace.objects.get(message=row_of(events)).attempts
    done, refused, unknown = attempt["calls"]
    assert (done["tool"], done["source"], done["rows"], done["refused"]) == ("query", str(source.pk), 2, "")
    assert done["fingerprint"] == record.fingerprint
    assert (refused["tool"], refused["source"], refused["refused"]) == ("query", None, "sql_refused")
    assert (unknown["tool"], unknown["refused"]) == ("", "unknown_tool")
    kept = json.dumps(attempt)
    assert "SELECT" not in kept
    assert "north" not in kept
    place = reverse("admin:chat_trace_change", args=[Trace.objects.get(message=row_of(events)).pk])
    page = signed_in(library.admin).get(place).content.decode()
    assert all(told in page for told in ("Shop", "sql_refused", "unknown_tool", record.fingerprint))
    assert "SELECT region" not in page


def test_each_round_is_a_call_of_the_model_and_is_paid(
    alicia: Caller, library: Library, chat_model: ModelServer
) -> None:
    chat_model.script(calls=[[call()]], text="Hay 1 cliente.")
    events = alicia.answers("writer", ABOUT_LOANS)
    one, two = sent_to(chat_model)
    usage = named(events, "done")[0]["usage"]
    assert usage["prompt_tokens"] == sum(len(json.dumps(body["messages"])) // 4 + 1 for body in (one, two))
    reserved = most_spent_by(prepare(library.alicia, "writer", ChatQuestion(ABOUT_LOANS)), "")
    assert reserved.tokens > 6 * usage["total_tokens"] / 2


def test_an_agent_without_tables_has_no_more_reserved_than_ever(
    library: Library, source: DataSource, chat_model: ModelServer
) -> None:
    question = ChatQuestion(ABOUT_LOANS)
    with_tables = most_spent_by(prepare(library.alicia, "writer", question), "").tokens
    library.writer.reachable_tables.all().delete()
    without = most_spent_by(prepare(library.alicia, "writer", question), "").tokens
    assert with_tables > 6 * without


def test_at_most_five_calls_are_made_and_then_it_must_answer(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(calls=[[call(f"SELECT {n} AS a FROM orders LIMIT 1") for n in range(7)]], text="Ya está.")
    events = alicia.answers("writer", ABOUT_LOANS)
    first, last = sent_to(chat_model)
    results = results_in(last)
    assert [one.startswith("<source") for one in results] == [True] * 5 + [False] * 2
    assert all("too_many_calls" in one for one in results[5:])
    assert ("tool_choice" not in first, last["tool_choice"]) == (True, "none")
    assert text_of(events) == "Ya está."
    assert ToolCall.objects.count() == 5


def test_a_model_that_asks_for_ever_is_heard_no_more(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(calls=[[call(name="nothing")]], stubborn=True)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert len(sent_to(chat_model)) == 6
    assert text_of(events).startswith("El modelo")
    assert events[-1].name == "done"


def test_there_is_a_deadline_for_all_calls_together(alicia: Caller, chat_model: ModelServer, settings: Any) -> None:
    settings.CHAT_TOOL_SECONDS = 0.001
    chat_model.script(calls=[[call(), call()]], text="No he podido mirar.")
    events = alicia.answers("writer", ABOUT_LOANS)
    assert text_of(events) == "No he podido mirar."
    assert all("no_time_left" in one for one in results_in(sent_to(chat_model)[-1]))
    assert sent_to(chat_model)[-1]["tool_choice"] == "none"


@pytest.mark.parametrize(
    ("asked_for", "told"),
    [
        ({"name": "query", "arguments": "{no JSON"}, "invalid_arguments"),
        ({"name": "query", "arguments": "[1]"}, "invalid_arguments"),
        ({"name": "query", "arguments": "[" * 40_000}, "invalid_arguments"),
        ({"name": "query", "arguments": {"source": "Shop"}}, "invalid_input"),
        ({"name": "query", "arguments": {"source": ["Shop"], "sql": {"a": 1}}}, "invalid_input"),
        ({"name": "retrieve", "arguments": {"query": "x"}}, "unknown_tool"),
        (call("SELECT * FROM nothing"), "sql_refused"),
        ({"name": "query", "arguments": json.dumps(NOT_FINITE)}, "sql_refused"),
        ({"name": "query", "arguments": json.dumps(NOT_FINITE).replace("NaN", "1e999")}, "sql_refused"),
        (call(source="Elsewhere"), "not_found"),
        (call(source="Sh\0op"), "Refused"),
        (call("SELECT sum(region) FROM customers"), "query_failed"),
    ],
    ids=[
        *("no JSON", "no object", "nested", "something missing", "other types", "another tool"),
        *("no table", "no number", "no number that fits", "no source of its own", "no text", "a failing statement"),
    ],
)
def test_what_goes_wrong_is_told_to_the_model_and_never_ends_the_answer(
    asked_for: dict[str, Any], told: str, alicia: Caller, chat_model: ModelServer
) -> None:
    chat_model.script(calls=[[asked_for]], text="No he podido consultarlo.")
    events = alicia.answers("writer", ABOUT_LOANS)
    (result,) = results_in(sent_to(chat_model)[-1])
    assert told in result
    assert text_of(events) == "No he podido consultarlo."
    assert named(events, "done")[0]["status"] == "complete"
    assert not AnswerTable.objects.exists()


def test_an_error_that_nobody_expected_is_one_sentence(
    alicia: Caller, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("hushword")

    monkeypatch.setattr("agents.api.data_sources.query_with_agent", broken)
    chat_model.script(calls=[[call()]], text="No he podido.")
    assert text_of(alicia.answers("writer", ABOUT_LOANS)) == "No he podido."
    assert "hushword" not in told_to(chat_model)
    assert "internal_error" in told_to(chat_model)


def test_beyond_the_asker_s_limit_of_searches_the_tool_is_refused(
    alicia: Caller, chat_model: ModelServer, settings: Any
) -> None:
    limit(settings, searches=1)
    chat_model.script(calls=[[call(), call("SELECT 1 AS a FROM orders")]], text="Ya.")
    alicia.answers("writer", ABOUT_LOANS)
    first, second = results_in(sent_to(chat_model)[-1])
    assert first.startswith("<source")
    assert "quota_exceeded" in second


def test_whoever_was_taken_out_meanwhile_reads_nothing_more(
    alicia: Caller, library: Library, chat_model: ModelServer
) -> None:
    chat_model.script(calls=[[call()]], text="Ya.", pace=0.02, saying="Voy a mirar " * 40)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        stream.until("token")
        Membership.objects.filter(pk=library.alicia.pk).delete()
        list(stream)
    (result,) = results_in(sent_to(chat_model)[-1])
    assert "not_found" in result
    assert ToolCall.objects.count() == 0


def test_the_extractive_answerer_is_offered_none(alicia: Caller, library: Library, chat_model: ModelServer) -> None:
    library.writer.model = "extractive"
    library.writer.save()
    assert named(alicia.answers("writer", ABOUT_LOANS), "done")[0]["state"] == "supported"
    assert asked(chat_model) == 0


def test_the_installation_may_offer_none(alicia: Caller, chat_model: ModelServer, settings: Any) -> None:
    settings.CHAT_TOOL_CALLS = 0
    alicia.answers("writer", ABOUT_LOANS)
    assert "tools" not in sent_to(chat_model)[0]


def test_the_whole_answer_and_the_openai_face_have_the_table_too(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(calls=[[call()]], saying="Miro.", text="Hay 1 cliente.")
    question = {"messages": [{"role": "user", "content": ABOUT_LOANS}], "stream": False}
    whole = alicia.call("POST", "/api/agents/writer/chat/", question).body
    assert whole["content"] == "Miro.\n\nHay 1 cliente."
    assert whole["sources"][-1]["kind"] == "table"
    kept = alicia.call("GET", f"/api/conversations/{whole['conversation']}/").body["messages"][-1]
    assert kept["sources"][-1]["rows"] == whole["sources"][-1]["rows"]
    completion = alicia.call("POST", "/v1/chat/completions", {"model": "writer", **question}).body
    assert completion["choices"][0]["message"]["content"] == "Miro.\n\nHay 1 cliente."
    assert completion["choices"][0]["sources"][-1]["kind"] == "table"


def test_what_is_deleted_with_its_source_is_told_no_more(
    alicia: Caller, library: Library, source: DataSource, chat_model: ModelServer
) -> None:
    chat_model.script(calls=[[call()]], text="Hay 1 cliente.")
    row = row_of(alicia.answers("writer", ABOUT_LOANS))
    source.delete()
    kept = AnswerTable.objects.get(message=row)
    assert kept.is_gone
    assert (kept.rows, kept.statement, kept.title) == ([], "", "")
    library.writer.conversations.all().delete()
    assert not AnswerTable.objects.exists()


@pytest.fixture
def after_the_call(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What happens between a call and what is kept of it."""
    happens: list[Callable[[], object]] = []
    make_call = making.make_call

    def call_and_then(*args: Any) -> Any:
        outcome = make_call(*args)
        for one in happens:
            with system_scope():
                one()
        return outcome

    monkeypatch.setattr(making, "make_call", call_and_then)
    return happens


def test_nothing_is_kept_of_a_source_that_is_deleted_while_the_answer_is_written(
    alicia: Caller, source: DataSource, chat_model: ModelServer, after_the_call: list[Callable[[], object]]
) -> None:
    after_the_call.append(source.delete)
    chat_model.script(calls=[[call()]], text="Hay 1 cliente [2].")
    kept = AnswerTable.objects.get(message=row_of(alicia.answers("writer", ABOUT_LOANS)))
    assert kept.is_gone
    assert (kept.rows, kept.statement, kept.title, kept.quotes) == ([], "", "", None)


def test_nothing_is_kept_either_of_one_that_is_deleted_once_its_rows_are_told(
    alicia: Caller, source: DataSource, chat_model: ModelServer
) -> None:
    chat_model.script(calls=[[call()]], text="Hay 1 cliente en el norte. " * 20, pace=0.02)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        stream.until("sources")
        stream.until("sources")
        stream.until("token")
        source.delete()
        list(stream)
    assert AnswerTable.objects.get().is_gone


def test_a_conversation_that_is_deleted_during_a_call_is_not_there_any_more(
    alicia: Caller,
    chat_model: ModelServer,
    after_the_call: list[Callable[[], object]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    after_the_call.append(lambda: Conversation.objects.all().delete())
    chat_model.script(calls=[[call()]], text="Ya.")
    last = alicia.answers("writer", ABOUT_LOANS)[-1]
    assert (last.name, last.data["code"]) == ("error", "not_found")
    assert "model client" not in caplog.text


def test_of_one_row_that_is_longer_than_what_is_kept_the_beginning_is_kept() -> None:
    wide = ["ñ" * 4_000] * 199 + [7]
    (shown,) = making.first_rows([wide, wide], 50)
    assert shown[-1] == 7
    assert len(shown[0]) >= 20
    assert len(json.dumps(shown)) <= making.MOST_SHOWN
    assert making.first_rows([], 50) == []

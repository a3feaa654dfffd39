"""The tool `query`: what an agent was given of a source is read through it, in its caller's name, and nothing else."""

import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.core.cache import cache

from accounts.limits.places import Places
from accounts.models import AuditEvent, ToolCall
from agents.api.toolbox import TOOLS
from agents.models import Agent
from tests.factories import AgentFactory
from tests.limits import limit, stop_the_clock
from tests.people import People, signed_in
from tests.shops import EMAIL, grant, shop
from tools import asking
from tools.engines.failures import SourceFailed
from tools.models import DataSource, SourceColumn

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]
REGIONS = "SELECT region, count(*) AS n FROM customers GROUP BY region ORDER BY region"


@pytest.fixture
def source(people: People) -> DataSource:
    return shop(people.alice.organization)


@pytest.fixture
def agent(people: People, source: DataSource) -> Agent:
    agent: Agent = AgentFactory(organization=people.alice.organization, slug="clerk")
    grant(agent, *source.tables.all())
    return agent


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    cache.clear()
    asking.breakers.clear()


def query(by: Any, sql: str = REGIONS, **more: Any) -> Any:
    asked = {"agent": "clerk", "source": "Shop", "sql": sql, **more}
    return signed_in(by).post("/api/tools/query/", asked, content_type="application/json")


def told(by: Any) -> Any:
    return signed_in(by).get("/api/agents/clerk/data-sources/").json()["sources"]


def give(by: Any, source: DataSource, *tables: str) -> Any:
    ids = [str(one.pk) for one in source.tables.filter(name__in=tables)]
    place = f"/api/agents/clerk/data-sources/{source.pk}/"
    return signed_in(by).put(place, {"tables": ids}, content_type="application/json")


@pytest.mark.usefixtures("agent")
def test_rows_are_answered_as_the_tool_tells(people: People, source: DataSource) -> None:
    for named in ("Shop", str(source.pk)):
        answer = query(people.bob, source=named)
        assert answer.status_code == 200
        jsonschema.validate(answer.json(), TOOLS["query"].output_schema)
        assert answer.json() == {
            "columns": [{"name": "region", "type": "text"}, {"name": "n", "type": "integer"}],
            "rows": [["north", 1], ["south", 1]],
            "row_count": 2,
            "truncated": False,
        }


@pytest.mark.usefixtures("agent")
def test_values_are_bound(people: People) -> None:
    sql = "SELECT id FROM customers WHERE region = :region"
    assert query(people.bob, sql, params={"region": "south"}).json()["rows"] == [[2]]
    assert query(people.bob, sql, params={"region": "x' OR 1=1 --"}).json()["rows"] == []


@pytest.mark.usefixtures("agent")
def test_a_masked_column_is_never_told(people: People) -> None:
    for sql in (
        "SELECT * FROM customers",
        "SELECT email FROM customers",
        "SELECT max(email) FROM customers",
        "SELECT count(*) FROM customers WHERE email LIKE '%hidden%'",
        "SELECT id FROM customers ORDER BY email DESC",
    ):
        answer = query(people.bob, sql)
        assert answer.status_code == 200, answer.json()
        assert EMAIL not in answer.content.decode()
    assert query(people.bob, "SELECT count(*) FROM customers WHERE email LIKE '%hidden%'").json()["rows"] == [[0]]


@pytest.mark.usefixtures("agent")
def test_what_was_not_chosen_is_not_there(people: People) -> None:
    for sql in ("SELECT password FROM customers", "SELECT placed FROM orders", "SELECT * FROM duckdb_settings()"):
        answer = query(people.bob, sql)
        assert (answer.status_code, answer.json()["code"]) == (400, "sql_refused")
        assert "hushword" not in answer.content.decode()


def test_why_a_statement_is_refused_is_said_in_the_language_that_was_asked_for(
    people: People, agent: Agent, source: DataSource
) -> None:
    asked = {"agent": "clerk", "source": str(source.pk), "sql": "SELECT pg_sleep(1) FROM orders"}
    for language, said in (
        ("es", "Esto no está permitido aquí: la función PG_SLEEP."),
        ("en", "This is not allowed here: the function PG_SLEEP."),
    ):
        answer = signed_in(people.bob).post(
            "/api/tools/query/", asked, content_type="application/json", headers={"Accept-Language": language}
        )
        assert answer.json()["reason"].lower() == said.lower()


def test_an_agent_reads_exactly_the_tables_that_it_was_given(people: People, agent: Agent, source: DataSource) -> None:
    assert give(people.ada, source, "orders").status_code == 200
    assert [[table["name"] for table in one["tables"]] for one in told(people.bob)] == [["orders"]]
    refused = query(people.bob)
    assert (refused.status_code, refused.json()["code"]) == (400, "sql_refused")
    assert "customers" not in refused.json()["reason"]
    assert query(people.bob, "SELECT count(*) FROM orders").json()["rows"] == [[3]]
    assert give(people.ada, source).json() == {"sources": []}
    assert query(people.bob, "SELECT count(*) FROM orders").status_code == 404
    granted = AuditEvent.objects.filter(action="granted", object_type="datasource")
    assert granted.count() == 2


def test_a_source_is_found_whatever_its_capitals_and_one_that_is_not_there_is_answered_with_those_that_are(
    people: People, agent: Agent, source: DataSource
) -> None:
    assert query(people.bob, source=source.name.upper()).status_code == 200
    absent = query(people.bob, source="Nowhere")
    assert absent.status_code == 404
    assert source.name in absent.json()["reason"]


def test_two_sources_of_one_name_are_never_asked_as_one(people: People, agent: Agent, source: DataSource) -> None:
    """By what their names have in common, the tables of one would be asked for in the other."""
    twin = shop(people.ada.organization, source.name.swapcase())
    assert give(people.ada, source, "orders").status_code == 200
    assert give(people.ada, twin, "customers").status_code == 200
    answer = query(people.bob, "SELECT count(*) FROM customers", source=source.name.upper())
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert source.name in answer.json()["reason"]
    assert twin.name in answer.json()["reason"]
    assert query(people.bob, "SELECT count(*) FROM customers", source=source.name).status_code == 400
    assert query(people.bob, "SELECT count(*) FROM customers", source=twin.name).status_code == 200


def test_members_choose_nothing_and_strangers_find_nothing(people: People, agent: Agent, source: DataSource) -> None:
    assert give(people.bob, source, "orders").status_code == 403
    for stranger in (people.charlie, people.zoe, people.alice_elsewhere):
        assert give(stranger, source, "orders").status_code == 404
        assert query(stranger).status_code == 404
        assert signed_in(stranger).get("/api/agents/clerk/data-sources/").status_code == 404
    assert len(told(people.bob)[0]["tables"]) == 2


def test_another_organizations_tables_cannot_be_given(people: People, agent: Agent) -> None:
    theirs = shop(people.zoe.organization, "Theirs")
    assert give(people.ada, theirs, "orders").status_code == 404
    ours = shop(people.alice.organization, "Second")
    ids = [str(theirs.tables.first().pk)]
    place = f"/api/agents/clerk/data-sources/{ours.pk}/"
    assert signed_in(people.ada).put(place, {"tables": ids}, content_type="application/json").status_code == 404
    assert query(people.bob, source=str(theirs.pk)).status_code == 404
    assert query(people.bob, source="Theirs").status_code == 404


@pytest.mark.parametrize("switched", ["agent", "source"])
def test_what_is_switched_off_is_not_there(switched: str, people: People, agent: Agent, source: DataSource) -> None:
    row = {"agent": agent, "source": source}[switched]
    row.is_active = False
    row.save()
    assert query(people.bob).status_code == 404


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"sql": ""}, "invalid_input"),
        ({"sql": "x" * 10_001}, "invalid_input"),
        ({"sql": ["SELECT 1"]}, "invalid_input"),
        ({"params": [1]}, "invalid_input"),
        ({"sql": "SELECT 1; SELECT 2"}, "sql_refused"),
        ({"sql": "DELETE FROM customers"}, "sql_refused"),
        ({"sql": "SELECT id FROM customers WHERE id = :id"}, "sql_refused"),
        ({"sql": "SELECT cast(region AS integer) FROM customers"}, "query_failed"),
    ],
)
def test_what_a_model_made_up_is_refused_with_the_reason(wrong: dict[str, Any], code: str, people: People) -> None:
    answer = query(people.bob, **{"sql": REGIONS, **wrong})
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_a_query_leaves_who_which_source_and_its_shape_and_none_of_its_words(
    people: People, agent: Agent, source: DataSource
) -> None:
    query(people.bob, "SELECT id FROM customers WHERE region = 'zurribanda'")
    query(people.bob, "SELECT id FROM customers WHERE region = 'north'")
    calls = ToolCall.objects.order_by("created_at")
    assert [(one.kind, one.user, one.agent_id, one.source_id, one.items) for one in calls] == [
        ("query", people.bob.user, agent.pk, source.pk, 0),
        ("query", people.bob.user, agent.pk, source.pk, 1),
    ]
    assert len({one.fingerprint for one in calls}) == 1
    assert "zurribanda" not in repr([vars(one) for one in calls])


@pytest.mark.usefixtures("agent")
def test_queries_are_limited_also_those_that_are_refused(
    people: People, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch)
    limit(settings, searches=2)
    assert [query(people.bob, sql).status_code for sql in (REGIONS, "DROP TABLE customers", REGIONS)] == [200, 400, 429]
    assert query(people.alice).status_code == 200


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The requests to children."""
    asked: list[Any] = []
    ask = asking.running.ask_child

    def note(request: Any) -> Any:
        asked.append(request)
        return ask(request)

    monkeypatch.setattr(asking.running, "ask_child", note)
    return asked


@pytest.mark.usefixtures("agent")
def test_an_answer_is_kept_for_who_asked_sealed_and_while_they_may_read_it(
    people: People, source: DataSource, children: list[Any]
) -> None:
    first = query(people.bob).json()
    assert query(people.bob).json() == first
    assert len(children) == 1
    assert "north" not in repr(cache._cache)  # type: ignore[attr-defined]
    query(people.alice)
    assert len(children) == 2
    SourceColumn.objects.filter(table__source=source, name="region").update(is_masked=True)
    assert query(people.bob).json()["rows"] == [["•••", 2]]
    assert give(people.ada, source, "orders").status_code == 200
    assert query(people.bob).status_code == 400
    assert give(people.ada, source).status_code == 200
    assert query(people.bob).status_code == 404


def test_a_source_that_fails_rests_alone(
    people: People, agent: Agent, source: DataSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = shop(people.alice.organization, "Other")
    grant(agent, *other.tables.all())
    broken = {str(one) for one in source.files.values_list("pk", flat=True)}
    asked, ask = [], asking.running.ask_child

    def fail(request: Any) -> Any:
        asked.append(request)
        if any(pk in one["path"] for pk in broken for one in request["files"]):
            raise SourceFailed("unreachable")
        return ask(request)

    monkeypatch.setattr(asking.running, "ask_child", fail)
    answers = [query(people.bob) for _ in range(5)]
    assert [one.status_code for one in answers] == [503] * 5
    assert [one.json()["reason"] for one in answers] == ["unreachable"] * 3 + ["resting"] * 2
    assert len(asked) == 3
    assert query(people.bob, source="Other").status_code == 200


@pytest.mark.usefixtures("agent", "source")
def test_who_waits_for_a_place_has_read_no_file(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred megabytes each, for every thread of a server, would be more memory than it has."""
    read: list[DataSource] = []
    monkeypatch.setattr(asking, "_files", lambda source, _folder: read.append(source) or [])
    monkeypatch.setattr(asking, "places", Places(1, 0.01))
    with asking.places.taken():
        refused = query(people.bob)
    assert (refused.status_code, refused.json()["code"], read) == (503, "busy", [])


@pytest.mark.usefixtures("agent", "source")
def test_what_a_killed_process_left_of_a_source_is_taken_away(
    people: People, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left, in_use, elses = (tmp_path / name for name in ("acervo-source-1", "acervo-source-2", "other"))
    for folder in (left, in_use, elses):
        folder.mkdir()
        (folder / "rows.csv").write_text(EMAIL)
    for folder in (left, elses):
        os.utime(folder, (0, 0))
    assert query(people.bob).status_code == 200
    assert sorted(tmp_path.iterdir()) == [in_use, elses]


def test_an_agent_has_a_limit_of_its_own_whoever_asks(
    people: People, agent: Agent, source: DataSource, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch)
    limit(settings)
    Agent.objects.filter(pk=agent.pk).update(calls_per_minute=2)
    grant(AgentFactory(organization=agent.organization, slug="other"), *source.tables.all())
    assert [query(by).status_code for by in (people.alice, people.bob)] == [200, 200]
    refused = query(people.alice)
    assert (refused.status_code, refused.json()["code"], refused.json()["per"]) == (429, "quota_exceeded", "agent")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert query(people.alice, agent="other").status_code == 200


def test_an_agent_without_a_number_of_its_own_has_the_installations(
    people: People, agent: Agent, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch)
    limit(settings)
    settings.AGENT_CALLS_PER_MINUTE = 1
    assert [query(people.bob).status_code for _ in range(2)] == [200, 429]
    settings.AGENT_CALLS_PER_MINUTE = 0
    assert query(people.bob).status_code == 200


@pytest.mark.usefixtures("agent")
def test_a_file_that_was_replaced_takes_no_other_table_along(people: People, source: DataSource) -> None:
    """What it no longer has is told to whoever asks for it, and no column of it that was not chosen."""
    source.files.filter(table="orders").update(content=b"id,hidden_column\n1,2\n")
    assert query(people.bob).json()["rows"] == [["north", 1], ["south", 1]]
    assert query(people.bob, "SELECT 1 AS one").json()["rows"] == [[1]]
    answer = query(people.bob, "SELECT c.id FROM customers c JOIN orders o ON o.id = c.id")
    assert (answer.status_code, answer.json()["code"]) == (400, "query_failed")
    assert "orders: customer_id, total" in answer.json()["reason"]
    assert "hidden_column" not in answer.content.decode()


@pytest.mark.usefixtures("agent")
def test_a_file_that_cannot_be_read_takes_no_other_table_along(people: People, source: DataSource) -> None:
    source.files.filter(table="orders").update(content=b"PAR1" + b"\xff" * 500 + b"PAR1", format="parquet")
    assert query(people.bob).json()["rows"] == [["north", 1], ["south", 1]]
    assert query(people.bob, "SELECT id FROM orders").json()["reason"] == "unreadable_file"

"""From a MariaDB that an admin connects to what an agent tells of it: over the API, on a real server."""

import math
import random
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.core.cache import cache

from agents.models import Agent
from tests.factories import AgentFactory
from tests.people import People, signed_in
from tests.shops import grant
from tools import asking
from tools.analytics import computing
from tools.models import DataSource
from tools.statistics.series import next_period
from tools.tests.mariadb import DATABASE, Shop, running_shop

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("in_this_thread"),
    pytest.mark.xdist_group("mariadb"),
]
LIST = "/api/data-sources/"
JSON: dict[str, Any] = {"content_type": "application/json"}
COLUMNS = [
    {"name": "day", "type": "date"},
    {"name": "región", "type": "varchar"},
    {"name": "amount", "type": "decimal"},
]
TABLES = [
    {"schema": DATABASE, "name": "sales", "columns": [*COLUMNS, {"name": "email", "masked": True}]},
    {"schema": DATABASE, "name": "customers", "columns": [{"name": "id"}, {"name": "region"}]},
]
METRIC = {
    "schema": DATABASE, "table": "sales", "name": "ventas", "aggregate": "sum", "column": "amount",
    "time_column": "day",
}  # fmt: skip
REGION = {"schema": DATABASE, "table": "sales", "name": "región", "column": "región"}


@pytest.fixture(scope="module")
def server() -> Iterator[Shop]:
    with running_shop() as shop:
        shop.told(f"CREATE TABLE {DATABASE}.sales (day DATE, `región` TEXT, amount DECIMAL(10,2), email VARCHAR(90))")
        chance = random.Random(3)
        for n in range(60):
            day = next_period(date(2015, 1, 1), "month", n)
            value = 200 + 2 * n + 40 * math.sin(2 * math.pi * n / 12) + chance.gauss(0, 3)
            for region in ("norte", "sur"):
                row = [day, region, round(value / 2, 2), "canary@hidden.example"]
                shop.told(f"INSERT INTO {DATABASE}.sales VALUES (%s, %s, %s, %s)", row)
        yield shop


@pytest.fixture(autouse=True)
def allowed(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_SOURCE_HOSTS, settings.DATA_SOURCE_NETWORKS = ["127.0.0.1"], ["127.0.0.0/8"]
    monkeypatch.setattr(computing, "SECONDS", 300.0)
    cache.clear()
    asking.breakers.clear()


@pytest.fixture
def source(server: Shop, people: People) -> str:
    said = {
        "name": "Sales", "kind": "mysql", "host": "127.0.0.1", "port": server.port, "database": DATABASE,
        "username": "reader", "password": "-",
    }  # fmt: skip
    server.told("ALTER USER reader IDENTIFIED BY '-'")
    made = signed_in(people.ada).post(LIST, said, **JSON)
    assert made.status_code == 201, made.json()
    return str(made.json()["id"])


@pytest.fixture
def agent(source: str, people: People) -> Agent:
    ada = signed_in(people.ada)
    assert ada.put(f"{LIST}{source}/tables/", {"tables": TABLES}, **JSON).status_code == 200
    kept = ada.put(f"{LIST}{source}/metrics/", {"metrics": [METRIC], "dimensions": [REGION]}, **JSON)
    assert kept.status_code == 200, kept.json()
    agent: Agent = AgentFactory(organization=people.ada.organization, slug="clerk")
    grant(agent, *DataSource.objects.get(pk=source).tables.all())
    return agent


def call(by: Any, tool: str, **asked: Any) -> Any:
    answer = signed_in(by).post(f"/api/tools/{tool}/", {"agent": "clerk", **asked}, **JSON)
    return answer.json()


def test_an_admin_connects_it_and_sees_its_tables(source: str, people: People) -> None:
    ada = signed_in(people.ada)
    assert ada.post(f"{LIST}{source}/check/").json() == {"status": "ok", "tables": 4}
    found = ada.get(f"{LIST}{source}/schema/").json()["tables"]
    assert [one["name"] for one in found] == ["customers", "orders", "sales", "secret"]
    assert found[2]["columns"][1] == {"name": "región", "type": "text"}


def test_a_database_that_is_not_there_is_told(source: str, people: People) -> None:
    ada = signed_in(people.ada)
    assert ada.patch(f"{LIST}{source}/", {"database": "nowhere"}, **JSON).status_code == 200
    answer = ada.post(f"{LIST}{source}/check/")
    assert (answer.status_code, answer.json()["reason"]) == (409, "no_database")


@pytest.mark.usefixtures("agent")
def test_an_agent_asks_it_by_a_statement(people: People) -> None:
    sql = "SELECT `región`, email, count(*) AS n FROM sales WHERE day >= :since AND `región` <> 'x' GROUP BY 1, 2"
    found = call(people.bob, "query", source="Sales", sql=sql, params={"since": "2019-01-01"})
    assert sorted(found["rows"]) == [["norte", "•••", 12], ["sur", "•••", 12]]
    refused = call(people.bob, "query", source="Sales", sql="SELECT word FROM secret")
    assert (refused["code"], "sales" in refused["reason"]) == ("sql_refused", True)


@pytest.mark.usefixtures("agent")
def test_an_agent_asks_it_for_metrics(people: People) -> None:
    year = {"from": "2015-01-01", "to": "2015-12-31"}
    found = call(people.bob, "query_analytics", metric="ventas", dimensions=["región"], date_range=year)
    assert [row[0] for row in found["rows"]] == ["norte", "sur"]
    quarters = call(people.bob, "query_analytics", metric="ventas", group_by="quarter", filters={"región": "norte"})
    assert [row[0] for row in quarters["rows"][:2]] == ["2015-01-01", "2015-04-01"]
    assert len(quarters["rows"]) == 20


@pytest.mark.usefixtures("agent")
def test_an_agent_tells_its_trend_and_what_may_come(people: People) -> None:
    trend = call(people.bob, "get_trends", entity="ventas", period="month")
    assert trend["numbers"]["direction"] == "up"
    assert 1.5 < trend["numbers"]["per_period"] < 2.5
    coming = call(people.bob, "forecast", metric="ventas", horizon=6)
    assert coming["numbers"]["mase"] < 1


def test_an_admin_connects_it_in_the_administration_and_is_told_how_it_went(server: Shop, people: People) -> None:
    server.told("ALTER USER reader IDENTIFIED BY '-'")
    said = {
        "name": "Sales", "kind": "mysql", "host": "127.0.0.1", "port": server.port, "database": DATABASE,
        "encryption": "require", "is_active": "on", "username": "reader", "password": "-",
        "files-TOTAL_FORMS": "0", "files-INITIAL_FORMS": "0",
    }  # fmt: skip
    ada = signed_in(people.ada)
    assert ada.post("/admin/tools/datasource/add/", said).status_code == 302
    place = f"/admin/tools/datasource/{DataSource.objects.get().pk}/"
    assert "Tablas que hay: 4." in ada.post(f"{place}check/", follow=True).content.decode()
    DataSource.objects.update(database="mysql")
    assert "no hay ninguna base de datos" in ada.post(f"{place}check/", follow=True).content.decode()

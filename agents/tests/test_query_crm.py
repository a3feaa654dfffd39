"""The tools `query_crm` and `get_entity`: from a service that an admin connects to the records that an agent reads."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from django.core.cache import cache

from accounts.models import AuditEvent, ToolCall
from agents.api.toolbox import TOOLS
from agents.models import Agent
from tests.factories import AgentFactory
from tests.limits import limit, stop_the_clock
from tests.people import People, signed_in
from tests.shops import grant
from tools import asking
from tools.models import DataSource
from tools.tests import services
from tools.tests.services import EMAIL, MAPPING, SECRET, TOKEN, Wire

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("in_this_thread"),
    pytest.mark.xdist_group("services"),
]
LIST = "/api/data-sources/"
JSON: dict[str, Any] = {"content_type": "application/json"}
COLUMNS = {
    "hubspot": ("contacts", ["hs_object_id", "firstname", "amount"], "email"),
    "salesforce": ("Account", ["Id", "Name", "AnnualRevenue"], "Email__c"),
    "rest": ("orders", ["id", "region", "total"], "customer.email"),
}
TYPES = {"amount": "decimal", "AnnualRevenue": "number", "total": "number"}
SPEAKERS = {"hubspot": services.hubspot, "salesforce": services.salesforce, "rest": services.rest}
KINDS = tuple(SPEAKERS)
SIX = ("eq", "ne", "gt", "gte", "lt", "lte")


@pytest.fixture(scope="module")
def server() -> Iterator[Wire]:
    with services.running() as wire:
        yield wire


@pytest.fixture
def wire(server: Wire, settings: Any) -> Wire:
    settings.DATA_SOURCE_HOSTS, settings.DATA_SOURCE_NETWORKS = ["localhost"], ["127.0.0.0/8", "::1/128"]
    cache.clear()
    asking.breakers.clear()
    server.asked.clear()
    return server


def said_of(kind: str, wire: Wire, **more: Any) -> dict[str, Any]:
    told: dict[str, dict[str, Any]] = {
        "hubspot": {"host": "localhost", "port": wire.port, "password": TOKEN},
        "salesforce": {"host": "localhost", "port": wire.port, "username": "key", "password": SECRET},
        "rest": {"openapi": json.dumps(services.openapi(wire.port)), "mapping": MAPPING, "password": TOKEN},
    }
    return {"name": "CRM", "kind": kind, **told[kind], **more}


def connect(kind: str, wire: Wire, people: People) -> DataSource:
    wire.answer = SPEAKERS[kind]
    made = signed_in(people.ada).post(LIST, said_of(kind, wire), **JSON)
    assert made.status_code == 201, made.json()
    assert TOKEN not in made.content.decode()
    return DataSource.objects.get(pk=made.json()["id"])


def given(kind: str, wire: Wire, people: People, slug: str = "clerk") -> Agent:
    source = connect(kind, wire, people)
    entity, opened, masked = COLUMNS[kind]
    columns = [{"name": one, "type": TYPES.get(one, "text"), "description": f"The {one}"} for one in opened]
    chosen = {"tables": [{"name": entity, "columns": [*columns, {"name": masked, "type": "text", "masked": True}]}]}
    assert signed_in(people.ada).put(f"{LIST}{source.pk}/tables/", chosen, **JSON).status_code == 200
    agent: Agent = AgentFactory(organization=people.ada.organization, slug=slug)
    grant(agent, *source.tables.all())
    wire.asked.clear()
    return agent


def call(by: Any, tool: str = "query_crm", **asked: Any) -> Any:
    return signed_in(by).post(f"/api/tools/{tool}/", {"agent": "clerk", **asked}, **JSON)


@pytest.mark.parametrize("kind", KINDS)
def test_an_admin_connects_it_checks_it_and_sees_its_entities(kind: str, wire: Wire, people: People) -> None:
    source = connect(kind, wire, people)
    ada = signed_in(people.ada)
    assert ada.post(f"{LIST}{source.pk}/check/").json()["status"] == "ok"
    tables = ada.get(f"{LIST}{source.pk}/schema/").json()["tables"]
    assert COLUMNS[kind][0] in [one["name"] for one in tables]
    shown = ada.get(f"{LIST}{source.pk}/").content.decode()
    for secret in (TOKEN, SECRET):
        assert secret not in shown + repr([one.changes for one in AuditEvent.objects.all()]) + source.sealed_credentials
    assert source.encryption == "verify-full"


@pytest.mark.parametrize("kind", KINDS)
def test_records_come_as_a_table_and_are_kept_for_a_while(kind: str, wire: Wire, people: People) -> None:
    given(kind, wire, people)
    entity, opened, masked = COLUMNS[kind]
    answer = call(people.bob, entity=entity.upper(), fields=[opened[1], masked, opened[0]], limit=2)
    found = answer.json()
    assert answer.status_code == 200, found
    jsonschema.validate(found, TOOLS["query_crm"].output_schema)
    assert (found["source"], found["entity"], found["row_count"], found["truncated"]) == ("CRM", entity, 2, True)
    assert [one["name"] for one in found["columns"]] == [opened[1], masked, opened[0]]
    assert {row[1] for row in found["rows"]} == {"•••"}
    sent = json.dumps([(path, body.decode()) for _method, path, _headers, body in wire.asked])
    assert masked not in sent
    asked = len(wire.asked)
    again = call(people.bob, entity=entity, fields=[opened[1], masked, opened[0]], limit=2)
    assert (again.json(), len(wire.asked)) == (found, asked)
    call(people.alice, entity=entity, fields=[opened[1], masked, opened[0]], limit=2)  # of whom nothing was kept
    assert len(wire.asked) > asked
    assert EMAIL not in answer.content.decode()


@pytest.mark.parametrize("kind", KINDS)
def test_one_record_comes_by_its_id(kind: str, wire: Wire, people: People) -> None:
    given(kind, wire, people)
    entity, opened, _masked = COLUMNS[kind]
    known = call(people.bob, entity=entity, fields=[opened[0]], limit=1).json()["rows"][0][0]
    found = call(people.bob, "get_entity", entity_id=known).json()
    jsonschema.validate(found, TOOLS["get_entity"].output_schema)
    assert (found["row_count"], found["rows"][0][0], len(found["columns"])) == (1, known, len(opened))
    none = call(people.bob, "get_entity", entity=entity, entity_id="9" * 15).json()
    assert (none["row_count"], none["rows"]) == (0, [])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("record", ["../../x", "%2e%2e", "' OR Id != null", "7/x"])
def test_an_id_that_is_none_is_refused(kind: str, record: str, wire: Wire, people: People) -> None:
    given(kind, wire, people)
    answer = call(people.bob, "get_entity", entity_id=record)
    assert (answer.status_code, answer.json()["code"]) == (400, "query_failed")


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found_out_about_what_is_masked_or_not_chosen(kind: str, wire: Wire, people: People) -> None:
    given(kind, wire, people)
    entity, opened, masked = COLUMNS[kind]
    for wrong in (
        {"filter": {masked: EMAIL}},
        {"filter": {masked.upper(): {"contains": "canary"}}},
        {"filter": {"CreatedDate": "2025-01-01"}},
        {"filter": {f"{opened[1]} = 'x' OR {masked}": "x"}},
        {"fields": [opened[0], "createdate"]},
        {"fields": [f"{opened[0]}, {masked}"]},
        {"fields": [masked]},
    ):
        answer = call(people.bob, entity=entity, **wrong)
        assert (answer.status_code, answer.json()["code"]) == (400, "records_refused"), wrong
        assert masked not in answer.json()["reason"] or "oculto" in answer.json()["reason"]
    assert wire.asked == []


def test_the_id_of_which_nobody_may_know_asks_for_no_record(wire: Wire, people: People) -> None:
    given("hubspot", wire, people)
    DataSource.objects.get().tables.get().columns.filter(name="hs_object_id").update(is_masked=True)
    answer = call(people.bob, "get_entity", entity_id="7")
    assert (answer.json()["code"], wire.asked) == ("records_refused", [])


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"entity": ""}, "invalid_input"),
        ({"filter": [1]}, "invalid_input"),
        ({"filter": {str(n): 1 for n in range(7)}}, "invalid_input"),
        ({"fields": "firstname"}, "invalid_input"),
        ({"fields": ["x"] * 51}, "invalid_input"),
        ({"limit": 1_001}, "invalid_input"),
        ({"filter": {"firstname": {"like": "x"}}}, "records_refused"),
        ({"filter": {"firstname": {}}}, "records_refused"),
        ({"filter": {"firstname": {"in": []}}}, "records_refused"),
        ({"filter": {"firstname": {"in": ["x"] * 51}}}, "records_refused"),
        ({"filter": {"firstname": {"gt": None}}}, "records_refused"),
        ({"filter": {"firstname": {"contains": 1}}}, "records_refused"),
        ({"filter": {"firstname": "x" * 501}}, "records_refused"),
        ({"filter": {"firstname": "a\r\nb"}}, "records_refused"),
        ({"filter": {"firstname": 10**30}}, "records_refused"),
        ({"filter": {"firstname": {"eq": {"eq": 1}}}}, "records_refused"),
        ({"filter": {"firstname": dict.fromkeys(SIX, 1), "amount": 1}}, "records_refused"),
        ({"entity": "deals"}, "records_refused"),
    ],
)  # fmt: skip
def test_what_a_model_made_up_is_refused_with_the_reason(
    wrong: dict[str, Any], code: str, wire: Wire, people: People
) -> None:
    given("hubspot", wire, people)
    answer = call(people.bob, **{"entity": "contacts", **wrong})
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert wire.asked == []


def test_a_rest_service_is_asked_by_what_it_can_be_asked_by(wire: Wire, people: People) -> None:
    given("rest", wire, people)
    found = call(people.bob, entity="orders", filter={"region": "south", "total": {"gte": 30}}).json()
    assert [row[0] for row in found["rows"]] == ["o-20", "o-22", "o-24"]
    refused = call(people.bob, entity="orders", filter={"total": {"lt": 30}}).json()
    assert (
        refused["reason"]
        == "Al servicio no se le puede preguntar así. Se le puede preguntar por: region (eq); total (gte)."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_it_has_no_sql_and_no_metrics(kind: str, wire: Wire, people: People) -> None:
    given(kind, wire, people)
    entity, opened, _masked = COLUMNS[kind]
    refused = call(people.bob, "query", source="CRM", sql=f"SELECT {opened[0]} FROM {entity}").json()
    assert (refused["code"], "query_crm" in refused["reason"]) == ("sql_refused", True)
    metric = {"table": entity, "name": "n", "aggregate": "count"}
    place = f"{LIST}{DataSource.objects.get().pk}/metrics/"
    answer = signed_in(people.ada).put(place, {"metrics": [metric], "dimensions": []}, **JSON)
    assert answer.status_code == 400
    assert wire.asked == []


def test_nobody_reads_what_no_agent_of_theirs_was_given(wire: Wire, people: People) -> None:
    agent = given("hubspot", wire, people)
    AgentFactory(organization=people.ada.organization, slug="idle")
    assert call(people.zoe, entity="contacts").status_code == 404
    assert call(people.bob, entity="contacts", agent="idle").status_code == 404
    assert call(people.bob, entity="contacts", source="Other").status_code == 404
    assert call(people.zoe, "get_entity", entity_id="7").status_code == 404
    DataSource.objects.update(is_active=False)
    assert call(people.bob, entity="contacts").status_code == 404
    DataSource.objects.update(is_active=True)
    agent.is_active = False
    agent.save()
    assert call(people.bob, entity="contacts").status_code == 404
    assert wire.asked == []


def test_which_of_two_sources_is_meant_must_be_said(wire: Wire, people: People) -> None:
    agent = given("hubspot", wire, people)
    second = DataSource.objects.get()
    tables = list(second.tables.all())
    second.pk, second._state.adding, second.name = None, True, "Second"  # type: ignore[assignment]
    second.save()
    copied = second.tables.create(schema="main", name="contacts")
    copied.columns.create(name="firstname", type="text")
    grant(agent, copied)
    assert len(tables) == 1
    refused = call(people.bob, entity="contacts").json()
    assert "contacts (CRM), contacts (Second)" in refused["reason"]
    assert call(people.bob, entity="contacts", source="CRM", limit=1).status_code == 200


def test_it_leaves_who_and_how_much_and_none_of_its_words(wire: Wire, people: People) -> None:
    agent = given("hubspot", wire, people)
    call(people.bob, entity="contacts", filter={"firstname": "zurribanda"})
    call(people.bob, entity="contacts", filter={"firstname": "Name 7"})
    call(people.bob, "get_entity", entity_id="7")
    calls = ToolCall.objects.order_by("created_at")
    source = DataSource.objects.get()
    assert [(one.kind, one.agent_id, one.source_id, one.items) for one in calls] == [
        ("query", agent.pk, source.pk, 0), ("query", agent.pk, source.pk, 1), ("query", agent.pk, source.pk, 1),
    ]  # fmt: skip
    assert len({one.fingerprint for one in calls}) == 2
    assert "zurribanda" not in repr([vars(one) for one in calls])


def test_calls_are_limited_also_those_that_are_refused(
    wire: Wire, people: People, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    given("hubspot", wire, people)
    stop_the_clock(monkeypatch)
    limit(settings, searches=2)
    codes = [call(people.bob, entity=one).status_code for one in ("contacts", "nothing", "contacts")]
    assert codes == [200, 400, 429]


def test_what_an_agent_asks_is_limited_too(
    wire: Wire, people: People, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    given("hubspot", wire, people)
    stop_the_clock(monkeypatch)
    limit(settings)
    settings.AGENT_CALLS_PER_MINUTE = 1
    assert [call(one, entity="contacts").status_code for one in (people.bob, people.alice)] == [200, 429]


def test_a_source_that_fails_rests_alone(wire: Wire, people: People) -> None:
    given("hubspot", wire, people)
    wire.answer = lambda *_asked: services.told({}, 500)
    reasons = [call(people.bob, entity="contacts", limit=n).json().get("reason") for n in range(1, 5)]
    assert reasons == ["refused", "refused", "refused", "resting"]
    assert len(wire.asked) == 3
    connect_second = signed_in(people.ada).post(LIST, said_of("salesforce", wire, name="Other"), **JSON)
    wire.answer = services.salesforce
    assert signed_in(people.ada).post(f"{LIST}{connect_second.json()['id']}/check/").status_code == 200


@pytest.mark.parametrize("networks", [[], ["10.0.0.0/8"]])
def test_a_host_of_this_machine_is_not_asked_unless_the_operator_says_so(
    networks: list[str], wire: Wire, people: People, settings: Any
) -> None:
    given("hubspot", wire, people)
    settings.DATA_SOURCE_NETWORKS = networks
    answer = call(people.bob, entity="contacts")
    assert (answer.status_code, answer.json()["reason"]) == (409, "private")
    settings.DATA_SOURCE_HOSTS = []
    assert call(people.bob, entity="contacts", limit=3).json()["reason"] == "not_allowed"
    assert wire.asked == []


@pytest.mark.parametrize(
    ("kind", "wrong", "field"),
    [
        ("hubspot", {"host": "elsewhere.example"}, "host"),
        ("hubspot", {"password": ""}, "password"),
        ("hubspot", {"database": "x"}, "database"),
        ("hubspot", {"mapping": {"entities": []}}, "mapping"),
        ("hubspot", {"host": ""}, "host"),  # HubSpot's own, which the installation does not allow
        ("salesforce", {"host": ""}, "host"),
        ("salesforce", {"username": ""}, "username"),
        ("rest", {"host": "localhost"}, "host"),
        ("rest", {"mapping": ""}, "mapping"),
        ("rest", {"mapping": [1]}, "mapping"),
        ("rest", {"openapi": "{}"}, "openapi"),
    ],
)
def test_what_does_not_fit_is_refused(kind: str, wrong: dict[str, Any], field: str, wire: Wire, people: People) -> None:
    answer = signed_in(people.ada).post(LIST, said_of(kind, wire, **wrong), **JSON)
    assert answer.status_code == 400, answer.json()
    assert field in answer.json()["errors"]


def test_a_description_of_another_server_needs_the_token_anew(wire: Wire, people: People, settings: Any) -> None:
    """Otherwise whoever may change a source could have its token sent to a server of their own."""
    source = connect("rest", wire, people)
    settings.DATA_SOURCE_HOSTS = ["localhost", "other.example"]
    moved = services.openapi(wire.port) | {"servers": [{"url": "https://other.example/v1"}]}
    told = {"openapi": json.dumps(moved), "mapping": MAPPING}
    place = f"{LIST}{source.pk}/"
    assert signed_in(people.ada).patch(place, told, **JSON).status_code == 400
    for moved in ({"host": ""}, {"host": "other.example"}, {"port": None}, {"port": 443}):
        assert signed_in(people.ada).patch(place, moved, **JSON).status_code == 400
    assert signed_in(people.ada).patch(place, told | {"password": "new"}, **JSON).status_code == 200
    source.refresh_from_db()
    assert (source.host, source.port, source.open_credentials()["password"]) == ("other.example", 443, "new")


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_connected_and_its_entities_are_chosen_in_the_administration(
    kind: str, wire: Wire, people: People
) -> None:
    wire.answer = SPEAKERS[kind]
    files = {"files-TOTAL_FORMS": "0", "files-INITIAL_FORMS": "0", "is_active": "on", "encryption": "require"}
    ada = signed_in(people.ada)
    made = ada.post("/admin/tools/datasource/add/", said_of(kind, wire) | files)
    assert made.status_code == 302, made.context["adminform"].errors
    source = DataSource.objects.get()
    place = f"/admin/tools/datasource/{source.pk}/"
    assert "Conectado" in ada.post(f"{place}check/", follow=True).content.decode() or source.encryption == "verify-full"
    entity, opened, _masked = COLUMNS[kind]
    assert opened[0] in ada.get(f"{place}tables/").content.decode()
    ada.post(f"{place}tables/", {"table": [json.dumps(["main", entity])]})
    table = source.tables.get()
    assert set(table.columns.values_list("is_masked", flat=True)) == {True}
    page = ada.get(f"/admin/tools/sourcetable/{table.pk}/change/").content.decode()
    assert "metrics-TOTAL_FORMS" not in page
    for shown in (ada.get(f"{place}change/"), ada.get("/admin/tools/datasource/")):
        assert TOKEN not in shown.content.decode()
        assert SECRET not in shown.content.decode()

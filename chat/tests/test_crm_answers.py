"""An answer from a CRM: what the chat's model is offered, asks for by `query_crm`, is told, and cites; and the same by
hand."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache

from accounts.models import Membership
from agents.models import Agent
from chat.models import Message, Trace
from tests.cast import browser, make_cast
from tests.factories import AgentFactory
from tests.fakes.fixtures import ModelServer
from tests.library import Library
from tests.live import LiveServer, SseEvent
from tests.shops import crm, grant
from tools import asking
from tools.models import DataSource
from tools.tests import services
from tools.tests.services import EMAIL, TOKEN, Wire

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("services")]
QUESTION = "¿Cómo se llama el contacto con importe 70 según el CRM?"


@pytest.fixture(scope="module")
def server_of_crm() -> Iterator[Wire]:
    with services.running() as wire:
        yield wire


@pytest.fixture
def wire(server_of_crm: Wire, settings: Any) -> Wire:
    settings.DATA_SOURCE_HOSTS, settings.DATA_SOURCE_NETWORKS = ["localhost"], ["127.0.0.0/8", "::1/128"]
    cache.clear()
    asking.breakers.clear()
    server_of_crm.asked.clear()
    server_of_crm.answer = services.hubspot
    return server_of_crm


def connect(agent: Agent, by: Membership, wire: Wire) -> DataSource:
    source = crm(by.organization)
    source.host, source.port = "localhost", wire.port
    source.keep_credentials("", TOKEN)
    source.save()
    table = source.tables.get()
    table.columns.create(name="amount", type="decimal", description="Importe")
    table.columns.create(name="email", type="text", is_masked=True)
    table.columns.filter(name="hs_object_id").update(is_masked=False)
    grant(agent, table)
    return source


def named(events: list[SseEvent], name: str) -> list[Any]:
    return [one.data for one in events if one.name == name]


def test_records_become_a_numbered_source_that_the_answer_cites(
    server: LiveServer, library: Library, chat_model: ModelServer, wire: Wire
) -> None:
    source = connect(library.researcher, library.alicia, wire)
    asked = {"entity": "contacts", "filter": {"amount": 70}, "fields": ["firstname", "amount", "email"]}
    chat_model.script(calls=[[{"name": "query_crm", "arguments": asked}]], text="Se llama Name 7 [1].")
    events = server.by_key(library.alicia).answers("researcher", QUESTION)
    bodies = [one["body"] for one in chat_model.requests() if one["path"] in ("chat", "messages")]
    offered = {one["function"]["name"]: one["function"] for one in bodies[0]["tools"]}
    assert set(offered) == {"query_crm", "get_entity"}  # there is no SQL to be asked
    assert "agent" not in offered["query_crm"]["parameters"]["properties"]
    description = offered["query_crm"]["description"]
    assert (
        'Source "CRM" (HubSpot):\n- contacts: amount decimal (Importe); firstname text; hs_object_id decimal'
        in description
    )
    assert "email" not in description
    (table,) = [one for one in named(events, "sources")[1]["sources"] if "kind" in one]
    assert (table["title"], table["tool"], table["tables"]) == ("CRM: contacts", "query_crm", ["contacts"])
    assert table["rows"] == [["Name 7", "70", "•••"]]
    assert json.loads(table["statement"]) == asked
    message = Message.objects.get(pk=named(events, "sources")[0]["message"])
    (step,) = Trace.objects.get(message=message).attempts[0]["calls"]
    assert (step["tool"], step["source"], step["rows"]) == ("query_crm", str(source.pk), 1)
    assert message.tables.get().cited
    told = json.dumps(bodies, ensure_ascii=False)
    assert EMAIL not in told
    assert TOKEN not in told


def test_a_refusal_is_told_to_the_model_which_asks_again(
    server: LiveServer, library: Library, chat_model: ModelServer, wire: Wire
) -> None:
    connect(library.researcher, library.alicia, wire)
    wrong = {"entity": "contacts", "filter": {"email": EMAIL}}
    right = {"entity_id": "7"}
    calls = [[{"name": "query_crm", "arguments": wrong}], [{"name": "get_entity", "arguments": right}]]
    chat_model.script(calls=calls, text="Se llama Name 7 [1].")
    events = server.by_key(library.alicia).answers("researcher", QUESTION)
    message = Message.objects.get(pk=named(events, "sources")[0]["message"])
    steps = Trace.objects.get(message=message).attempts[0]["calls"]
    assert [(one["tool"], one["refused"]) for one in steps] == [("query_crm", "records_refused"), ("get_entity", "")]
    assert message.tables.get().title == "CRM: contacts"


def test_people_ask_it_by_a_form(wire: Wire) -> None:
    cast = make_cast()
    agent = AgentFactory(organization=cast.alice.organization, slug="analyst")
    source = connect(agent, cast.alice, wire)
    client = browser(cast.alice, "es")
    page = client.get("/agents/analyst/data/").content.decode()
    assert "CRM: contacts" in page
    assert "?tool=query&" not in page
    said = {"entity": str(source.tables.get().pk), "field": "amount", "operator": "gte", "value": "4500"}
    shown = client.post("/agents/analyst/data/?tool=query_crm", said).content.decode()
    assert "Name 450" in shown
    assert "Name 449" not in shown
    refused = client.post("/agents/analyst/data/?tool=query_crm", said | {"field": "email"})
    assert (refused.status_code, EMAIL in refused.content.decode()) == (400, False)
    assert client.get("/agents/analyst/data/?tool=query").status_code == 404

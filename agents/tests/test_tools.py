"""Tools: what agents of any framework are told they can call, and what the calls do in their caller's name."""

from typing import Any

import jsonschema
import pytest
from django.test import Client

from agents.api.toolbox import TOOLS
from corpora.models import Corpus, Document
from retrieval.tests.shelf import shelve
from tests.factories import AgentFactory, AssignmentFactory, CorpusFactory
from tests.people import People, signed_in

pytestmark = pytest.mark.django_db
TEXT = "The library closes on the second of May."


@pytest.fixture
def notes(people: People) -> Corpus:
    corpus: Corpus = CorpusFactory(personal_of=people.alice)
    return corpus


def call(by: Any, tool: str, arguments: Any) -> Any:
    return signed_in(by).post(f"/api/tools/{tool}/", arguments, content_type="application/json")


def keep(by: Any, corpus: Any, **arguments: Any) -> Any:
    return call(by, "upsert_knowledge", {"corpus": str(corpus), "text": TEXT, **arguments})


def test_the_tools_are_listed_as_model_providers_take_them(people: People) -> None:
    tools = signed_in(people.alice).get("/api/tools/").json()["tools"]
    assert [tool["name"] for tool in tools] == [
        "retrieve",
        "upsert_knowledge",
        "query",
        "query_analytics",
        "get_trends",
        "forecast",
        "query_crm",
        "get_entity",
    ]
    for tool in tools:
        schema = tool["input_schema"]
        assert set(tool) == {"name", "description", "input_schema"}
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert set(schema["required"]) <= set(schema["properties"])
        assert all("description" in one or "items" in one for one in schema["properties"].values())


def test_an_argument_that_there_is_not_is_refused_by_its_name(people: People, notes: Corpus) -> None:
    """Left out in silence, a filter that is called otherwise would make the answer another question's."""
    refused = call(people.alice, "query_analytics", {"agent": "a", "metric": "m", "filter": {"x": 1}})
    assert (refused.status_code, set(refused.json()["errors"])) == (400, {"filter"})
    within = {"agent": "a", "metric": "m", "date_range": {"desde": "2025-01-01"}}
    assert set(call(people.alice, "query_analytics", within).json()["errors"]) == {"date_range.desde"}
    assert set(call(people.alice, "query", {"agent": "a"}).json()["errors"]) == {"source", "sql"}
    assert keep(people.alice, notes.pk, colour="red").status_code == 400


def test_what_calls_answer_is_told_where_asked_for_and_true(people: People, notes: Corpus) -> None:
    tools = signed_in(people.alice).get("/api/tools/?output_schema=true").json()["tools"]
    schemas = {tool["name"]: tool["output_schema"] for tool in tools}
    jsonschema.validate(keep(people.alice, notes.pk).json(), schemas["upsert_knowledge"])
    agent = AgentFactory(organization=people.alice.organization)
    shared = CorpusFactory(shared_in=people.alice.organization)
    AssignmentFactory(agent=agent, corpus=shared)
    shelve(shared, TEXT)
    answer = call(people.alice, "retrieve", {"agent": str(agent.pk), "query": "When does the library close?"}).json()
    assert answer["chunks"]
    jsonschema.validate(answer, schemas["retrieve"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**answer, "score": "high"}, schemas["retrieve"])


def test_strangers_are_told_nothing_of_them() -> None:
    assert Client().get("/api/tools/").status_code == 401
    assert Client().post("/api/tools/upsert_knowledge/", {}, content_type="application/json").status_code == 401


def test_a_statement_is_kept_with_all_that_was_said_of_it(people: People, notes: Corpus) -> None:
    said = {"title": "Closing", "tags": ["hours"], "key": "closing", "source": "Notice board", "meta": {"floor": 2}}
    answer = keep(people.alice, notes.pk, **said)
    document = Document.objects.get()
    assert answer.json() == {"document": str(document.pk), "key": "closing", "status": "pending"}
    kept = (document.title, document.tags, document.fact_key, document.source_reference, document.uploaded_by)
    assert kept == ("Closing", ["hours"], "closing", "Notice board", people.alice.user)
    assert document.meta == {"floor": 2}
    assert keep(people.alice, notes.pk, key="closing", meta={"floor": {"a": 1}}).status_code == 400


def test_the_same_key_replaces(people: People, notes: Corpus) -> None:
    first = keep(people.alice, notes.pk, key="closing").json()
    second = keep(people.alice, notes.pk, key="closing", text="It does not close at all.").json()
    assert first["document"] == second["document"]
    assert Document.objects.count() == 1


@pytest.mark.parametrize("who", ["bob", "ada", "charlie", "zoe", "alice_elsewhere"])
def test_nobody_writes_into_another_s_corpus(people: People, notes: Corpus, who: str) -> None:
    assert keep(getattr(people, who), notes.pk).status_code == 404
    assert not Document.objects.exists()


def test_a_global_corpus_is_the_admins_to_write(people: People) -> None:
    shared = CorpusFactory(shared_in=people.alice.organization)
    assert keep(people.alice, shared.pk).status_code == 403
    assert keep(people.ada, shared.pk).json()["status"] == "pending"


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": ""}, {"text": "   "}, {"text": None}, {"text": {"a": 1}}, {"text": "x" * 20_001}, {"tags": "a" * 51},
        {"tags": [str(n) for n in range(21)]}, {"tags": {"a": 1}}, {"title": "x" * 201}, {"key": ["a"]},
    ],
)  # fmt: skip
def test_arguments_that_a_model_made_up_are_refused_with_the_reason(
    people: People, notes: Corpus, arguments: dict[str, Any]
) -> None:
    answer = keep(people.alice, notes.pk, **arguments)
    assert answer.status_code == 400
    assert next(iter(arguments)) in answer.json()["errors"]
    assert not Document.objects.exists()


@pytest.mark.parametrize("corpus", ["", "notes", "None", "3", "00000000-0000-4000-8000-000000000000"])
def test_a_corpus_that_is_none_does_not_exist(people: People, corpus: str) -> None:
    assert keep(people.alice, corpus).status_code == 404


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("arguments", [[], "text", 3])
def test_arguments_must_be_an_object(people: People, tool: str, arguments: Any) -> None:
    assert call(people.alice, tool, arguments).status_code == 400


def test_a_tool_that_is_not_there_is_not_found(people: People) -> None:
    assert call(people.alice, "drop_tables", {}).status_code == 404


def test_retrieval_finds_what_the_caller_may_read_through_the_agent(people: People, notes: Corpus) -> None:
    agent = AgentFactory(organization=people.alice.organization, slug="librarian", allows_personal_corpus=True)
    AssignmentFactory(agent=agent, corpus=notes)
    shelve(notes, TEXT, title="Closing")
    asked = {"agent": "librarian", "query": "When does the library close?", "top_k": 1}
    found = call(people.alice, "retrieve", asked).json()
    assert [(chunk["title"], chunk["text"]) for chunk in found["chunks"]] == [("Closing", TEXT)]
    assert call(people.bob, "retrieve", asked).json()["chunks"] == []
    assert call(people.charlie, "retrieve", asked).status_code == 404


@pytest.mark.parametrize("wrong", [{"query": ""}, {"top_k": 0}, {"filters": {"owner": "x"}}])
def test_a_search_that_a_model_made_up_is_refused_with_the_reason(people: People, wrong: dict[str, Any]) -> None:
    AgentFactory(organization=people.alice.organization, slug="librarian")
    answer = call(people.alice, "retrieve", {"agent": "librarian", "query": "When?", **wrong})
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == set(wrong)

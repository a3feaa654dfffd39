"""Tools: what a model may ask to have done, in the name of whoever asks it."""

from typing import Any

import pytest

from agents import tools
from corpora.models import Corpus, Document
from tests.factories import CorpusFactory
from tests.people import People

pytestmark = pytest.mark.django_db
TEXT = "The library closes on the second of May."


@pytest.fixture
def notes(people: People) -> Corpus:
    corpus: Corpus = CorpusFactory(personal_of=people.alice)
    return corpus


def run(by: Any, corpus: Any, **arguments: Any) -> dict[str, Any]:
    return tools.execute("upsert_knowledge", by, {"corpus": str(corpus), "text": TEXT, **arguments})


def test_the_definition_is_a_closed_json_schema() -> None:
    definition = tools.TOOLS["upsert_knowledge"].definition
    assert set(definition) == {"name", "description", "input_schema"}
    schema = definition["input_schema"]
    assert (schema["type"], schema["required"], schema["additionalProperties"]) == ("object", ["corpus", "text"], False)
    assert set(schema["properties"]) == {"corpus", "text", "title", "tags", "key", "source"}
    assert all("description" in one or "items" in one for one in schema["properties"].values())


def test_a_statement_is_kept_with_all_that_was_said_of_it(people: People, notes: Corpus) -> None:
    result = run(people.alice, notes.pk, title="Closing", tags=["hours"], key="closing", source="Notice board")
    document = Document.objects.get()
    assert result == {"document": str(document.pk), "key": "closing", "status": "pending"}
    kept = (document.title, document.tags, document.fact_key, document.source_reference, document.uploaded_by)
    assert kept == ("Closing", ["hours"], "closing", "Notice board", people.alice.user)


def test_the_same_key_replaces(people: People, notes: Corpus) -> None:
    first = run(people.alice, notes.pk, key="closing")
    second = run(people.alice, notes.pk, key="closing", text="It does not close at all.")
    assert first["document"] == second["document"]
    assert Document.objects.count() == 1


@pytest.mark.parametrize("who", ["bob", "ada", "charlie", "zoe", "alice_elsewhere"])
def test_nobody_writes_into_another_s_corpus(people: People, notes: Corpus, who: str) -> None:
    assert run(getattr(people, who), notes.pk)["error"]["code"] == "not_found"
    assert not Document.objects.exists()


def test_a_global_corpus_is_the_admins_to_write(people: People) -> None:
    shared = CorpusFactory(shared_in=people.alice.organization)
    assert run(people.alice, shared.pk)["error"]["code"] == "not_found"
    assert run(people.ada, shared.pk)["status"] == "pending"


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
    error = run(people.alice, notes.pk, **arguments)["error"]
    assert error["code"] == "invalid"
    assert next(iter(arguments)) in error["detail"]
    assert not Document.objects.exists()


@pytest.mark.parametrize("corpus", ["", "notes", "None", "3", "00000000-0000-4000-8000-000000000000"])
def test_a_corpus_that_is_none_does_not_exist(people: People, corpus: str) -> None:
    assert run(people.alice, corpus)["error"]["code"] == "not_found"


@pytest.mark.parametrize("arguments", [None, [], "text", 3])
def test_arguments_must_be_an_object(people: People, arguments: Any) -> None:
    assert tools.execute("upsert_knowledge", people.alice, arguments)["error"]["code"] == "invalid"


def test_a_tool_that_is_not_there_is_a_result_too(people: People) -> None:
    assert tools.execute("drop_tables", people.alice, {})["error"]["code"] == "unknown_tool"

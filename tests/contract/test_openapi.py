"""The OpenAPI schema tells of every address of the API, DRF's or not, and of what each refuses with."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from accounts.pages.api_docs import schema_in
from agents.api.retrieval import chunk_as_json, retrieval_as_json
from agents.api.serializers import PassageSerializer, RetrievalSerializer
from chat.api.described import SourceSerializer, SupportSerializer, TableSourceSerializer
from chat.stream.events import Source, Support, TableSource
from retrieval.results import Retrieval, RetrievedChunk
from tests import routes
from tests.matrix import API
from tests.people import People, with_key

OF_THE_SCHEMA_ITSELF = "/api/schema/"
NOWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def schema() -> Any:
    generator: Any = SchemaGenerator()
    return generator.get_schema(request=None, public=True)


def told(schema: Any) -> set[tuple[str, str]]:
    return {(method.upper(), path) for path, methods in schema["paths"].items() for method in methods}


def operations(schema: Any) -> Iterator[tuple[str, Any]]:
    for path, methods in schema["paths"].items():
        yield from ((f"{method} {path}", one) for method, one in methods.items())


def test_it_is_valid_and_nothing_in_it_is_guessed(schema: Any) -> None:
    validate_schema(schema)
    assert not GENERATOR_STATS, "drf-spectacular warns of what it could not tell: manage.py spectacular"


def test_every_operation_of_the_matrix_is_in_it(schema: Any) -> None:
    known = {(method, without_names(path)) for method, path in told(schema)}
    names = {"slug": "name"} | dict.fromkeys(("alices", "shared", "agent", "message", "conversation"), NOWHERE)
    ours = {
        (case.method, without_names("/" + routes.route_of(case.path.format_map(Missing(names)))))
        for case in API
        if case.path != OF_THE_SCHEMA_ITSELF
    }
    assert ours - known == set()


class Missing(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return NOWHERE


def without_names(path: str) -> str:
    """`/api/corpora/<uuid:pk>/` and `/api/corpora/{id}/` are the same."""
    return "/".join("*" if part[:1] in ("<", "{") else part for part in path.split("/"))


def test_every_operation_tells_of_its_refusals_and_their_shape(schema: Any) -> None:
    for name, operation in operations(schema):
        refusals = {status: one for status, one in operation["responses"].items() if status >= "400"}
        assert {"400", "401", "403", "404", "503"} <= refusals.keys(), name
        of_json_rpc = {"application/json"} if name.endswith("/mcp") else set()
        shapes = {kind for one in refusals.values() for kind in one["content"]}
        assert shapes - of_json_rpc == {"application/json" if "/v1/" in name else "application/problem+json"}, name
        assert operation["security"] == [{"apiKey": []}, {"session": []}], name


def test_the_asynchronous_views_are_told_of_as_they_are(schema: Any) -> None:
    chat = schema["paths"]["/api/agents/{reference}/chat/"]["post"]
    assert set(chat["responses"]["200"]["content"]) == {"text/event-stream", "application/json"}
    assert chat["description"] == "Ask an agent; `stream: false` answers whole."
    events = schema["paths"]["/api/messages/{id}/events/"]["get"]
    assert set(events["responses"]["200"]["content"]) == {"text/event-stream"}
    assert "Last-Event-ID" in [one["name"] for one in events["parameters"]]


@pytest.mark.parametrize(
    ("serializer", "event"),
    [(SourceSerializer, Source), (TableSourceSerializer, TableSource), (SupportSerializer, Support)],
)
def test_what_is_described_has_the_fields_of_what_is_sent(serializer: Any, event: Any) -> None:
    assert set(serializer().fields) == {field.name for field in fields(event)}


def test_a_retrieval_is_described_as_it_is_sent() -> None:
    none: Any = None
    found = RetrievedChunk(
        **{field.name: () if field.name == "heading_path" else none for field in fields(RetrievedChunk)}
    )
    assert set(RetrievalSerializer().fields) == set(retrieval_as_json(Retrieval("?", 800)))
    assert set(PassageSerializer().fields) == set(chunk_as_json(found))


@pytest.mark.django_db
def test_a_process_keeps_no_schema_for_a_made_up_language(people: People) -> None:
    client = with_key(people.alice)
    for language in ("es", "en", "xx", "yy-zz", "a" * 500):
        assert client.get("/api/schema/", {"lang": language}).status_code == 200
    assert client.get("/api/schema/", {"version": "a\r\nb"}).status_code == 200
    assert schema_in.cache_info().currsize <= 2

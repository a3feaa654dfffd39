"""Spans: none and nothing loaded without a collector; with one, a question is one tree, and no text is in it."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from config.observability import tracing
from config.observability.checks import traces_are_spoken
from config.observability.statements import begin_tracing, said_by
from config.settings import BASE_DIR
from tests import library as sample
from tests.fakes.collector import Collector, running_collector
from tests.live import LiveServer

TRACE = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = f"00-{TRACE}-b7ad6b7169203331-01"


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with running_collector() as running:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", running.url)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
        assert begin_tracing()
        yield running
        tracing.stop_tracing()


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, False),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, False),
    ],
)
def test_the_environment_switches_traces_on(
    environment: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert tracing.is_wanted() is wanted


def test_without_a_collector_nothing_is_loaded() -> None:
    asked = "import config.asgi, sys; print([one for one in sys.modules if one.startswith('opentelemetry')])"
    done = subprocess.run([sys.executable, "-c", asked], cwd=BASE_DIR, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_protocol_that_is_not_spoken_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    assert tracing.refused_protocol() == "grpc"
    assert not tracing.start_tracing()
    assert [one.id for one in traces_are_spoken(None)] == ["acervo.W012"]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ('SELECT "corpora_chunk"."id" FROM "corpora_chunk" WHERE "text" = \'secret\'', ("SELECT", "corpora_chunk")),
        ("  (SELECT 1)", ("SELECT", "")),
        ('INSERT INTO "chat_message" ("id") VALUES (%s)', ("INSERT", "chat_message")),
        ('SELECT "made up by somebody"', ("SELECT", "")),
        ("secret words", ("OTHER", "")),
    ],
)
def test_a_statement_is_told_by_its_operation_and_table(sql: str, said: tuple[str, str]) -> None:
    assert said_by(sql) == said


@pytest.mark.django_db(transaction=True)
def test_a_question_is_one_tree_and_has_no_text_in_it(collector: Collector, worker: Callable[[], int]) -> None:
    library = sample.build(worker)
    with LiveServer() as server:
        caller = server.by_key(library.alicia)
        with caller.ask("writer", sample.ABOUT_LOANS, headers={"traceparent": TRACEPARENT}) as stream:
            assert [one for one in stream if one.name == "done"]
        spans = collector.wait_for(TRACE, "POST /api/agents/", "retrieval", "index.search", "chat ")
    request = next(one for one in spans if one.name.startswith("POST /api"))
    assert request.parent == "b7ad6b7169203331"
    assert request.values["http.response.status_code"] == 200
    assert collector.way_up(spans, "index.search") == ["index.search", "retrieval", request.name]
    assert collector.way_up(spans, "retrieval.confirm") == ["retrieval.confirm", "retrieval", request.name]
    assert collector.way_up(spans, "chat ")[-1] == request.name
    assert {one.service for one in spans} == {"acervo"}
    told = b"".join(collector.bodies)
    for said in ("préstamo", "libro", "Biblioteca", "days", "Eres de la casa"):
        assert said.encode() not in told
    assert json.dumps([one.values for one in spans]).count("%s") == 0

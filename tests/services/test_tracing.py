"""One trace from a browser's request to database, index, model and worker, through real processes; lines in JSON."""

import json
from collections.abc import Iterator

import pytest

from tests.fakes.collector import Collector, running_collector
from tests.fakes.fixtures import ModelServer
from tests.live import Caller
from tests.services.installation import Background, Installation, Web, ended, indexed, new_corpus, uploaded

AGENT = "investigador-tecnico"
QUESTION, TEXT = "¿Cuántas ventanas tiene el faro?", b"# Faro\n\nEl faro tiene nueve ventanas violetas.\n"
ASKED_BEGINS, SENT = "0af7651916cd43dd8448eb211c8031", "1bf7651916cd43dd8448eb211c80319d"  # of 32 digits


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with running_collector() as running:
        yield running


@pytest.fixture(scope="module")
def settings_wanted(collector: Collector) -> dict[str, str]:
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "LOG_FORMAT": "json",
        "LOG_LEVEL": "INFO",
        "CELERY_QUIET": "true",
    }


@pytest.fixture(scope="module")
def admin(installation: Installation, web: Web, worker: Background, beat: Background) -> Caller:
    return installation.caller(web)


def headed(caller: Caller, trace: str, request_id: str) -> Caller:
    sent = {"traceparent": f"00-{trace}-b7ad6b7169203331-01", "X-Request-ID": request_id}
    return Caller(caller.port, {**caller.headers, **sent})


def test_an_upload_is_one_tree_from_the_request_to_the_stages_in_the_worker(
    admin: Caller, collector: Collector
) -> None:
    corpus = new_corpus(admin, AGENT)
    document = uploaded(headed(admin, SENT, "upload-0001"), corpus, "faro.md", TEXT)
    indexed(admin, document)
    spans = collector.wait_for(SENT, "POST /api/corpora/", "ingest", "ingest.read", "ingest.write", "ingest.switch")
    request = next(one for one in spans if one.name.startswith("POST /api/corpora"))
    for stage in ("ingest.read", "ingest.write", "ingest.switch"):
        way = collector.way_up(spans, stage)
        assert way[:2] == [stage, "ingest"]
        assert way[-1] == request.name
    assert [one.values["acervo.document"] for one in spans if one.name == "ingest"] == [document]


def test_a_question_is_one_tree_from_the_browser_to_the_model(
    admin: Caller, collector: Collector, model: ModelServer
) -> None:
    indexed(admin, uploaded(admin, new_corpus(admin, AGENT), "ventanas.md", TEXT + b"\nSon de 1898.\n"))
    trace = searched(admin, model)
    spans = collector.wait_for(trace, "POST /api/agents/", "retrieval", "retrieval.confirm", "index.search", "chat ")
    request = next(one for one in spans if one.name.startswith("POST /api/agents"))
    assert request.parent == "b7ad6b7169203331"
    assert collector.way_up(spans, "index.search") == ["index.search", "retrieval", request.name]
    asked = next(one for one in spans if one.name.startswith("chat "))
    assert collector.way_up(spans, asked.name) == [asked.name, request.name]
    assert any(one.name == "SELECT corpora_chunk" for one in spans)
    carried = {one["headers"].get("traceparent", "") for one in model.requests() if "chat" in one["path"]}
    assert carried == {f"00-{trace}-{asked.id}-01"}


def searched(admin: Caller, model: ModelServer) -> str:
    """The trace of the first question that was searched for: on a machine in a hurry one may be given up."""
    for trace in (f"{ASKED_BEGINS}{n}" for n in range(10, 15)):
        model.reset()
        if headed(admin, trace, f"question-{trace[-2:]}").answers(AGENT, QUESTION)[-1].data["state"] == "supported":
            return trace
    raise AssertionError("none of five questions was searched for and answered")


def test_no_span_has_a_text_of_anybody(collector: Collector) -> None:
    told = b"".join(collector.bodies)
    for words in ("ventanas", "violetas", "faro.md", "Bearer", "sk-test-key"):
        assert words.encode() not in told


def test_every_line_of_every_process_is_json_and_a_task_s_have_the_request_s_id(
    web: Web, worker: Background, beat: Background, admin: Caller
) -> None:
    document = uploaded(headed(admin, SENT, "broken-00001"), new_corpus(admin, AGENT), "leer.md", b"  \n")
    assert ended(admin, document)["status"] == "failed"
    lines = [line for one in (web, worker, beat) for line in one.log.read_text().splitlines() if line]
    said = [json.loads(line) for line in lines if line.startswith("{")]
    assert not [line for line in lines if not line.startswith(("{", *AT_THE_START))]
    assert {one["logger"].partition(".")[0] for one in said} >= {"celery", "workers"}
    (told,) = [one for one in said if document in one["message"]]
    assert (told["request_id"], told["trace_id"], told["task"]) == ("broken-00001", SENT, "workers.work")
    assert told["task_id"]


# What programs print before a logger is asked: `serve`, the token counter, Celery to whoever runs it as root.
AT_THE_START = ("Acervo is at", "tiktoken's vocabulary", "/", "absolutely", "Please", "User information", "  _warn")

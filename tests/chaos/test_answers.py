"""Answers whose server is killed, and answers that two processes of one installation serve (ADR 0013)."""

import copy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import eventually, patience, text_of
from tests.processes import Site, site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]
AGENT = "escritor-de-libros"  # answers without context too
QUESTION = "¿Qué es un bucle?"
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def talking_site(tmp_path: Path, model_server: ModelServer) -> Iterator[Site]:
    """Prepared with its own index; served without one, as every process but its owner would be."""
    with site(tmp_path) as made:
        made.environment |= {
            "OPENAI_BASE_URL": model_server.openai_url, "OPENAI_API_KEY": "sk-test-key", "EMBEDDING_MODEL": "lexical",
            "CHAT_MODEL": "fake", "QDRANT_URL": NOWHERE,
        }  # fmt: skip
        model_server.reset()
        model_server.script(path="chat", endless=True, pace=0.02)
        yield made


def shown(made: Site, conversation: str) -> dict[str, str]:
    answer: dict[str, str] = made.caller().call("GET", f"/api/conversations/{conversation}/").body["messages"][-1]
    return answer


def test_what_a_killed_server_had_written_is_there_and_marked_after_its_restart(talking_site: Site) -> None:
    made = talking_site
    made.start()
    with made.caller().ask(AGENT, QUESTION, background=True) as stream:
        found = stream.until("sources").data
        events = []
        while stream.lines and (not events or events[-1].at - events[0].at < 5.0):
            events.append(stream.until("token"))
        made.kill()
    said = text_of(events)
    made.start()
    eventually(lambda: shown(made, found["conversation"])["status"] == "failed", 15.0)
    kept = shown(made, found["conversation"])
    assert kept["error_code"] == "interrupted"
    assert said.startswith(kept["content"]) or kept["content"].startswith(said)
    lost = len(said.split()) - len(kept["content"].split())
    assert lost <= patience(2.0) / 0.02 + 25, "what was written in the last two seconds"
    assert kept["content"]
    with made.caller().follow(found["message"]) as again:
        told = list(again)
    assert (told[-1].name, told[-1].data["code"], text_of(told)) == ("error", "interrupted", kept["content"])


def test_an_answer_is_followed_and_stopped_from_another_process(talking_site: Site, model_server: ModelServer) -> None:
    one, other = talking_site, copy.copy(talking_site)
    one.start()
    other.start()
    try:
        with one.caller().ask(AGENT, QUESTION) as stream:
            first = stream.until("token")
            pk = stream.headers["x-message"]
            with other.caller().follow(pk) as elsewhere:
                assert elsewhere.until("sources").data["message"] == pk
                texts = [elsewhere.until("token").data["token"] for _ in range(3)]
                assert "".join(texts).startswith(first.data["token"])
                assert other.caller().call("POST", f"/api/messages/{pk}/stop/").status == 202
                assert elsewhere.until("done").data["status"] == "stopped"
            assert stream.until("done").data["status"] == "stopped"
        eventually(lambda: model_server.stats()["active"] == 0, 1.0)
    finally:
        other.kill()

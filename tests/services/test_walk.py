"""The whole way with every part at its real place: separate web, worker and beat processes on real services."""

import socket

import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import Caller, text_of
from tests.services.installation import MEMBER, Background, Installation, Web, indexed, new_corpus, uploaded
from tests.services.servers import wait_until

FARO = (
    "# El faro\n\nEl faro de Puerto Claro se encendió por primera vez en 1873 y su lente pesa dos toneladas.\n\n"
    "# La torre\n\nLa torre mide treinta y cuatro metros y tiene ciento noventa y nueve escalones.\n"
).encode()
ABOUT_FARO = "¿Cuándo se encendió por primera vez el faro de Puerto Claro?"
AGENT = "investigador-tecnico"


@pytest.fixture(scope="module")
def admin(installation: Installation, web: Web, worker: Background, beat: Background) -> Caller:
    return installation.caller(web)


def test_every_dependency_is_the_real_one_and_answers(admin: Caller) -> None:
    ready = admin.call("GET", "/readyz")
    assert ready.status == 200
    assert set(ready.body["dependencies"].values()) == {"ok"}


def test_the_health_check_of_the_worker_hears_it(installation: Installation, worker: Background) -> None:
    ping = ["-m", "celery", "-A", "config", "inspect", "ping", "--timeout", "10"]
    assert "pong" in installation.run(*ping, "--destination", f"{worker.name}@{socket.gethostname()}")


def test_what_the_sample_uploaded_is_indexed_by_the_worker(
    admin: Caller, installation: Installation, model: ModelServer
) -> None:
    def waiting() -> int:
        ((count,),) = installation.query("SELECT count(*) FROM corpora_document WHERE status <> 'indexed'")
        return int(count)

    wait_until(lambda: waiting() == 0, 60, "every sample document is indexed")
    ((documents, chunks),) = installation.query("SELECT count(*), sum(chunk_count) FROM corpora_document")
    assert documents > 10
    assert model.stats()["embed_items"] >= chunks


def test_an_upload_is_indexed_found_answered_and_cited(admin: Caller, installation: Installation, web: Web) -> None:
    corpus = new_corpus(admin, AGENT)
    document = uploaded(admin, corpus, "faro.md", FARO)
    assert indexed(admin, document)["chunk_count"] >= 1
    events = installation.caller(web, MEMBER).answers(AGENT, ABOUT_FARO)
    sources, ending = events[0].data["sources"], events[-1]
    assert sources[0]["document"] == document
    assert (ending.name, ending.data["status"]) == ("done", "complete")
    assert "[1]" in text_of(events)
    assert ending.data["cited"] == [1]


def test_a_deleted_document_is_gone_at_once_and_leaves_nothing(admin: Caller, installation: Installation) -> None:
    corpus = new_corpus(admin, AGENT)
    document = uploaded(admin, corpus, "torre.md", FARO.replace(b"1873", b"1874"))
    indexed(admin, document)
    assert admin.call("DELETE", f"/api/documents/{document}/?erase=now").status == 204
    found = admin.call("POST", f"/api/agents/{AGENT}/retrieve/", {"query": ABOUT_FARO})
    assert document not in {one["document"] for one in found.body["chunks"]}
    erased = "SELECT count(*) FROM corpora_erasurereceipt WHERE subject_id = %s"
    wait_until(lambda: installation.query(erased, document) == [(1,)], 30, "the erasure has its receipt")
    assert installation.query("SELECT count(*) FROM corpora_document WHERE id = %s", document) == [(0,)]


def test_a_stop_taken_by_another_web_process_ends_the_answer(
    admin: Caller, installation: Installation, model: ModelServer
) -> None:
    other = installation.caller(installation.web("web2"))
    model.script(path="chat", text="palabra " * 400, pace=0.05, times=1)
    with admin.ask(AGENT, ABOUT_FARO) as stream:
        message = stream.until("sources").data["message"]
        stream.until("token")
        assert other.call("POST", f"/api/messages/{message}/stop/").status == 202
        ending = stream.until("done")
    assert ending.data["status"] == "stopped"
    wait_until(lambda: model.stats()["active"] == 0, 2, "the model is no longer asked")


def test_a_worker_of_processes_ingests_as_one_of_threads_does(
    admin: Caller, installation: Installation, worker: Background
) -> None:
    worker.stop()
    forked = installation.worker("forked", pool="prefork")
    try:
        corpus = new_corpus(admin, AGENT)
        document = uploaded(admin, corpus, "faro.md", FARO)
        assert indexed(admin, document)["chunk_count"] >= 1
    finally:
        forked.stop()
        worker.start()


def test_reconciling_finds_database_and_index_in_agreement(admin: Caller, installation: Installation) -> None:
    said = installation.manage("reconcile")
    assert " 0 orphans removed, 0 documents queued again" in said

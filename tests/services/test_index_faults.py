"""An index server that dies or hangs: chat goes on without context, work waits, nothing is lost (RELIABILITY)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.live import Caller, patience
from tests.services.installation import Background, Installation, Web, indexed, new_corpus, uploaded
from tests.services.servers import IndexServer, wait_until

AGENT = "investigador-tecnico"
QUESTION = "¿Qué guarda la relojera en su taller?"
CLOCKS = "# Taller\n\nLa relojera guarda en su taller el reloj de péndulo del faro.\n"


@pytest.fixture(scope="module")
def admin(installation: Installation, web: Web, worker: Background, beat: Background) -> Caller:
    return installation.caller(web)


@pytest.fixture(scope="module")
def index(installation: Installation) -> IndexServer:
    return installation.services.index


@pytest.fixture(scope="module")
def corpus(admin: Caller) -> str:
    return new_corpus(admin, AGENT)


@pytest.fixture(scope="module")
def known(admin: Caller, corpus: str) -> str:
    """A document that is indexed and can be found."""
    document = uploaded(admin, corpus, "taller.md", CLOCKS.encode())
    indexed(admin, document)
    return document


@contextmanager
def dead(index: IndexServer) -> Iterator[None]:
    index.kill()
    try:
        yield
    finally:
        index.start()


@contextmanager
def silent(index: IndexServer) -> Iterator[None]:
    index.freeze()
    try:
        yield
    finally:
        index.thaw()


@pytest.mark.parametrize("fault", [dead, silent])
def test_chat_answers_without_context_says_so_and_recovers(
    admin: Caller, known: str, index: IndexServer, fault: type[dead]
) -> None:
    assert admin.answers(AGENT, QUESTION)[0].data["sources"]
    with fault(index):
        answers = [admin.answers(AGENT, f"{QUESTION} {n}") for n in range(5)]
        for events in answers:
            assert (events[0].data["degraded"], events[0].data["sources"]) == ("index_unavailable", [])
            assert events[0].at < patience(1.5)
            assert events[-1].data["status"] == "complete"
        assert answers[-1][0].at < patience(0.5), "the breaker spares a question the wait"
        assert admin.call("GET", "/readyz").body["dependencies"]["index"] == "down"
    wait_until(lambda: bool(admin.answers(AGENT, QUESTION)[0].data["sources"]), 20, "it is found again")


def test_a_document_waits_for_the_index_and_is_indexed_when_it_is_back(
    admin: Caller, corpus: str, known: str, index: IndexServer
) -> None:
    with dead(index):
        document = uploaded(admin, corpus, "espera.md", CLOCKS.replace("péndulo", "arena").encode())
        address = f"/api/documents/{document}/"
        wait_until(lambda: admin.call("GET", address).body["error"] is not None, 30, "it says why it waits")
        found = admin.call("GET", address).body
        assert (found["status"], found["error"]["code"]) == ("pending", "service_unavailable")
    assert indexed(admin, document, 60)["error"] is None
    assert index.count(document) == 1


def test_an_index_that_dies_in_the_middle_of_a_document_has_it_whole_in_the_end(
    admin: Caller, corpus: str, known: str, index: IndexServer
) -> None:
    text = "# Inventario\n" + "".join(
        f"\n## Estante {shelf}\n\n" + f"En el estante {shelf} hay cajas, relojes y llaves numeradas. " * 60
        for shelf in range(1200)
    )
    document = uploaded(admin, corpus, "inventario.md", text.encode())
    wait_until(lambda: index.count(document) > 0, 40, "its first points are there")
    index.kill()
    time.sleep(1)
    index.start()
    found = indexed(admin, document, 120)
    assert found["error"] is None
    assert index.count(document) == found["chunk_count"] > 800


def test_what_is_deleted_while_the_index_is_down_is_not_found_and_is_erased_when_it_is_back(
    admin: Caller, corpus: str, installation: Installation, index: IndexServer
) -> None:
    document = uploaded(admin, corpus, "borrar.md", CLOCKS.replace("péndulo", "agua").encode())
    indexed(admin, document)
    row = "SELECT count(*) FROM corpora_document WHERE id = %s"
    with dead(index):
        assert admin.call("DELETE", f"/api/documents/{document}/?erase=now").status == 204
        assert admin.call("GET", f"/api/documents/{document}/").status == 404
        assert installation.query(row, document) == [(1,)], "the row stays until nothing is left"
    assert document not in {source["document"] for source in admin.answers(AGENT, QUESTION)[0].data["sources"]}
    wait_until(lambda: installation.query(row, document) == [(0,)], 60, "it is erased")
    assert index.count(document) == 0


def test_two_processes_that_make_the_collection_at_once_both_get_it(installation: Installation) -> None:
    make = (
        "import threading; from pathlib import Path; from django.conf import settings as s\n"
        "from retrieval.index import make_index\n"
        "made = [make_index('race', 8, url=s.QDRANT_URL, api_key=s.QDRANT_API_KEY, folder=Path()) for _ in range(8)]\n"
        "failed = []\n"
        "def ensure(index):\n"
        "    try: index.ensure()\n"
        "    except Exception as error: failed.append(error)\n"
        "threads = [threading.Thread(target=ensure, args=(one,)) for one in made]\n"
        "[one.start() for one in threads]; [one.join() for one in threads]\n"
        "print('failed:', failed)\n"
    )
    assert "failed: []" in installation.manage("shell", "--command", make)

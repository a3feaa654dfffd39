"""Processes that are killed: nothing is lost, nothing is done twice, nothing is left half (RELIABILITY, faults)."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import pytest

from conftest import SHARED
from corpora.tests import documents
from tests.fakes.fixtures import ModelServer
from tests.live import eventually, patience
from tests.processes import Site, children, site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]
CHUNKS = 'select id, granularity, "index", text, token_count, start, end from corpora_chunk'


@pytest.fixture
def embedding_site(tmp_path: Path, model_server: ModelServer) -> Iterator[Site]:
    """Embeddings from the fake server, which takes 5 ms for each text."""
    with site(tmp_path, OPENAI_BASE_URL=model_server.openai_url) as made:
        model_server.reset()
        model_server.script(path="embeddings", item_latency=0.005)
        yield made


@pytest.fixture
def lexical_site(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        yield made


def long_pdf() -> bytes:
    """The 429-page manual of the shared samples, or as many pages of our own."""
    manual = SHARED / "samples" / "estandares" / "manual-429-pages-en.pdf"
    if manual.exists():
        return manual.read_bytes()
    pages = [
        [f"Page {page}, line {line}: the harbour master writes the log." for line in range(45)] for page in range(429)
    ]
    return documents.pdf(pages)


def long_text(words: str = "El farero anota en su cuaderno el viento, la marea y los barcos que pasan. ") -> bytes:
    """About 1,000 chunks of 800 tokens: three batches."""
    return "\n\n".join(f"# Día {n}\n\n{f'Entrada {n}. ' + words * 36}" for n in range(1000)).encode()


def chunks_of(made: Site, document: str) -> list[tuple[Any, ...]]:
    return made.rows(f'{CHUNKS} where document_id = ? order by granularity, "index"', UUID(document).hex)


def assert_as_a_clean_run(made: Site, document: str, clean: str) -> None:
    """Same chunks as a document that was never interrupted, under its own deterministic ids; points to match."""
    interrupted, reference = chunks_of(made, document), chunks_of(made, clean)
    assert len(interrupted) == len(reference) > 0
    assert [row[1:] for row in interrupted] == [row[1:] for row in reference]
    for pk, found in ((document, interrupted), (clean, reference)):
        expected = {uuid5(UUID(pk), f"1:{row[1]}:{row[2]}").hex for row in found}
        assert {row[0] for row in found} == expected
        assert {point for point, of in made.point_ids() if of == UUID(pk).hex} == expected
    assert made.rows("select count(*) from corpora_documenttext where document_id = ?", UUID(document).hex) == [(1,)]


def run_clean(made: Site, content: bytes, name: str) -> str:
    clean = made.upload(made.make_corpus("Limpio"), name, content).body["id"]
    assert made.wait_for(clean, seconds=90)["status"] == "indexed"
    return str(clean)


def embedding(made: Site, document: str, progress: float) -> Callable[[], bool]:
    def is_embedding() -> bool:
        now = made.document(document)
        assert now["status"] != "indexed", "too fast to be killed"
        return bool(now["stage"] == "embed" and now["progress"] >= progress)

    return is_embedding


@pytest.mark.parametrize(
    ("content", "name", "progress"), [(long_pdf, "manual.pdf", 0.25), (long_text, "diario.md", 0.5)]
)
def test_a_server_killed_while_it_embeds_ends_where_a_clean_run_ends(
    embedding_site: Site, model_server: ModelServer, content: Callable[[], bytes], name: str, progress: float
) -> None:
    made, original = embedding_site, content()
    made.start()
    document = made.upload(made.make_corpus(), name, original).body["id"]
    eventually(embedding(made, document, progress), 60)
    made.kill()
    status, attempts, version = made.rows(
        "select status, attempts, version from corpora_document where id = ?", UUID(document).hex
    )[0]
    assert (status, attempts, version) == ("processing", 1, 0)
    made.start()
    assert made.document(document)["chunk_count"] == 0, "readers see nothing of it yet"
    done = made.wait_for(document, seconds=90)
    assert (done["status"], done["error"]) == ("indexed", None)
    clean = run_clean(made, original, name)
    made.kill()
    assert_as_a_clean_run(made, document, clean)


def test_a_server_killed_three_times_gives_the_document_up_with_advice(
    embedding_site: Site, model_server: ModelServer
) -> None:
    made = embedding_site
    model_server.script(path="embeddings", latency=60.0)
    made.start()
    document = made.upload(made.make_corpus(), "a.md", b"# A\n\nUn texto corto.\n").body["id"]
    for attempt in (1, 2, 3):
        eventually(
            lambda n=attempt: (
                made.rows("select attempts from corpora_document where id = ?", UUID(document).hex)[0][0] == n
            ),
            30,
        )
        made.kill()
        made.start()
    failed = made.wait_for(document, "failed", seconds=40)
    assert failed["error"]["code"] == "too_many_attempts"
    assert failed["error"]["detail"]


def test_nothing_is_lost_between_the_202_and_the_work(lexical_site: Site) -> None:
    made = lexical_site
    made.start()
    corpus = made.make_corpus()
    accepted = [made.upload(corpus, f"{n}.md", f"# Nota {n}\n\nEl texto {n}.\n".encode()) for n in range(12)]
    made.kill()
    assert {answer.status for answer in accepted} == {202}
    made.start()
    for answer in accepted:
        assert made.wait_for(answer.body["id"])["status"] == "indexed"
    assert made.rows(
        "select count(*) from corpora_document where version = 1 and filename like '_%.md' and corpus_id = ?",
        UUID(corpus).hex,
    ) == [(12,)]


# The extraction's processes


def zygote_of(made: Site) -> int:
    """The server's only child: the extraction zygote, which is there once a document has been read."""
    (zygote,) = children(made.pid)
    return zygote


def test_a_killed_extraction_child_fails_its_document_and_nothing_else(lexical_site: Site) -> None:
    made = lexical_site
    made.start()
    corpus = made.make_corpus()
    warm = made.upload(corpus, "antes.md", b"# Antes\n\nUn texto corto.\n").body["id"]
    made.wait_for(warm)
    zygote = zygote_of(made)
    stop, killed = threading.Event(), []

    def killer() -> None:
        while not stop.is_set() and not killed:
            for child in children(zygote):
                os.kill(child, signal.SIGKILL)
                killed.append(child)
            time.sleep(0.0005)

    hunting = threading.Thread(target=killer)
    hunting.start()
    document = made.upload(corpus, "manual.pdf", long_pdf()).body["id"]
    failed = made.wait_for(document, seconds=60)
    stop.set()
    hunting.join()
    assert killed
    assert (failed["status"], failed["error"]["code"]) == ("failed", "extraction_crashed")
    after = made.upload(corpus, "despues.md", "# Después\n\nOtro texto corto.\n".encode()).body["id"]
    assert made.wait_for(after)["status"] == "indexed"
    assert zygote_of(made) == zygote
    again = made.caller().call("POST", f"/api/documents/{document}/reprocess/")
    assert again.status == 202
    assert made.wait_for(document, seconds=90)["status"] == "indexed"


def test_a_killed_zygote_is_replaced(lexical_site: Site) -> None:
    made = lexical_site
    made.start()
    corpus = made.make_corpus()
    made.wait_for(made.upload(corpus, "antes.md", b"# Antes\n\nUn texto corto.\n").body["id"])
    zygote = zygote_of(made)
    os.kill(zygote, signal.SIGKILL)
    after = made.upload(corpus, "despues.md", "# Después\n\nOtro texto.\n".encode()).body["id"]
    assert made.wait_for(after)["status"] == "indexed"
    assert zygote_of(made) != zygote


def test_a_killed_server_leaves_no_process_behind(lexical_site: Site) -> None:
    made = lexical_site
    made.start()
    made.wait_for(made.upload(made.make_corpus(), "a.md", b"# A\n\nUn texto.\n").body["id"])
    zygote = zygote_of(made)
    made.kill()
    eventually(lambda: not Path(f"/proc/{zygote}/cmdline").exists() or not Path(f"/proc/{zygote}/cmdline").read_bytes())


# SIGTERM


def test_sigterm_drains_and_the_restart_loses_nothing(embedding_site: Site, model_server: ModelServer) -> None:
    made = embedding_site
    made.start()
    corpus = made.make_corpus()
    model_server.script(path="embeddings", latency=1.0)
    uploaded = [made.upload(corpus, f"{n}.md", f"# Nota {n}\n\nEl texto {n}.\n".encode()).body["id"] for n in range(12)]
    eventually(lambda: model_server.stats()["embed_peak"] > 0)
    started = time.monotonic()
    assert made.terminate() == 0
    assert time.monotonic() - started < patience(20)
    states = made.rows("select status, attempts from corpora_document where corpus_id = ?", UUID(corpus).hex)
    assert all(status in ("pending", "indexed") for status, _ in states), "what was in work has ended"
    assert any(status == "indexed" for status, _ in states)
    assert all(attempts == 0 for _, attempts in states)
    made.start()
    for document in uploaded:
        assert made.wait_for(document)["status"] == "indexed"
    assert "Traceback" not in made.log()


def test_sigterm_does_not_wait_for_ever(embedding_site: Site, model_server: ModelServer) -> None:
    made = embedding_site
    made.start()
    model_server.script(path="embeddings", latency=120.0)
    document = made.upload(made.make_corpus(), "a.md", b"# A\n\nUn texto.\n").body["id"]
    eventually(lambda: model_server.stats()["embed_peak"] > 0)
    started = time.monotonic()
    assert made.terminate() == 0
    assert time.monotonic() - started < patience(25)
    assert made.rows("select status, attempts from corpora_document where id = ?", UUID(document).hex) == [
        ("pending", 0)
    ]


def test_sigterm_lets_an_answer_end(embedding_site: Site, model_server: ModelServer) -> None:
    made = embedding_site
    made.start()
    model_server.script(path="chat", text=" ".join(f"palabra{n}" for n in range(40)), pace=0.05)
    with made.caller().ask("escritor-de-libros", "¿Cuántos días dura un préstamo?") as stream:
        message = stream.until("sources").data["message"]
        stream.until("token")
        ending = ThreadPoolExecutor(1).submit(made.terminate)
        events = list(stream)
    assert events[-1].data["status"] == "complete"
    assert ending.result() == 0
    kept = made.rows("select status, content from chat_message where id = ?", UUID(message).hex)[0]
    assert kept[0] == "complete"
    assert kept[1].endswith("palabra39")


def test_ctrl_c_is_an_orderly_end_too(lexical_site: Site) -> None:
    made = lexical_site
    made.start()
    assert made.process is not None
    made.process.send_signal(signal.SIGINT)
    assert made.process.wait(patience(20)) == 0
    assert "Traceback" not in made.log()

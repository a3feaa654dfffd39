"""Many at once, and large ones: nothing is lost on SQLite, and memory stays bounded (PERFORMANCE, targets)."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import UUID

import pytest

from corpora.tests import documents
from tests.live import Answer, eventually, patience
from tests.processes import Site, memory_mb, site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads memory from /proc"),
]
MOST_MB = 450.0


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        made.start()
        yield made


def test_32_uploads_at_once_lose_none(served: Site) -> None:
    corpora = [served.make_corpus(f"Corpus {n}") for n in range(4)]

    def upload(n: int) -> Answer:
        content = f"# Informe {n}\n\n{f'El dato {n} se mide cada día. ' * 200}".encode()
        return served.upload(corpora[n % 4], f"informe-{n}.md", content)

    with ThreadPoolExecutor(32) as threads:
        answers = list(threads.map(upload, range(128)))
    assert {answer.status for answer in answers} == {202}
    ids = {UUID(answer.body["id"]).hex for answer in answers}
    assert len(ids) == 128

    def left() -> int:
        return int(served.rows("select count(*) from corpora_document where status != 'indexed'")[0][0])

    eventually(lambda: left() == 0, 90.0)
    kept = served.rows(
        "select id, version, attempts, chunk_count from corpora_document where filename like 'informe-%'"
    )
    assert {row[0] for row in kept} == ids
    assert {row[1:3] for row in kept} == {(1, 0)}
    served.kill()
    points = [of for _, of in served.point_ids()]
    assert all(points.count(row[0]) == row[3] for row in kept)
    assert "locked" not in served.log()


def test_questions_are_answered_while_documents_are_ingested(served: Site) -> None:
    corpus = served.make_corpus()
    content = [f"# Informe {n}\n\n{f'El dato {n} se mide cada día. ' * 2_000}".encode() for n in range(8)]
    uploaded = [served.upload(corpus, f"{n}.md", one).body["id"] for n, one in enumerate(content)]
    for n in range(10):
        events = served.caller().answers("escritor-de-libros", f"¿Cuántos días dura un préstamo? {n}")
        assert events[-1].data["status"] == "complete"
        assert events[0].data["sources"]
        assert events[0].at < patience(2.0)
    for document in uploaded:
        assert served.wait_for(document)["status"] == "indexed"


def test_a_second_start_is_quick(tmp_path: Path) -> None:
    with site(tmp_path) as made:
        made.start()
        assert made.terminate() == 0
        assert made.start() < patience(5.0)


def six_hundred_pages(edition: int) -> bytes:
    line = "Edition {}, page {}, line {}: the keeper notes wind, tide and every ship that passes the light."
    return documents.pdf([[line.format(edition, page, n) for n in range(45)] for page in range(600)])


def test_memory_stays_bounded_over_three_ingestions_of_600_pages(served: Site) -> None:
    corpus = served.make_corpus()
    peaks = []
    for edition in (1, 2, 3):
        document = served.upload(corpus, f"log-{edition}.pdf", six_hundred_pages(edition)).body["id"]
        done = served.wait_for(document, seconds=120)
        assert (done["status"], done["page_count"]) == ("indexed", 600)
        peaks.append(memory_mb(served.pid, "VmHWM"))
    assert peaks[0] <= MOST_MB
    assert peaks[2] <= 1.25 * peaks[0], "each document leaves something behind"

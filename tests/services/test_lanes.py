"""A real worker for each lane on Redis and PostgreSQL: what waits in one keeps none of the others (ADR 0002)."""

import time
from collections.abc import Iterator

import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import Caller, patience
from tests.services.installation import Background, Installation, Web, indexed, new_corpus, upload, uploaded
from tests.services.servers import wait_until

BACKLOG = 60
LANES = ("ingestion", "short", "upkeep")


@pytest.fixture(scope="module")
def lanes(installation: Installation, beat: Background) -> dict[str, Background]:
    return {lane: installation.worker(f"worker-{lane}", queues=lane) for lane in LANES}


@pytest.fixture(scope="module")
def admin(installation: Installation, web: Web, lanes: dict[str, Background]) -> Caller:
    return installation.caller(web)


@pytest.fixture
def busy(admin: Caller, model: ModelServer) -> Iterator[str]:
    """A corpus with a backlog of documents too large for the short lane, a second and more of embedding each."""
    corpus = new_corpus(admin)
    model.script(path="embeddings", latency=1.0)
    for n in range(BACKLOG):
        body = f"# Parte {n}\n\n" + f"La torre número {n} alumbra la costa. " * 1200
        assert upload(admin, corpus, f"{n}.md", body.encode()).status == 202
    yield corpus
    model.reset()


def waiting(installation: Installation) -> int:
    ((count,),) = installation.query("SELECT count(*) FROM corpora_document WHERE status = 'pending'")
    return int(count)


def test_short_work_and_upkeep_go_on_behind_a_backlog(
    admin: Caller, busy: str, installation: Installation, lanes: dict[str, Background]
) -> None:
    swept = "SELECT began_at FROM workers_claim WHERE name = 'periodic:sweep'"
    wait_until(lambda: bool(installation.query(swept)), patience(15), "a first sweep ran")
    ((began,),) = installation.query(swept)
    own = new_corpus(admin)
    started = time.monotonic()
    note = uploaded(admin, own, "nota.md", b"# Nota\n\nUna nota corta.\n")
    indexed(admin, note, patience(6))
    assert admin.call("DELETE", f"/api/documents/{note}/?erase=now").status == 204
    erased = "SELECT count(*) FROM corpora_erasurereceipt WHERE subject_id = %s"
    wait_until(lambda: installation.query(erased, note) == [(1,)], patience(10), "the note is erased")
    assert waiting(installation) > 0, f"the backlog is still there after {time.monotonic() - started:.0f} s"
    sweeps = "SELECT count(*) FROM workers_claim WHERE name = 'periodic:sweep' AND began_at > %s"
    wait_until(lambda: installation.query(sweeps, began) == [(1,)], patience(15), "a sweep ran")
    assert "Discarding revoked task" not in lanes["upkeep"].log.read_text()


def test_a_killed_workers_documents_are_taken_up_in_time_behind_the_backlog(
    admin: Caller, busy: str, installation: Installation, lanes: dict[str, Background]
) -> None:
    in_work = "SELECT id FROM corpora_document WHERE status = 'processing'"
    wait_until(lambda: bool(installation.query(in_work)), 20, "a document is in work")
    lanes["ingestion"].kill()
    killed = [one for (one,) in installation.query(in_work)]
    lanes["ingestion"].start()
    again = "SELECT count(*) FROM corpora_document WHERE id = ANY(%s) AND (status = 'indexed' OR attempts > 1)"
    wait_until(lambda: installation.query(again, killed) == [(len(killed),)], patience(45), "they are taken up again")


def test_a_plain_worker_serves_every_lane(
    admin: Caller, installation: Installation, lanes: dict[str, Background], model: ModelServer
) -> None:
    """What an operator gets who starts one worker without any option."""
    model.reset()
    for worker in lanes.values():
        worker.stop()
    plain = Background(
        installation, "plain", "ready.", "-A", "config", "worker", "--pool", "threads", "--loglevel", "INFO"
    )
    installation.processes.append(plain)
    plain.start()
    document = uploaded(admin, new_corpus(admin), "a.md", b"# A\n\nUno.\n")
    indexed(admin, document, patience(40))
    assert all(f".> {lane}" in plain.log.read_text() for lane in LANES)
    plain.stop()
    for worker in lanes.values():
        worker.start()

"""Services that die, fall silent, become slow, lose what they had, or have no room left."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import redis

from tests.live import patience
from tests.services.faults.ground import AGENT, Ground
from tests.services.faults.rows import fault
from tests.services.faults.trial import Trial
from tests.services.servers import Server, wait_until

REFUSALS = (503, 507)


@contextmanager
def stopped(server: Server, *, at_once: bool = False) -> Iterator[None]:
    if at_once:
        server.kill()
    else:
        server.stop()
    try:
        yield
    finally:
        server.start()


# the broker


def _taken_within(trial: Trial, name: str, seconds: float) -> None:
    began = time.monotonic()
    answer = trial.upload(name)
    took = time.monotonic() - began
    trial.expect(answer.status == 202 and took < patience(seconds), f"{answer.status} after {took:.1f} s")


@fault("broker down at upload", within=40, hurts="broker", needs="database web objects")
def broker_down(trial: Trial) -> Iterator[None]:
    with stopped(trial.ground.services.redis):
        _taken_within(trial, "abajo", 2)
        yield


@fault("broker down at upload", within=40, hurts="broker", needs="database web objects")
def broker_silent(trial: Trial) -> Iterator[None]:
    with trial.ground.redis.black_hole():
        _taken_within(trial, "callado", 4)
        yield


@fault("broker flushed; crash between commit and publish", within=40, hurts="broker", needs="database web objects")
def broker_flushed(trial: Trial) -> Iterator[None]:
    with redis.Redis.from_url(trial.ground.services.redis.url(0)) as broker:
        for n in range(3):
            trial.upload(f"olvido{n}")
            broker.flushall()
    yield


# the index


def _answers_without_context(trial: Trial, seconds: float) -> None:
    events = trial.ask("sin índice")
    if trial.judged:
        trial.expect(bool(events) and events[-1].data.get("status") == "complete", "no answer")
        for one in events[:1]:
            trial.expect(one.data.get("degraded") == "index_unavailable", f"marked {one.data.get('degraded')}")
            trial.expect(one.at < patience(seconds), f"first event after {one.at:.1f} s")


def _deleted_without_the_index(trial: Trial, document: str) -> None:
    """The row stays until its points are gone, and nobody sees it."""
    answer = trial.call("DELETE", f"/api/documents/{document}/?erase=now")
    if answer.status == 204:
        trial.gone.add(document)
        trial.expect(trial.call("GET", f"/api/documents/{document}/").status == 404, "it is still told")
        trial.expect(trial.state(document)[0] != "", "its row went before its points")
    trial.upload("sin-índice")


INDEX_IN_CHAT = "Qdrant down or 5 s slow in chat"
INDEX_IN_WORK = "Qdrant down while ingesting or deleting"


@fault(INDEX_IN_WORK, within=40, hurts="index", needs="broker database web model objects")
def index_killed(trial: Trial) -> Iterator[None]:
    known = trial.document("conocido")
    wait_until(lambda: trial.state(known)[0] == "indexed", patience(40), "it is indexed")
    with stopped(trial.ground.services.index, at_once=True):
        _answers_without_context(trial, 1.5)
        _deleted_without_the_index(trial, known)
        yield
    trial.expect(known not in trial.found(), "what was deleted is found")


@fault(INDEX_IN_CHAT, within=40, hurts="index", needs="database web model")
def index_five_seconds_slow(trial: Trial) -> Iterator[None]:
    with trial.ground.index.slow(5.0):
        _answers_without_context(trial, 2.5)
        yield


@fault(INDEX_IN_CHAT, within=40, hurts="index", needs="database web model")
def index_silent(trial: Trial) -> Iterator[None]:
    with trial.ground.index.black_hole():
        _answers_without_context(trial, 2.5)
        trial.upload("callado-índice")
        yield


@fault("half an upsert applied", within=60, hurts="index", needs="broker database web worker objects")
def half_an_upsert(trial: Trial) -> Iterator[None]:
    """The wire is cut within a document's second batch of points, while its former version is served."""
    document = trial.document("mitades", 150)
    wait_until(lambda: trial.state(document)[0] == "indexed", patience(60), "its first version is indexed")
    served = "SELECT version FROM corpora_document WHERE id = %s"
    before = trial.ground.rows(served, document)
    trial.ground.index.cut_after(3_000_000)
    answer = trial.call("POST", f"/api/documents/{document}/reprocess/")
    yield
    if answer.status == 202:
        wait_until(lambda: trial.ground.rows(served, document) != before, patience(90), "its second version is served")


# the database


def _refused(trial: Trial) -> None:
    """503 at every door, and nothing from memory."""
    question = {"messages": [{"role": "user", "content": trial.question()}]}
    doors = {
        "chat": ("POST", f"/api/agents/{AGENT}/chat/", question),
        "retrieve": ("POST", f"/api/agents/{AGENT}/retrieve/", {"query": trial.question()}),
        "list": ("GET", "/api/corpora/", None),
    }
    for door, asked in doors.items():
        status = trial.call(*asked).status
        trial.expect(status == 503, f"{door}: {status}")
    status = trial.upload("sin-base").status
    trial.expect(status == 503, f"upload: {status}")


@fault("PostgreSQL down", within=20, hurts="database web", needs="")
def database_down(trial: Trial) -> Iterator[None]:
    with stopped(trial.ground.services.postgres):
        _refused(trial)
        yield


@fault("PostgreSQL down", within=30, hurts="database web", needs="")
def database_silent(trial: Trial) -> Iterator[None]:
    """Connections are taken and nothing is said, as a machine does whose disk hangs."""
    with trial.ground.database.black_hole():
        began = time.monotonic()
        status = trial.call("GET", "/api/corpora/").status
        took = time.monotonic() - began
        trial.expect(status == 503 and took < patience(6), f"{status} after {took:.1f} s")
        _refused(trial)
    yield


@fault("PostgreSQL restarts mid-stream", within=20, hurts="database web", needs="model")
def database_restarts_mid_answer(trial: Trial) -> Iterator[None]:
    answer = trial.slow_answer(60, 0.05)
    wait_until(lambda: answer.speaks() or bool(answer.error), patience(20), "it speaks")
    with stopped(trial.ground.services.postgres):
        time.sleep(0.5)
    events = answer.ended(30)
    trial.expect(bool(events) and events[-1].data.get("status") == "complete", f"it was cut: {answer.error}")
    if events and events[-1].name == "done":
        trial.answers.append(answer.message)
    yield


@fault("any of these with a backlog of 200 documents, or two at once", within=30, hurts="slow", needs="")
def every_wire_slow(trial: Trial) -> Iterator[None]:
    """Thirty milliseconds on each way, as between two cities."""
    ground = trial.ground
    with ground.database.slow(0.03), ground.redis.slow(0.03), ground.index.slow(0.03), ground.models.slow(0.03):
        trial.upload("lejos")
        yield


# the object store


def _room(ground: Ground) -> list[tuple[int]]:
    return ground.rows(
        "SELECT count(*) FROM corpora_document WHERE deleted_at IS NULL AND filename LIKE %s", "%-lleno.md"
    )


DISK = "disk full; object store refuses"


@fault(DISK, within=40, hurts="objects", needs="database web", lacking="disk")
def disk_full(trial: Trial) -> Iterator[None]:
    with trial.ground.full_disk():
        _refused_without_a_row(trial)
        yield
    trial.upload("sitio")


@fault(DISK, within=40, hurts="objects", needs="database web", lacking="objects")
def object_store_killed(trial: Trial) -> Iterator[None]:
    store = trial.ground.store
    assert store is not None
    with stopped(store, at_once=True):
        _refused_without_a_row(trial)
        yield
    trial.upload("sitio")


@fault(DISK, within=40, hurts="objects", needs="database web", lacking="objects")
def object_store_silent(trial: Trial) -> Iterator[None]:
    """Whoever sends waits, and is told in the end; nobody else does."""
    store = trial.ground.store
    assert store is not None
    store.freeze()
    sending = threading.Thread(target=trial.upload, args=("quieto",))
    try:
        sending.start()
        began = time.monotonic()
        status = trial.call("GET", "/api/corpora/").status
        trial.expect(status == 200 and time.monotonic() - began < patience(3), f"others: {status}")
        time.sleep(2)
    finally:
        store.thaw()
    sending.join()
    yield


def _refused_without_a_row(trial: Trial) -> None:
    before = _room(trial.ground)
    answer = trial.upload("lleno")
    if trial.judged:
        trial.expect(answer.status in REFUSALS, f"upload: {answer.status} {answer.body}")
        trial.expect(_room(trial.ground) == before, "a row without its file")

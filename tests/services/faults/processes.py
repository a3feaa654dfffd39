"""Processes of ours that are killed, told to stop, or live in another time; work that meets itself."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

from celery import Celery

from tests.live import patience
from tests.processes import children
from tests.services.faults.ground import AGENT
from tests.services.faults.rows import fault
from tests.services.faults.trial import Listening, Trial
from tests.services.servers import wait_until

LONG = 30  # sections: a document whose passages are several


def held_up(trial: Trial, name: str, seconds: float) -> str:
    """A document whose embedding the model holds up, once; returns when a worker waits for it."""
    trial.ground.model.script(path="embeddings", holding=f"{trial.token} {name}", latency=seconds, times=1)
    document = trial.document(name, LONG)
    wait_until(lambda: trial.is_embedding(document), patience(30), f"{name} is embedded")
    return document


@fault("worker child or whole worker killed (-9) mid-embedding", within=40, hurts="worker")
def workers_killed(trial: Trial) -> Iterator[None]:
    """Nobody moves the clock: the lease ends, the sweeper says so, and others take the document up."""
    document = held_up(trial, "muerte", 60.0)
    for worker in trial.ground.workers:
        worker.kill()
    trial.mended()
    for worker in trial.ground.workers:
        worker.start()
    yield
    ((attempts,),) = trial.ground.rows("SELECT attempts FROM corpora_document WHERE id = %s", document)
    trial.expect(attempts <= 3, f"{attempts} attempts")


@fault("worker child or whole worker killed (-9) mid-embedding", within=40, hurts="worker")
def extraction_process_killed(trial: Trial) -> Iterator[None]:
    """The process that reads documents for a worker: what it reads fails with a code, the next is read by another."""
    for worker in trial.ground.workers:
        assert worker.process is not None
        for child in children(worker.process.pid):
            os.kill(child, signal.SIGKILL)
    yield


@fault(
    "the same document delivered 10 times at once",
    within=30,
    hurts="",
    needs="database web worker broker model objects",
)
def ten_deliveries(trial: Trial) -> Iterator[None]:
    redis = trial.ground.services.redis
    app = Celery(broker=redis.url(0))
    document = trial.document("diez")
    for _ in range(10):
        app.send_task("workers.work", ("ingestion",), queue="ingestion")
        app.send_task("workers.work", ("short",), queue="short")
    app.close()
    yield
    wait_until(lambda: trial.state(document)[0] == "indexed", patience(30), "it is indexed")
    asked = [one["body"]["input"] for one in trial.ground.model.requests() if "input" in one["body"]]
    billed = sum(
        f"{trial.token} diez" in item for items in asked for item in (items if isinstance(items, list) else [items])
    )
    trial.expect(billed == 1, f"embedded {billed} times")


@fault("SIGTERM", within=30, hurts="worker")
def workers_told_to_stop(trial: Trial) -> Iterator[None]:
    document = held_up(trial, "despedida", 2.0)
    stopping = [threading.Thread(target=worker.stop) for worker in trial.ground.workers]
    for thread in stopping:
        thread.start()
    for thread in stopping:
        thread.join()
    trial.expect(trial.state(document)[0] == "indexed", "a worker left its document")
    for worker in trial.ground.workers:
        worker.start()
    yield


@fault("SIGTERM", within=20, hurts="web", needs="database web model")
def web_told_to_stop(trial: Trial) -> Iterator[None]:
    """An answer that it is giving ends first."""
    web = trial.ground.webs[0]
    answer = trial.slow_answer(30, 0.05)
    wait_until(lambda: answer.speaks() or bool(answer.error), patience(20), "it speaks")
    web.stop()
    events = answer.ended(20)
    trial.expect(bool(events) and events[-1].data.get("status") == "complete", f"it was cut: {answer.error}")
    web.start()
    yield


@fault("the server is killed mid-answer", within=20, hurts="web", needs="database web model")
def web_killed_mid_answer(trial: Trial) -> Iterator[None]:
    """What had been told up to two seconds before is kept, and shown as broken off 15 s later at most."""
    web = trial.ground.webs[0]
    answer = trial.slow_answer(400, 0.05)
    wait_until(lambda: answer.speaks(60) or bool(answer.error), patience(30), "it speaks for three seconds")
    told = sum(one.name == "token" for one in answer.events)
    web.kill()
    killed = time.monotonic()
    yield
    web.start()
    if answer.message:
        wait_until(lambda: shown(trial, answer).get("status") == "failed", patience(20), "it is shown as broken off")
        after, kept = time.monotonic() - killed, shown(trial, answer)
        trial.expect(kept["error_code"] == "interrupted", f"it is told as {kept['error_code']}")
        trial.expect(after < patience(17), f"told after {after:.0f} s")
        lost = told - len(kept["content"].split())
        trial.expect(lost <= patience(2.5) / 0.05, f"{lost} of {told} words are lost")
    trial.mended()


def shown(trial: Trial, answer: Listening) -> dict[str, str]:
    """An answer as its conversation shows it; nothing while it cannot be asked."""
    found = trial.call("GET", f"/api/conversations/{answer.events[0].data['conversation']}/")
    messages = found.body["messages"] if found.status == 200 else [{}]
    return dict(messages[-1])


@fault("broker flushed; crash between commit and publish", within=40, hurts="web broker", needs="database")
def web_killed_between_commit_and_publish(trial: Trial) -> Iterator[None]:
    """The broker takes the message and answers nothing; the row is committed; the process dies."""
    web = trial.ground.webs[1]
    caller = trial.ground.installation.caller(web)
    with trial.ground.redis.black_hole():
        sending = threading.Thread(target=trial.upload, args=("entre", 1, caller))
        sending.start()
        with suppress(AssertionError):  # beside another fault it may be refused before it has a row
            trial.adopt("entre", 10)
        web.kill()
        sending.join()
    web.start()
    yield


@fault("delete during indexing", within=60)
def deleted_while_indexed(trial: Trial) -> Iterator[None]:
    """No resurrection: neither row nor points come back when its worker ends."""
    document = held_up(trial, "borrado", 3.0)
    answer = trial.call("DELETE", f"/api/documents/{document}/?erase=now")
    if answer.status == 204:
        trial.gone.add(document)
        trial.expect(trial.call("GET", f"/api/documents/{document}/").status == 404, "it is still told")
    yield
    trial.expect(document not in trial.found(), "it is still found")


@fault("toggle or unassign mid-request", within=20, needs="database web index model")
def knowledge_taken_away_mid_answer(trial: Trial) -> Iterator[None]:
    """The answer under way goes on; the next search obeys."""
    ground, corpus = trial.ground, trial.ground.corpus
    answer = trial.slow_answer(40, 0.05)
    wait_until(lambda: answer.speaks() or bool(answer.error), patience(20), "it speaks")
    for method, path, body, back in (
        ("PATCH", f"/api/corpora/{corpus}/", {"is_active": False}, {"is_active": True}),
        ("DELETE", f"/api/agents/{AGENT}/corpora/{corpus}/", None, None),
    ):
        changed = trial.call(method, path, body)
        if changed.status in (200, 204):
            trial.expect(trial.found() == set(), f"still found after {method} {path}")
            if back:
                wait_until(lambda: trial.call("PATCH", path, back).status == 200, patience(60), "switched on again")  # noqa: B023
    assigned = f"/api/agents/{AGENT}/corpora/"
    wait_until(
        lambda: trial.call("POST", assigned, {"corpus": corpus}).status in (200, 201, 400, 409),
        patience(60),
        "assigned",
    )
    events = answer.ended(20)
    trial.expect(bool(events) and events[-1].data.get("status") == "complete", "the answer was cut")
    assert ground
    yield


@fault("clock step", within=60, lacking="clock")
def worker_an_hour_ahead(trial: Trial) -> Iterator[None]:
    yield from _another_clock(trial, 3600)


@fault("clock step", within=60, lacking="clock")
def worker_an_hour_behind(trial: Trial) -> Iterator[None]:
    yield from _another_clock(trial, -3600)


def _another_clock(trial: Trial, seconds: int) -> Iterator[None]:
    """Its leases end too late or at once, and it takes those of others for ended, or for young."""
    first = held_up(trial, f"reloj{seconds}", 6.0)
    with trial.ground.worker_of_another_clock(seconds):
        documents = [first, *(trial.document(f"hora{seconds}-{n}", LONG) for n in range(4))]
        yield
        wait_until(
            lambda: all(trial.state(one)[0] in ("indexed", "failed") for one in documents), patience(90), "ended"
        )
    for one in documents:
        status, _stage, error = trial.state(one)
        trial.expect(status == "indexed", f"{status} {error} under another clock")

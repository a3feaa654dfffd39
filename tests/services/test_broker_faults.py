"""The document row is the queue: what a broker, a cache or a worker that dies cannot lose (RELIABILITY, faults)."""

import time
from typing import Any

import pytest
from kombu import Producer, Queue

from config.celery import LANES, EagerConnection
from tests.fakes.fixtures import ModelServer
from tests.live import Caller, patience
from tests.services.installation import Background, Installation, Web, indexed, new_corpus, upload, uploaded
from tests.services.servers import wait_until

AGENT = "investigador-tecnico"
ABOUT_TOWERS = "¿Cuántos escalones tiene la torre número tres?"


def text(name: str, sections: int = 3) -> bytes:
    """A document of `sections` headings, unlike every other."""
    parts = [f"# {name} {n}\n\nLa torre número {n} de {name} tiene {100 + n} escalones.\n" for n in range(sections)]
    return "\n".join(parts).encode()


@pytest.fixture(scope="module")
def settings_wanted() -> dict[str, str]:
    """Limits are counted in the database: a Redis that is down neither lifts them nor locks anybody out."""
    return {"QUOTAS": "on"}


@pytest.fixture(scope="module")
def admin(installation: Installation, web: Web, worker: Background, beat: Background) -> Caller:
    return installation.caller(web)


@pytest.fixture(scope="module")
def corpus(admin: Caller) -> str:
    return new_corpus(admin, AGENT)


def test_a_broker_that_is_down_takes_no_upload_away(admin: Caller, corpus: str, installation: Installation) -> None:
    redis = installation.services.redis
    redis.stop()
    try:
        started = time.monotonic()
        answer = upload(admin, corpus, "abajo.md", text("abajo"))
        assert answer.status == 202, answer.body
        assert time.monotonic() - started < patience(2)
        assert answer.body["status"] == "pending"
    finally:
        redis.start()
    back = time.monotonic()
    indexed(admin, answer.body["id"], 40)
    assert time.monotonic() - back < 40


def test_documents_go_on_while_the_broker_is_away(admin: Caller, corpus: str, installation: Installation) -> None:
    """No hint and no sweep reaches anybody: the workers ask the rows themselves."""
    redis = installation.services.redis
    redis.stop()
    try:
        document = uploaded(admin, corpus, "sin-agente.md", text("sin agente", sections=400))
        indexed(admin, document, 60)
    finally:
        redis.start()


def test_workers_that_no_longer_hear_their_broker_go_on(
    admin: Caller, corpus: str, installation: Installation, worker: Background, beat: Background
) -> None:
    """What Celery's consumer has been seen to do after a broker came back: it lives, answers, and takes nothing."""
    beat.stop()
    asked = f"[app.control.cancel_consumer(one, reply=True, timeout=5) for one in {LANES}]"

    def is_deaf() -> bool:
        told = installation.manage("shell", "--command", f"from config.celery import app; print({asked})")
        return told.count("no longer consuming") == len(LANES)

    try:
        wait_until(is_deaf, 60, "the worker takes nothing any more")
        document = uploaded(admin, corpus, "sordo.md", text("sordo", sections=400))
        indexed(admin, document, 60)
        assert admin.call("DELETE", f"/api/documents/{document}/?erase=now").status == 204
        gone = "SELECT count(*) FROM corpora_document WHERE id = %s"
        wait_until(lambda: installation.query(gone, document) == [(0,)], 60, "the document is erased")
    finally:
        beat.start()
        worker.stop()
        worker.start()


def test_a_cache_that_is_down_keeps_nobody_from_asking(admin: Caller, installation: Installation) -> None:
    redis = installation.services.redis
    redis.stop()
    try:
        for _ in range(3):
            events = admin.answers(AGENT, ABOUT_TOWERS)
            assert events[0].at < patience(1.5)
            assert events[-1].data["status"] == "complete"
        assert admin.call("GET", "/api/corpora/").status == 200
        assert admin.call("GET", "/readyz").body["dependencies"]["cache"] == "down"
    finally:
        redis.start()


def test_a_cache_that_is_silent_costs_little(admin: Caller, installation: Installation) -> None:
    redis = installation.services.redis
    wait_until(lambda: admin.call("GET", "/readyz").body["dependencies"]["cache"] == "ok", 20, "the cache is back")
    redis.freeze()
    try:
        events = admin.answers(AGENT, ABOUT_TOWERS)
        assert events[0].at < patience(3)
        assert events[-1].data["status"] == "complete"
    finally:
        redis.thaw()


def test_flushing_the_broker_loses_nothing(
    admin: Caller, corpus: str, installation: Installation, worker: Background
) -> None:
    import redis

    worker.stop()
    documents = [uploaded(admin, corpus, f"torre-{n}.md", text(f"torre-{n}")) for n in range(5)]
    with redis.Redis.from_url(installation.services.redis.url(0)) as broker:
        assert broker.llen("ingestion") >= 5, "the hints were there"
        broker.flushall()
    worker.start()
    for document in documents:
        indexed(admin, document, 40)


def test_ten_deliveries_of_one_document_make_one_bill(
    admin: Caller, corpus: str, installation: Installation, worker: Background, model: ModelServer
) -> None:
    second = installation.worker("second")
    worker.stop()
    second.stop()
    document = uploaded(admin, corpus, "diez.md", text("zurribanda"))
    again = "from workers.queue import hints; [hints.hint('ingestion', 'short') for _ in range(10)]"
    installation.manage("shell", "--command", again)
    worker.start()
    second.start()
    chunks = indexed(admin, document)["chunk_count"]
    second.stop()
    billed = [body["input"] for one in model.requests() if "input" in (body := one["body"])]
    assert sum("zurribanda" in item for items in billed for item in items) == chunks
    assert installation.services.index.count(document) == chunks


def test_a_worker_killed_while_it_embeds_is_replaced_and_the_result_is_that_of_a_clean_run(
    admin: Caller, corpus: str, installation: Installation, worker: Background, model: ModelServer
) -> None:
    content = text("muerte", sections=30)
    clean = indexed(admin, uploaded(admin, corpus, "limpio.md", content))
    model.script(path="embeddings", latency=30.0, times=1)
    document = uploaded(admin, corpus, "muerte.md", content.replace(b"escalones", b"peldanos"))
    stage = f"/api/documents/{document}/"
    wait_until(lambda: admin.call("GET", stage).body["stage"] == "embed", 60, "the worker embeds")
    worker.kill()
    # Half a minute passes: the test moves the lease, not the code.
    installation.query("UPDATE corpora_document SET lease_expires_at = now() WHERE id = %s", document)
    worker.start()
    found = indexed(admin, document, 40)
    assert found["chunk_count"] == clean["chunk_count"]
    assert installation.services.index.count(document) == found["chunk_count"]
    ((attempts,),) = installation.query("SELECT attempts FROM corpora_document WHERE id = %s", document)
    assert attempts == 0


def test_what_a_killed_worker_held_is_taken_up_by_another_within_half_a_minute(
    admin: Caller, corpus: str, installation: Installation, worker: Background, beat: Background, model: ModelServer
) -> None:
    """Nobody moves a clock here: its lease ends, and the sweeper says so."""
    model.script(path="embeddings", latency=60.0, times=1)
    document = uploaded(admin, corpus, "herencia.md", text("herencia", sections=30))
    stage = f"/api/documents/{document}/"
    wait_until(lambda: admin.call("GET", stage).body["stage"] == "embed", 60, "the worker embeds")
    heir = installation.worker("heir")
    worker.kill()
    began = time.monotonic()
    try:
        indexed(admin, document, patience(32))
        assert time.monotonic() - began < patience(32)
    finally:
        heir.stop()
        worker.start()


def test_a_worker_that_is_told_to_stop_finishes_its_document(
    admin: Caller, corpus: str, installation: Installation, worker: Background, model: ModelServer
) -> None:
    model.script(path="embeddings", latency=3.0, times=1)
    document = uploaded(admin, corpus, "despedida.md", text("despedida"))
    stage = f"/api/documents/{document}/"
    wait_until(lambda: admin.call("GET", stage).body["stage"] == "embed", 60, "the worker embeds")
    worker.stop()
    assert admin.call("GET", stage).body["status"] == "indexed"
    worker.start()


def test_a_worker_that_is_at_work_when_its_broker_goes_goes_on(
    admin: Caller, corpus: str, installation: Installation, worker: Background, model: ModelServer
) -> None:
    """It holds the message of what it works at; a broker that is gone takes it back from nobody."""
    indexed(admin, uploaded(admin, corpus, "antes.md", text("antes")))
    model.script(path="embeddings", latency=5.0, times=1)
    document = uploaded(admin, corpus, "a-medias.md", text("a medias"))
    stage = f"/api/documents/{document}/"
    wait_until(lambda: admin.call("GET", stage).body["stage"] == "embed", 60, "the worker embeds")
    redis = installation.services.redis
    redis.stop()
    try:
        indexed(admin, document, 40)
        assert worker.process
        assert worker.process.poll() is None
    finally:
        redis.start()
    indexed(admin, uploaded(admin, corpus, "luego.md", text("luego")), 40)
    asked = "from config.celery import app; print(app.control.ping(timeout=3))"
    wait_until(lambda: "pong" in installation.manage("shell", "--command", asked), 40, "its consumer hears the broker")


def test_a_connection_whose_broker_went_while_all_of_it_waited_is_closed(installation: Installation) -> None:
    """With what is in work not yet acknowledged: as it could not be given back, the worker itself ended."""
    redis = installation.services.redis
    connection: Any = EagerConnection(redis.url(0))
    work, gossip = connection.default_channel, connection.channel()
    for channel, name in (work, "work"), (gossip, "gossip"):
        Queue(name, channel=channel, auto_delete=True).declare()
        channel.basic_consume(name, False, lambda _: None, name)
    Producer(work).publish({}, routing_key="work")
    message = work.basic_get("work")
    assert message
    for channel in work, gossip:
        channel.client.connection = channel.client.connection_pool.get_connection()
        channel._brpop_start()
    redis.stop()
    try:
        connection.collect(socket_timeout=1)  # as Celery's consumer does, and then:
        connection.close()
        assert connection.connected is False
        with pytest.raises(connection.connection_errors):
            message.ack()  # by who worked at it meanwhile
    finally:
        redis.start()

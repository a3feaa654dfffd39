"""A hundred uploads at once, each into the object store: all are taken in, and whoever reads is undisturbed."""

import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Event, Thread

import pytest

from tests.live import Caller, patience
from tests.services.conftest import object_store_or_skip
from tests.services.installation import MEMBER, Installation, Web, new_corpus, upload
from tests.services.servers import ObjectStore

AGENT = "investigador-tecnico"
AT_ONCE = 100


@pytest.fixture(scope="module")
def objects_wanted(wanted: None) -> bool:
    object_store_or_skip()
    return True


@pytest.fixture(scope="module")
def settings_wanted() -> dict[str, str]:
    return {"QUOTAS": "on", "LIMITS": '{"user": {"writes": 100000}, "organization": {"writes": 100000}}'}


@dataclass
class Reader:
    """Somebody who goes on reading meanwhile; what they got, and how long it took."""

    caller: Caller
    statuses: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    ended: Event = field(default_factory=Event)

    def read(self) -> None:
        while not self.ended.wait(0.1):
            began = time.monotonic()
            self.statuses.append(self.caller.call("GET", "/api/corpora/").status)
            self.seconds.append(time.monotonic() - began)


def test_a_hundred_uploads_at_once_are_all_taken_in_and_disturb_nobody(installation: Installation, web: Web) -> None:
    admin = replace(installation.caller(web), silence=45.0)  # the last of them waits for all before it
    corpus, reader = new_corpus(admin, AGENT), Reader(installation.caller(web, MEMBER))
    text = b"# Acta\n\n" + b"El acta recoge lo que se dijo en la sesi\xc3\xb3n.\n" * 4000  # 200 KB
    reading = Thread(target=reader.read)
    reading.start()
    began = time.monotonic()
    try:
        with ThreadPoolExecutor(AT_ONCE) as everybody:
            answers = list(
                everybody.map(lambda n: upload(admin, corpus, f"{n}.md", text + str(n).encode()), range(AT_ONCE))
            )
    finally:
        reader.ended.set()
        reading.join()
    took = time.monotonic() - began
    slowest = max(reader.seconds)
    sys.stdout.write(f"{AT_ONCE} uploads: {took:.1f} s; {len(reader.seconds)} pages meanwhile, slowest {slowest:.2f} s")
    assert Counter(answer.status for answer in answers) == {202: AT_ONCE}
    assert set(reader.statuses) == {200}
    assert slowest < patience(5)


def test_connections_are_given_back_while_the_store_is_waited_for(installation: Installation, web: Web) -> None:
    """The store holds every transfer; meanwhile those who read have the pool to themselves."""
    admin = installation.caller(web)
    corpus, store = new_corpus(admin, AGENT), installation.services.objects
    assert isinstance(store, ObjectStore)
    store.freeze()
    try:
        with ThreadPoolExecutor(30) as everybody:
            waiting = [everybody.submit(upload, admin, corpus, f"lento-{n}.md", b"# Uno\n\nDos.\n") for n in range(30)]
            time.sleep(3)
            began = time.monotonic()
            statuses = [admin.call("GET", "/api/corpora/").status for _ in range(5)]
            took = time.monotonic() - began
            store.thaw()
            answers = [one.result() for one in waiting]
    finally:
        store.thaw()
    assert (set(statuses), took < patience(5)) == ({200}, True)
    assert {answer.status for answer in answers} == {202}

"""From the release before to this one while people go on: old and new processes on one database, index and store,
behind the shipped proxy. Migrations first, then one process after the other; no request is lost. Nor is one when the
new processes are restarted in turn, which the proxy is not told of."""

import json
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import patience
from tests.services.installation import ADMIN, Installation, Services, Web, composed, new_corpus, real_parts
from tests.services.proxy import Proxy
from tests.services.servers import ROOT, NotInstalled, wait_until

# What installations run: the newest tag of a release counts, else this commit. Raise it with each release.
PREVIOUS = "fc163c5e010fbd058680db82a007fc8e76386d7b"
AGENT = "investigador-tecnico"


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def pins(requirements: str) -> set[str]:
    return {line.partition("#")[0].strip() for line in requirements.splitlines() if re.match(r"[\w-]", line)}


@pytest.fixture(scope="module")
def migrated() -> None:
    """By the release before, not by this one."""


@pytest.fixture(scope="module")
def previous(wanted: None, folder: Path) -> tuple[str, Path]:
    """The interpreter and the code of the release before."""
    here = git("rev-parse", "HEAD")
    tags = git("tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname").split()
    commit = next((one for one in tags if git("rev-parse", f"{one}^{{commit}}") != here), PREVIOUS)
    if not git("cat-file", "-t", f"{commit}^{{tree}}"):
        pytest.skip(f"the release before ({commit}) is not in this clone: fetch its whole history")
    code = folder / "previous"
    code.mkdir()
    packed = folder / "previous.tar"
    subprocess.run(["git", "archive", "--output", packed, commit], cwd=ROOT, check=True)
    subprocess.run(["tar", "--extract", "--file", packed, "--directory", code], check=True)
    packed.unlink()
    if pins((code / "requirements.txt").read_text()) <= pins((ROOT / "requirements.txt").read_text()):
        return sys.executable, code  # each of its packages is installed here in its own version
    python = str(folder / "previous-venv" / "bin" / "python")
    subprocess.run([sys.executable, "-m", "venv", folder / "previous-venv"], check=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]
    subprocess.run([*install, code / "requirements.txt"], check=True)
    return python, code


@dataclass
class Steady:
    """People who ask, send and read through the proxy without a pause. What was not answered as it should be."""

    proxy: Proxy
    key: str
    corpus: str
    failures: list[str] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    documents: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def going_on(self) -> Iterator["Steady"]:
        threads = [
            threading.Thread(target=self.repeat, args=(one,)) for one in (self.ask, self.ask, self.send, self.read)
        ]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self.ended.set()
            for thread in threads:
                thread.join()

    def repeat(self, one: Any) -> None:
        while not self.ended.wait(0.15):
            try:
                one()
            except (OSError, HTTPException, AssertionError, KeyError) as error:
                self.failures.append(f"{one.__name__}: {error!r}"[:300])
            self.done[one.__name__] += 1

    def request(self, method: str, path: str, body: bytes, kind: str) -> tuple[Any, list[str]]:
        """The answer and its lines, once it has ended."""
        link = self.proxy.connection()
        try:
            link.request(method, path, body or None, {"Authorization": f"Bearer {self.key}", "Content-Type": kind})
            answer = link.getresponse()
            return answer, [line.decode().rstrip() for line in answer]
        finally:
            link.close()

    def ask(self) -> None:
        body = json.dumps({"messages": [{"role": "user", "content": "¿Cuántos peldaños tiene la torre?"}]}).encode()
        answer, lines = self.request("POST", f"/api/agents/{AGENT}/chat/", body, "application/json")
        assert answer.status == 200, (answer.status, lines[:3])
        ending = lines[-5:]
        assert "event: done" in ending, ending
        self.messages.append(answer.headers["X-Message"])

    def send(self) -> None:
        mark, edge = uuid4().hex, uuid4().hex
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{mark}.md"\r\n'
        text = f"# Torre {mark}\n\nLa torre {mark} tiene cien peldaños.\n"
        body = f"{head}Content-Type: application/octet-stream\r\n\r\n{text}\r\n--{edge}--\r\n".encode()
        kind = f"multipart/form-data; boundary={edge}"
        answer, lines = self.request("POST", f"/api/corpora/{self.corpus}/documents/", body, kind)
        assert answer.status == 202, (answer.status, lines[:3])
        self.documents.append(json.loads(lines[0])["id"])

    def read(self) -> None:
        for path in ("/api/corpora/", f"/api/corpora/{self.corpus}/documents/"):
            answer, lines = self.request("GET", path, b"", "application/json")
            assert answer.status == 200, (path, answer.status, lines[:3])


def replaced(old: Installation, new: Installation, name: str, **options: Any) -> None:
    """A worker of the new release beside that of the old one, which then ends what it has in hand."""
    former = next(one for one in old.processes if one.name == name)
    new.worker(f"new-{name}", **options)
    former.stop()


def test_an_upgrade_in_turn_loses_no_request(
    previous: tuple[str, Path], services: Services, folder: Path, model: ModelServer
) -> None:
    model.reset()
    python, code = previous
    parts = real_parts(services, model).values()
    settings = {name: value for part in parts for name, value in part.items()}
    settings |= {"ALLOWED_HOSTS": "127.0.0.1", "FORWARDED_ALLOW_IPS": "*"}
    old = Installation(services, settings, python, code)
    new = copy(old)
    new.python, new.root, new.processes = sys.executable, ROOT, []
    try:
        upgrade(old, new, folder)
    finally:
        new.stop()
        old.stop()


def upgrade(old: Installation, new: Installation, folder: Path) -> None:
    lanes = {"worker": {"queues": "ingestion"}, "upkeep": {"queues": "short,upkeep", "concurrency": 6}}
    webs = [old.web("web"), old.web("web2")]
    for name, options in lanes.items():
        old.worker(name, **options)  # type: ignore[arg-type]
    beat = old.beat()
    coming = [Web(new, f"new-{name}", *composed("web"), "--host", "127.0.0.1") for name in ("web", "web2")]
    new.processes += coming
    try:
        proxy = Proxy(folder, *(one.port for one in (*webs, *coming))).start()
    except NotInstalled as missing:
        pytest.skip(str(missing))
    try:
        corpus = new_corpus(old.caller(webs[0]), AGENT)
        steady = Steady(proxy, old.keys[ADMIN], corpus)
        with steady.going_on():
            time.sleep(3)
            new.manage("migrate", "--verbosity", "0")
            new.manage("space", "fill", "--manual")  # old workers write to what the new release makes
            for former, comer in zip(webs, coming, strict=True):
                comer.start()
                proxy.withdraw(former.port)  # the release before resets who stands in its queue
                former.stop()
            for name, options in lanes.items():
                replaced(old, new, name, **options)
            beat.stop()
            new.beat("new-beat")
            for one in coming:
                one.stop()
                one.start()
            time.sleep(3)
        assert_nothing_is_missing(new, steady)
    finally:
        proxy.stop()


def assert_nothing_is_missing(new: Installation, steady: Steady) -> None:
    sys.stdout.write(f"{dict(steady.done)}; {len(steady.failures)} failed\n")
    assert not steady.failures
    assert min(steady.done[one] for one in ("ask", "send", "read")) > 10
    left = "SELECT count(*) FROM corpora_document WHERE id::text = ANY(%s) AND status <> 'indexed'"
    wait_until(lambda: new.query(left, steady.documents) == [(0,)], patience(60), "all that was sent is indexed")
    kept = "SELECT id::text, chunk_count FROM corpora_document WHERE id::text = ANY(%s)"
    rows = dict(new.query(kept, steady.documents))
    assert set(rows) == set(steady.documents)
    complete = "SELECT count(*) FROM chat_message WHERE id::text = ANY(%s) AND status = 'complete'"
    assert new.query(complete, steady.messages) == [(len(steady.messages),)]
    index = new.services.index
    collections = [path.parent for path in index.folder.glob("collections/*/parameters.json")]
    assert any(path.name.endswith(".tenants") for path in collections)
    for path in collections:
        made = json.loads((path / "parameters.json").read_text())
        assert (made["hnsw_config"]["m"] == 0) == path.name.endswith(".tenants"), path.name
    new.manage("space", "fill")
    for document, chunks in rows.items():
        found = index.counts(document)  # once the new layout is in use nobody writes to the former
        assert {count for name, count in found.items() if name.endswith(".tenants")} == {chunks}, (document, found)
        assert set(found.values()) <= {0, chunks}, (document, found)

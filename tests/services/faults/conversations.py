"""Models that fail, trickle or never end; readers who leave or stop reading."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.live import patience
from tests.services.faults.ground import TALKER
from tests.services.faults.rows import fault
from tests.services.faults.trial import Listening, Trial
from tests.services.servers import wait_until

READERS, AT_ONCE = 200, 25
EMBEDDINGS: tuple[dict[str, Any], ...] = (
    {"status": 429, "retry_after": "1", "times": 2},
    {"status": 500, "times": 4},
    {"hangup": True, "times": 3},
    {"dims": 7, "times": 1},
    {"nan": True, "times": 1},
    {"drop": 1, "times": 1},
    {"latency": 20.0, "times": 1},
)
_turn = count()


@fault(
    "embedding API: 429, 500, timeout, wrong dimensions, NaN, wrong count",
    within=60,
    hurts="model",
    needs="database web index",
)
def embeddings_wrong(trial: Trial) -> Iterator[None]:
    """Each run another of them. Nothing of a wrong batch reaches the index, and in the end all of it is there."""
    wrong = EMBEDDINGS[next(_turn) % len(EMBEDDINGS)]
    trial.ground.model.script(path="embeddings", holding=f"{trial.token} vectores", **wrong)
    answer, seen = trial.upload("vectores", 6), set[int]()
    document = answer.body["id"] if answer.status == 202 else ""
    deadline = time.monotonic() + 3
    while document and trial.judged and trial.state(document)[0] != "indexed" and time.monotonic() < deadline:
        seen.add(trial.ground.services.index.count(document))
        time.sleep(0.3)
    mark = f"sinvector{uuid4().hex[:6]}"
    trial.ground.model.script(path="embeddings", holding=mark, status=500)
    events = trial.ask(mark, TALKER)
    trial.expect(bool(events) and events[-1].data.get("status") == "complete", "no answer without embeddings")
    yield
    if document and trial.judged:  # not where the index is away, too
        wait_until(lambda: trial.state(document)[0] == "indexed", patience(90), "it is indexed in the end")
        trial.expect(seen <= {0, trial.ground.services.index.count(document)}, f"parts of a batch: {seen}, {wrong}")


@fault(
    "embedding API: 429, 500, timeout, wrong dimensions, NaN, wrong count",
    within=60,
    hurts="model",
    needs="database web",
)
def models_unreachable(trial: Trial) -> Iterator[None]:
    """Nothing comes from where the models are, neither vectors nor words; then everything again."""
    with trial.ground.models.black_hole():
        trial.upload("sordo", 3)
        began = time.monotonic()
        status = trial.call("GET", "/api/corpora/").status
        trial.expect(status == 200 and time.monotonic() - began < patience(2), f"others: {status}")
        time.sleep(3)
    yield


@fault("model fails before the first token", within=20, hurts="", needs="database web model")
def model_fails(trial: Trial) -> Iterator[None]:
    """Two refusals are tried again; broken off after its first words, the answer is kept and told as broken off."""
    mark, cut = f"rehusa{uuid4().hex[:6]}", f"corta{uuid4().hex[:6]}"
    trial.ground.model.script(path="chat", holding=mark, status=503, times=2)
    events = trial.ask(mark, TALKER)
    trial.expect(bool(events) and events[-1].data.get("status") == "complete", "two refusals were not outlived")
    trial.ground.model.script(path="chat", holding=cut, text="palabra " * 30, reset_after=5)
    broken = Listening(trial.ground.caller(), trial.question(cut), TALKER)
    events = broken.ended(30)
    trial.expect(bool(events) and events[-1].name == "error", "a broken answer is not told as such")
    if events and broken.message:
        kept = trial.ground.rows("SELECT status, content FROM chat_message WHERE id = %s", broken.message)
        trial.expect(kept[0][0] == "failed" and kept[0][1].count("palabra") == 5, f"kept: {kept}")
    yield


@fault("model trickles or never ends", within=60, hurts="", needs="database web model")
def model_never_ends(trial: Trial) -> Iterator[None]:
    """After three words it says nothing more and keeps the line: half a minute later it is told as failed."""
    mark = f"calla{uuid4().hex[:6]}"
    trial.ground.model.script(path="chat", holding=mark, text="palabra " * 30, stall_after=3)
    silent = Listening(trial.ground.caller(), trial.question(mark), TALKER)
    yield
    events = silent.ended(60)  # the half minute, and what the fault beside it holds up
    told = f"{silent.status} {silent.error} {[one.name for one in events[-3:]]}"
    trial.expect(bool(events) and events[-1].name == "error", f"a silent model is waited for: {told}")
    trial.mended()


@fault("an API client disconnects or stops reading, ×200", within=20, needs="database web model")
def readers_leave(trial: Trial) -> Iterator[None]:
    """Two hundred, of whom every second hangs up and the others read nothing until they are thrown out or hang up."""
    web, mark = trial.ground.webs[0], f"marcha{uuid4().hex[:6]}"
    trial.ground.model.script(path="chat", holding=mark, endless=True, pace=0.05)
    sockets = _sockets(web.process.pid) if web.process else 0
    caller = trial.ground.installation.caller(web)
    for start in range(0, READERS, AT_ONCE):
        with ExitStack() as reading:
            for n in range(start, start + AT_ONCE):
                stream = reading.enter_context(caller.ask(TALKER, trial.question(f"{mark} {n}")))
                if n % 2:
                    stream.until("token")
        deadline = time.monotonic() + patience(1.5)
        while (left := trial.ground.model.stats()["active"]) > 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        trial.expect(left <= 2, f"the model still talks to {left} who left")
    if web.process:
        pid = web.process.pid
        wait_until(lambda: _sockets(pid) <= sockets + 12, patience(20), "its sockets are closed")
    yield


@fault("a browser leaves mid-answer", within=20, needs="database web model")
def browser_leaves(trial: Trial) -> Iterator[None]:
    """The answer goes on; read again from another process, it is whole."""
    here, there = (trial.ground.installation.caller(web) for web in trial.ground.webs)
    mark = f"vuelve{uuid4().hex[:6]}"
    trial.ground.model.script(path="chat", holding=mark, text="palabra " * 40, pace=0.05)
    try:
        with here.ask(TALKER, trial.question(mark), background=True) as stream:
            stream.until("token")
            message = stream.headers["x-message"]
        time.sleep(0.5)
        with there.follow(message) as again:
            events = list(again)
    except (OSError, StopIteration, KeyError):
        trial.expect(False, "it could not be left and read again")
    else:
        text = "".join(one.data["token"] for one in events if one.name == "token")
        trial.expect(events[-1].data.get("status") == "complete", "it did not end")
        trial.expect(text.split() == ["palabra"] * 40, f"{len(text.split())} of 40 words")
        trial.answers.append(message)
    yield


def _sockets(pid: int) -> int:
    total = 0
    for one in Path(f"/proc/{pid}/fd").iterdir():
        try:
            total += os.readlink(one).startswith("socket:")
        except OSError:
            continue
    return total

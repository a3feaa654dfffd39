"""One run of a fault or two: work before, within and after, and what has become of it (0 lost, 0 duplicated)."""

import http.client
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from tests.live import Answer, Caller, SseEvent, patience
from tests.services.faults.ground import AGENT, TALKER, Ground
from tests.services.installation import MEMBER, upload
from tests.services.servers import wait_until

SETTLES_WITHIN = 90.0  # seconds after which what has not ended is stuck
UNANSWERED = Answer(0, {}, {})  # the connection broke
Break = Callable[["Trial"], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    """`row`: RELIABILITY's words. `hurts`, `needs`: parts that are down within, and that must be up for what is
    expected there. `within`: seconds from its mending until everything is whole. `lacking`: what it cannot do without.
    """

    name: str
    row: str
    within: float
    hurts: frozenset[str]
    needs: frozenset[str]
    lacking: str
    inject: Break


@dataclass(frozen=True, slots=True)
class Outcome:
    """`recovered`: seconds from the mending until all work had ended and was found."""

    recovered: float
    lost: list[str]
    duplicated: list[str]
    stuck: list[str]
    broken: list[str]  # what was expected while it lasted, and was not so

    @property
    def faults(self) -> list[str]:
        told = {"lost": self.lost, "duplicated": self.duplicated, "stuck": self.stuck, "not as expected": self.broken}
        return [f"{what}: {one}" for what, ones in told.items() for one in ones]


@dataclass
class Trial:
    """`token`: a word of this run's own, in all that it writes."""

    ground: Ground
    judged: bool = True  # whether `expect` counts
    token: str = field(default_factory=lambda: "zu" + "".join("bcdfghjklmnpqrst"[int(c, 16)] for c in uuid4().hex[:10]))
    accepted: dict[str, str] = field(default_factory=dict)  # documents by what they are called
    gone: set[str] = field(default_factory=set)
    answers: list[str] = field(default_factory=list)  # messages whose stream was told to be complete
    begun: list[str] = field(default_factory=list)  # those of which something was heard
    broken: list[str] = field(default_factory=list)
    mended_at: float = 0.0

    # what a fault does

    def expect(self, holds: bool, what: str) -> None:
        if self.judged and not holds:
            self.broken.append(what)

    def mended(self) -> None:
        """Recovery is counted from here."""
        self.mended_at = time.monotonic()

    def text(self, name: str, sections: int = 1) -> bytes:
        parts = (
            f"# {name} {n}\n\nLa torre {self.token} {name} {n} tiene {100 + n} peldaños de piedra.\n"
            for n in range(sections)
        )
        return "\n".join(parts).encode()

    def upload(self, name: str, sections: int = 1, caller: Caller | None = None) -> Answer:
        """Taken in or refused: the answer tells. What was taken in must be there in the end."""
        try:
            content = self.text(name, sections)
            answer = upload(caller or self.ground.caller(), self.ground.corpus, f"{self.token}-{name}.md", content)
        except (OSError, http.client.HTTPException):
            return UNANSWERED
        if answer.status == 202:
            self.accepted[answer.body["id"]] = name
        return answer

    def document(self, name: str, sections: int = 1) -> str:
        """The id of one that was taken in, also where a crowded machine told so too late."""
        answer = self.upload(name, sections)
        assert answer.status in (0, 202), answer
        if not answer.status:
            self.adopt(name)
        return next(document for document, called in self.accepted.items() if called == name)

    def adopt(self, name: str, seconds: float = 30.0) -> None:
        """Count a document as taken in whose row is there, though nobody was told."""
        row = "SELECT id::text FROM corpora_document WHERE filename = %s"
        wait_until(
            lambda: bool(self.ground.rows(row, f"{self.token}-{name}.md")), patience(seconds), f"{name} has a row"
        )
        self.accepted |= {one: name for (one,) in self.ground.rows(row, f"{self.token}-{name}.md")}

    def call(self, method: str, path: str, body: Any = None) -> Answer:
        try:
            return self.ground.caller().call(method, path, body)
        except (OSError, http.client.HTTPException):
            return UNANSWERED

    def state(self, document: str) -> tuple[str, str, str]:
        """Status, stage and error of a document's row, whoever is down; empty when it is no more."""
        found = self.ground.rows("SELECT status, stage, error_code FROM corpora_document WHERE id = %s", document)
        return found[0] if found else ("", "", "")  # type: ignore[return-value]

    def is_embedding(self, document: str) -> bool:
        return self.state(document)[1] == "embed"

    def found(self) -> set[str]:
        """Which of this run's own documents a search finds; none where it is refused."""
        answer = self.call("POST", f"/api/agents/{AGENT}/retrieve/", {"query": f"peldaños de la torre {self.token}"})
        found = {one["document"] for one in answer.body["chunks"]} if answer.status == 200 else set()
        return found & set(self.accepted)

    def question(self, more: str = "") -> str:
        return f"¿Cuántos peldaños tiene la torre {self.token}? {more}"

    def ask(self, more: str = "", agent: str = AGENT) -> list[SseEvent]:
        """The events of an answer; none where it was refused or broke."""
        listening = Listening(self.ground.caller(), self.question(more), agent)
        events = listening.ended(40)
        self.begun += [listening.message] * bool(listening.message)
        if events and events[-1].name == "done" and listening.message:
            self.answers.append(listening.message)
        return events

    def slow_answer(self, words: int, pace: float, **fields: Any) -> "Listening":
        """One that is being told, word by word; read by a thread."""
        mark = f"despacio{uuid4().hex[:6]}"
        self.ground.model.script(path="chat", holding=mark, text="palabra " * words, pace=pace)
        return Listening(self.ground.caller(), self.question(mark), TALKER, **fields)

    # what has become of it

    def unfinished(self) -> list[str]:
        wanted = [one for one in self.accepted if one not in self.gone]
        rows = dict(self.ground.rows("SELECT id::text, status FROM corpora_document WHERE id::text = ANY(%s)", wanted))
        for document in [one for one in wanted if rows.get(one) == "failed"]:
            self.retry(document)
        left = [f"{self.accepted[one]} ({rows.get(one, 'no row')})" for one in wanted if rows.get(one) != "indexed"]
        erased = self.ground.rows("SELECT id::text FROM corpora_document WHERE id::text = ANY(%s)", list(self.gone))
        return left + [f"{self.accepted[one]} is not erased" for (one,) in erased]

    def retry(self, document: str) -> None:
        """A person sees that it failed, and why, and says so again."""
        error = self.state(document)[2]
        self.expect(error in ("extraction_crashed",), f"{self.accepted[document]} failed: {error}")
        self.call("POST", f"/api/documents/{document}/reprocess/")

    def outcome(self) -> Outcome:
        began = self.mended_at or time.monotonic()
        probe: list[list[SseEvent]] = []

        def is_whole() -> bool:
            if self.unfinished():
                return False
            if not self.found():
                return False
            probe.append(self.ask("ahora"))
            return bool(probe[-1]) and probe[-1][-1].name == "done" and bool(probe[-1][0].data.get("sources"))

        deadline, stuck = began + min(patience(SETTLES_WITHIN), 300), list[str]()
        while not is_whole():
            if time.monotonic() > deadline:
                told = [(one.name, one.data) for one in probe[-1][:1]] if probe else "nobody could be asked"
                stuck = self.unfinished() or [f"nothing is found or answered: {told}"]
                break
            time.sleep(0.1)
        recovered = time.monotonic() - began
        return Outcome(recovered, self.lost(), self.duplicated(), [*stuck, *self.still_open()], self.broken)

    def lost(self) -> list[str]:
        ids = list(self.accepted)
        there = {
            one for (one,) in self.ground.rows("SELECT id::text FROM corpora_document WHERE id::text = ANY(%s)", ids)
        }
        lost = [self.accepted[one] for one in ids if one not in there and one not in self.gone]
        kept = dict(
            self.ground.rows("SELECT id::text, status FROM chat_message WHERE id::text = ANY(%s)", self.answers)
        )
        lost += [f"answer {one} is {kept.get(one)}" for one in self.answers if kept.get(one) != "complete"]
        untold = self.ground.rows(
            "SELECT id::text FROM corpora_document d WHERE id::text = ANY(%s) AND status = 'indexed' AND NOT EXISTS"
            " (SELECT 1 FROM webhooks_delivery w WHERE w.event = 'document.indexed'"
            "  AND w.data->>'document' = d.id::text AND (w.data->>'version')::int = d.version)",
            ids,
        )
        return lost + [f"nobody outside is told of {self.accepted[one]}" for (one,) in untold]

    def duplicated(self) -> list[str]:
        """Documents with other rows or points than one clean run makes; what was deleted and is there."""
        told = [
            f"{name} ×{count}"
            for name, count in self.ground.rows(
                "SELECT filename, count(*) FROM corpora_document WHERE filename LIKE %s AND deleted_at IS NULL"
                " GROUP BY filename HAVING count(*) > 1",
                f"{self.token}-%",
            )
        ]
        told += [
            f"{name} is told {count} times"
            for name, count in self.ground.rows(
                "SELECT d.filename, count(*) FROM webhooks_delivery w JOIN corpora_document d"
                " ON w.data->>'document' = d.id::text WHERE w.event = 'document.indexed' AND d.filename LIKE %s"
                " GROUP BY d.filename, w.data->>'version' HAVING count(*) > 1",
                f"{self.token}-%",
            )
        ]
        for document, name in self.accepted.items():
            rows = self.ground.rows(
                "SELECT d.chunk_count, (SELECT count(*) FROM corpora_chunk c WHERE c.document_id = d.id)"
                " FROM corpora_document d WHERE d.id = %s",
                document,
            )
            chunks, kept = rows[0] if rows and document not in self.gone else (0, 0)
            points = self.ground.services.index.count(document)
            if not chunks == kept == points:
                told.append(f"{name}: {chunks} chunks told, {kept} rows, {points} points")
        return told

    def still_open(self) -> list[str]:
        """Answers that nobody would ever hear the end of: read again, each must come to one."""
        told = []
        for message in self.begun:
            again = Listening(self.ground.caller(), "", follow=message).ended(20)
            if not again or again[-1].name not in ("done", "error"):
                told.append(f"answer {message} has no end")
        return told


class Listening:
    """Somebody who asks, or reads an answer again (`follow`), and reads on in a thread, whatever becomes of it."""

    def __init__(self, caller: Caller, question: str, agent: str = AGENT, follow: str = "", **fields: Any) -> None:
        self.events: list[SseEvent] = []
        self.status, self.message, self.error = 0, "", ""
        self._thread = threading.Thread(
            target=self._listen, args=(caller, question, agent, follow, fields), daemon=True
        )
        self._thread.start()

    def _listen(self, caller: Caller, question: str, agent: str, follow: str, fields: dict[str, Any]) -> None:
        try:
            with caller.follow(follow) if follow else caller.ask(agent, question, **fields) as stream:
                self.status = stream.status
                if stream.status == 200:
                    self.message = stream.headers.get("x-message", "")
                    for event in stream:
                        self.events.append(event)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.error = repr(error)

    def speaks(self, tokens: int = 1) -> bool:
        """So many tokens have come, or no more will."""
        return sum(one.name == "token" for one in self.events) >= tokens or not self._thread.is_alive()

    def ended(self, seconds: float) -> list[SseEvent]:
        self._thread.join(patience(seconds))
        return list(self.events)


def run(ground: Ground, *faults: Fault) -> Outcome:
    """Break, work meanwhile, mend, see. Of two, what each expects counts where the other leaves it what it needs."""
    conflict = any(one.needs & other.hurts for one in faults for other in faults if other is not one)
    trial = Trial(ground, judged=not conflict)
    trial.document("antes")
    wait_until(lambda: not trial.unfinished(), patience(60), "what was there before is indexed")
    with ExitStack() as broken:
        for one in faults:
            broken.enter_context(one.inject(trial))
        trial.upload("durante")
        trial.ask("durante")
    if not trial.mended_at or len(faults) > 1:  # of two, the first may have been mended long before the other
        trial.mended()
    return trial.outcome()


@contextmanager
def backlog(ground: Ground, documents: int, seconds: float = 0.4) -> Iterator[Callable[[], int]]:
    """At least so many documents of somebody else wait, each an embedding of `seconds` away; the function that is given
    tops them up. At the end all of them must have been indexed."""
    caller, mark = ground.caller(MEMBER), f"cola{uuid4().hex[:8]}"
    sent = 0

    def send(number: int) -> Answer:
        content = f"# Parte {number} {mark}\n\nLa boya número {number} alumbra la costa.\n".encode()
        return upload(caller, ground.crowd, f"{mark}-{number}.md", content)

    def top_up() -> int:
        nonlocal sent
        ground.model.script(path="embeddings", holding=mark, latency=seconds)
        ((waiting,),) = ground.rows(
            "SELECT count(*) FROM corpora_document WHERE status = 'pending' AND filename LIKE %s", f"{mark}%"
        )
        wanted = range(sent, sent + max(0, documents - waiting))
        with ThreadPoolExecutor(4) as sending:
            assert all(one.status == 202 for one in sending.map(send, wanted))
        sent = wanted.stop
        return sent

    top_up()
    yield top_up
    left = "SELECT count(*) FROM corpora_document WHERE filename LIKE %s AND status <> 'indexed'"
    ground.model.reset()
    wait_until(lambda: ground.rows(left, f"{mark}%") == [(0,)], patience(300), "the backlog is worked off")
    kept = "SELECT count(*), count(DISTINCT filename) FROM corpora_document WHERE filename LIKE %s"
    assert ground.rows(kept, f"{mark}%") == [(sent, sent)]

"""Streams: hundreds of open answers on one web process, then the same work on two and on four.

First hundreds of answers of 20 tokens a second are held open on one process: what each costs in memory, how evenly its
tokens come, how many database connections they hold. Then the model talks ten times as fast, so that the web processes
are what limits, and one, two (and four, where there are four cores) carry as much as they can.
"""

import asyncio
import threading
from dataclasses import dataclass, field

from bench.client import Answer, Target, ask
from bench.load.house import AGENT, House, tree_cpu, tree_memory
from bench.results import Book, percentile
from bench.targets.documents import questions
from tests.services.installation import indexed, new_corpus, uploaded
from tests.services.servers import Server

TTFT_MS, TPS, FAST_TPS = 200.0, 20.0, 200.0
OPENED_A_SECOND = 50.0
HELD_SECONDS = 15.0  # all of them open at once
CARRIED_SECONDS = 8.0
KB = 1024
HELD = (
    "SELECT count(*) FILTER (WHERE starts_with(state, 'idle in')), count(*) FROM pg_stat_activity"
    " WHERE starts_with(application_name, 'web')"
)


class TimedAnswer(Answer):
    """An answer that notes when its tokens arrive, and the time since the ones before, in milliseconds."""

    def __init__(self, request: bytes, asked: float) -> None:
        super().__init__(request, asked)
        self.gaps: list[tuple[float, float]] = []
        self.last = 0.0

    def data_received(self, received: bytes) -> None:
        before = self.tokens
        super().data_received(received)
        if self.tokens > before:
            now = asyncio.get_running_loop().time()
            if self.last:
                self.gaps.append((now, 1000 * (now - self.last)))
            self.last = now


async def follow(target: Target, question: str, after: float) -> TimedAnswer:
    await asyncio.sleep(after)
    return await ask(target, question, TimedAnswer)


async def follow_all(targets: list[Target], asked: list[str], per_second: float) -> list[TimedAnswer]:
    """Opened at an even rate, in turns over the targets."""
    each = (follow(targets[n % len(targets)], one, n / per_second) for n, one in enumerate(asked))
    return list(await asyncio.gather(*each))


@dataclass
class Watch:
    """Asks PostgreSQL twice a second what the web processes' connections do, and the system what they hold.

    A connection that waits within a transaction is for a moment whoever's statement comes next. What a stream holds it
    holds all the time: the fewest that were ever seen.
    """

    house: House
    web: Server
    in_transaction: list[int] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def look(self) -> None:
        while not self.ended.wait(0.5):
            ((idle, open_),) = self.house.installation.query(HELD)
            self.in_transaction.append(idle)
            self.connections.append(open_)
            self.memory.append(tree_memory(self.web))

    def __enter__(self) -> "Watch":
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()


def measure(house: House, book: Book, streams: int, processes: list[int]) -> None:
    prepare(house)
    held(house, book, streams)
    for count in processes:
        carried(house, book, streams, count)


def prepare(house: House) -> None:
    """A corpus of ten documents, so that there is something to search; the worker ends with it."""
    web, worker = house.installation.web("web"), house.installation.worker()
    house.webs.append(web)
    caller = house.installation.caller(web)
    corpus = new_corpus(caller, AGENT)
    texts = ("# Acta\n\n" + "\n\n".join(questions(f"document {n}", 60)) for n in range(10))
    for document in [uploaded(caller, corpus, f"{n}.md", text.encode()) for n, text in enumerate(texts)]:
        indexed(caller, document, 120)
    worker.stop()


def held(house: House, book: Book, streams: int) -> None:
    web, seconds = house.webs[0], streams / OPENED_A_SECOND + HELD_SECONDS
    pace = {"ttft_ms": TTFT_MS, "embed_ms": 5.0, "embed_item_ms": 0.0}
    asyncio.run(house.model.at(**pace, tps=FAST_TPS, tokens=40))
    asyncio.run(follow_all([house.target(web)], questions("warm up", 60), 30))  # caches and pools fill once
    before = tree_memory(web)
    asyncio.run(house.model.at(**pace, tps=TPS, tokens=int(seconds * TPS)))
    used, own = house.others(), tree_cpu(web)
    with Watch(house, web) as watch:
        answers = asyncio.run(follow_all([house.target(web)], questions("held", streams), OPENED_A_SECOND))
    spent = {name: one - used[name] for name, one in house.others().items()}
    whole = int(seconds * TPS)
    note_gaps(book, answers)
    book.note("stream errors", sum(not one.complete or one.tokens != whole for one in answers))
    first = [one.first_token_ms - TTFT_MS for one in answers]
    book.note("stream first p50", percentile(first, 0.5))
    book.note("stream first p99", percentile(first, 0.99))
    book.note("stream memory", (max(watch.memory) - before) / KB / streams)
    book.note("stream connections", min(watch.in_transaction))
    book.note("stream pool", max(watch.connections))
    lasted = seconds + TTFT_MS / 1000 + streams / OPENED_A_SECOND
    book.note("stream web cpu", (tree_cpu(web) - own) / lasted)
    book.note("stream generator cpu", spent["generator"] / lasted)
    book.note("stream other cpu", (sum(spent.values()) - spent["generator"]) / lasted)


def note_gaps(book: Book, answers: list[TimedAnswer]) -> None:
    """Once all have begun and before one ends, and before that: whoever asks then wants the same core."""
    begun = max(one.asked + one.first_token_ms / 1000 for one in answers)
    ended = min(one.last for one in answers)
    gaps = [gap for answer in answers for gap in answer.gaps]
    calm = [took for at, took in gaps if begun < at - took / 1000 and at < ended]
    opening = [took for at, took in gaps if at - took / 1000 <= begun]
    for name, some in (("gap", calm), ("opening gap", opening)):
        book.note(f"{name} p50", percentile(some, 0.5))
        book.note(f"{name} p99", percentile(some, 0.99))


def carried(house: House, book: Book, streams: int, count: int) -> None:
    """As many tokens as `count` web processes can relay; what limits is told by who used how much of a core."""
    while len(house.webs) < count:
        house.webs.append(house.installation.web(f"web{len(house.webs) + 1}"))
    webs = house.webs[:count]
    targets = [house.target(web) for web in webs]
    tokens = int(CARRIED_SECONDS * FAST_TPS)
    asyncio.run(house.model.at(ttft_ms=TTFT_MS, tps=FAST_TPS, tokens=20, embed_ms=5.0, embed_item_ms=0.0))
    asyncio.run(follow_all(targets, questions(f"warm up {count}", 20 * count), 20))
    asyncio.run(house.model.at(tokens=tokens))
    used, own = house.others(), sum(map(tree_cpu, webs))
    answers = asyncio.run(timed(targets, questions(f"carried {count}", streams)))
    spent = {name: one - used[name] for name, one in house.others().items()}
    cpu = sum(map(tree_cpu, webs)) - own
    began = min(one.asked for one in answers)
    lasted = max(one.last for one in answers) - began
    relayed = sum(one.tokens for one in answers)
    book.note(f"carried {count} errors", sum(not one.complete for one in answers))
    book.note(f"carried {count} tokens", relayed / lasted)
    book.note(f"carried {count} cpu", 1000 * cpu / relayed)
    book.note(f"carried {count} web cores", cpu / lasted)
    book.note(f"carried {count} generator cores", spent["generator"] / lasted)
    book.note(f"carried {count} other cores", (sum(spent.values()) - spent["generator"]) / lasted)
    note_ratios(book, count)


def note_ratios(book: Book, count: int) -> None:
    """Of `count` processes over one: as it was carried, and by their CPU, if each had a core of its own."""
    one, many = (book.values[f"carried {n} tokens"] for n in (1, count))
    if count > 1 and one:
        book.note(f"carried {count} ratio", many[-1] / one[-1])
        cheap, dear = (book.values[f"carried {n} cpu"][-1] for n in (1, count))
        book.note(f"carried {count} ratio by cpu", count * cheap / dear)


async def timed(targets: list[Target], asked: list[str]) -> list[TimedAnswer]:
    return await follow_all(targets, asked, 4 * OPENED_A_SECOND)

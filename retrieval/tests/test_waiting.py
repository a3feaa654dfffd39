"""Nobody waits for a stranger: networks hold no thread that others need, and each organization has its own line."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from accounts.models import Membership
from config.concurrency.loops import block_on
from config.concurrency.threads import in_thread
from corpora.models import Corpus
from corpora.scope import Scope
from retrieval import embeddings, search
from retrieval.results import RetrievalPolicy
from retrieval.search import aretrieve, retrieve
from retrieval.spaces import opened
from retrieval.tests.endpoint import DIMENSIONS, Endpoint, Reply, serving
from retrieval.tests.shelf import scope_of, shelve
from retrieval.waiting.steps import Awaited, Blocking, Steps, arun, run
from tests.factories import CorpusFactory, MembershipFactory

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = "How many days does a loan last?"


async def later(value: int) -> int:
    await asyncio.sleep(0)
    return value


async def failing() -> int:
    raise LookupError("no such thing")


def sum_of_three() -> Steps[tuple[int, str]]:
    """Computes, awaits, blocks, and catches what was raised where it waited."""
    first = yield Awaited(lambda: later(1))
    second = yield Blocking(lambda: 2)
    try:
        yield Awaited(failing)
    except LookupError as error:
        return first + second, str(error)
    raise AssertionError


def test_the_same_steps_run_on_a_thread_and_on_the_loop() -> None:
    assert run(sum_of_three()) == (3, "no such thing")
    assert asyncio.run(arun(sum_of_three(), "owner")) == (3, "no such thing")


def test_what_nobody_catches_reaches_the_caller() -> None:
    def steps() -> Steps[None]:
        yield Awaited(failing)

    with pytest.raises(LookupError):
        run(steps())
    with pytest.raises(LookupError):
        asyncio.run(arun(steps(), "owner"))


async def test_a_loop_is_never_blocked_on_itself() -> None:
    with pytest.raises(RuntimeError, match="await"):
        block_on(later(1))


async def test_what_waits_holds_no_thread_of_the_short_work() -> None:
    def steps() -> Steps[None]:
        yield Blocking(lambda: time.sleep(0.5))

    crowd = [asyncio.ensure_future(arun(steps(), "busy")) for _ in range(24)]
    await asyncio.sleep(0.1)
    started = time.monotonic()
    assert (await in_thread(threading.current_thread)).name.startswith("request")
    assert time.monotonic() - started < 0.2
    await asyncio.gather(*crowd)


async def test_an_organization_waits_at_its_own_limit_and_no_other_does(settings: Any) -> None:
    settings.SEARCHES_PER_ORGANIZATION = 2
    at_once: dict[str, list[int]] = {"busy": [0], "quiet": [0]}

    async def counted(owner: str) -> None:
        at_once[owner].append(at_once[owner][-1] + 1)
        await asyncio.sleep(0.05)
        at_once[owner].append(at_once[owner][-1] - 1)

    def steps(owner: str) -> Steps[None]:
        yield Awaited(lambda: counted(owner))

    crowd = [asyncio.ensure_future(arun(steps("busy"), "busy")) for _ in range(20)]
    await asyncio.sleep(0.02)
    started = time.monotonic()
    await arun(steps("quiet"), "quiet")
    assert time.monotonic() - started < 0.2
    await asyncio.gather(*crowd)
    assert max(at_once["busy"]) == 2


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    with serving() as running:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = running.url, "k"
        settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = "text-embedding-3-small", DIMENSIONS
        opened.close()
        embeddings._provider.cache_clear()
        yield running
        opened.close()
        embeddings._provider.cache_clear()


@pytest.fixture
def alice(db: None) -> Membership:
    return MembershipFactory()


@pytest.fixture
def corpus(alice: Membership, endpoint: Endpoint) -> Corpus:
    corpus: Corpus = CorpusFactory(shared_in=alice.organization)
    shelve(corpus, "A loan lasts twenty-one days. Who returns a book late pays ten cents a day.", title="Loans")
    return corpus


def test_the_loop_finds_what_a_thread_finds(alice: Membership, corpus: Corpus) -> None:
    scope = scope_of(alice, corpus)
    here, there = retrieve(QUESTION, scope), asyncio.run(aretrieve(QUESTION, scope))
    assert [chunk.chunk for chunk in here.chunks] == [chunk.chunk for chunk in there.chunks]
    assert (here.gate, here.degraded, here.score) == (there.gate, there.degraded, there.score)
    assert there.chunks


def test_questions_whose_embedding_is_slow_wait_side_by_side(
    alice: Membership, corpus: Corpus, endpoint: Endpoint
) -> None:
    endpoint.script.extend(Reply(delay=0.5) for _ in range(24))
    scope = scope_of(alice, corpus)

    async def crowd() -> float:
        started = time.monotonic()
        await asyncio.gather(*(aretrieve(f"{QUESTION} {number}", scope) for number in range(24)))
        return time.monotonic() - started

    assert asyncio.run(crowd()) < 3.0
    assert endpoint.most_in_flight == 24


def test_without_the_embedding_server_the_loop_too_searches_words_alone(
    alice: Membership, corpus: Corpus, endpoint: Endpoint
) -> None:
    endpoint.script.extend(Reply(status=500) for _ in range(4))
    found = asyncio.run(aretrieve(QUESTION, scope_of(alice, corpus)))
    assert found.degraded == "embedding_unavailable"
    assert found.chunks


async def test_an_empty_scope_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "provider_of", None)
    scope = Scope(uuid4(), uuid4(), frozenset(), frozenset())
    assert (await aretrieve(QUESTION, scope, RetrievalPolicy())).chunks == ()

"""Threads of synchronous views: one to a request, kept for the next, never two requests on one; and their language."""

import asyncio
import threading

import pytest
from asgiref.sync import sync_to_async
from django.utils.translation import get_language, override

from config.concurrency.threads import KeptThreads, in_search, in_thread, waiting, wanted

thread = sync_to_async(threading.get_ident, thread_sensitive=True)


async def test_a_request_has_one_thread_and_the_next_has_it_after() -> None:
    kept = KeptThreads()
    async with kept.one():
        first = {await thread(), await thread()}
    async with kept.one():
        second = {await thread()}
    assert first == second
    assert len(first) == 1


async def test_requests_at_once_share_none_and_few_are_kept() -> None:
    kept, everybody_is_in = KeptThreads(), asyncio.Barrier(KeptThreads.KEPT + 4)

    async def request() -> int:
        async with kept.one():
            await everybody_is_in.wait()
            return await thread()

    threads = await asyncio.gather(*(request() for _ in range(everybody_is_in.parties)))
    assert len(set(threads)) == everybody_is_in.parties
    assert len(kept._free) == KeptThreads.KEPT


async def test_a_request_that_fails_gives_its_thread_back() -> None:
    kept = KeptThreads()
    try:
        async with kept.one():
            raise RuntimeError
    except RuntimeError:
        pass
    assert len(kept._free) == 1


@pytest.mark.django_db  # a thread that was somebody's gives its connection back first
async def test_a_thread_speaks_the_language_of_its_request() -> None:
    with override("en"):
        assert await in_thread(get_language) == "en"
    with override("es"):
        assert await in_thread(get_language) == "es"


@pytest.mark.django_db
async def test_what_threads_have_or_will_have_to_compute_is_wanted_until_it_is_done() -> None:
    """Also what waits for its turn, and what fails; not what only waits for somebody else."""
    go_on = threading.Event()

    def fail() -> None:
        go_on.wait()
        raise ValueError

    many = [in_thread(go_on.wait) for _ in range(10)] + [in_search("acme", go_on.wait) for _ in range(10)]
    works = asyncio.gather(*many, in_thread(fail), waiting.run("acme", go_on.wait), return_exceptions=True)
    await asyncio.sleep(0)
    assert wanted() == 21
    go_on.set()
    await works
    assert wanted() == 0

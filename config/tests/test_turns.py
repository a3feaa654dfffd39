"""Turns at what is scarce: a long line delays its own owner, and nobody leaves with a place in his pocket."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from config.concurrency.turns import Turns


def taking(turns: Turns, log: list[str]) -> Callable[[str], Awaitable[None]]:
    async def take(owner: str) -> None:
        async with turns.turn(owner):
            log.append(owner)
            await asyncio.sleep(0)

    return take


async def test_another_owner_waits_for_one_turn_and_not_for_the_line() -> None:
    order: list[str] = []
    take = taking(Turns(places=1, each=1), order)
    await asyncio.gather(*(take("busy") for _ in range(20)), take("quiet"))
    assert order.index("quiet") <= 2  # the turn that was under way, and one
    assert order.count("busy") == 20


async def test_lines_are_served_in_turns() -> None:
    order: list[str] = []
    take = taking(Turns(places=1, each=1), order)
    await asyncio.gather(take("first"), *(take(owner) for owner in "aaabbbccc"))
    assert order == ["first", *"abcabcabc"]


async def test_an_owner_has_no_more_than_his_share_and_all_no_more_than_there_are() -> None:
    turns, held, most = Turns(places=5, each=2), {"a": 0, "b": 0, "c": 0}, {"a": 0, "b": 0, "c": 0, "all": 0}

    async def take(owner: str) -> None:
        async with turns.turn(owner):
            held[owner] += 1
            most[owner] = max(most[owner], held[owner])
            most["all"] = max(most["all"], sum(held.values()))
            await asyncio.sleep(0.001)
            held[owner] -= 1

    await asyncio.gather(*(take(owner) for owner in "abc" * 10))
    assert most == {"a": 2, "b": 2, "c": 2, "all": 5}


async def test_who_leaves_the_line_or_is_called_while_leaving_keeps_no_place() -> None:
    turns = Turns(places=1, each=1)
    async with turns.turn("a"):
        waiting = [asyncio.ensure_future(turns._take(owner)) for owner in "bc"]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
    waiting[1].cancel()  # it has just been called
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*waiting)
    await asyncio.sleep(0)
    async with asyncio.timeout(1), turns.turn("d"):
        assert not turns._lines


async def test_a_failure_inside_gives_the_place_back() -> None:
    turns = Turns(places=1, each=1)
    with suppress(RuntimeError):
        async with turns.turn("a"):
            raise RuntimeError
    async with asyncio.timeout(1), turns.turn("a"):
        pass


async def test_those_who_leave_all_at_once_take_no_place_and_nobody_from_the_line() -> None:
    turns, served = Turns(places=2, each=1), []

    async def take(name: int) -> None:
        async with turns.turn("crowd"):
            served.append(name)
            await asyncio.sleep(60 if name < 3 else 0)

    crowd = [asyncio.ensure_future(take(name)) for name in range(5)]
    await asyncio.sleep(0)
    for one in crowd[:3]:  # who holds the place, and the next two, before any of them runs again
        one.cancel()
    assert all(
        isinstance(one, asyncio.CancelledError) for one in await asyncio.gather(*crowd[:3], return_exceptions=True)
    )
    async with asyncio.timeout(1):
        await asyncio.gather(*crowd[3:])
        async with turns.turn("crowd"), turns.turn("somebody else"):
            assert served == [0, 3, 4]

"""Places of a process are shared: whoever does much leaves room, and of those who wait whoever does least is first."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

import pytest

from accounts.limits.places import Places
from accounts.problems import Busy
from tests.live import eventually


def test_in_one_name_there_are_fewer_than_in_all() -> None:
    places = Places(at_once=3, patience=0.01, of_one=2)
    with places.taken("a"), places.taken("a"):
        with pytest.raises(Busy), places.taken("a"):
            pass
        with places.taken("b"), pytest.raises(Busy), places.taken("c"):
            pass
    with places.taken("a"), places.taken("a"):
        pass


def test_of_those_who_wait_the_one_with_least_is_first() -> None:
    places, order, done = Places(at_once=2, patience=10), list[str](), Event()

    def work(name: str) -> None:
        with places.taken(name):
            order.append(name)
            done.wait(10)

    with ThreadPoolExecutor(8) as pool, ExitStack() as held:
        first = held.enter_context(ExitStack())
        first.enter_context(places.taken("a"))
        held.enter_context(places.taken("a"))
        for name in ("a", "a", "a", "b"):
            pool.submit(work, name)
        eventually(lambda: places._waiting.total() == 4, 10)
        first.close()
        eventually(lambda: bool(order), 10)
        assert order == ["b"]
        done.set()
    assert sorted(order) == ["a", "a", "a", "b"]
    assert not places._taken
    assert not places._waiting


def test_a_fault_gives_its_place_back() -> None:
    places = Places(at_once=1, patience=0.01)
    with pytest.raises(ZeroDivisionError), places.taken():
        raise ZeroDivisionError
    with places.taken():
        pass

"""Every fault, in the order of RELIABILITY's table."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from tests.services.faults.trial import Fault, Trial

FAULTS: dict[str, Fault] = {}
Injection = Callable[[Trial], Iterator[None]]


def fault(
    row: str, *, within: float, hurts: str = "", needs: str = "database web worker", lacking: str = ""
) -> Callable[[Injection], Injection]:
    """Enter a generator that breaks, yields, and mends."""

    def enter(inject: Injection) -> Injection:
        name = re.sub("_", " ", inject.__name__)
        FAULTS[name] = Fault(
            name, row, within, frozenset(hurts.split()), frozenset(needs.split()), lacking, contextmanager(inject)
        )
        return inject

    return enter


def load() -> dict[str, Fault]:
    """The modules that hold them, read once."""
    from tests.services.faults import conversations, processes, wires  # noqa: F401 - each enters its own

    return FAULTS


def in_company(faults: Iterable[Fault]) -> list[tuple[Fault, ...]]:
    """All of them, two at a time where neither takes from the other what it needs: each can be judged then."""
    left, groups = list(faults), list[tuple[Fault, ...]]()
    while left:
        first = left.pop(0)
        free = [one for one in left if not disturb(first, one)]
        if free:
            left.remove(free[0])
        groups.append(in_turn(first, *free[:1]))
    return groups


def disturb(one: Fault, other: Fault) -> bool:
    return bool(one.hurts & (other.hurts | other.needs) or other.hurts & one.needs)


def in_turn(*faults: Fault) -> tuple[Fault, ...]:
    """Last what takes away what another needs, or any service: the others prepare with services that are there."""

    def takes(one: Fault) -> tuple[bool, bool]:
        is_needed = any(one.hurts & other.needs for other in faults if other is not one)
        return is_needed, bool(one.hurts - {"worker", "web"})

    return tuple(sorted(faults, key=takes))

"""What may be held at once: documents, corpora, keys, running answers. Counted anew under a lock, so that no counter
can drift from what there is; each app says how its own things are counted."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from accounts.limits.amounts import amounts_for
from accounts.limits.declared import LIMITS, Per, Window
from accounts.limits.refusing import quota_exceeded
from accounts.limits.uses import lock_organization
from accounts.models import Membership
from accounts.tenancy.scope import system_scope


class Held(NamedTuple):
    """Of one thing: a member's own, and everybody's in the organization; as it is counted."""

    own: int
    all: int

    def of(self, per: Per) -> int:
        return self.own if per is Per.USER else self.all


Counter = Callable[[Membership], Mapping[str, Held]]
_counters: dict[str, Counter] = {}


def counter_of(*names: str) -> Callable[[Counter], Counter]:
    """Decorates who counts these limits, all at once."""

    def register(counter: Counter) -> Counter:
        _counters.update(dict.fromkeys(names, counter))
        return counter

    return register


def stock_of(by: Membership, names: tuple[str, ...] = ()) -> dict[str, Held]:
    """What the member and the organization hold now, by limit; of all limits unless some are named."""
    wanted = names or tuple(name for name, limit in LIMITS.items() if limit.window is Window.HELD)
    found: dict[str, Held] = {}
    with system_scope():  # numbers, also of what the member may not read
        for counter in dict.fromkeys(_counters[name] for name in wanted):
            found |= counter(by)
    return found


def make_room(by: Membership, **adding: int) -> None:
    """Refuse what would be too much; in the transaction that makes it. Until that ends, others of the organization
    wait. Raises QuotaExceeded."""
    _look(by, adding, is_kept=True)


def make_own_room(by: Membership, **adding: int) -> None:
    """`make_room` for what the organization has already, and becomes the member's."""
    _look(by, adding, is_kept=True, each=(Per.USER,))


def look_for_room(by: Membership, **adding: int) -> None:
    """`make_room` without keeping it: before something long is begun that would be refused at its end."""
    _look(by, adding, is_kept=False)


def _look(by: Membership, adding: Mapping[str, int], *, is_kept: bool, each: tuple[Per, ...] = tuple(Per)) -> None:
    amounts = amounts_for(by)
    limited = tuple(name for name, n in adding.items() if n > 0 and any((name, per) in amounts for per in each))
    if not limited:
        return
    if is_kept:
        lock_organization(by.organization_id)
    held = stock_of(by, limited)
    for name in limited:
        for per in each:
            allowed = amounts.get((name, per))
            if allowed is not None and held[name].of(per) + adding[name] > allowed:
                raise quota_exceeded(by, LIMITS[name], per, allowed)

"""What costs is reserved before it happens, and settled after it (RELIABILITY R21).

requests     counted; given back only when the call is refused for something else (`counted_request`)
spending     the most that it may be is reserved, what it was is settled; a reservation that nobody settles expires
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction

from accounts.limits.amounts import Amounts, amounts_for, are_counted
from accounts.limits.declared import LIMITS, Per
from accounts.limits.refusing import quota_exceeded
from accounts.limits.rows import SpendingReservation
from accounts.limits.uses import (
    Addition,
    add_up,
    lock_organization,
    present_reservations,
    present_uses,
    take_back,
    take_off,
)
from accounts.limits.windows import start_of
from accounts.models import Membership
from accounts.problems import Problem
from accounts.tenancy.scope import system_scope
from config.concurrency.clock import DatabaseNow

SPENT = ("tokens_day", "tokens_month", "dollars_day", "dollars_month")
LIFETIME = timedelta(minutes=20)  # of a reservation: longer than any answer takes


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens of language models, and millionths of a US dollar where their price is known."""

    tokens: int = 0
    microdollars: int = 0

    def of(self, name: str) -> int:
        return self.tokens if name.startswith("tokens") else self.microdollars

    def __bool__(self) -> bool:
        return bool(self.tokens or self.microdollars)


FREE = Spending()


def reserve(
    by: Membership,
    spending: Spending = FREE,
    reservation: UUID | None = None,
    lifetime: timedelta = LIFETIME,
    **requests: int,
) -> None:
    """Count `requests` by limit, and hold `spending` under the id of what will spend it. Raises QuotaExceeded, and
    then nothing is counted: that a refused call costs nothing is what makes Retry-After true."""
    with transaction.atomic():
        reserve_here(by, spending, reservation, lifetime, **requests)


@contextmanager
def counted_request(by: Membership, refusals: type[Problem] = Problem, **requests: int) -> Iterator[None]:
    """`reserve` for what is then looked at more closely: when it is refused, it is counted no more. Until then it
    counts, so that of any number at once no more than are allowed get further."""
    starts = {name: start_of(LIMITS[name].window) for name in requests}
    with transaction.atomic():
        taken = reserve_here(by, FREE, None, LIFETIME, **requests)
    try:
        yield
    except refusals:
        take_off(by.organization_id, by.user_id, taken, starts)
        raise


def reserve_here(
    by: Membership,
    spending: Spending = FREE,
    reservation: UUID | None = None,
    lifetime: timedelta = LIFETIME,
    **requests: int,
) -> Sequence[Addition]:
    """`reserve` as a part of the caller's transaction, which an error must undo; what was counted of `requests`."""
    if not are_counted(by):
        return ()
    amounts = amounts_for(by)
    if spending and reservation:
        _hold(by, amounts, spending, reservation, lifetime)
    wanted = [Addition(name, per, n) for name, n in requests.items() for per in Per if (name, per) in amounts]
    for key, used in add_up(by.organization_id, by.user_id, wanted).items():
        _refuse_beyond(by, amounts, key, used)
    return wanted


def _hold(by: Membership, amounts: Amounts, spending: Spending, reservation: UUID, lifetime: timedelta) -> None:
    """Reservations are read before uses: one that is settled in between counts twice for a moment, never not at all."""
    lock_organization(by.organization_id)
    reserved = present_reservations(by)
    used = present_uses(by, SPENT)
    for name in SPENT:
        for per in Per if (wanted := spending.of(name)) else ():
            under_way = Spending(*reserved[per]).of(name)
            _refuse_beyond(by, amounts, (name, per), used.get((name, per), 0) + under_way + wanted)
    SpendingReservation.objects.create(
        pk=reservation,
        organization_id=by.organization_id,
        user=by.user_id,
        tokens=spending.tokens,
        microdollars=spending.microdollars,
        expires_at=DatabaseNow(lifetime),
    )


def _refuse_beyond(by: Membership, amounts: Amounts, key: tuple[str, Per], used: int) -> None:
    allowed = amounts.get(key)
    if allowed is not None and used > allowed:
        raise quota_exceeded(by, LIMITS[key[0]], key[1], allowed)


def settle(reservation: UUID, spent: Spending) -> None:
    """Give the reservation back, and count what was really spent, now. Any number of times: the first counts."""
    with system_scope(), transaction.atomic():  # also where a stream's end is nobody's any more
        if whose := take_back(reservation):
            add_up(*whose, _additions(spent))


def _additions(spent: Spending) -> Iterable[Addition]:
    by_name: Mapping[str, int] = {name: spent.of(name) for name in SPENT}
    return [Addition(name, per, n) for name, n in by_name.items() if n for per in Per]

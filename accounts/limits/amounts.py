"""How much is allowed now: the default, what the installation's LIMITS say, what an operator gave an organization,
and what its admins made of that. The later one wins, but admins only lower."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from accounts.limits.declared import LIMITS, Per
from accounts.limits.rows import LimitSetting
from accounts.models import Membership
from config.prepared import Prepared

Key = tuple[str, Per]
Amounts = Mapping[Key, int]
NONE: Amounts = {}
_lifted = ContextVar("limits_lifted", default=False)


def _settings_of(organization: UUID) -> QuerySet[LimitSetting, Any]:
    rows = LimitSetting.objects.filter(organization_id=organization).order_by()
    return rows.values_list("name", "per", "by_operator", "amount")


_settings = Prepared(_settings_of)


@contextmanager
def unlimited() -> Iterator[None]:
    """For what operators do with the installation itself: commands, the watched folder, the sample."""
    token = _lifted.set(True)
    try:
        yield
    finally:
        _lifted.reset(token)


def are_counted(by: Membership) -> bool:
    """Not with QUOTAS=off, nor for operators, who act in an organization without being of it."""
    return bool(settings.QUOTAS) and not _lifted.get() and not by._state.adding


def amounts_for(by: Membership) -> Amounts:
    """What is counted, by limit and for whom; what has no limit is not there. Asked of every question: 0.06 ms."""
    if not are_counted(by):
        return NONE
    rows = _settings(organization=by.organization_id)
    if not rows:
        return _installed().counts
    given, lowered = amounts_with(rows)
    return in_counts({key: lower(amount, lowered.get(key)) for key, amount in given.items()})


def in_counts(amounts: Mapping[Key, Decimal]) -> Amounts:
    return {key: int(amount * LIMITS[key[0]].factor) for key, amount in amounts.items() if amount}


def given_amounts(organization: UUID) -> tuple[dict[Key, Decimal], dict[Key, Decimal]]:
    """What the organization was given, and what its own admins set: in the limit's own unit, 0 is none."""
    return amounts_with(_settings(organization=organization))


def amounts_with(rows: Iterable[tuple[str, str, bool, Decimal]]) -> tuple[dict[Key, Decimal], dict[Key, Decimal]]:
    given, lowered = dict(_installed().amounts), dict[Key, Decimal]()
    for name, per, by_operator, amount in rows:
        if (name, Per(per)) in given:  # a row may outlive its limit
            (given if by_operator else lowered)[name, Per(per)] = amount
    return given, lowered


class _Installed(NamedTuple):
    """For organizations that were given nothing else; of `said`, the settings that it was made from."""

    said: Any
    amounts: Mapping[Key, Decimal]
    counts: Amounts


def _installed() -> _Installed:
    global _last
    if _last is None or _last.said is not settings.LIMITS:
        said = settings.LIMITS
        amounts = {
            (name, per): Decimal(str(said.get(per.value, {}).get(name, limit.default(per))))
            for name, limit in LIMITS.items()
            for per in Per
        }
        _last = _Installed(said, amounts, in_counts(amounts))
    return _last


_last: _Installed | None = None


def lower(given: Decimal, own: Decimal | None) -> Decimal:
    if not own:
        return given
    return min(given, own) if given else own

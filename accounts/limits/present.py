"""What is allowed and what is used of it now, for the pages that show it."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal

from accounts.limits.amounts import given_amounts, lower
from accounts.limits.declared import LIMITS, Limit, Per, Window
from accounts.limits.refusing import written
from accounts.limits.reserving import SPENT, Spending
from accounts.limits.rows import LimitUse
from accounts.limits.stock import stock_of
from accounts.limits.uses import present_reservations, present_uses
from accounts.limits.windows import end_of
from accounts.models import Membership


@dataclass(frozen=True, slots=True)
class Present:
    """One limit as it stands. Amounts in its own unit; `allowed` 0 is no limit, `ends` None what no time heals."""

    limit: Limit
    per: Per
    given: Decimal
    lowered: Decimal | None
    used: Decimal
    ends: datetime | None

    @property
    def allowed(self) -> Decimal:
        return lower(self.given, self.lowered)

    @property
    def allowed_shown(self) -> str:
        return written(self.allowed)

    @property
    def used_shown(self) -> str:
        return written(self.used)

    @property
    def percent(self) -> int:
        return min(100, round(100 * self.used / self.allowed)) if self.allowed else 0


def present_limits(by: Membership, per: Per) -> list[Present]:
    """Every limit of the member, or of the organization, in the order in which they are declared."""
    given, lowered = given_amounts(by.organization_id)
    used = counted_now(by, per)
    return [
        Present(
            limit, per, given[name, per], lowered.get((name, per)),
            round(Decimal(used.get(name, 0)) / limit.factor, 2), ends_at(limit.window),
        )
        for name, limit in LIMITS.items()
    ]  # fmt: skip


def counted_now(by: Membership, per: Per) -> dict[str, int]:
    """What is reserved counts as used."""
    flows = tuple(name for name, limit in LIMITS.items() if limit.window is not Window.HELD)
    used = {name: n for (name, whose), n in present_uses(by, flows).items() if whose is per}
    under_way = Spending(*present_reservations(by)[per])
    for name in SPENT:
        used[name] = used.get(name, 0) + under_way.of(name)
    return used | {name: held.of(per) for name, held in stock_of(by).items()}


def used_by_day(by: Membership, name: str, since: date) -> list[tuple[int, int]]:
    """What the member has used of a daily limit: the first second of each day (UTC) from `since` on, and how much."""
    first = datetime.combine(since, time.min, UTC).timestamp()
    uses = LimitUse.objects.filter(organization_id=by.organization_id, subject=by.user_id, name=name)
    return list(uses.filter(starts__gte=first).order_by("starts").values_list("starts", "used"))


def ends_at(window: Window) -> datetime | None:
    return datetime.fromtimestamp(end_of(window), UTC) if end_of(window) else None

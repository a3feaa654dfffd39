"""The limits that there are: of what, in which time, and how much when nobody says otherwise (docs/limits.md).

Amounts are in the limit's own unit, 0 is none. `factor` makes of them what is counted: a megabyte's bytes, a dollar's
millionths.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

MEGABYTE = 1024 * 1024
DOLLAR = 1_000_000  # a price may be a thousandth of a cent


class Per(StrEnum):
    """Who has a limit: each member in the organization, and all of its members together."""

    USER = "user"
    ORGANIZATION = "organization"


class Window(StrEnum):
    """In which time it counts, by the clock of UTC. What is held counts for as long as it is there."""

    MINUTE = "minute"
    DAY = "day"
    MONTH = "month"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class Limit:
    """`what` follows an amount: "Your limit of 60 questions a minute"."""

    name: str
    what: "StrPromise"
    window: Window
    user: int
    organization: int
    factor: int = 1

    def default(self, per: Per) -> int:
        return self.user if per is Per.USER else self.organization


LIMITS = {
    one.name: one
    for one in (
        Limit("questions", _("questions a minute"), Window.MINUTE, 60, 600),
        Limit("searches", _("searches a minute"), Window.MINUTE, 300, 3_000),
        Limit("pages", _("pages shown as printed a minute"), Window.MINUTE, 240, 2_400),
        Limit("writes", _("uploads, facts and repeated readings a minute"), Window.MINUTE, 1_200, 6_000),
        Limit("evaluations", _("evaluation runs a minute"), Window.MINUTE, 30, 60),
        Limit("streams", _("answers at once"), Window.HELD, 20, 500),
        Limit("tokens_day", _("tokens a day"), Window.DAY, 10_000_000, 200_000_000),
        Limit("tokens_month", _("tokens a month"), Window.MONTH, 100_000_000, 2_000_000_000),
        Limit("dollars_day", _("US dollars a day"), Window.DAY, 20, 400, DOLLAR),
        Limit("dollars_month", _("US dollars a month"), Window.MONTH, 200, 4_000, DOLLAR),
        Limit("documents", _("documents"), Window.HELD, 5_000, 50_000),
        Limit("megabytes", _("megabytes of documents"), Window.HELD, 5 * 1024, 50 * 1024, MEGABYTE),
        Limit("corpora", _("corpora"), Window.HELD, 200, 2_000),
        Limit("projects", _("projects"), Window.HELD, 500, 10_000),
        Limit("keys", _("API keys"), Window.HELD, 50, 2_000),
    )
}

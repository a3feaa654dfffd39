"""What a member has used, drawn: questions and tokens a day, and what is kept against what may be."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.conf import settings
from django.db.models import Count
from django.db.models.functions import TruncDate
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts.limits.declared import Per
from accounts.limits.present import present_limits, used_by_day
from accounts.models import Membership
from accounts.pages.access import member_page
from chat.models import Message
from chat.usage.counting import first_moment

DAYS = 30
BAR, GAP, HEIGHT = 8, 2, 60  # of the drawing, in its own units
KEPT = ("tokens_day", "tokens_month", "megabytes", "documents", "corpora")


@dataclass(frozen=True, slots=True)
class DayBar:
    """One day. The least that is more than nothing can be seen."""

    day: date
    count: int
    x: int
    height: float

    @property
    def y(self) -> float:
        return HEIGHT - self.height


@dataclass(frozen=True, slots=True)
class DailyPlot:
    title: str
    bars: tuple[DayBar, ...]

    @property
    def total(self) -> int:
        return sum(one.count for one in self.bars)

    @property
    def most(self) -> DayBar:
        return max(self.bars, key=lambda one: (one.count, one.day))

    @property
    def told(self) -> list[DayBar]:
        """The days with anything, the latest first, for the table."""
        return [one for one in reversed(self.bars) if one.count]


@require_GET
@member_page
def my_usage(request: HttpRequest, membership: Membership) -> HttpResponse:
    """A page, and for the account page the part of it that is drawn."""
    today = timezone.localdate()
    since = today - timedelta(days=DAYS - 1)
    tokens = {datetime.fromtimestamp(at, UTC).date(): n for at, n in used_by_day(membership, "tokens_day", since)}
    limits = {one.limit.name: one for one in present_limits(membership, Per.USER)} if settings.QUOTAS else {}
    context = {
        "plots": [
            daily_plot(_("Questions a day"), questions_by_day(membership, since), today),
            daily_plot(_("Tokens a day"), tokens, today),
        ],
        "kept": [limits[name] for name in KEPT if name in limits],
        "across": DAYS * (BAR + GAP),
        "tall": HEIGHT,
    }
    return render(request, "chat/_usage.html" if request.htmx else "chat/usage.html", context)  # type: ignore[attr-defined]  # django_htmx.middleware


def questions_by_day(membership: Membership, since: date) -> dict[date, int]:
    """Of conversations that the member has kept."""
    asked = Message.objects.owned_by(membership).filter(role=Message.Role.USER, created_at__gte=first_moment(since))
    days = asked.order_by().annotate(day=TruncDate("created_at")).values_list("day")
    return dict(days.annotate(count=Count("pk")))


def daily_plot(title: str, counts: Mapping[date, int], today: date) -> DailyPlot:
    days = [today - timedelta(days=DAYS - 1 - n) for n in range(DAYS)]
    highest = max((counts.get(day, 0) for day in days), default=0) or 1
    bars = (
        DayBar(day, counts.get(day, 0), n * (BAR + GAP), height_of(counts.get(day, 0), highest))
        for n, day in enumerate(days)
    )
    return DailyPlot(title, tuple(bars))


def height_of(count: int, highest: int) -> float:
    return max(2.0, round(HEIGHT * count / highest, 1)) if count else 0.0

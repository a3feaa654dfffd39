"""Days counted from messages and traces: those that are over once, into rows; what these lack, whenever it is asked.

    question    by agent and user            answers, unknown, rated, liked    of answers (`chat.admin.trends`)
    failed      answers, by error code       confidence, gate, degraded        of traces, by their value

Answers are rated days after they were given: each night the last AGAIN days are counted once more.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from chat.answering.state import State
from chat.models import Message, Trace
from chat.usage.rows import DailyUsage

AGAIN = 7
RATINGS = ("rated", "liked")  # come days after the answer; the rest is counted once, and outlives its records
BATCH = 1000


def first_moment(day: date) -> datetime:
    """Where a day begins, as an index by time knows it: one of days it would not serve."""
    return timezone.make_aware(datetime.combine(day, time.min))


def roll_up(today: date | None = None) -> int:
    """For upkeep: how many days were counted, each in a transaction of its own."""
    yesterday = (today or timezone.localdate()) - timedelta(days=1)
    last = last_day()
    first = last + timedelta(days=1) if last else first_day()
    if first is None or first > yesterday:
        return 0
    begins = min(first, yesterday - timedelta(days=AGAIN - 1)) if last else first
    days = [begins + timedelta(days=n) for n in range((yesterday - begins).days + 1)]
    for day in days:
        _count(day, again=last is not None and day <= last)
    return len(days)


def _count(day: date, *, again: bool) -> None:
    """A day that was counted before is asked for its ratings alone: its records may be gone meanwhile."""
    with transaction.atomic():
        old = DailyUsage.objects.filter(day=day)
        (old.filter(measure__in=RATINGS) if again else old).delete()
        rows = (one for one in counted_days(day, day) if not again or one.measure in RATINGS)
        DailyUsage.objects.bulk_create(rows, BATCH)


def last_day() -> date | None:
    """The last that was counted; those before it all were."""
    found: date | None = DailyUsage.objects.aggregate(last=Max("day"))["last"]
    return found


def first_day() -> date | None:
    moments = (model.objects.aggregate(first=Min("created_at"))["first"] for model in (Message, Trace))
    return min((timezone.localdate(one) for one in moments if one), default=None)


@dataclass(frozen=True, slots=True)
class CountedUsage:
    """`rows` have neither agent nor user: the questions of each agent, and who asked any, stand beside them."""

    rows: list[DailyUsage]
    agents: Counter[UUID]
    people: set[UUID]


def usage_since(organization: UUID | None, since: date, asked_since: date) -> CountedUsage:
    """From a day on: what is kept, and what has happened since the last day of that. Of one organization, or of all.
    Agents and people are those of the questions from `asked_since` on."""
    last, kept = last_day(), DailyUsage.objects.filter(day__gte=since)
    if organization:
        kept = kept.filter(organization_id=organization)
    live = list(counted_days(max(since, last + timedelta(days=1)) if last else since, None, organization))
    grouped = kept.order_by().values("day", "measure", "value").annotate(total=Sum("count"), spent=Sum("cost"))
    rows = [
        DailyUsage(day=one["day"], measure=one["measure"], value=one["value"], count=one["total"], cost=one["spent"])
        for one in grouped
    ]
    asked = kept.filter(measure="question", day__gte=asked_since).order_by()
    agents = Counter(dict(asked.exclude(agent=None).values_list("agent").annotate(total=Sum("count"))))
    people = set(asked.exclude(user=None).values_list("user", flat=True).distinct())
    for one in live:
        if one.measure == "question" and one.day >= asked_since and one.agent_id and one.user_id:
            agents[one.agent_id] += one.count
            people.add(one.user_id)
    return CountedUsage([*rows, *live], agents, people)


def counted_days(first: date, last: date | None, organization: UUID | None = None) -> Iterator[DailyUsage]:
    """Four queries. `last`: that day too; None: until now."""
    within: dict[str, Any] = {"created_at__gte": first_moment(first)}
    if last:
        within["created_at__lt"] = first_moment(last + timedelta(days=1))
    messages, traces = Message.objects.filter(**within), Trace.objects.filter(**within)
    if organization:
        messages = messages.filter(conversation__organization_id=organization)
        traces = traces.filter(agent__organization_id=organization)
    yield from questions(by_day(messages.filter(role=Message.Role.USER)))
    yield from answers(by_day(messages))
    yield from searches_by_day(by_day(traces))


def by_day(rows: QuerySet[Any]) -> QuerySet[Any]:
    dated: QuerySet[Any] = rows.order_by().annotate(day=TruncDate("created_at"))
    return dated


def questions(rows: QuerySet[Any]) -> Iterator[DailyUsage]:
    parties = ("conversation__organization", "conversation__agent", "conversation__owner")
    for day, home, agent, user, count in rows.values_list("day", *parties).annotate(count=Count("pk")):
        yield DailyUsage(day=day, organization_id=home, measure="question", agent_id=agent, user_id=user, count=count)


def answers(rows: QuerySet[Any]) -> Iterator[DailyUsage]:
    home = "conversation__organization"
    failed = rows.filter(status=Message.Status.FAILED).values_list("day", home, "error_code")
    for day, organization, code, count in failed.annotate(count=Count("pk")):
        yield DailyUsage(day=day, organization_id=organization, measure="failed", value=code, count=count)
    sums = {
        "answers": Count("pk", filter=~Q(state="")),
        "unknown": Count("pk", filter=Q(state=State.NOT_IN_DOCUMENTS)),
        "rated": Count("pk", filter=Q(rating__isnull=False)),
        "liked": Count("pk", filter=Q(rating=1)),
    }
    of_assistant = rows.filter(role=Message.Role.ASSISTANT).values("day", home).annotate(**sums)
    for row in of_assistant:
        for measure in sums:
            if row[measure]:
                yield DailyUsage(day=row["day"], organization_id=row[home], measure=measure, count=row[measure])


def searches_by_day(rows: QuerySet[Any]) -> Iterator[DailyUsage]:
    """The cost stands with the confidence: it would be counted twice elsewhere."""
    found: dict[tuple[date, UUID, str, str], tuple[int, Decimal | None]] = {}
    columns = ("agent__organization", "confidence", "gate", "degraded")
    grouped = rows.values_list("day", *columns).annotate(count=Count("pk"), spent=Sum("cost"))
    for day, home, *values, count, spent in grouped:
        for measure, value in zip(columns[1:], values, strict=True):
            if value or measure != "degraded":
                before, cost = found.get((day, home, measure, value), (0, None))
                more = spent if measure == "confidence" else None
                total = cost if more is None else (cost or Decimal(0)) + more
                found[day, home, measure, value] = (before + count, total)
    for (day, home, measure, value), (count, cost) in found.items():
        yield DailyUsage(day=day, organization_id=home, measure=measure, value=value, count=count, cost=cost)

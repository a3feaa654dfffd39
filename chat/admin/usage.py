"""What an organization asked in the last days: counts for the admin's usage page, never anybody's words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.tenancy.scope import system_scope
from agents.models import Agent
from chat.admin.statistics import AdaptiveStatistics, adaptive_statistics
from chat.admin.trends import first_monday, shares, short_date, weeks_of_answers
from chat.models import DailyUsage, Trace
from chat.rendering.codes import code_spoken
from chat.usage.counting import first_moment, usage_since
from corpora.models import Corpus, Document
from retrieval.confidence.gate import Gate

DAYS = 30
CONFIDENCES = ("high", "medium", "low", "none")


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart. `percent` is its length: 100 for the longest of the chart, 0 for an empty one."""

    label: str
    count: int
    percent: int


@dataclass(frozen=True, slots=True)
class UsageReport:
    """`cost` in US dollars, of the answers whose models have a price; None where none has. `liked` and `unknown` are in
    percent, week by week (`chat.admin.trends`); None where no answer was rated, or none has a state."""

    questions: int
    people: int
    cost: Decimal | None
    per_day: tuple[Bar, ...]
    per_agent: tuple[Bar, ...]
    per_confidence: tuple[Bar, ...]
    per_gate: tuple[Bar, ...]
    failures: tuple[Bar, ...]
    liked: tuple[Bar, ...] | None = None
    unknown: tuple[Bar, ...] | None = None


def bars(counts: Iterable[tuple[str, int]]) -> tuple[Bar, ...]:
    """Bars relative to the longest; whatever is not zero can be seen."""
    pairs = list(counts)
    longest = max((count for _label, count in pairs), default=0)
    return tuple(Bar(label, count, max(round(100 * count / longest), 1) if count else 0) for label, count in pairs)


@system_scope()
def usage(organization_id: UUID | None, days: int = DAYS) -> UsageReport:
    """Counts of the last `days` days, today included, of one organization; of all of them with None."""
    today = timezone.localdate()
    since = today - timedelta(days=days - 1)
    failed = Document.objects.alive().filter(
        status=Document.Status.FAILED, corpus__corpus_type=Corpus.Type.GLOBAL, created_at__gte=first_moment(since)
    )
    if organization_id:
        failed = failed.filter(corpus__organization_id=organization_id)
    counted = usage_since(organization_id, min(since, first_monday(today)), since)
    rows = [one for one in counted.rows if one.day >= since]
    questions = [one for one in rows if one.measure == "question"]
    weeks = weeks_of_answers(counted.rows, today)
    return UsageReport(
        questions=sum(one.count for one in questions),
        people=len(counted.people),
        cost=sum_or_none(one.cost for one in rows),
        per_day=bars(per_day(questions, [since + timedelta(days=n) for n in range(days)])),
        per_agent=bars(per_agent(counted.agents)[:10]),
        per_confidence=bars(per_confidence(counts_of(rows, "confidence"))),
        per_gate=bars(per_gate(counts_of(rows, "gate"))),
        failures=bars(failures(counts_of(rows, "failed"), counts_of(rows, "degraded"), failed)),
        liked=percent_bars([(one.monday, one.liked, one.rated) for one in weeks]),
        unknown=percent_bars([(one.monday, one.unknown, one.answers) for one in weeks]),
    )


def sum_or_none(costs: Iterable[Decimal | None]) -> Decimal | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if known else None


def counts_of(rows: Iterable[DailyUsage], measure: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in rows:
        if one.measure == measure:
            found[one.value] += one.count
    return found


def most_first(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def percent_bars(pairs: Sequence[tuple[date, int, int]]) -> tuple[Bar, ...] | None:
    """Of (Monday, part, whole), each as long as its percentage; None where there is no whole at all."""
    if not any(whole for _day, _part, whole in pairs):
        return None
    return tuple(Bar(label, percent, percent) for label, percent in shares(pairs))


@system_scope()
def adaptive_usage(organization_id: UUID | None, days: int = DAYS) -> AdaptiveStatistics:
    """What adaptive retrieval did in the last `days` days."""
    since = timezone.localdate() - timedelta(days=days - 1)
    traces = Trace.objects.filter(created_at__gte=first_moment(since), agent__adaptive=True).exclude(message=None)
    if organization_id:
        traces = traces.filter(agent__organization_id=organization_id)
    return adaptive_statistics(traces.order_by().values_list("attempts", flat=True))


def count_by(rows: QuerySet[Any], field: str) -> list[tuple[str, int]]:
    """How many rows have each value, the most frequent first."""
    found = rows.order_by().values_list(field).annotate(count=Count("pk")).order_by("-count", field)
    return [(str(value), count) for value, count in found]


def per_day(questions: Iterable[DailyUsage], days: Sequence[date]) -> list[tuple[str, int]]:
    found: Counter[date] = Counter()
    for one in questions:
        found[one.day] += one.count
    return [(short_date(day), found[day]) for day in days]


def per_agent(asked: Counter[UUID]) -> list[tuple[str, int]]:
    names = dict(Agent.objects.filter(pk__in=list(asked)).values_list("pk", "name"))
    named: Counter[str] = Counter()
    for pk, count in asked.items():
        if pk in names:
            named[names[pk]] += count
    return most_first(named)


def per_confidence(counts: Counter[str]) -> list[tuple[str, int]]:
    labels = {"high": _("high"), "medium": _("medium"), "low": _("low"), "none": pgettext("confidence", "none")}
    found = {value.lower(): count for value, count in counts.items()}
    return [(labels[value], found.get(value, 0)) for value in CONFIDENCES]


def per_gate(counts: Counter[str]) -> list[tuple[str, int]]:
    labels = {
        Gate.SUFFICIENT: _("sufficient"),
        Gate.LOW_CONFIDENCE: _("too little confidence"),
        Gate.EMPTY: _("nothing found"),
        Gate.DISABLED: _("without a search"),
        Gate.DEGRADED: _("the index was down"),
    }
    return [(label, counts[gate.value]) for gate, label in labels.items()]


def failures(answers: Counter[str], degraded: Counter[str], documents: QuerySet[Document]) -> list[tuple[str, int]]:
    """Answers and documents that failed, by code, and answers that had to do without their context."""
    unread = count_by(documents, "error_code")
    kinds = ((_("answer"), most_first(answers)), (_("without context"), most_first(degraded)), (_("document"), unread))
    return [(f"{kind}: {code_spoken(code) or '?'}", count) for kind, found in kinds for code, count in found]

"""What an organization asked in the last days: counts for the admin's usage page, never anybody's words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.tenancy.scope import system_scope
from chat.admin.statistics import AdaptiveStatistics, adaptive_statistics
from chat.admin.trends import first_monday, shares, weeks_of_answers
from chat.models import Message, Trace
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
    messages = Message.objects.filter(created_at__date__gte=since)
    traces = Trace.objects.filter(created_at__date__gte=since)
    answers = Message.objects.filter(created_at__date__gte=first_monday(today))
    failed = Document.objects.alive().filter(
        status=Document.Status.FAILED, corpus__corpus_type=Corpus.Type.GLOBAL, created_at__date__gte=since
    )
    if organization_id:
        messages = messages.filter(conversation__organization_id=organization_id)
        answers = answers.filter(conversation__organization_id=organization_id)
        traces = traces.filter(agent__organization_id=organization_id)
        failed = failed.filter(corpus__organization_id=organization_id)
    questions = messages.filter(role=Message.Role.USER)
    weeks = weeks_of_answers(answers, today)
    return UsageReport(
        questions=questions.count(),
        people=questions.values("conversation__owner").distinct().count(),
        cost=traces.aggregate(spent=Sum("cost"))["spent"],
        per_day=bars(per_day(questions, [since + timedelta(days=n) for n in range(days)])),
        per_agent=bars(count_by(questions, "conversation__agent__name")[:10]),
        per_confidence=bars(per_confidence(traces)),
        per_gate=bars(per_gate(traces)),
        failures=bars(failures(messages, traces, failed)),
        liked=percent_bars([(one.monday, one.liked, one.rated) for one in weeks]),
        unknown=percent_bars([(one.monday, one.unknown, one.answers) for one in weeks]),
    )


def percent_bars(pairs: Sequence[tuple[date, int, int]]) -> tuple[Bar, ...] | None:
    """Of (Monday, part, whole), each as long as its percentage; None where there is no whole at all."""
    if not any(whole for _day, _part, whole in pairs):
        return None
    return tuple(Bar(label, percent, percent) for label, percent in shares(pairs))


@system_scope()
def adaptive_usage(organization_id: UUID | None, days: int = DAYS) -> AdaptiveStatistics:
    """What adaptive retrieval did in the last `days` days."""
    since = timezone.localdate() - timedelta(days=days - 1)
    traces = Trace.objects.filter(created_at__date__gte=since, agent__adaptive=True).exclude(message=None)
    if organization_id:
        traces = traces.filter(agent__organization_id=organization_id)
    return adaptive_statistics(traces.order_by().values_list("attempts", flat=True))


def count_by(rows: QuerySet[Any], field: str) -> list[tuple[str, int]]:
    """How many rows have each value, the most frequent first."""
    found = rows.order_by().values_list(field).annotate(count=Count("pk")).order_by("-count", field)
    return [(str(value), count) for value, count in found]


def per_day(questions: QuerySet[Message], days: Sequence[date]) -> list[tuple[str, int]]:
    found = dict(
        questions.order_by().annotate(day=TruncDate("created_at")).values_list("day").annotate(count=Count("pk"))
    )
    return [(day.isoformat(), found.get(day, 0)) for day in days]


def per_confidence(traces: QuerySet[Trace]) -> list[tuple[str, int]]:
    labels = {"high": _("high"), "medium": _("medium"), "low": _("low"), "none": pgettext("confidence", "none")}
    found = {value.lower(): count for value, count in count_by(traces, "confidence")}
    return [(labels[value], found.get(value, 0)) for value in CONFIDENCES]


def per_gate(traces: QuerySet[Trace]) -> list[tuple[str, int]]:
    labels = {
        Gate.SUFFICIENT: _("sufficient"),
        Gate.LOW_CONFIDENCE: _("too little confidence"),
        Gate.EMPTY: _("nothing found"),
        Gate.DISABLED: _("without a search"),
        Gate.DEGRADED: _("the index was down"),
    }
    found = dict(count_by(traces, "gate"))
    return [(label, found.get(gate.value, 0)) for gate, label in labels.items()]


def failures(
    messages: QuerySet[Message], traces: QuerySet[Trace], documents: QuerySet[Document]
) -> list[tuple[str, int]]:
    """Answers and documents that failed, by code, and answers that had to do without their context."""
    answers = count_by(messages.filter(status=Message.Status.FAILED), "error_code")
    degraded = count_by(traces.exclude(degraded=""), "degraded")
    unread = count_by(documents, "error_code")
    kinds = ((_("answer"), answers), (_("without context"), degraded), (_("document"), unread))
    return [(f"{kind}: {code or '?'}", count) for kind, found in kinds for code, count in found]

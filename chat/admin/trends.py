"""How content readers were, and how often the documents had no answer, week by week. Counts, never anybody's words.

Source: rag-for-teaching-agents §10 ("Satisfacción docente", "Reducción de «no sé»"). Readers say it by rating answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncWeek

from chat.answering.state import State
from chat.models import Message

WEEKS = 12


@dataclass(frozen=True, slots=True)
class WeekOfAnswers:
    """`answers` that have a state, of which `unknown` were not in the documents; `rated` ones, of which `liked`."""

    monday: date
    answers: int = 0
    unknown: int = 0
    rated: int = 0
    liked: int = 0


def first_monday(today: date, weeks: int = WEEKS) -> date:
    """Of the last `weeks` weeks, this one included."""
    return today - timedelta(days=today.weekday(), weeks=weeks - 1)


def weeks_of_answers(answers: QuerySet[Message], today: date, weeks: int = WEEKS) -> list[WeekOfAnswers]:
    """Every week, also one without an answer; one query."""
    first = first_monday(today, weeks)
    rows = (
        answers.filter(role=Message.Role.ASSISTANT, created_at__date__gte=first)
        .order_by()
        .annotate(week=TruncWeek("created_at"))
        .values_list("week")
        .annotate(
            answers=Count("pk", filter=~Q(state="")),
            unknown=Count("pk", filter=Q(state=State.NOT_IN_DOCUMENTS)),
            rated=Count("pk", filter=Q(rating__isnull=False)),
            liked=Count("pk", filter=Q(rating=1)),
        )
    )
    found = {week.date(): WeekOfAnswers(week.date(), *counts) for week, *counts in rows}
    mondays = [first + timedelta(weeks=n) for n in range(weeks)]
    return [found.get(monday) or WeekOfAnswers(monday) for monday in mondays]


def shares(pairs: Sequence[tuple[date, int, int]]) -> list[tuple[str, int]]:
    """(the week with its counts, percent of the whole) of (Monday, part, whole); 0 of nothing is 0."""
    return [
        (f"{day.isoformat()} ({part}/{whole})", round(100 * part / whole) if whole else 0) for day, part, whole in pairs
    ]

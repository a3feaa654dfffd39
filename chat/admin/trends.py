"""How content readers were, and how often the documents had no answer, week by week. Counts, never anybody's words.

Source: rag-for-teaching-agents §10 ("Satisfacción docente", "Reducción de «no sé»"). Readers say it by rating answers.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.formats import date_format

from chat.models import DailyUsage

WEEKS = 12
MEASURES = ("answers", "unknown", "rated", "liked")


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


def weeks_of_answers(rows: Iterable[DailyUsage], today: date, weeks: int = WEEKS) -> list[WeekOfAnswers]:
    """Every week, also one without an answer, of the days that are counted."""
    first = first_monday(today, weeks)
    counts: dict[date, Counter[str]] = {first + timedelta(weeks=n): Counter() for n in range(weeks)}
    for one in rows:
        monday = one.day - timedelta(days=one.day.weekday())
        if one.measure in MEASURES and monday in counts:
            counts[monday][one.measure] += one.count
    return [WeekOfAnswers(monday, **{name: found[name] for name in MEASURES}) for monday, found in counts.items()]


def shares(pairs: Sequence[tuple[date, int, int]]) -> list[tuple[str, int]]:
    """(the week with its counts, percent of the whole) of (Monday, part, whole); 0 of nothing is 0."""
    return [
        (f"{short_date(day)} ({part}/{whole})", round(100 * part / whole) if whole else 0) for day, part, whole in pairs
    ]


def short_date(day: date) -> str:
    """As the reader's language writes it."""
    return date_format(day, "SHORT_DATE_FORMAT")

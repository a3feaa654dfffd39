"""How recent a source is, as a preference (SPEC §4; information-layer, step 8). Pure.

Exponential decay by half-life: a source of today counts 1, one that is a half-life old 0.5. Only the date of the
source counts, not that of the upload, which says nothing about what is written there. A source without a date is
taken for one half-life old, so that it neither gains nor loses against the middle.
"""

from datetime import date

UNDATED = 0.5


def recency(source_date: date | None, today: date, half_life_days: int) -> float:
    """0..1; a date in the future counts as today. `half_life_days` is at least 1."""
    if source_date is None:
        return UNDATED
    age = max(0, (today - source_date).days)
    return float(0.5 ** (age / max(1, half_life_days)))

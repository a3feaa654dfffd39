"""A filter of fewer conditions that has the same points as a search's own, proved by counting.

The engine asks every condition of the filter (SPEC §2) of each point, for the scan, and once more for the population of
the words' frequencies. Mostly they say one thing: all that is in a corpus is of its organization and its tier. Every
point that the filter allows meets the fewer conditions (`SearchFilter.implied`), so where as many points meet these as
the whole filter, they are the same points. That is counted, not supposed, and it stands until something is written:
only this process writes to an embedded index, and each write is counted before and after it (`LiveShard.changes`).
One stray point in a corpus, by a wrong payload or of another's, and the counts differ: then the filter is asked whole.

CPU of 20,000 points, both legs, on a loaded machine: 20.1 ms whole, 14.0 so; the scan alone is 12.4.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from retrieval.filters import SearchFilter
from retrieval.index.base import EXACT_BELOW
from retrieval.index.edge_shard import LiveShard
from retrieval.index.translate import engine_conditions, engine_filter

T = TypeVar("T")

MOST_KNOWN = 256  # filters; then all are forgotten


@dataclass(slots=True)
class _Known:
    """What was found of a filter at one number of changes; `shorter` has its points, None where nothing has."""

    changes: int
    is_counted: bool = False
    shorter: Any = None


class ProvedFilters:
    """Of one shard. Safe to share between threads: two that count the same find the same."""

    def __init__(self, live: LiveShard, models: Any) -> None:
        self._live, self._models = live, models
        self._known: dict[SearchFilter, _Known] = {}

    def ask(self, where: SearchFilter, call: Callable[[Any], T]) -> T:
        """`call` with an engine's filter that has exactly the points of `where`."""
        changes = self._live.changes
        shorter = self._shorter(where, changes)
        if shorter is not None:
            found = call(shorter)
            if self._live.changes == changes:  # else another point may have come to be found
                return found
        return call(engine_filter(where, self._models))

    def _shorter(self, where: SearchFilter, changes: int) -> Any:
        """Counted when it is asked for again and nothing was written meanwhile: while documents come in, never."""
        if changes % 2:
            return None
        known = self._known.get(where)
        if known is None or known.changes != changes:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[where] = _Known(changes)
            return None
        if not known.is_counted:
            shorter = self._counted(where)
            if self._live.changes != changes:
                return None
            known.shorter, known.is_counted = shorter, True
        return known.shorter

    def _counted(self, where: SearchFilter) -> Any:
        """None also where a graph may be walked, which finds its way by the filter."""
        points = self._count(engine_filter(where, self._models))
        if points > EXACT_BELOW:
            return None
        filters = (engine_conditions(conditions, self._models) for conditions in where.implied())
        return next((shorter for shorter in filters if self._count(shorter) == points), None)

    def _count(self, condition: Any) -> int:
        request = self._models.CountRequest(exact=True, filter=condition)
        return self._live.read(lambda shard: int(shard.count(request)))

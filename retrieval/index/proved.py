"""A filter of fewer conditions that has the same points as a search's own, proved by counting.

The engine asks every condition of the filter (SPEC §2) of each point: for the vectors, whether it compares all of them
or walks a graph, for the words, and once more for the population of the words' frequencies. Mostly they say one thing:
all that is in a corpus is of its organization, its tier and its owner. Every point that the filter allows is in one of
its corpora, so where as many points of a corpus meet the filter's conditions as there are in it, the corpus alone says
the same. That is counted, corpus by corpus, not supposed, and it stands until a point is written that says it is in
that corpus: only this process writes to an embedded index, and each write is counted before and after it
(`LiveShard.changes`); what is deleted takes as much from both counts, and metadata is no part of them. One stray point
in a corpus, by a wrong payload or of another's, and the counts differ: then the filter is asked whole.

Corpus by corpus, because people of an organization have most corpora in common and each has some alone: what was
counted for one of them serves the others. 1,000,000 points of 1,000 organizations on Edge, both legs, in an
organization of 18,000 / of 82,000: 32 / 81 ms whole, 14 / 32 so.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from retrieval.filters import Between, Condition, SearchFilter
from retrieval.index.edge_shard import LiveShard
from retrieval.index.translate import engine_conditions, engine_filter

T = TypeVar("T")
Conditions = tuple[Condition | Between, ...]
Key = tuple[str, Conditions, Conditions]  # a corpus; the conditions on its tier, those on its granularity

MOST_KNOWN = 4_096  # corpora, each in one tier and granularity; then all are forgotten
MOST_CORPORA = 64  # of a filter that is counted


@dataclass(slots=True)
class _Counted:
    """Of a corpus: whether all that is in it is of the tier, and of the granularity, that is asked for."""

    is_one_tier: bool
    is_one_granularity: bool


@dataclass(slots=True)
class _Known:
    """Asked for once (None), or counted, at these numbers of changes: anywhere, and in the corpus."""

    changes: tuple[int, int]
    counted: _Counted | None = None


class ProvedFilters:
    """Of one shard. Safe to share between threads: two that count the same find the same."""

    def __init__(self, live: LiveShard, models: Any) -> None:
        self._live, self._models = live, models
        self._known: dict[Key, _Known] = {}

    def ask(self, where: SearchFilter, call: Callable[[Any], T]) -> T:
        """`call` with an engine's filter that has exactly the points of `where`."""
        keys: list[Key] = [(corpus, tier, _granularity(where)) for corpus, tier in _corpora_of(where)]
        changes = self._changes(keys)
        shorter = self._shorter(where, keys, changes)
        if shorter is not None:
            found = call(shorter)
            if self._changes(keys) == changes:  # else another point may have come to be found
                return found
        return call(engine_filter(where, self._models))

    def _changes(self, keys: Sequence[Key]) -> tuple[int, ...]:
        return self._live.changes(corpus for corpus, _tier, _granularity in keys)

    def _shorter(self, where: SearchFilter, keys: Sequence[Key], changes: tuple[int, ...]) -> Any:
        """None where it is not proved, or not yet."""
        if any(one % 2 for one in changes) or not 0 < len(keys) <= MOST_CORPORA:
            return None
        anywhere, *within_each = changes
        asked = [self._asked_again(key, (anywhere, within)) for key, within in zip(keys, within_each, strict=True)]
        if not all(asked):
            return None
        counted: list[_Counted] = []
        for key, known in zip(keys, filter(None, asked), strict=True):
            known.counted = known.counted or self._count_corpus(*key)
            if not known.counted.is_one_tier or self._changes(keys) != changes:
                return None
            counted.append(known.counted)
        within = Condition("corpus_id", tuple(dict.fromkeys(corpus for corpus, _tier, _granularity in keys)))
        granularity = () if all(one.is_one_granularity for one in counted) else _granularity(where)
        return engine_conditions((within, *granularity, *_narrowing(where)), self._models)

    def _asked_again(self, key: Key, changes: tuple[int, int]) -> _Known | None:
        """None at first and after each write to the corpus, so that nothing is counted while its documents come."""
        known = self._known.get(key)
        if known is not None and known.changes == changes:
            return known
        if known is None and len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[key] = _Known(changes)
        return None

    def _count_corpus(self, corpus: str, tier: Conditions, granularity: Conditions) -> _Counted:
        within = Condition("corpus_id", (corpus,))
        everything = self._count((within,))
        allowed = self._count((within, *tier, *granularity))
        is_one = allowed == everything
        return _Counted(is_one or self._count((within, *tier)) == everything, is_one)

    def _count(self, conditions: Conditions) -> int:
        request = self._models.CountRequest(exact=True, filter=engine_conditions(conditions, self._models))
        return self._live.read(lambda shard: int(shard.count(request)))


def _corpora_of(where: SearchFilter) -> Iterator[tuple[str, Conditions]]:
    """Each corpus of a filter, with the conditions on its organization, its tier and its owner. None where a branch
    names no corpus, or names them twice: then it allows what both say, which is less than the corpora that are told."""
    organization: Conditions = tuple(one for one in where.must if one.key == "organization_id")
    if not all(sum(one.key == "corpus_id" for one in branch) == 1 for branch in where.should):
        return
    for branch in where.should:
        tier: Conditions = (*organization, *(one for one in branch if one.key != "corpus_id"))
        yield from ((id, tier) for one in branch if one.key == "corpus_id" for id in one.any_of)


def _granularity(where: SearchFilter) -> Conditions:
    return tuple(one for one in where.must if one.key == "granularity")


def _narrowing(where: SearchFilter) -> Sequence[Condition | Between]:
    return [one for one in where.must if one.key not in ("organization_id", "granularity")]

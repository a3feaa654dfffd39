"""How many points a large slice has, and how many of them each of its words: kept, because to count them anew takes
longer than all the rest of a search in it.

Upkeep begins it (`begin_keeping`), under a lock on the slice that every writer waits for; from then on each writer
tells what came and what went, in its own transaction (`tell_changes`). So the numbers are exact at any moment; the
weights beside them are bounds, which what is deleted leaves as wide as they were. A small slice is counted whenever it
is asked: most of its words stand in one or two points, and a row for each would be a second index on words.

A writer locks rows once, in one order: all the slices that it changes, by their numbers, then their words. Whoever
changes one of these slices beside it waits at its row, so that nobody ever waits for a word.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.index.pgvector.tables import CollectionTables

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from psycopg import Connection

# Points from which a slice's are kept. Of a million chunks of 1,000 organizations 60 slices have them, 363,000 chunks:
# 2.5 million words, 207 MB. A larger one than can be counted while its writers wait for it (0.15 ms a point, of their
# 30 s) is counted whenever it is asked.
KEPT_FROM, MOST_BEGUN = 2_000, 60_000
# To begin with one that others write to: they are done with it in between.
TRIES, PAUSE = 20, 0.1

_GROWN = """
SELECT c.slice FROM {chunks} c JOIN {slices} s ON s.no = c.slice WHERE s.points IS NULL
GROUP BY c.slice HAVING count(*) BETWEEN %s AND %s ORDER BY c.slice
"""
_LOCKED = "SELECT FROM {slices} WHERE no = %s AND points IS NULL FOR UPDATE SKIP LOCKED"
# Whoever wants a slice counted anew sets its points to NULL: then there are words of it.
_NO_WORDS = "DELETE FROM {words} WHERE slice = %s"
_COUNTED_WORDS = """
INSERT INTO {words} (slice, term, points, lowest, highest)
SELECT slice, term, count(*), min(weight), max(weight) FROM {postings} WHERE slice = %s GROUP BY slice, term
"""
_COUNTED_POINTS = (
    "UPDATE {slices} s SET points = (SELECT count(*) FROM {chunks} c WHERE c.slice = s.no) WHERE s.no = %s"
)
# Those that are not kept as well, or upkeep could begin to keep one that something is about to go from. Asked again
# once they are locked: what a lock returns may be older than what was waited for.
_LOCKED_TO_WRITE = "SELECT FROM {slices} WHERE no = ANY(%s) ORDER BY no FOR KEY SHARE"
_KEPT = "SELECT no FROM {slices} WHERE no = ANY(%s) AND points IS NOT NULL ORDER BY no"
_POINTS = "UPDATE {slices} SET points = points + %s WHERE no = %s"
_WORDS = """
INSERT INTO {words} AS kept (slice, term, points, lowest, highest)
SELECT * FROM unnest(%s::integer[], %s::integer[], %s::integer[], %s::real[], %s::real[])
ON CONFLICT (slice, term) DO UPDATE SET points = kept.points + excluded.points,
    lowest = least(kept.lowest, excluded.lowest), highest = greatest(kept.highest, excluded.highest)
"""
_DELETED = """
WITH gone AS (
    DELETE FROM {postings} WHERE chunk = ANY(%s) RETURNING slice, term
), fewer AS (
    SELECT slice, term, count(*) AS points FROM gone WHERE slice = ANY(%s) GROUP BY slice, term
)
UPDATE {words} AS kept SET points = kept.points - fewer.points
FROM fewer WHERE kept.slice = fewer.slice AND kept.term = fewer.term
"""

# Of a point: its slice, its terms and their weights.
WordedPoint = tuple[int, "NDArray[np.int32]", "NDArray[np.float32]"]


def begin_keeping(connection: "Connection", tables: CollectionTables) -> bool:
    """Of each slice that has grown large, while its writers wait; one that is always written to waits for the next
    time."""
    grown = [no for (no,) in connection.execute(tables.statement(_GROWN), (KEPT_FROM, MOST_BEGUN)).fetchall()]
    left = grown
    for number in range(TRIES):
        if number and left:  # all of them together, so that those of one who always writes keep nobody else waiting
            time.sleep(PAUSE)
        left = [no for no in left if not begin_slice(connection, tables, no)]
    return len(left) < len(grown)


def begin_slice(connection: "Connection", tables: CollectionTables, no: int) -> bool:
    """False where it is kept already, or somebody is writing to it."""
    with connection.transaction():
        if connection.execute(tables.statement(_LOCKED), (no,)).rowcount < 1:
            return False
        for text in (_NO_WORDS, _COUNTED_WORDS, _COUNTED_POINTS):  # each sees what was committed before the lock
            connection.execute(tables.statement(text), (no,))
    return True


def tell_changes(
    connection: "Connection", tables: CollectionTables, gone: Mapping[int, int], came: Sequence[WordedPoint] = ()
) -> None:
    """What a transaction changes, once and at its end. `gone`: numbers of deleted chunks, each with its slice, whose
    postings are deleted here; `came`: new ones, their postings written."""
    changes = Counter(no for no, _terms, _weights in came)
    changes.subtract(gone.values())
    kept = _lock_kept(connection, tables, changes)
    if gone:
        connection.execute(tables.statement(_DELETED), (list(gone), kept))
    if columns := _counted([one for one in came if one[0] in kept]):
        connection.execute(tables.statement(_WORDS), columns)


def _lock_kept(connection: "Connection", tables: CollectionTables, changes: Mapping[int, int]) -> list[int]:
    """Those of the slices that are kept, with their points told: whoever changes one of them beside this waits."""
    numbers = sorted(changes)
    connection.execute(tables.statement(_LOCKED_TO_WRITE), (numbers,))
    kept = [no for (no,) in connection.execute(tables.statement(_KEPT), (numbers,)).fetchall()]
    for no in kept:
        connection.execute(tables.statement(_POINTS), (changes[no], no))
    return kept


def _counted(came: Sequence[WordedPoint]) -> list[list[float]]:
    """Columns of slice, term, how many of the points have it, its lowest and its highest weight; none of no terms."""
    if not any(len(terms) for _no, terms, _weights in came):
        return []
    slices = np.repeat([no for no, _terms, _weights in came], [len(terms) for _no, terms, _weights in came])
    terms, weights = (np.concatenate([one[column] for one in came]) for column in (1, 2))
    order = np.lexsort((terms, slices))
    slices, terms, weights = slices[order], terms[order], weights[order]
    firsts = np.flatnonzero(np.r_[True, (np.diff(slices) != 0) | (np.diff(terms) != 0)])
    points = np.diff(np.r_[firsts, len(terms)])
    bounds = (np.minimum.reduceat(weights, firsts), np.maximum.reduceat(weights, firsts))
    return [one.tolist() for one in (slices[firsts], terms[firsts], points, *bounds)]

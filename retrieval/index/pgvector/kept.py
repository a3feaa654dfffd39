"""How many points a large slice has, and how many of them each of its words: kept, because to count them anew takes
longer than all the rest of a search in it.

Upkeep begins it (`begin_keeping`), under a lock on the slice that every writer waits for; from then on each writer
tells what came and what went, in its own transaction (`more_came`, `delete_postings`). So the numbers are exact at any
moment; the weights beside them are bounds, which what is deleted leaves as wide as they were. A small slice is counted
whenever it is asked: most of its words stand in one or two points, and a row for each would be a second index on words.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from retrieval.index.pgvector.tables import CollectionTables

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from psycopg import Connection

# Points from which a slice's are kept. Of a million chunks of 1,000 organizations 60 slices have them, 363,000 chunks:
# 2.5 million words, 207 MB.
KEPT_FROM = 2_000

_GROWN = """
SELECT c.slice FROM {chunks} c JOIN {slices} s ON s.no = c.slice WHERE s.points IS NULL
GROUP BY c.slice HAVING count(*) >= %s ORDER BY c.slice
"""
_LOCKED = "SELECT FROM {slices} WHERE no = %s AND points IS NULL FOR UPDATE SKIP LOCKED"
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
# Before any word is: who writes to a slice beside others waits here, and two never wait for each other's words.
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


def begin_keeping(connection: "Connection", tables: CollectionTables) -> bool:
    """Of each slice that has grown large; one that is written to at this moment waits for the next time.

    Whoever writes there meanwhile waits: 0.15 ms a point, on two cores that filled a million.
    """
    grown = [no for (no,) in connection.execute(tables.statement(_GROWN), (KEPT_FROM,)).fetchall()]
    begun = [_begin(connection, tables, no) for no in grown]
    return any(begun)


def _begin(connection: "Connection", tables: CollectionTables, no: int) -> bool:
    with connection.transaction():
        if connection.execute(tables.statement(_LOCKED), (no,)).rowcount < 1:
            return False
        for text in (_COUNTED_WORDS, _COUNTED_POINTS):  # each sees what was committed before the lock was had
            connection.execute(tables.statement(text), (no,))
    return True


def more_came(
    connection: "Connection",
    tables: CollectionTables,
    came: Mapping[int, int],
    postings: Iterable[tuple[int, "NDArray[np.int32]", "NDArray[np.float32]"]],
) -> None:
    """`came`: points by slice, all of them locked; `postings`: of each point its slice, terms and weights."""
    kept = _tell_points(connection, tables, came)
    mine = [one for one in postings if one[0] in kept]
    if not mine:
        return
    slices = np.repeat([no for no, _terms, _weights in mine], [len(terms) for _no, terms, _weights in mine])
    terms, weights = (np.concatenate([one[column] for one in mine]) for column in (1, 2))
    order = np.lexsort((terms, slices))
    slices, terms, weights = slices[order], terms[order], weights[order]
    firsts = np.flatnonzero(np.r_[True, (np.diff(slices) != 0) | (np.diff(terms) != 0)][: len(terms)])
    if len(firsts):
        points = np.diff(np.r_[firsts, len(terms)])
        bounds = (np.minimum.reduceat(weights, firsts), np.maximum.reduceat(weights, firsts))
        columns = [one.tolist() for one in (slices[firsts], terms[firsts], points, *bounds)]
        connection.execute(tables.statement(_WORDS), columns)


def delete_postings(connection: "Connection", tables: CollectionTables, gone: Mapping[int, int]) -> None:
    """Of chunks that are deleted already: their numbers, each with its slice."""
    fewer: dict[int, int] = {}
    for no in gone.values():
        fewer[no] = fewer.get(no, 0) - 1
    connection.execute(tables.statement(_LOCKED_TO_WRITE), (sorted(fewer),))
    kept = _tell_points(connection, tables, fewer)
    connection.execute(tables.statement(_DELETED), (list(gone), sorted(kept)))


def _tell_points(connection: "Connection", tables: CollectionTables, changes: Mapping[int, int]) -> set[int]:
    """Those of the slices that are kept."""
    kept = [no for (no,) in connection.execute(tables.statement(_KEPT), (sorted(changes),)).fetchall()]
    for no in kept:
        connection.execute(tables.statement(_POINTS), (changes[no], no))
    return set(kept)

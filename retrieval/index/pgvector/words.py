"""The leg of the words in SQL: BM25 over the points of one search, and of no others (ADR 0018)."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from psycopg import sql

from retrieval.index.base import SparseVector
from retrieval.index.pgvector.rows import signed_terms
from retrieval.index.pgvector.scope import SearchedScope, Spread
from retrieval.index.pgvector.tables import CollectionTables

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

# Points from which a term is worth leaving out of the sum, and what those left out may add, as a part of what the list
# is certain of: with more, so many come near it that looking them up costs more than their sum. Of a million chunks, in
# organizations of 50,000 and more, CPU of scope and words: 31 ms with a half, 41 with all, 93 with nothing left out.
COMMON_FROM, MOST_LEFT_OUT = 1_000, 0.5
# Postings of the telling words from which it pays to look up first how much the list is certain of, and the points that
# are looked up for it, as a multiple of the list's places. There the slowest of 40 questions took 62 ms and take 42.
SOUGHT_FROM, SOUGHT = 20_000, 2
SUMMING_ERROR = 1e-6  # as a part of all: by their order, sums differ

# Of a point that other terms have chosen.
_REST = """coalesce((
    SELECT sum(p.weight * asked.idf)
    FROM unnest(%(others)s::integer[], %(others_idf)s::float8[]) AS asked (term, idf)
    JOIN {postings} p ON p.slice = {chosen}.slice AND p.term = asked.term AND p.chunk = {chosen}.{chunk}
), 0)"""
# The best by the weight of the word that is worth most to so many, with all their words: the worst of these scores is
# no better than the list's last.
_CERTAIN = """
SELECT chosen.weight * %(idf)s::float8 + {rest} AS score FROM (
    SELECT slice, chunk, weight FROM {postings} WHERE slice = ANY(%(slices)s) AND term = %(term)s{narrowed}
    ORDER BY weight DESC LIMIT %(most)s
) AS chosen ORDER BY score DESC OFFSET %(limit)s - 1 LIMIT 1
"""
# The telling words choose (`telling_words`); the common ones are looked up for whom they may lift into the list. As
# many points as the list has places score `certain` at least, and common words add `spare` at most: so who has less
# than certain - spare of telling words is not in it. The best by telling words are then scored with all words: the
# list's last is no worse than the last of those, which is asked of the rest in the same way.
# The sum's last bits depend on the order of its parts, which is the server's: real drops them, and equals stay equal.
_BEST = """
WITH told AS MATERIALIZED (
    SELECT chunk, sum(weight * idf) AS score
    FROM {postings} JOIN unnest(%(telling)s::integer[], %(telling_idf)s::float8[]) AS asked (term, idf) USING (term)
    WHERE slice = ANY(%(slices)s) AND term = ANY(%(telling)s::integer[]){narrowed} GROUP BY chunk
    HAVING sum(weight * idf) >= %(certain)s::float8 - %(spare)s::float8
), last AS (
    SELECT told.score + {rest} AS score FROM (SELECT * FROM told ORDER BY score DESC LIMIT 2 * %(limit)s) AS told
    JOIN {chunks} c ON c.no = told.chunk ORDER BY 1 DESC OFFSET %(limit)s - 1 LIMIT 1
)
SELECT c.id, (told.score + {rest})::real AS score FROM told JOIN {chunks} c ON c.no = told.chunk
WHERE told.score >= coalesce((SELECT score FROM last) - %(spare)s::float8, '-Infinity')
ORDER BY score DESC, c.no LIMIT %(limit)s
"""


class ChosenWords(NamedTuple):
    """`telling`: terms; `spare`: what all others add to a point at most; `certain`: what the best have at least."""

    telling: list[int]
    spare: float
    certain: float


def words_leg(
    connection: "Connection", tables: CollectionTables, scope: SearchedScope, words: SparseVector, limit: int
) -> "Cursor":
    """The best by BM25, in no order, as (id, score)."""
    weights = dict(zip(signed_terms(words.indices).tolist(), map(float, words.values), strict=True))
    idf = {one.term: weights[one.term] * _idf(one.points, scope.points) for one in scope.spread}
    chosen = telling_words(scope.spread, idf, limit)
    if sum(one.points for one in scope.spread if one.term in chosen.telling) >= SOUGHT_FROM:
        chosen = telling_words(scope.spread, idf, limit, _certain_score(connection, tables, scope, idf, limit))
    common = {term: idf[term] for term in idf if term not in chosen.telling}
    values = {
        "telling": chosen.telling,
        "telling_idf": [idf[term] for term in chosen.telling],
        "others": list(common),
        "others_idf": list(common.values()),
        "spare": chosen.spare,
        "certain": chosen.certain,
        "limit": limit,
    }
    statement = tables.statement(_BEST, narrowed=scope.narrowed, rest=_rest(tables, "c", "no"))
    return connection.execute(statement, scope.values | values)


def telling_words(spread: Sequence[Spread], idf: Mapping[int, float], limit: int, certain: float = 0.0) -> ChosenWords:
    """The terms by which alone the best `limit` are found.

    A term that `limit` points have, each with its lowest weight at least, is worth so much that whoever has nothing
    but some common terms, with their highest weights, cannot be among the best (MaxScore): these need not be summed
    over all who have them. `certain`: a score that `limit` points are known to have at least. Exact; where nothing is
    certain, every term is telling.
    """
    most = {one.term: one.highest * idf[one.term] for one in spread}
    if (surest := _surest(spread, idf, limit)) is None:
        return ChosenWords(list(most), 0.0, -math.inf)
    certain = max(certain, surest.lowest * idf[surest.term])
    margin = sum(most.values()) * SUMMING_ERROR
    common: dict[int, float] = {}
    for one in sorted(spread, key=lambda one: -one.points):
        added = sum(common.values()) + most[one.term] + margin
        if one.term != surest.term and one.points >= COMMON_FROM and added < MOST_LEFT_OUT * certain:
            common[one.term] = most[one.term]
    return ChosenWords([term for term in most if term not in common], sum(common.values()) + margin, certain)


def _surest(spread: Sequence[Spread], idf: Mapping[int, float], limit: int) -> Spread | None:
    """Of the terms that `limit` points have, the one that is worth most to each of them; None where there is none, or
    where one may take away."""
    enough = [one for one in spread if one.points >= limit]
    if not enough or any(one.lowest <= 0 or idf[one.term] <= 0 for one in spread):
        return None
    return max(enough, key=lambda one: one.lowest * idf[one.term])


def _certain_score(
    connection: "Connection", tables: CollectionTables, scope: SearchedScope, idf: Mapping[int, float], limit: int
) -> float:
    """What `limit` points have at least, by all their words; 0 where it is not known."""
    if (surest := _surest(scope.spread, idf, limit)) is None:
        return 0.0
    others = {term: worth for term, worth in idf.items() if term != surest.term}
    values = {
        "term": surest.term,
        "idf": idf[surest.term],
        "others": list(others),
        "others_idf": list(others.values()),
        "most": SOUGHT * limit,
        "limit": limit,
    }
    statement = tables.statement(_CERTAIN, narrowed=scope.narrowed, rest=_rest(tables, "chosen", "chunk"))
    found = connection.execute(statement, scope.values | values).fetchone()
    return 0.0 if found is None else float(found[0]) * (1 - SUMMING_ERROR)


def _rest(tables: CollectionTables, chosen: str, chunk: str) -> sql.Composed:
    """What the others of the words add to a point of `chosen`."""
    return tables.statement(_REST, chosen=sql.Identifier(chosen), chunk=sql.Identifier(chunk))


def _idf(points: int, of: int) -> float:
    return math.log((of - points + 0.5) / (points + 0.5) + 1)

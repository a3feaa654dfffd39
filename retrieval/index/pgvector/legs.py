"""The two legs of a search in SQL, and what is asked before them: which slices, how many points, is there a graph.

BM25 counts a term's documents among the points that the filter lets through, as the other engines do: the ranking is
independent of what neighbours write.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from psycopg import sql

from retrieval.filters import SearchFilter
from retrieval.index.base import Hit, SparseVector
from retrieval.index.pgvector.conditions import clauses_of
from retrieval.index.pgvector.graphs import graph_name
from retrieval.index.pgvector.rows import signed_terms, unit_halves
from retrieval.index.pgvector.tables import CollectionTables

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from psycopg import Connection, Cursor

# Points of a scope up to which every vector is compared; above it a graph is walked where its organization has one.
# Measured in ADR 0018.
EXACT_BELOW_IN_SQL = 4_000
# Candidates of one round of a graph's walk, and the vectors at which it gives up, should the scope be a small part.
GRAPH_EF_SEARCH, MOST_WALKED = 200, 40_000
# Points from which a term is worth leaving out of the sum, and what those left out may add, as a part of what the list
# is certain of: with more, so many come near it that looking them up costs more than their sum. Of a million chunks, in
# organizations of 50,000 and more, CPU of scope and words: 31 ms with a half, 41 with all, 93 with nothing left out.
COMMON_FROM, MOST_LEFT_OUT = 1_000, 0.5
SUMMING_ERROR = 1e-6  # as a part of all: by their order, sums differ

# For the transaction alone, in which both legs see one state of the tables. Compiling a statement takes longer than
# running it, and so does starting its helpers.
_SETTINGS = """
SELECT set_config('statement_timeout', %(patience)s, true), set_config('jit', 'off', true),
       set_config('max_parallel_workers_per_gather', '0', true), set_config('work_mem', '64MB', true)
"""
_WALKING = """
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %(ef)s, true),
       set_config('hnsw.max_scan_tuples', %(most)s, true), set_config('enable_sort', 'off', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)
"""
_SCOPE = """
SELECT s.no, (SELECT count(*) FROM {chunks} c WHERE c.slice = s.no AND {narrowing}),
       (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%(graph)s))
FROM {slices} s WHERE {allowed}
"""
_ALLOWED = "ARRAY(SELECT s.no FROM {slices} s WHERE {allowed})"
_NARROWED = " AND chunk IN (SELECT c.no FROM {chunks} c WHERE c.slice = ANY({mine}) AND {narrowing})"
# Counted before anything is joined or summed, which costs several times as much a row.
_SPREAD = """
SELECT asked.term, counted.* FROM unnest(%(terms)s::integer[]) AS asked (term), LATERAL (
    SELECT count(*), min(weight), max(weight) FROM {postings} p
    WHERE p.slice = ANY({mine}) AND p.term = asked.term{narrowed}
) AS counted
"""
# The telling words choose (`telling_words`); the common ones are looked up for whom they may lift into the list: for
# the best without them, and then for those that come near the last of these.
# The sum's last bits depend on the order of its parts, which is the server's: real drops them, and equals stay equal.
_WORDS = """
WITH told AS MATERIALIZED (
    SELECT chunk, sum(weight * idf) AS score
    FROM {postings} JOIN unnest(%(telling)s::integer[], %(telling_idf)s::float8[]) AS asked (term, idf) USING (term)
    WHERE slice = ANY(%(slices)s) AND term = ANY(%(telling)s::integer[]){narrowed} GROUP BY chunk
), last AS (
    SELECT told.score + {rest} AS score FROM (SELECT * FROM told ORDER BY score DESC LIMIT 2 * %(limit)s) AS told
    JOIN {chunks} c ON c.no = told.chunk ORDER BY 1 DESC OFFSET %(limit)s - 1 LIMIT 1
)
SELECT c.id, (told.score + {rest})::real AS score FROM told JOIN {chunks} c ON c.no = told.chunk
WHERE told.score >= coalesce((SELECT score FROM last) - %(spare)s::float8, '-Infinity')
ORDER BY score DESC, c.no LIMIT %(limit)s
"""
_REST = """coalesce((
    SELECT sum(p.weight * asked.idf)
    FROM unnest(%(common)s::integer[], %(common_idf)s::float8[]) AS asked (term, idf)
    JOIN {postings} p ON p.slice = c.slice AND p.term = asked.term AND p.chunk = c.no
), 0)"""
_NEAREST = """
WITH best AS MATERIALIZED (
    SELECT chunk, dense <#> %(dense)s::halfvec AS distance FROM {vectors}
    WHERE slice = ANY(%(slices)s){organization}{narrowed} ORDER BY dense <#> %(dense)s::halfvec LIMIT %(limit)s
)
SELECT c.id, -best.distance FROM best JOIN {chunks} c ON c.no = best.chunk
"""


class Spread(NamedTuple):
    """How many points of a scope have a term, and with which weights."""

    term: int
    points: int
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class SearchedScope:
    """What one search looks at: slices with points in them, how many, whether a graph leads through them, and its words
    that are there at all."""

    organization: str
    slices: list[int]
    points: int
    has_graph: bool
    narrowed: sql.Composable
    values: dict[str, Any]
    spread: list[Spread]

    @property
    def walks_graph(self) -> bool:
        return self.has_graph and self.points > EXACT_BELOW_IN_SQL


def set_up(connection: "Connection", seconds: float) -> None:
    """For this transaction: the server gives up a statement when nobody waits for it any more."""
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    connection.execute(_SETTINGS, {"patience": str(int(seconds * 1000))})


def searched_scope(
    connection: "Connection", tables: CollectionTables, where: SearchFilter, words: SparseVector | None = None
) -> SearchedScope:
    clauses = clauses_of(where)
    narrowing = clauses.chunks or sql.SQL("true")
    asked = tables.statement(_SCOPE, narrowing=narrowing, allowed=clauses.slices)
    graph = tables.named(graph_name(clauses.organization)).as_string(connection)
    found = connection.execute(asked, {**clauses.values, "graph": graph})

    def narrowed(mine: sql.Composable) -> sql.Composable:
        return tables.statement(_NARROWED, narrowing=narrowing, mine=mine) if clauses.chunks else sql.SQL("")

    spread = None
    if words:  # in the same round trip
        mine = tables.statement(_ALLOWED, allowed=clauses.slices)
        counting = tables.statement(_SPREAD, mine=mine, narrowed=narrowed(mine))
        spread = connection.execute(counting, {**clauses.values, "terms": signed_terms(words.indices).tolist()})
    rows = found.fetchall()
    slices = [no for no, points, _ in rows if points]
    return SearchedScope(
        clauses.organization,
        slices,
        sum(points for _, points, _ in rows),
        any(has_graph for _, _, has_graph in rows),
        narrowed(sql.Placeholder("slices")),
        {**clauses.values, "slices": slices},
        [] if spread is None else [Spread(*row) for row in spread.fetchall() if row[1]],
    )


def words_leg(
    connection: "Connection", tables: CollectionTables, scope: SearchedScope, words: SparseVector, limit: int
) -> "Cursor":
    """The best by BM25, in no order, as (id, score)."""
    weights = dict(zip(signed_terms(words.indices).tolist(), map(float, words.values), strict=True))
    idf = {one.term: weights[one.term] * _idf(one.points, scope.points) for one in scope.spread}
    telling, spare = telling_words(scope.spread, idf, limit)
    common = [term for term in idf if term not in telling]
    values = {
        "telling": telling,
        "telling_idf": [idf[term] for term in telling],
        "common": common,
        "common_idf": [idf[term] for term in common],
        "spare": spare,
        "limit": limit,
    }
    statement = tables.statement(_WORDS, narrowed=scope.narrowed, rest=tables.statement(_REST))
    return connection.execute(statement, scope.values | values)


def telling_words(spread: Sequence[Spread], idf: Mapping[int, float], limit: int) -> tuple[list[int], float]:
    """The terms by which alone the best `limit` are found, and how much the others add to a point at most.

    A term that `limit` points have, each with its lowest weight at least, is worth so much that whoever has nothing
    but some common terms, with their highest weights, cannot be among the best (MaxScore): these need not be summed
    over all who have them. Exact; where nothing is certain, every term is telling.
    """
    most = {one.term: one.highest * idf[one.term] for one in spread}
    certain = {one.term: one.lowest * idf[one.term] for one in spread if one.points >= limit}
    if not certain or min(one.lowest * idf[one.term] for one in spread) <= 0:
        return list(most), 0.0
    rarest = max(certain, key=lambda term: certain[term])
    margin = sum(most.values()) * SUMMING_ERROR
    common: dict[int, float] = {}
    for one in sorted(spread, key=lambda one: -one.points):
        added = sum(common.values()) + most[one.term] + margin
        if one.term != rarest and one.points >= COMMON_FROM and added < MOST_LEFT_OUT * certain[rarest]:
            common[one.term] = most[one.term]
    return [term for term in most if term not in common], sum(common.values()) + margin


def _idf(points: int, of: int) -> float:
    return math.log((of - points + 0.5) / (points + 0.5) + 1)


def nearest_leg(
    connection: "Connection",
    tables: CollectionTables,
    scope: SearchedScope,
    dense: "NDArray[np.float32]",
    limit: int,
) -> "Cursor":
    """The nearest by cosine, in no order, as (id, score): of all, or by the organization's graph."""
    organization: sql.Composable = sql.SQL("")
    if scope.walks_graph:
        connection.execute(_WALKING, {"ef": str(GRAPH_EF_SEARCH), "most": str(MOST_WALKED)})
        # As it stands in the graph's own condition, by which the planner knows that the graph may be walked.
        organization = sql.SQL(" AND organization_id = {}").format(sql.Literal(scope.organization))
    statement = tables.statement(_NEAREST, organization=organization, narrowed=scope.narrowed)
    values = {"dense": str(unit_halves(dense).tolist()), "limit": limit}
    return connection.execute(statement, scope.values | values)


def hits_of(leg: "Cursor | None") -> list[Hit]:
    """None for a leg that was not asked."""
    return [] if leg is None else [Hit(point, float(score)) for point, score in leg.fetchall()]

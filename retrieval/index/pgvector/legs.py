"""A search in SQL: what is asked before its legs (which slices, how many points, is there a graph), and the leg of
the vectors; that of the words is `words`.

BM25 counts a term's documents among the points that the filter lets through, as the other engines do: the ranking is
independent of what neighbours write.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from psycopg import sql

from retrieval.filters import SearchFilter
from retrieval.index.base import Hit, SparseVector
from retrieval.index.pgvector.conditions import FilterClauses, clauses_of
from retrieval.index.pgvector.connections import HalfVector
from retrieval.index.pgvector.graphs import graph_name
from retrieval.index.pgvector.rows import half_vector, signed_terms
from retrieval.index.pgvector.tables import CollectionTables
from retrieval.index.pgvector.words import Spread

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from psycopg import Connection, Cursor

# Points of a scope up to which every vector is compared; above it a graph is walked where its organization has one.
# Measured in ADR 0018.
EXACT_BELOW_IN_SQL = 4_000
# Candidates of one round of a graph's walk, and the vectors at which it gives up, should the scope be a small part.
GRAPH_EF_SEARCH, MOST_WALKED = 200, 40_000
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
SELECT s.no, {points},
       (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%(graph)s))
FROM {slices} s WHERE {allowed}
"""
_POINTS = "(SELECT count(*) FROM {chunks} c WHERE c.slice = s.no AND {narrowing})"
_KEPT_POINTS = "coalesce(s.points, (SELECT count(*) FROM {chunks} c WHERE c.slice = s.no))"
_ALLOWED = "ARRAY(SELECT s.no FROM {slices} s WHERE {allowed} AND {which})"
_NARROWED = " AND chunk IN (SELECT c.no FROM {chunks} c WHERE c.slice = ANY({mine}) AND {narrowing})"
# Counted before anything is joined or summed, which costs several times as much a row.
_SPREAD = """
SELECT asked.term, counted.* FROM unnest(%(terms)s::integer[]) AS asked (term), LATERAL (
    SELECT count(*), min(weight), max(weight) FROM {postings} p
    WHERE p.slice = ANY({mine}) AND p.term = asked.term{narrowed}
) AS counted
"""
# Of a slice whose numbers are kept (`kept`) they are looked up.
_KEPT_SPREAD = """
SELECT term, sum(points)::bigint, min(lowest), max(highest) FROM (
    SELECT term, points, lowest, highest FROM {words} WHERE slice = ANY({kept}) AND term = ANY(%(terms)s::integer[])
    UNION ALL {counted}
) AS each (term, points, lowest, highest) WHERE points > 0 GROUP BY term
"""
_NEAREST = """
WITH best AS MATERIALIZED (
    SELECT chunk, dense <#> %(dense)s::halfvec AS distance FROM {vectors}
    WHERE slice = ANY(%(slices)s){organization}{narrowed} ORDER BY dense <#> %(dense)s::halfvec LIMIT %(limit)s
)
SELECT c.id, -best.distance FROM best JOIN {chunks} c ON c.no = best.chunk
"""


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
    points = tables.statement(_KEPT_POINTS)
    if clauses.chunks:
        points = tables.statement(_POINTS, narrowing=clauses.chunks)
    asked = tables.statement(_SCOPE, points=points, allowed=clauses.slices)
    graph = tables.named(graph_name(clauses.organization)).as_string(connection)
    found = connection.execute(asked, {**clauses.values, "graph": graph})
    spread = None
    if words:  # in the same round trip
        values = {**clauses.values, "terms": signed_terms(words.indices).tolist()}
        spread = connection.execute(_spread(tables, clauses), values)
    rows = found.fetchall()
    slices = [no for no, points, _ in rows if points]
    return SearchedScope(
        clauses.organization,
        slices,
        sum(points for _, points, _ in rows),
        any(has_graph for _, _, has_graph in rows),
        _narrowed(tables, clauses, sql.Placeholder("slices")),
        {**clauses.values, "slices": slices},
        [] if spread is None else [Spread(*row) for row in spread.fetchall() if row[1]],
    )


def _spread(tables: CollectionTables, clauses: FilterClauses) -> sql.Composed:
    """A statement that tells of each term how many points have it, and between which weights."""

    def allowed(which: str) -> sql.Composed:
        return tables.statement(_ALLOWED, allowed=clauses.slices, which=sql.SQL(which))

    if clauses.chunks:
        mine = allowed("true")
        return tables.statement(_SPREAD, mine=mine, narrowed=_narrowed(tables, clauses, mine))
    counted = tables.statement(_SPREAD, mine=allowed("s.points IS NULL"), narrowed=sql.SQL(""))
    return tables.statement(_KEPT_SPREAD, kept=allowed("s.points IS NOT NULL"), counted=counted)


def _narrowed(tables: CollectionTables, clauses: FilterClauses, mine: sql.Composable) -> sql.Composable:
    """A further condition on postings and vectors of the slices `mine`, where more than these narrows a search."""
    if not clauses.chunks:
        return sql.SQL("")
    return tables.statement(_NARROWED, narrowing=clauses.chunks, mine=mine)


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
    values = {"dense": HalfVector(half_vector(dense)), "limit": limit}
    return connection.execute(statement, scope.values | values)


def hits_of(leg: "Cursor | None") -> list[Hit]:
    """None for a leg that was not asked."""
    return [] if leg is None else [Hit(point, float(score)) for point, score in leg.fetchall()]

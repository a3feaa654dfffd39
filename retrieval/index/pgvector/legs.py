"""The two legs of a search in SQL, and what is asked before them: which slices, how many points, is there a graph.

BM25 counts a term's documents among the points that the filter lets through, as the other engines do: the ranking is
independent of what neighbours write.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
_NARROWED = " AND chunk IN (SELECT c.no FROM {chunks} c WHERE c.slice = ANY(%(slices)s) AND {narrowing})"
# The sum's last bits depend on the order of its parts, which is the server's: real drops them, and equals stay equal.
_WORDS = """
WITH hits AS MATERIALIZED (
    SELECT term, chunk, weight FROM {postings} WHERE slice = ANY(%(slices)s) AND term = ANY(%(terms)s){narrowed}
), rarity AS (
    SELECT term, asked.weight * ln((%(points)s::float8 - count(*) + 0.5::float8) / (count(*) + 0.5::float8) + 1) AS idf
    FROM hits JOIN unnest(%(terms)s::integer[], %(weights)s::float8[]) AS asked (term, weight) USING (term)
    GROUP BY term, asked.weight
), best AS (
    SELECT chunk, sum(weight * idf)::real AS score FROM hits JOIN rarity USING (term)
    GROUP BY chunk ORDER BY score DESC, chunk LIMIT %(limit)s
)
SELECT c.id, best.score FROM best JOIN {chunks} c ON c.no = best.chunk
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
    """What one search looks at: slices with points in them, how many, and whether a graph leads through them."""

    organization: str
    slices: list[int]
    points: int
    has_graph: bool
    narrowed: sql.Composable
    values: dict[str, Any]

    @property
    def walks_graph(self) -> bool:
        return self.has_graph and self.points > EXACT_BELOW_IN_SQL


def set_up(connection: "Connection", seconds: float) -> None:
    """For this transaction: the server gives up a statement when nobody waits for it any more."""
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    connection.execute(_SETTINGS, {"patience": str(int(seconds * 1000))})


def searched_scope(connection: "Connection", tables: CollectionTables, where: SearchFilter) -> SearchedScope:
    clauses = clauses_of(where)
    narrowing = clauses.chunks or sql.SQL("true")
    asked = tables.statement(_SCOPE, narrowing=narrowing, allowed=clauses.slices)
    graph = tables.named(graph_name(clauses.organization)).as_string(connection)
    rows = connection.execute(asked, {**clauses.values, "graph": graph}).fetchall()
    slices = [no for no, points, _ in rows if points]
    narrowed = tables.statement(_NARROWED, narrowing=narrowing) if clauses.chunks else sql.SQL("")
    return SearchedScope(
        clauses.organization,
        slices,
        sum(points for _, points, _ in rows),
        any(has_graph for _, _, has_graph in rows),
        narrowed,
        {**clauses.values, "slices": slices},
    )


def words_leg(
    connection: "Connection", tables: CollectionTables, scope: SearchedScope, words: SparseVector, limit: int
) -> "Cursor":
    """The best by BM25, in no order, as (id, score)."""
    statement = tables.statement(_WORDS, narrowed=scope.narrowed)
    values = {
        "terms": signed_terms(words.indices).tolist(),
        "weights": list(map(float, words.values)),
        "points": scope.points,
        "limit": limit,
    }
    return connection.execute(statement, scope.values | values)


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

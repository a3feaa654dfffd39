"""The leg of the vectors in SQL: all of a scope compared, or its organization's graph walked (ADR 0018)."""

from typing import TYPE_CHECKING

import numpy as np
from psycopg import sql

from retrieval.index.pgvector.connections import HalfVector
from retrieval.index.pgvector.rows import half_vector
from retrieval.index.pgvector.scope import SearchedScope
from retrieval.index.pgvector.tables import CollectionTables

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from psycopg import Connection, Cursor

# Candidates of one round of a graph's walk, and the vectors at which it gives up, should the scope be a small part.
GRAPH_EF_SEARCH, MOST_WALKED = 200, 40_000
_WALKING = """
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %(ef)s, true),
       set_config('hnsw.max_scan_tuples', %(most)s, true), set_config('enable_sort', 'off', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)
"""
_NEAREST = """
WITH best AS MATERIALIZED (
    SELECT chunk, dense <#> %(dense)s::halfvec AS distance FROM {vectors}
    WHERE slice = ANY(%(slices)s){organization}{narrowed} ORDER BY dense <#> %(dense)s::halfvec LIMIT %(limit)s
)
SELECT c.id, -best.distance FROM best JOIN {chunks} c ON c.no = best.chunk
"""


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

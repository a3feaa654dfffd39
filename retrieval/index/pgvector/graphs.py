"""A graph for each large organization (ADR 0018): pgvector's HNSW under the condition that a vector is its.

Small organizations need none: all their vectors are compared. One graph over all would be walked through strangers'
vectors and filtered afterwards, which finds the less the smaller the part is that one may read.
"""

import hashlib
from typing import TYPE_CHECKING

from psycopg import sql

from retrieval.index.base import HNSW_EF_CONSTRUCT, HNSW_M
from retrieval.index.pgvector.tables import MOST_INLINE, CollectionTables

if TYPE_CHECKING:
    from psycopg import Connection

# Vectors of an organization from which a graph pays, and below which it goes: between them it stays as it is.
GRAPH_FROM, GRAPH_UNTIL = 8_000, 4_000

_SIZES = """
SELECT s.organization_id, sum(counted.points)::bigint
FROM (SELECT slice, count(*) AS points FROM {chunks} GROUP BY slice) AS counted JOIN {slices} s ON s.no = counted.slice
GROUP BY 1 HAVING sum(counted.points) >= %s
"""
_GRAPHS = """
SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = %s::regclass AND c.relname LIKE 'graph\\_%%'
"""
_BEING_BUILT = "SELECT count(*) FROM pg_stat_progress_create_index WHERE relid = %s::regclass"
_GRAPH = """
CREATE INDEX CONCURRENTLY IF NOT EXISTS {graph} ON {vectors} USING hnsw (dense halfvec_ip_ops)
WITH (m = {m}, ef_construction = {ef}) WHERE organization_id = {organization}
"""


def graph_name(organization: str) -> str:
    return "graph_" + hashlib.sha256(organization.encode()).hexdigest()[:32]


def tend_graphs(connection: "Connection", tables: CollectionTables, dimensions: int) -> bool:
    """Build what is missing and drop what is not needed, beside readers and writers; True if anything changed.

    Another process that builds at this moment is let do it. What a build that was broken off has left is built anew.
    """
    table = tables.vectors.as_string(connection)
    being_built = connection.execute(_BEING_BUILT, (table,)).fetchone()
    if dimensions > MOST_INLINE or (being_built and being_built[0]):
        return False
    sizes: dict[str, int] = dict(connection.execute(tables.statement(_SIZES), (GRAPH_UNTIL,)).fetchall())
    there: dict[str, bool] = dict(connection.execute(_GRAPHS, (table,)).fetchall())
    needed = {graph_name(organization) for organization in sizes}
    unwanted = [name for name, is_valid in there.items() if not is_valid or name not in needed]
    for name in unwanted:
        connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(tables.named(name)))
    missing = [
        organization
        for organization, size in sizes.items()
        if size >= GRAPH_FROM and not there.get(graph_name(organization))
    ]
    for organization in missing:
        parts = {"m": HNSW_M, "ef": HNSW_EF_CONSTRUCT, "organization": organization}
        graph = sql.Identifier(graph_name(organization))
        literals = {name: sql.Literal(value) for name, value in parts.items()}
        connection.execute(tables.statement(_GRAPH, graph=graph, **literals))
    return bool(unwanted or missing)

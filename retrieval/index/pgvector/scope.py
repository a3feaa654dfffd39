"""What is asked before the legs of a search in SQL: which slices, how many points, is there a graph, and how many have
each word.

BM25 counts a term's documents among the points that the filter lets through, as the other engines do: the ranking is
independent of what neighbours write.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import sql

from retrieval.filters import SearchFilter
from retrieval.index.base import SparseVector
from retrieval.index.pgvector.conditions import FilterClauses, clauses_of
from retrieval.index.pgvector.graphs import graph_name
from retrieval.index.pgvector.rows import signed_terms
from retrieval.index.pgvector.tables import CollectionTables

if TYPE_CHECKING:
    from psycopg import Connection

# Points of a scope up to which every vector is compared; above it a graph is walked where its organization has one.
# Measured in ADR 0018.
EXACT_BELOW_IN_SQL = 4_000
# For the transaction alone, in which both legs see one state of the tables. Compiling a statement takes longer than
# running it, and so does starting its helpers.
_SETTINGS = """
SELECT set_config('statement_timeout', %(patience)s, true), set_config('jit', 'off', true),
       set_config('max_parallel_workers_per_gather', '0', true), set_config('work_mem', '64MB', true)
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


class Spread(NamedTuple):
    """How many points of a scope have a term, and between which weights."""

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

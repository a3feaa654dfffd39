"""One collection in PostgreSQL as a `VectorIndex`: what is asked and written (what it may cost: `calls`)."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from retrieval.filters import DATE_KEY, SearchFilter
from retrieval.index.base import Candidates, Hit, IndexUnavailable, Point, PointOwner, SparseVector
from retrieval.index.checks import check_dense, check_sparse, checked_points
from retrieval.index.pgvector.calls import GRAPH_SECONDS, READ_SECONDS, DatabaseCalls
from retrieval.index.pgvector.conditions import labels_of
from retrieval.index.pgvector.graphs import tend_graphs
from retrieval.index.pgvector.kept import begin_keeping
from retrieval.index.pgvector.rows import batches_of_postings, delete_chunks, write_points
from retrieval.index.pgvector.scope import searched_scope, set_up
from retrieval.index.pgvector.tables import CollectionTables
from retrieval.index.pgvector.vectors import nearest_leg
from retrieval.index.pgvector.words import words_leg
from retrieval.index.translate import best_first, metadata_changes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from psycopg import Connection, Cursor

DEFAULT_CONNECTIONS = 8
TENDED_EVERY = 600.0  # seconds: upkeep asks each half a minute, and to know the sizes every chunk is counted

_OWNERS = """
SELECT c.no, c.id, c.document_id, s.organization_id, s.user_id, s.corpus_id
FROM {chunks} c JOIN {slices} s ON s.no = c.slice WHERE c.no > %s ORDER BY c.no LIMIT %s
"""
_EMPTY_SLICES = """
WITH empty AS (
    DELETE FROM {slices} WHERE no IN (
        SELECT s.no FROM {slices} s WHERE NOT EXISTS (SELECT FROM {chunks} c WHERE c.slice = s.no)
        FOR UPDATE SKIP LOCKED
    ) RETURNING no
)
DELETE FROM {words} WHERE slice IN (SELECT no FROM empty)
"""


class PgvectorIndex:
    """A `VectorIndex` on the schema of one collection. `connections`: at most, of this process."""

    def __init__(self, url: str, collection: str, dimensions: int, connections: int = DEFAULT_CONNECTIONS) -> None:
        self._tables = CollectionTables(collection)
        self._dimensions = dimensions
        self._calls = DatabaseCalls(url, collection, connections)
        self._tended_at = float("-inf")

    def ensure(self) -> None:
        self._calls.open(lambda connection: self._tables.create(connection, self._dimensions))

    def upsert(self, points: Iterable[Point]) -> None:
        # Of two points with one id the last counts; in the order of their ids, so that two writers meet no deadlock.
        last = {point.id: point for point in checked_points(points, self._dimensions)}
        for batch in batches_of_postings(last[point_id] for point_id in sorted(last)):
            self._calls.write(partial(write_points, tables=self._tables, points=batch))

    def search(
        self,
        dense: "NDArray[np.float32] | None",
        sparse: SparseVector | None,
        where: SearchFilter,
        limit: int,
    ) -> Candidates:
        if dense is not None:
            check_dense(dense, self._dimensions)
        if sparse:
            check_sparse(sparse)
        if dense is None and not sparse:
            return Candidates()
        return self._calls.search(lambda connection: self._found(connection, dense, sparse, where, limit))

    def _found(
        self,
        connection: "Connection",
        dense: "NDArray[np.float32] | None",
        sparse: SparseVector | None,
        where: SearchFilter,
        limit: int,
    ) -> Candidates:
        """Both legs of one state of the tables, in three round trips: what is not fetched at once is sent together."""
        with connection.pipeline(), connection.transaction():
            set_up(connection, READ_SECONDS)
            scope = searched_scope(connection, self._tables, where, sparse)
            if not scope.points:
                return Candidates()
            words = words_leg(connection, self._tables, scope, sparse, limit) if sparse and scope.spread else None
            nearest = None if dense is None else nearest_leg(connection, self._tables, scope, dense, limit)
            return Candidates(best_first(_hits_of(nearest)), best_first(_hits_of(words)))

    def delete_document(self, document_id: UUID, keep_version: int | None = None) -> None:
        self._delete("document_id = %s AND version IS DISTINCT FROM %s", document_id, keep_version)

    def delete_corpus(self, corpus_id: UUID) -> None:
        self._delete("slice IN (SELECT no FROM {slices} WHERE corpus_id = %s)", str(corpus_id))

    def delete_points(self, ids: Sequence[UUID]) -> None:
        if ids:
            self._delete("id = ANY(%s)", list(ids))

    def _delete(self, condition: str, *values: Any) -> None:
        self._calls.write(lambda connection: delete_chunks(connection, self._tables, condition, *values))

    def set_metadata(self, document_id: UUID, metadata: Mapping[str, Any]) -> None:
        present, _absent = metadata_changes(metadata)
        statement = self._tables.statement(
            "UPDATE {chunks} SET labels = %s, source_date = %s WHERE document_id = %s"  # all metadata there is
        )
        values = (labels_of(present), present.get(DATE_KEY), document_id)
        self._calls.write(lambda connection: connection.execute(statement, values))

    def count(self, document_id: UUID | None = None) -> int:
        statement = self._tables.statement(
            "SELECT count(*) FROM {chunks} WHERE %(document)s::uuid IS NULL OR document_id = %(document)s::uuid"
        )
        values = {"document": document_id}
        return int(self._calls.call(lambda connection: connection.execute(statement, values).fetchall())[0][0])

    def point_ids(self, batch: int = 1000) -> Iterator[tuple[UUID, UUID]]:
        return ((one.point, one.document) for one in self.point_owners(batch))

    def point_owners(self, batch: int = 1000) -> Iterator[PointOwner]:
        last = 0
        while True:
            rows = self._calls.call(partial(self._page, values=(last, batch)))
            for number, *owner in rows:
                last = number
                yield PointOwner(*owner)
            if len(rows) < batch:
                return

    def _page(self, connection: "Connection", values: tuple[int, int]) -> list[Any]:
        return connection.execute(self._tables.statement(_OWNERS), values).fetchall()

    def optimize(self) -> bool:
        """What large slices and organizations have kept for them, for hours if need be; space is autovacuum's."""
        if time.monotonic() - self._tended_at < TENDED_EVERY:
            return False
        self._tended_at = time.monotonic()
        self._calls.write(self._forget_slices)
        is_kept = self._calls.call(partial(begin_keeping, tables=self._tables), GRAPH_SECONDS)
        tend = partial(tend_graphs, tables=self._tables, dimensions=self._dimensions)
        return self._calls.call(tend, GRAPH_SECONDS) or is_kept

    def _forget_slices(self, connection: "Connection") -> None:
        """Those of erased corpora. One that is written to at this moment stays."""
        from psycopg.errors import ForeignKeyViolation

        try:
            connection.execute(self._tables.statement(_EMPTY_SLICES))
        except ForeignKeyViolation:
            return

    def healthy(self) -> bool:
        try:
            self._calls.versions()
            return self._calls.call(self._tables.dimensions, READ_SECONDS) == self._dimensions
        except IndexUnavailable:
            return False

    def version(self) -> str:
        versions = self._calls.versions()
        return f"PostgreSQL {versions.server}, pgvector {versions.extension}"

    def close(self) -> None:
        self._calls.close()

    def drop(self) -> None:
        """Delete the collection; one that is not there is no error."""
        self._calls.call(self._tables.drop)


def _hits_of(leg: "Cursor | None") -> list[Hit]:
    """None for a leg that was not asked."""
    return [] if leg is None else [Hit(point, float(score)) for point, score in leg.fetchall()]

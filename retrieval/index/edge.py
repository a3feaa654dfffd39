"""Qdrant Edge: the server's engine in this process, on a folder that no other process may open.

Measured on Edge 0.9.0: every call holds Python's global lock (a scan of 20,000 x 1536 for 2 ms, 100 upserts
for 3 ms, a flush of 2,000 points for 40 ms), so writes go in small batches and flushes come often and small.
A write is in the write-ahead log when the call returns: kill -9 loses nothing, the flush only keeps the log
short. `optimize` would hold the lock for seconds to minutes: a child process does it on a copy
(`compaction.py`).
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version as distribution_version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from retrieval.filters import SearchFilter
from retrieval.index.base import (
    ACORN_MAX_SELECTIVITY,
    DENSE,
    HNSW_EF_SEARCH,
    OWNER_KEYS,
    SPARSE,
    Candidates,
    IndexLocked,
    IndexUnavailable,
    Point,
    PointOwner,
    SparseVector,
)
from retrieval.index.checks import check_dense, check_sparse, checked_points
from retrieval.index.compaction import Compaction
from retrieval.index.edge_shard import (
    ROOM_TO_OPEN,
    ROOM_TO_WRITE,
    LiveShard,
    create_payload_indexes,
    open_shard,
    require_room,
)
from retrieval.index.folder import EdgeFolder
from retrieval.index.proved import ProvedFilters
from retrieval.index.resident import give_back
from retrieval.index.translate import (
    corpus_filter,
    document_filter,
    engine_sparse,
    engine_vectors,
    hits,
    metadata_changes,
    owner,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COMPARED_AGAIN = 3.0  # times as many as are asked for: the nearest by their codes, by themselves
_GIVE_BACK_EVERY = 400  # points written
_UPSERT_BATCH = 100  # points a call: 3 ms in which no other thread runs


class EdgeIndex:
    """A `VectorIndex` on a folder. Opening raises IndexLocked if another process has it, IndexDiskFault if its disk has
    no room for it; the latter also whatever writes."""

    def __init__(self, path: Path, dimensions: int) -> None:
        import qdrant_edge

        self._edge = qdrant_edge
        self._dimensions = dimensions
        try:
            self._folder = EdgeFolder(Path(path))
        except OSError as error:
            require_room(Path(path), ROOM_TO_OPEN)
            raise IndexUnavailable(f"the folder {path} cannot be opened: {error.strerror}") from error
        self._pid = os.getpid()
        self._written = 0
        try:
            self._live = LiveShard(open_shard(self._folder.current, dimensions))
        except BaseException:
            self._folder.release()
            raise
        self._compaction = Compaction(self._folder, self._live, dimensions)
        self._proved = ProvedFilters(self._live, qdrant_edge)

    def ensure(self) -> None:
        with self._engine(ROOM_TO_WRITE) as live:
            create_payload_indexes(live)
        give_back(self._folder.current)

    def upsert(self, points: Iterable[Point]) -> None:
        checked = checked_points(points, self._dimensions)
        for start in range(0, len(checked), _UPSERT_BATCH):
            some = checked[start : start + _UPSERT_BATCH]
            batch = [self._edge.Point(one.id, engine_vectors(one, self._edge), dict(one.payload)) for one in some]
            with self._engine(ROOM_TO_WRITE) as live:
                live.write(self._edge.UpdateOperation.upsert_points(batch), len(batch), corpora=_corpora_of(some))
        self._written += len(checked)
        if self._written >= _GIVE_BACK_EVERY:
            give_back(self._folder.current)
            self._written = 0

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
        with self._engine():
            return self._proved.ask(where, partial(self._search, dense, sparse, limit))

    def _search(
        self,
        dense: "NDArray[np.float32] | None",
        sparse: SparseVector | None,
        limit: int,
        allowed: Any,
    ) -> Candidates:
        """Of the points that the engine's filter has."""
        legs = self._legs(dense, sparse, limit, allowed)
        request = self._edge.QueryBatchRequest(list(legs.values()))
        found = self._live.read(lambda shard: shard.query_batch(request))
        by_leg = {name: hits(scored) for name, scored in zip(legs, found, strict=True)}
        return Candidates(by_leg.get(DENSE, ()), by_leg.get(SPARSE, ()))

    def _legs(
        self,
        dense: "NDArray[np.float32] | None",
        sparse: SparseVector | None,
        limit: int,
        allowed: Any,
    ) -> dict[str, Any]:
        edge = self._edge
        legs: dict[str, Any] = {}
        if dense is not None:
            legs[DENSE] = edge.QueryRequest(
                limit,
                query=edge.Query.Nearest(dense.tolist(), using=DENSE),
                filter=allowed,
                params=edge.SearchParams(
                    hnsw_ef=HNSW_EF_SEARCH,
                    acorn=edge.AcornSearchParams(True, ACORN_MAX_SELECTIVITY),
                    quantization=edge.QuantizationSearchParams(rescore=True, oversampling=_COMPARED_AGAIN),
                ),
            )
        if sparse:
            legs[SPARSE] = edge.QueryRequest(
                limit,
                query=edge.Query.Nearest(engine_sparse(sparse, edge), using=SPARSE),
                filter=allowed,
                params=edge.SearchParams(idf=edge.IdfParams(corpus=allowed)),
            )
        return legs

    def delete_document(self, document_id: UUID, keep_version: int | None = None) -> None:
        self._delete_where(document_filter(document_id, self._edge, keep_version))

    def delete_corpus(self, corpus_id: UUID) -> None:
        self._delete_where(corpus_filter(corpus_id, self._edge))

    def _delete_where(self, condition: Any) -> None:
        with self._engine(ROOM_TO_WRITE) as live:
            gone = self._count(condition)
            live.write(self._edge.UpdateOperation.delete_points_by_filter(condition), deleted=gone, corpora=())

    def delete_points(self, ids: Sequence[UUID]) -> None:
        if ids:
            with self._engine(ROOM_TO_WRITE) as live:
                live.write(self._edge.UpdateOperation.delete_points(list(ids)), deleted=len(ids), corpora=())

    def set_metadata(self, document_id: UUID, metadata: Mapping[str, Any]) -> None:
        present, absent = metadata_changes(metadata)
        condition, operations = document_filter(document_id, self._edge), self._edge.UpdateOperation
        with self._engine(ROOM_TO_WRITE) as live:
            if present:
                live.write(operations.set_payload_by_filter(condition, present), corpora=())
            if absent:
                live.write(operations.delete_payload_by_filter(condition, absent), corpora=())

    def count(self, document_id: UUID | None = None) -> int:
        with self._engine():
            return self._count(document_filter(document_id, self._edge) if document_id else None)

    def _count(self, condition: Any) -> int:
        request = self._edge.CountRequest(exact=True, filter=condition)
        return self._live.read(lambda shard: int(shard.count(request)))

    def point_ids(self, batch: int = 1000) -> Iterator[tuple[UUID, UUID]]:
        return ((one.point, one.document) for one in self.point_owners(batch))

    def point_owners(self, batch: int = 1000) -> Iterator[PointOwner]:
        offset: Any = None
        while True:
            request = self._edge.ScrollRequest(offset, limit=batch, with_payload=list(OWNER_KEYS), with_vector=False)
            with self._engine() as live:
                records, offset = live.read(partial(_scroll, request))
            yield from map(owner, records)
            if offset is None:
                return

    def optimize(self) -> bool:
        with self._engine():
            return self._compaction.run()

    def healthy(self) -> bool:
        try:
            self.count(UUID(int=0))
        except (IndexUnavailable, IndexLocked):
            return False
        return True

    def version(self) -> str:
        return f"Qdrant Edge {distribution_version('qdrant-edge-py')}"

    def close(self) -> None:
        self._compaction.cancel()
        self._live.close()
        self._folder.release()

    @contextmanager
    def _engine(self, room: int = 0) -> Iterator[LiveShard]:
        """The live shard; what the engine raises (it has one untyped exception) becomes IndexUnavailable.

        Whoever writes tells the `room` that it needs on the disk, in bytes.
        """
        if os.getpid() != self._pid:
            raise IndexLocked("the embedded index belongs to the process that opened it; set QDRANT_URL to share it")
        if room:
            require_room(self._folder.current, room)
        try:
            yield self._live
        except (IndexUnavailable, IndexLocked, ValueError):
            raise
        except Exception as error:
            raise IndexUnavailable(f"Qdrant Edge: {error}") from error


def _corpora_of(points: Iterable[Point]) -> Collection[str] | None:
    """Which they say that they are in; None where one does not say it by one word."""
    said = [point.payload.get("corpus_id") for point in points]
    words = {one for one in said if isinstance(one, str)}
    return words if all(isinstance(one, str) for one in said) else None


def _scroll(request: Any, shard: Any) -> tuple[list[Any], Any]:
    records, following = shard.scroll(request)
    return records, following

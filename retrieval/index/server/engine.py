"""One collection of a Qdrant server as a `VectorIndex`: what is asked and written (what it may cost: `calls`)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    IndexUnavailable,
    Point,
    PointOwner,
    SparseVector,
)
from retrieval.index.checks import check_dense, check_sparse, checked_points
from retrieval.index.server.batches import DECIMALS, batches_of
from retrieval.index.server.calls import READ_SECONDS, WRITE_SECONDS, ServerCalls
from retrieval.index.server.collection import ensure_collection
from retrieval.index.server.layout import layout_of
from retrieval.index.translate import (
    corpus_filter,
    document_filter,
    engine_filter,
    engine_sparse,
    engine_vectors,
    hits,
    metadata_changes,
    owner,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from qdrant_client import QdrantClient

# Times the hits that are asked for are compared again by their originals: int8 alone may swap neighbours.
_OVERSAMPLING = 2.0


class ServerIndex:
    """A `VectorIndex` on one collection of a server."""

    def __init__(self, client: "QdrantClient", collection: str, dimensions: int, acknowledged_by: int = 1) -> None:
        from qdrant_client import models

        self._client = client
        self._collection = collection
        self._dimensions = dimensions
        self._acknowledged_by = acknowledged_by
        self._models = models
        self._calls = ServerCalls(client, collection)
        self._layout = layout_of(collection)
        # With several copies, weak ordering lets one of them apply a deletion before the write that it follows.
        self._ordering = models.WriteOrdering.MEDIUM if self._layout.replicas > 1 else None

    def ensure(self) -> None:
        self._calls.open(
            lambda: ensure_collection(
                self._client, self._collection, self._dimensions, WRITE_SECONDS, self._acknowledged_by
            )
        )

    def upsert(self, points: Iterable[Point]) -> None:
        for batch in batches_of(checked_points(points, self._dimensions)):
            self._write(
                self._client.upsert,
                points=[
                    self._models.PointStruct(
                        id=str(point.id),
                        vector=engine_vectors(point, self._models, DECIMALS),
                        payload=dict(point.payload),
                    )
                    for point in batch
                ],
            )

    def search(
        self,
        dense: "NDArray[np.float32] | None",
        sparse: SparseVector | None,
        where: SearchFilter,
        limit: int,
    ) -> Candidates:
        legs = self._legs(dense, sparse, where, limit)
        if not legs:
            return Candidates()
        found = self._calls.search(
            lambda: self._client.query_batch_points(
                self._collection, requests=list(legs.values()), timeout=READ_SECONDS
            )
        )
        by_leg = {name: hits(answer.points) for name, answer in zip(legs, found, strict=True)}
        return Candidates(by_leg.get(DENSE, ()), by_leg.get(SPARSE, ()))

    def _legs(
        self,
        dense: "NDArray[np.float32] | None",
        sparse: SparseVector | None,
        where: SearchFilter,
        limit: int,
    ) -> dict[str, Any]:
        """One request a leg."""
        models, allowed = self._models, engine_filter(where, self._models)
        legs: dict[str, Any] = {}
        if dense is not None:
            check_dense(dense, self._dimensions)
            acorn = models.AcornSearchParams(enable=True, max_selectivity=ACORN_MAX_SELECTIVITY)
            legs[DENSE] = models.QueryRequest(
                query=dense.tolist(),
                using=DENSE,
                filter=allowed,
                limit=limit,
                params=models.SearchParams(hnsw_ef=HNSW_EF_SEARCH, acorn=acorn, quantization=self._rescoring()),
            )
        if sparse:
            check_sparse(sparse)
            legs[SPARSE] = models.QueryRequest(
                query=engine_sparse(sparse, models),
                using=SPARSE,
                filter=allowed,
                limit=limit,
                params=models.SearchParams(idf=models.IdfCorpusParams(corpus=allowed)),
            )
        return legs

    def _rescoring(self) -> Any:
        """The scores of hits are those of their originals, whatever they were found by."""
        if not self._layout.by_tenant:
            return None
        return self._models.QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLING)

    def delete_document(self, document_id: UUID, keep_version: int | None = None) -> None:
        self._delete(self._models.FilterSelector(filter=document_filter(document_id, self._models, keep_version)))

    def delete_corpus(self, corpus_id: UUID) -> None:
        self._delete(self._models.FilterSelector(filter=corpus_filter(corpus_id, self._models)))

    def delete_points(self, ids: Sequence[UUID]) -> None:
        if ids:
            self._delete(self._models.PointIdsList(points=[str(point_id) for point_id in ids]))

    def _delete(self, selector: Any) -> None:
        self._write(self._client.delete, points_selector=selector)

    def set_metadata(self, document_id: UUID, metadata: Mapping[str, Any]) -> None:
        present, absent = metadata_changes(metadata)
        where = document_filter(document_id, self._models)
        if present:
            self._write(self._client.set_payload, payload=present, points=where)
        if absent:
            self._write(self._client.delete_payload, keys=absent, points=where)

    def count(self, document_id: UUID | None = None) -> int:
        condition = document_filter(document_id, self._models) if document_id else None
        return self._calls.call(lambda: self._client.count(self._collection, condition, exact=True)).count

    def point_ids(self, batch: int = 1000) -> Iterator[tuple[UUID, UUID]]:
        return ((one.point, one.document) for one in self.point_owners(batch))

    def point_owners(self, batch: int = 1000) -> Iterator[PointOwner]:
        offset: Any = None
        while True:
            records, offset = self._page(batch, offset)
            yield from map(owner, records)
            if offset is None:
                return

    def _page(self, size: int, offset: Any) -> tuple[list[Any], Any]:
        return self._calls.call(
            lambda: self._client.scroll(
                self._collection,
                limit=size,
                offset=offset,
                with_payload=list(OWNER_KEYS),
                timeout=WRITE_SECONDS,
            )
        )

    def optimize(self) -> bool:
        """Nothing to do: the server optimises by itself."""
        return False

    def healthy(self) -> bool:
        try:
            self._calls.version()
            self._calls.call(lambda: self._client.collection_exists(self._collection))
        except IndexUnavailable:
            return False
        return True

    def version(self) -> str:
        return f"Qdrant {self._calls.version()}"

    def close(self) -> None:
        self._client.close()

    def drop(self) -> None:
        """Delete the collection; one that is not there is no error."""
        if self._calls.call(lambda: self._client.collection_exists(self._collection)):
            self._calls.call(lambda: self._client.delete_collection(self._collection, timeout=WRITE_SECONDS))

    def _write(self, operation: Any, **arguments: Any) -> None:
        if self._ordering is not None:
            arguments["ordering"] = self._ordering
        self._calls.write(operation, **arguments)

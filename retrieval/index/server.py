"""A Qdrant server through qdrant-client, over REST with kept connections.

The client is Qdrant's own; here its failures become one error, a connection that the server dropped (it restarted)
is tried once more, and a server that does not answer is left alone for a while instead of costing every question
its second (RELIABILITY, faults).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from retrieval.filters import SearchFilter
from retrieval.index.base import (
    ACORN_MAX_SELECTIVITY,
    DENSE,
    HNSW_EF_SEARCH,
    SPARSE,
    Candidates,
    IndexRefused,
    IndexUnavailable,
    Point,
    SparseVector,
)
from retrieval.index.checks import check_dense, check_sparse, checked_points
from retrieval.index.server_collection import ensure_collection
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
from retrieval.waiting.breaker import CircuitBreaker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from qdrant_client import QdrantClient

T = TypeVar("T")

# A question is answered without context 1.5 s after the index went silent (RELIABILITY, faults).
_READ_SECONDS = 1
_WRITE_SECONDS = 30
_UPSERT_BATCH = 100  # points a request: 3 MB of JSON at 1536 dimensions
_LEFT_ALONE_SECONDS = 5.0


@lru_cache(maxsize=8)
def _opening_breaker(url: str) -> CircuitBreaker:
    """One for each server, because an index that could not be opened is thrown away and made again. Opening is
    waited for in line, so the first silence speaks for those behind it."""
    return CircuitBreaker(failures=1, seconds=_LEFT_ALONE_SECONDS)


def connect(url: str, api_key: str = "") -> "QdrantClient":
    """A client that opens its connections when they are needed and keeps them, loopback included."""
    import httpx
    from qdrant_client import QdrantClient

    return QdrantClient(
        url=url,
        api_key=api_key or None,
        timeout=_READ_SECONDS,
        check_compatibility=False,  # it would ask at once, in a thread, and only warn
        limits=httpx.Limits(max_connections=64, max_keepalive_connections=32),
    )


class ServerIndex:
    """A `VectorIndex` on one collection of a server."""

    def __init__(self, client: "QdrantClient", collection: str, dimensions: int) -> None:
        from qdrant_client import models

        self._opening = _opening_breaker(str(client.init_options.get("url")))
        self._searching = CircuitBreaker(failures=2, seconds=_LEFT_ALONE_SECONDS)
        self._client = client
        self._collection = collection
        self._dimensions = dimensions
        self._models = models

    def ensure(self) -> None:
        def ensured() -> None:
            ensure_collection(self._client, self._collection, self._dimensions, _WRITE_SECONDS)

        self._guarded(self._opening, ensured)

    def upsert(self, points: Iterable[Point]) -> None:
        checked = checked_points(points, self._dimensions)
        for start in range(0, len(checked), _UPSERT_BATCH):
            batch = [
                self._models.PointStruct(
                    id=str(point.id), vector=engine_vectors(point, self._models), payload=dict(point.payload)
                )
                for point in checked[start : start + _UPSERT_BATCH]
            ]
            self._write(self._client.upsert, points=batch)

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
        found = self._guarded(
            self._searching,
            lambda: self._client.query_batch_points(
                self._collection, requests=list(legs.values()), timeout=_READ_SECONDS
            ),
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
        """One request a leg. A server too old for IDF scopes or ACORN ignores them: collection-wide IDF."""
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
                params=models.SearchParams(hnsw_ef=HNSW_EF_SEARCH, acorn=acorn),
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
        return self._call(lambda: self._client.count(self._collection, condition, exact=True)).count

    def point_ids(self, batch: int = 1000) -> Iterator[tuple[UUID, UUID]]:
        offset: Any = None
        while True:
            records, offset = self._page(batch, offset)
            yield from map(owner, records)
            if offset is None:
                return

    def _page(self, size: int, offset: Any) -> tuple[list[Any], Any]:
        return self._call(
            lambda: self._client.scroll(
                self._collection,
                limit=size,
                offset=offset,
                with_payload=["document_id"],
                timeout=_WRITE_SECONDS,
            )
        )

    def optimize(self) -> bool:
        """Nothing to do: the server optimises by itself."""
        return False

    def healthy(self) -> bool:
        try:
            self._call(lambda: self._client.collection_exists(self._collection))
        except IndexUnavailable:
            return False
        return True

    def close(self) -> None:
        self._client.close()

    def drop(self) -> None:
        """Delete the collection; one that is not there is no error."""
        if self._call(lambda: self._client.collection_exists(self._collection)):
            self._call(lambda: self._client.delete_collection(self._collection, timeout=_WRITE_SECONDS))

    def _write(self, operation: Callable[..., Any], **arguments: Any) -> None:
        """Returns when the server has applied it, so that the next search sees it."""
        self._call(lambda: operation(self._collection, wait=True, timeout=_WRITE_SECONDS, **arguments))

    def _guarded(self, breaker: CircuitBreaker, request: Callable[[], T]) -> T:
        """`_call`, unless the server has just been silent: then unavailable at once."""
        if not breaker.allows():
            raise IndexUnavailable(f"Qdrant at {self._collection} has just failed and is left alone")
        try:
            answer = self._call(request)
        except IndexRefused:  # one organization's bad request closes the index for nobody else
            breaker.succeeded()
            raise
        except IndexUnavailable:
            breaker.failed()
            raise
        breaker.succeeded()
        return answer

    def _call(self, request: Callable[[], T]) -> T:
        """`request()`, once more if a kept connection turned out dead: every call here may be repeated."""
        from qdrant_client.common.client_exceptions import QdrantException
        from qdrant_client.http.exceptions import ApiException

        try:
            try:
                return request()
            except ApiException as error:
                if not _was_dropped(error):
                    raise
                return request()
        # An AssertionError is how the client says that an answer has no result.
        except (ApiException, QdrantException, OSError, AssertionError) as error:
            fault = IndexRefused if _was_refused(error) else IndexUnavailable
            raise fault(f"Qdrant at {self._collection}: {error}") from error


def _was_refused(error: Exception) -> bool:
    """Whether the server answered, and not that it fails (5xx). One that is busy (429) is there, too."""
    from qdrant_client.common.client_exceptions import QdrantException
    from qdrant_client.http.exceptions import UnexpectedResponse

    if isinstance(error, UnexpectedResponse):
        return error.status_code is not None and 400 <= error.status_code < 500
    return isinstance(error, QdrantException)


def _was_dropped(error: Exception) -> bool:
    """Whether the server closed the connection without an answer; not refused, not silent."""
    import httpx

    return isinstance(getattr(error, "source", None), httpx.RemoteProtocolError | httpx.ReadError | httpx.WriteError)

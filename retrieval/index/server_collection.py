"""The collection of an embedding space on a Qdrant server: vectors, graph and payload indexes."""

from typing import TYPE_CHECKING, Any

from retrieval.index.base import (
    BYTES_PER_DIMENSION,
    DENSE,
    EXACT_BELOW,
    HNSW_EF_CONSTRUCT,
    HNSW_M,
    INTEGER_KEYS,
    KEYWORD_KEYS,
    SPARSE,
    TENANT_KEY,
)

if TYPE_CHECKING:
    from qdrant_client import QdrantClient


def ensure_collection(client: "QdrantClient", name: str, dimensions: int, timeout: int) -> None:
    """Create what is missing; `timeout` in seconds a request. ValueError if it has other dimensions."""
    if not client.collection_exists(name):
        _create_unless_another_did(client, name, dimensions, timeout)
    found = client.get_collection(name)
    vectors = found.config.params.vectors
    size = vectors[DENSE].size if isinstance(vectors, dict) and DENSE in vectors else None
    if size != dimensions:
        raise ValueError(f"collection {name} has {size} dimensions, not {dimensions}")
    for key in sorted({*KEYWORD_KEYS, *INTEGER_KEYS} - set(found.payload_schema)):
        client.create_payload_index(name, key, _schema(key), timeout=timeout)


def _create_unless_another_did(client: "QdrantClient", name: str, dimensions: int, timeout: int) -> None:
    """Web and worker start together, and both find nothing."""
    from qdrant_client.http.exceptions import UnexpectedResponse

    try:
        _create(client, name, dimensions, timeout)
    except UnexpectedResponse:
        if not client.collection_exists(name):
            raise


def _create(client: "QdrantClient", name: str, dimensions: int, timeout: int) -> None:
    from qdrant_client import models

    exact_below_kb = EXACT_BELOW * dimensions * BYTES_PER_DIMENSION // 1024
    client.create_collection(
        name,
        vectors_config={
            DENSE: models.VectorParams(
                size=dimensions, distance=models.Distance.COSINE, datatype=models.Datatype.FLOAT16
            )
        },
        sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
        hnsw_config=models.HnswConfigDiff(m=HNSW_M, ef_construct=HNSW_EF_CONSTRUCT, full_scan_threshold=exact_below_kb),
        timeout=timeout,
    )


def _schema(key: str) -> Any:
    from qdrant_client import models

    if key in INTEGER_KEYS:
        return models.PayloadSchemaType.INTEGER
    return models.KeywordIndexParams(
        type=models.KeywordIndexType.KEYWORD, is_tenant=True if key == TENANT_KEY else None
    )

"""The collection of an embedding space on a Qdrant server: vectors, graphs and payload indexes, by its layout."""

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
from retrieval.index.server.calls import ServerCalls, connect
from retrieval.index.server.layout import CollectionLayout, layout_of

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

# Points of a segment from which the server indexes it and quantises its vectors. A graph is made for a tenant from
# EXACT_BELOW on; below, its vectors are compared one by one, and those are the quantised ones.
_INDEXED_FROM = 10_000
_QUANTILE = 0.99  # of the values that int8 spans evenly; what is beyond is clipped


def ensure_collection(
    client: "QdrantClient", name: str, dimensions: int, timeout: int, acknowledged_by: int = 1
) -> None:
    """Create what is missing; `timeout` in seconds a request. ValueError if it has other dimensions.

    `acknowledged_by`: the replicas that have a write before it counts; the one thing that may change in place.
    """
    layout = layout_of(name)
    if not client.collection_exists(name):
        _create_unless_another_did(client, name, dimensions, timeout, acknowledged_by)
    found = client.get_collection(name)
    vectors = found.config.params.vectors
    size = vectors[DENSE].size if isinstance(vectors, dict) and DENSE in vectors else None
    if size != dimensions:
        raise ValueError(f"collection {name} has {size} dimensions, not {dimensions}")
    if layout.replicas > 1 and found.config.params.write_consistency_factor != acknowledged_by:
        _acknowledge_by(client, name, acknowledged_by, timeout)
    for key in sorted({*KEYWORD_KEYS, *INTEGER_KEYS} - set(found.payload_schema)):
        client.create_payload_index(name, key, _schema(key, layout), timeout=timeout)


def is_laid_out_as_named(url: str, api_key: str, name: str) -> bool:
    """Whether a collection that is there has graphs for tenants if its name says so, and one for all if not."""
    client = connect(url, api_key)
    try:
        found = ServerCalls(client, name).call(lambda: client.get_collection(name))
    finally:
        client.close()
    return (found.config.hnsw_config.m == 0) == layout_of(name).by_tenant


def _acknowledge_by(client: "QdrantClient", name: str, replicas: int, timeout: int) -> None:
    from qdrant_client import models

    changed = models.CollectionParamsDiff(write_consistency_factor=replicas)
    client.update_collection(name, collection_params=changed, timeout=timeout)


def _create_unless_another_did(
    client: "QdrantClient", name: str, dimensions: int, timeout: int, acknowledged_by: int
) -> None:
    """Web and worker start together, and both find nothing."""
    from qdrant_client.http.exceptions import UnexpectedResponse

    try:
        client.create_collection(name, timeout=timeout, **_parameters(layout_of(name), dimensions, acknowledged_by))
    except UnexpectedResponse:
        if not client.collection_exists(name):
            raise


def _parameters(layout: CollectionLayout, dimensions: int, acknowledged_by: int) -> dict[str, Any]:
    """What a collection is created with."""
    from qdrant_client import models

    exact_below_kb = EXACT_BELOW * dimensions * BYTES_PER_DIMENSION // 1024
    words = models.SparseVectorParams(modifier=models.Modifier.IDF)
    vectors = models.VectorParams(size=dimensions, distance=models.Distance.COSINE, datatype=models.Datatype.FLOAT16)
    graph = models.HnswConfigDiff(m=HNSW_M, ef_construct=HNSW_EF_CONSTRUCT, full_scan_threshold=exact_below_kb)
    parameters: dict[str, Any] = {
        "vectors_config": {DENSE: vectors},
        "sparse_vectors_config": {SPARSE: words},
        "hnsw_config": graph,
    }
    if not layout.by_tenant:
        return parameters
    vectors.on_disk = True
    vectors.quantization_config = models.ScalarQuantization(
        scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, quantile=_QUANTILE, always_ram=True)
    )
    words.index = models.SparseIndexParams(on_disk=True)
    graph.m, graph.payload_m = 0, HNSW_M
    indexed_from_kb = _INDEXED_FROM * dimensions * BYTES_PER_DIMENSION // 1024
    parameters["optimizers_config"] = models.OptimizersConfigDiff(indexing_threshold=indexed_from_kb)
    parameters["on_disk_payload"] = True
    parameters["shard_number"] = layout.shards
    if layout.replicas > 1:
        parameters |= {"replication_factor": layout.replicas, "write_consistency_factor": acknowledged_by}
    return parameters


def _schema(key: str, layout: CollectionLayout) -> Any:
    """By tenant, only the tenant's values get graphs: one for each value of each key would be made otherwise."""
    from qdrant_client import models

    tenant = key == TENANT_KEY
    with_graphs = None if tenant or not layout.by_tenant else False
    if key in INTEGER_KEYS:
        if with_graphs is None:
            return models.PayloadSchemaType.INTEGER
        return models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, enable_hnsw=with_graphs)
    return models.KeywordIndexParams(
        type=models.KeywordIndexType.KEYWORD, is_tenant=True if tenant else None, enable_hnsw=with_graphs
    )

"""One collection of the stand-in index server: Qdrant's JSON in, Qdrant Edge's calls, Qdrant's JSON out.

What it does not know it refuses (ValueError), so that a test never passes on a part of a request that was ignored.
"""

import hashlib
import shutil
import tarfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import qdrant_edge as edge

Json = dict[str, Any]
CREATED_WITH = (
    "vectors", "sparse_vectors", "hnsw_config", "optimizers_config", "on_disk_payload", "shard_number",
    "replication_factor", "write_consistency_factor",
)  # fmt: skip


class Collection:
    """A shard in a folder, with the parameters that it was created with."""

    def __init__(self, folder: Path, parameters: Json) -> None:
        self.folder, self.parameters = folder, parameters
        exists = (folder / "segments").is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        opened = edge.EdgeShard.load if exists else edge.EdgeShard.create
        self.shard: Any = opened(str(folder), config(parameters))

    def info(self) -> Json:
        """The answer to `GET /collections/{name}`: what the client's model requires and what was configured."""
        found = self.shard.info()
        return {
            "status": "green",
            "optimizer_status": "ok",
            "points_count": found.points_count,
            "segments_count": found.segments_count,
            "config": {
                "params": {
                    name: self.parameters[name]
                    for name in (*CREATED_WITH[:2], *CREATED_WITH[4:])
                    if self.parameters.get(name) is not None
                },
                "hnsw_config": self.parameters["hnsw_config"],
                "optimizer_config": {"default_segment_number": 1, "flush_interval_sec": 5},
            },
            "payload_schema": {
                name: {"data_type": str(index.data_type).rpartition(".")[2].lower(), "points": index.points}
                for name, index in found.payload_schema.items()
            },
        }

    def update(self, body: Json) -> None:
        """`PATCH /collections/{name}`: of all that may be changed in place, what Acervo changes."""
        known(body, "params")
        known(body["params"], "write_consistency_factor")
        self.parameters |= body["params"]

    def create_index(self, body: Json) -> None:
        schema = body["field_schema"]
        if isinstance(schema, dict) and schema["type"] == "integer":
            known(schema, "type", "enable_hnsw")
            made: Any = edge.IntegerIndexParams(enable_hnsw=schema.get("enable_hnsw"))
        elif isinstance(schema, dict):
            known(schema, "type", "is_tenant", "enable_hnsw")
            made = edge.KeywordIndexParams(is_tenant=schema.get("is_tenant"), enable_hnsw=schema.get("enable_hnsw"))
        else:
            made = {"keyword": edge.PayloadSchemaType.Keyword, "integer": edge.PayloadSchemaType.Integer}[schema]
        self.shard.update(edge.UpdateOperation.create_field_index(body["field_name"], made))

    def upsert(self, body: Json) -> None:
        known(body, "points")
        points = [edge.Point(point_id(one["id"]), vectors(one["vector"]), one["payload"]) for one in body["points"]]
        self.shard.update(edge.UpdateOperation.upsert_points(points))

    def query_batch(self, body: Json) -> list[Json]:
        known(body, "searches")
        asked = edge.QueryBatchRequest([query_request(one) for one in body["searches"]])
        return [{"points": [scored(point) for point in points]} for points in self.shard.query_batch(asked)]

    def delete(self, body: Json) -> None:
        known(body, "points", "filter")
        if "points" in body:
            operation = edge.UpdateOperation.delete_points([point_id(one) for one in body["points"]])
        else:
            operation = edge.UpdateOperation.delete_points_by_filter(condition_of(body["filter"]))
        self.shard.update(operation)

    def set_payload(self, body: Json) -> None:
        known(body, "payload", "filter")
        self.shard.update(edge.UpdateOperation.set_payload_by_filter(condition_of(body["filter"]), body["payload"]))

    def delete_payload(self, body: Json) -> None:
        known(body, "keys", "filter")
        self.shard.update(edge.UpdateOperation.delete_payload_by_filter(condition_of(body["filter"]), body["keys"]))

    def count(self, body: Json) -> int:
        known(body, "filter", "exact")
        where = condition_of(body["filter"]) if body.get("filter") else None
        return int(self.shard.count(edge.CountRequest(exact=bool(body.get("exact", True)), filter=where)))

    def scroll(self, body: Json) -> Json:
        known(body, "limit", "offset", "with_payload", "with_vector")
        offset = body.get("offset")
        request = edge.ScrollRequest(
            point_id(offset) if offset is not None else None,
            limit=body["limit"],
            with_payload=body["with_payload"],
            with_vector=body.get("with_vector", False),
        )
        records, following = self.shard.scroll(request)
        points = [{"id": plain_id(one.id), "payload": one.payload} for one in records]
        return {"points": points, "next_page_offset": None if following is None else plain_id(following)}

    def snapshot(self) -> Json:
        """Made at once, where the real server takes its time; a tar of the shard and of its parameters."""
        self.shard.flush()
        place = self.folder.parent / "snapshots"
        place.mkdir(exist_ok=True)
        name = f"{self.folder.parent.name}-{len(list(place.iterdir())) + 1}-{uuid4().hex[:8]}.snapshot"
        with tarfile.open(place / name, "w") as archive:
            archive.add(self.folder, "shard")
        return described(place / name)

    def snapshots(self) -> list[Json]:
        return [described(one) for one in sorted((self.folder.parent / "snapshots").glob("*.snapshot"))]

    def recover(self, path: Path) -> None:
        """As `priority=snapshot`: what is there is thrown away."""
        self.shard.close()
        shutil.rmtree(self.folder)
        with tarfile.open(path) as archive:
            archive.extractall(self.folder.parent, filter="data")
        self.shard = edge.EdgeShard.load(str(self.folder))

    def close(self) -> None:
        self.shard.flush()
        self.shard.close()

    def remove(self) -> None:
        self.shard.close()
        shutil.rmtree(self.folder)


def described(path: Path) -> Json:
    """Qdrant's SnapshotDescription."""
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    made = datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return {"name": path.name, "creation_time": made, "size": path.stat().st_size, "checksum": checksum}


def known(body: Mapping[str, Any], *keys: str) -> None:
    if unknown := {key for key, value in body.items() if value is not None} - set(keys):
        raise ValueError(f"this stand-in does not know {', '.join(sorted(unknown))}")


def config(parameters: Json) -> Any:
    """What the real server would make of `PUT /collections/{name}`."""
    known(parameters, *CREATED_WITH)
    graph, optimizers = parameters["hnsw_config"], parameters.get("optimizers_config") or {}
    known(graph, "m", "ef_construct", "full_scan_threshold", "payload_m")
    known(optimizers, "indexing_threshold")
    return edge.EdgeConfig(
        vectors={name: dense_parameters(one) for name, one in parameters["vectors"].items()},
        sparse_vectors={name: sparse_parameters(one) for name, one in parameters["sparse_vectors"].items()},
        on_disk_payload=parameters.get("on_disk_payload"),
        hnsw_config=edge.HnswIndexConfig(
            graph["m"], graph["ef_construct"], graph["full_scan_threshold"], payload_m=graph.get("payload_m")
        ),
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=optimizers.get("indexing_threshold")),
    )


def dense_parameters(one: Json) -> Any:
    known(one, "size", "distance", "datatype", "on_disk", "quantization_config")
    datatype = getattr(edge.VectorStorageDatatype, one.get("datatype", "float32").capitalize())
    return edge.EdgeVectorParams(
        one["size"],
        getattr(edge.Distance, one["distance"]),
        on_disk=one.get("on_disk"),
        datatype=datatype,
        quantization_config=quantization(one.get("quantization_config")),
    )


def quantization(one: Json | None) -> Any:
    if one is None:
        return None
    known(one, "scalar")
    known(one["scalar"], "type", "quantile", "always_ram")
    kind = getattr(edge.ScalarType, one["scalar"]["type"].capitalize())
    return edge.ScalarQuantizationConfig(
        kind, quantile=one["scalar"].get("quantile"), always_ram=one["scalar"].get("always_ram")
    )


def sparse_parameters(one: Json) -> Any:
    known(one, "modifier", "index")
    index = one.get("index") or {}
    known(index, "on_disk")
    modifier = getattr(edge.Modifier, one["modifier"].capitalize())
    return edge.EdgeSparseVectorParams(modifier=modifier, on_disk=index.get("on_disk"))


def query_request(body: Json) -> Any:
    known(body, "query", "using", "filter", "limit", "params", "with_payload", "with_vector")
    known(body["query"], "nearest")
    nearest = body["query"]["nearest"]
    named = sparse(nearest) if isinstance(nearest, dict) else nearest
    return edge.QueryRequest(
        body["limit"],
        query=edge.Query.Nearest(named, using=body["using"]),
        filter=condition_of(body["filter"]),
        params=search_parameters(body.get("params") or {}),
    )


def search_parameters(body: Json) -> Any:
    known({key: value or None for key, value in body.items()}, "hnsw_ef", "acorn", "idf", "exact", "quantization")
    acorn, idf, near = body.get("acorn"), body.get("idf"), body.get("quantization")
    known(near or {}, "ignore", "rescore", "oversampling")
    return edge.SearchParams(
        hnsw_ef=body.get("hnsw_ef"),
        exact=bool(body.get("exact")),
        acorn=edge.AcornSearchParams(acorn["enable"], acorn["max_selectivity"]) if acorn else None,
        quantization=edge.QuantizationSearchParams(**near) if near else None,
        idf=edge.IdfParams(corpus=condition_of(idf["corpus"])) if idf else None,
    )


def condition_of(body: Json) -> Any:
    """A filter, or a condition that our filters are made of: a key that matches one of some values, or lies between."""
    if "key" not in body:
        known(body, "must", "should", "must_not")
        return edge.Filter(**{name: [condition_of(one) for one in each] for name, each in body.items() if each})
    if body.get("range"):
        known(body, "key", "range")
        known(body["range"], "gte", "lte")
        return edge.FieldCondition(key=body["key"], range=edge.RangeFloat(**body["range"]))
    known(body, "key", "match")
    known(body["match"], "any", "value")
    if "any" in body["match"]:
        return edge.FieldCondition(key=body["key"], match=edge.MatchAny(any=body["match"]["any"]))
    return edge.FieldCondition(key=body["key"], match=edge.MatchValue(value=body["match"]["value"]))


def vectors(body: Json) -> Json:
    return {name: sparse(one) if isinstance(one, dict) else one for name, one in body.items()}


def sparse(body: Json) -> Any:
    known(body, "indices", "values")
    return edge.SparseVector(indices=body["indices"], values=body["values"])


def scored(point: Any) -> Json:
    return {"id": plain_id(point.id), "version": point.version, "score": point.score}


def point_id(value: Any) -> Any:
    return UUID(value) if isinstance(value, str) else value


def plain_id(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value

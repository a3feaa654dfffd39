"""How a collection on a server is laid out: its name tells, and what the server is asked to make follows from it."""

from collections.abc import Iterator
from typing import Any

import pytest

from retrieval.index import layout_mark
from retrieval.index.base import KEYWORD_KEYS, TENANT_KEY
from retrieval.index.server import ServerIndex, connect
from retrieval.index.server.layout import CollectionLayout, layout_of
from retrieval.tests.library import DIMENSIONS, named
from tests.fakes.index_process import index_server_process

LAYOUTS = [
    CollectionLayout(),
    CollectionLayout(by_tenant=True),
    CollectionLayout(by_tenant=True, shards=6),
    CollectionLayout(by_tenant=True, replicas=2),
    CollectionLayout(by_tenant=True, shards=12, replicas=3),
]


@pytest.mark.parametrize("space", ["lexical-1-1536", "text-embedding-3-small-1536-0a1b2c", "x.tenants-1f2e3d4c-64"])
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_the_name_tells_the_layout_and_no_two_share_one(space: str, layout: CollectionLayout) -> None:
    assert layout_of(space + layout.mark) == layout
    assert len({one.mark for one in LAYOUTS}) == len(LAYOUTS)


def test_the_embedded_index_has_no_layout(settings: Any) -> None:
    settings.QDRANT_URL = ""
    assert layout_mark() == ""


def test_the_settings_name_the_layout_of_what_is_made_now(settings: Any) -> None:
    settings.QDRANT_URL = "http://127.0.0.1:9"
    assert layout_mark() == ".tenants"
    settings.QDRANT_SHARDS, settings.QDRANT_REPLICAS = 6, 2
    assert layout_mark() == ".tenants-s6-r2"
    settings.QDRANT_LAYOUT = "plain"
    assert layout_mark() == ""


# ── on the wire ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def url(tmp_path: Any) -> Iterator[str]:
    with index_server_process(tmp_path) as address:
        yield address


def made(url: str, collection: str, acknowledged_by: int = 1) -> Any:
    index = ServerIndex(connect(url), collection, DIMENSIONS, acknowledged_by)
    index.ensure()
    index.ensure()
    found = index._client.get_collection(collection)
    index.close()
    return found.config


def test_by_tenant_there_is_no_graph_over_all_and_bytes_stand_for_what_is_on_disk(url: str) -> None:
    config = made(url, "space-8.tenants-s3")
    assert (config.hnsw_config.m, config.hnsw_config.payload_m) == (0, 16)
    dense = config.params.vectors["dense"]
    assert (dense.on_disk, str(dense.datatype.value)) == (True, "float16")
    assert (dense.quantization_config.scalar.type.value, dense.quantization_config.scalar.always_ram) == ("int8", True)
    assert config.params.sparse_vectors["bm25"].index.on_disk is True
    assert (config.params.on_disk_payload, config.params.shard_number) == (True, 3)


def test_what_was_made_before_is_left_as_it_was(url: str) -> None:
    config = made(url, "space-8")
    assert (config.hnsw_config.m, config.hnsw_config.payload_m) == (16, None)
    assert config.params.vectors["dense"].quantization_config is None


def test_replicas_are_made_and_how_many_are_waited_for_is_changed_in_place(url: str) -> None:
    first = made(url, "space-8.tenants-r2", acknowledged_by=1)
    assert (first.params.replication_factor, first.params.write_consistency_factor) == (2, 1)
    assert made(url, "space-8.tenants-r2", acknowledged_by=2).params.write_consistency_factor == 2


class Recorder:
    """A client that keeps what it was asked; it finds a collection that is there and has nothing indexed."""

    init_options: dict[str, Any] = {}

    def __init__(self) -> None:
        self.indexes: dict[str, Any] = {}
        self.written: list[dict[str, Any]] = []

    def info(self) -> Any:
        from qdrant_client import models

        return models.VersionInfo(title="qdrant", version="1.19.0")

    def collection_exists(self, name: str) -> bool:
        return True

    def get_collection(self, name: str) -> Any:
        from types import SimpleNamespace as Namespace

        vectors = {"dense": Namespace(size=DIMENSIONS)}
        params = Namespace(vectors=vectors, write_consistency_factor=1)
        return Namespace(config=Namespace(params=params), payload_schema={})

    def create_payload_index(self, name: str, key: str, schema: Any, timeout: int) -> None:
        self.indexes[key] = schema

    def delete(self, name: str, **arguments: Any) -> None:
        self.written.append(arguments)


def test_only_tenants_get_graphs_of_their_own() -> None:
    client = Recorder()
    ServerIndex(client, "space-8.tenants", DIMENSIONS).ensure()  # type: ignore[arg-type]
    assert client.indexes[TENANT_KEY].is_tenant is True
    assert {key for key, schema in client.indexes.items() if schema.enable_hnsw is not False} == {TENANT_KEY}
    assert client.indexes.keys() > set(KEYWORD_KEYS)


def test_with_several_copies_a_deletion_never_overtakes_the_write_before_it() -> None:
    client = Recorder()
    for collection in ("space-8.tenants", "space-8.tenants-r2"):
        ServerIndex(client, collection, DIMENSIONS).delete_document(named("d"))  # type: ignore[arg-type]
    assert [one.get("ordering") and one["ordering"].value for one in client.written] == [None, "medium"]
    assert all(one["wait"] is True for one in client.written)

"""The change of the embedding space on an index server, which several processes share (ADR 0010)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.conf import settings as settings_of_django
from django.db.models.signals import post_save
from django.utils import timezone

from corpora import removal
from corpora.models import Chunk, ErasureReceipt
from retrieval.index import drop_index
from retrieval.index.base import IndexUnavailable
from retrieval.index.server import connect
from retrieval.models import CachedEmbedding, SpaceState
from retrieval.spaces import opened, registry
from retrieval.spaces.registry import KEPT, SETTLING
from retrieval.tests.spaces import model, name_model, restart
from tests.fakes.fixtures import ModelServer
from tests.fakes.index_process import index_server_process
from workers.jobs import erase
from workers.upkeep.space_change import advance

__all__ = ["model"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def index_server(tmp_path: Path, settings: Any) -> Iterator[None]:
    """The stand-in of tests/fakes: Qdrant's protocol before Qdrant's engine."""
    with index_server_process(tmp_path) as url:
        settings.QDRANT_URL = url
        restart()
        yield
        restart()


def test_a_change_an_erasure_and_a_removal_on_a_server(model: ModelServer, library: Any, settings: Any) -> None:
    lexical = registry.active_space()
    name_model(settings, dimensions=64)
    advance()
    assert dict(SpaceState.objects.values_list("model", "state"))[settings.EMBEDDING_MODEL] == "active"
    document = library.loans.documents.get()
    chunks = document.chunks.count()
    removal.remove_document(document, library.admin, at_once=True)
    assert erase.erase(document.pk) is True
    assert ErasureReceipt.objects.get().removed["points"] == 2 * chunks
    assert opened.current_index().count() == Chunk.objects.served().count() > 0
    index = opened.index_of(lexical)
    advance(timezone.now() + KEPT + SETTLING)
    assert [one.model for one in registry.spaces(fresh=True)] == [settings.EMBEDDING_MODEL]
    with pytest.raises(IndexUnavailable):
        index.count()
    drop_index(lexical.collection)


def test_another_layout_is_filled_and_switched_to_without_an_embedding_more(
    model: ModelServer, library: Any, settings: Any
) -> None:
    settings.QDRANT_LAYOUT = "plain"
    name_model(settings, dimensions=64)
    advance()
    plain = registry.active_space(fresh=True)
    cached, embedded = CachedEmbedding.objects.count(), model.stats()["embed_items"]
    points = set(opened.current_index().point_ids())
    assert cached > 0
    settings.QDRANT_LAYOUT = "tenants"
    restart()
    assert registry.active_space(fresh=True) == plain, "the former one answers until the other is filled"
    advance()
    active = registry.active_space(fresh=True)
    assert active.collection == f"{plain.collection}.tenants"
    assert set(opened.current_index().point_ids()) == points
    assert model.stats()["embed_items"] - embedded <= 3, "its probes"
    advance(timezone.now() + KEPT + SETTLING)
    assert [one.collection for one in registry.spaces(fresh=True)] == [active.collection]
    assert CachedEmbedding.objects.count() == cached, "they are the other layout's too"


def collection_of(name: str) -> Any:
    """What the server says of a collection; None where there is none."""
    client = connect(settings_of_django.QDRANT_URL)
    try:
        return client.get_collection(name).config.hnsw_config if client.collection_exists(name) else None
    finally:
        client.close()


def made_plainly(name: str, dimensions: int) -> None:
    """As a release before layouts made every collection."""
    plain = {
        "vectors": {"dense": {"size": dimensions, "distance": "Cosine", "datatype": "float16"}},
        "sparse_vectors": {"bm25": {"modifier": "idf"}},
        "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10},
    }
    address, kind = f"{settings_of_django.QDRANT_URL}/collections/{name}", {"Content-Type": "application/json"}
    urlopen(Request(address, json.dumps(plain).encode(), kind, method="PUT"), timeout=10).close()


def test_a_space_has_its_collection_before_another_process_can_read_of_it(
    model: ModelServer, library: Any, settings: Any
) -> None:
    """A process of the release before would make it in its own layout, as soon as it found the row."""
    name_model(settings, dimensions=64)
    seen: list[Any] = []

    def look(instance: SpaceState, **_: Any) -> None:
        seen.append(collection_of(instance.collection))

    post_save.connect(look, sender=SpaceState)
    try:
        opened.start_filling(registry.wanted_space())
    finally:
        post_save.disconnect(look, sender=SpaceState)
    assert [(one.m, one.payload_m) for one in seen] == [(0, 16)]


def test_a_collection_that_an_older_process_has_made_otherwise_is_made_anew_before_it_is_read(
    model: ModelServer, library: Any, settings: Any
) -> None:
    name_model(settings, dimensions=64)
    wanted = registry.wanted_space()
    registry.begin_filling(wanted)
    made_plainly(wanted.collection, 64)
    advance()
    assert registry.active_space(fresh=True).collection == wanted.collection
    assert collection_of(wanted.collection).m == 0
    assert opened.current_index().count() == Chunk.objects.served().count() > 0

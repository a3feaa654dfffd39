"""A second collection from stored chunks: resumable, and right whatever happens to documents meanwhile (ADR 0010)."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as configured
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from corpora import removal
from corpora.descriptions import describe
from corpora.models import Chunk, Corpus, Document
from corpora.uploads import intake
from retrieval.embeddings.base import EmbeddingError
from retrieval.embeddings.cache import text_hash
from retrieval.embeddings.openai import OpenAIProvider
from retrieval.filters import search_filter
from retrieval.index import bm25
from retrieval.models import CachedEmbedding, SpaceState
from retrieval.spaces import opened, registry
from retrieval.tests.spaces import model, name_model
from retrieval.text.passages import indexed_text
from tests import factories
from tests.fakes.fixtures import ModelServer
from tests.library import Library
from workers.jobs import erase, metadata
from workers.upkeep import space_filling
from workers.upkeep.space_filling import fill, missing_from

__all__ = ["model"]
pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def filling(model: ModelServer, library: Library, settings: Any) -> SpaceState:
    """A library in the lexical space, and settings that name another one, of which nothing is filled yet."""
    name_model(settings, dimensions=64)
    return registry.begin_filling(registry.wanted_space())


def points(space: SpaceState) -> set[UUID]:
    return {point for point, _ in opened.index_of(space).point_ids()}


def served() -> set[UUID]:
    return set(Chunk.objects.served().values_list("pk", flat=True))


def many_chunks(corpus: Corpus, documents: int, chunks: int) -> None:
    """Indexed documents as rows alone, each chunk with a text of its own."""
    for n in range(documents):
        texts = [f"Documento {n}, párrafo {k}: la marea sube en la bahía {n * chunks + k}." for k in range(chunks)]
        document = factories.DocumentFactory(corpus=corpus, text=f"El documento {n}.", title=f"Bahía {n}")
        document.chunks.all().delete()
        Chunk.objects.bulk_create(
            Chunk(
                id=Chunk.id_for(document.pk, 1, 800, k),
                document=document,
                version=1,
                granularity=800,
                index=k,
                text=text,
                text_hash=text_hash(indexed_text(document.title, [], text)),
                token_count=20,
                start=0,
                end=len(text),
            )
            for k, text in enumerate(texts)
        )
        Document.objects.filter(pk=document.pk).update(chunk_count=chunks)


def before_upsert(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], Any]) -> None:
    """Let something happen while the first batch's vectors are on the way."""
    encode, once = bm25.encode_documents, []

    def meanwhile(texts: Any, language: str) -> Any:
        if not once:
            once.append(True)
            happens()
        return encode(texts, language)

    monkeypatch.setattr(space_filling.bm25, "encode_documents", meanwhile)


def test_a_filled_space_holds_exactly_what_readers_are_shown(filling: SpaceState) -> None:
    assert missing_from(opened.index_of(filling)).total == len(served()) > 0
    assert fill(filling).total == 0
    assert points(filling) == served() == points(registry.active_space())


def test_points_carry_the_same_filters_as_those_of_ingestion(filling: SpaceState, library: Library) -> None:
    """Both tiers and the metadata: a search in the new space obeys the same scope."""
    fill(filling)
    scope = library.writer.scope_for(library.alicia)
    where = search_filter(scope, 800, {"tags": ["novela"]})
    found = []
    for space in registry.spaces():
        vector = opened.provider_of(space).embed_query("Ofelia")
        hits = opened.index_of(space).search(vector, bm25.encode_query("Ofelia Marchena"), where, 10)
        found.append({hit.id for hit in hits.dense})
        assert hits.sparse
    assert found[0] == found[1] != set()


def test_filling_again_embeds_nothing(filling: SpaceState, model: ModelServer) -> None:
    fill(filling)
    paid = model.stats()["embed_items"]
    assert fill(filling).total == 0
    assert model.stats()["embed_items"] == paid


def test_what_is_missing_is_found_document_by_document(filling: SpaceState, model: ModelServer) -> None:
    fill(filling)
    paid = model.stats()["embed_items"]
    lost = sorted(points(filling))[0]
    opened.index_of(filling).delete_points([lost])
    assert missing_from(opened.index_of(filling)).total == 1
    assert fill(filling).total == 0
    assert points(filling) == served()
    assert model.stats()["embed_items"] == paid, "from the cache of embeddings"


def test_progress_is_reported_and_the_fill_can_be_stopped(
    filling: SpaceState, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_chunks(library.loans, documents=3, chunks=10)
    monkeypatch.setattr(space_filling, "BATCH", 8)
    seen: list[tuple[int, int]] = []
    answers = iter([True, True, False])
    total = len(served())
    assert fill(filling, lambda *step: seen.append(step), lambda: next(answers)).total > 0
    assert seen == [(8, total), (16, total)]
    assert len(points(filling)) == 16
    space_filling.stopping.set()
    try:
        assert fill(filling).total > 0
        assert len(points(filling)) == 16
    finally:
        space_filling.stopping.clear()
    assert fill(filling).total == 0


@pytest.mark.parametrize("how", ["removed", "erased", "replaced"])
def test_what_is_deleted_while_it_is_embedded_leaves_nothing(
    filling: SpaceState, library: Library, worker: Callable[[], int], monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    document = library.loans.documents.get()
    old = {chunk.pk for chunk in document.chunks.all()}

    def happens() -> None:
        if how == "replaced":
            intake.replace(document, SimpleUploadedFile("prestamos.md", b"# Nuevo\n\nOtro texto."), library.admin)
            assert worker() == 1
            return
        removal.remove_document(document, library.admin, at_once=True)
        if how == "erased":
            assert erase.erase(document.pk) is True

    before_upsert(monkeypatch, happens)
    left: list[set[UUID]] = []
    fill(filling, lambda *_: left.append(points(filling) & old))
    assert left[0] == set(), "at once, not only when the whole space is compared"
    assert not points(filling) & old
    assert points(filling) == served()
    assert (
        not CachedEmbedding.objects.exclude(text_hash__in=Chunk.objects.values("text_hash")).exists() or how == "erased"
    )


def test_what_is_erased_before_its_vectors_come_is_not_cached_either(
    filling: SpaceState, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = library.loans.documents.get()
    hashes = set(document.chunks.values_list("text_hash", flat=True))
    opened.provider_of(filling).verify()
    embed = OpenAIProvider.embed_documents

    def erased_meanwhile(self: OpenAIProvider, texts: Any) -> Any:
        vectors = embed(self, texts)
        if document.deleted_at is None:
            removal.remove_document(document, library.admin, at_once=True)
            assert erase.erase(document.pk) is True
        return vectors

    monkeypatch.setattr(OpenAIProvider, "embed_documents", erased_meanwhile)
    fill(filling)
    assert points(filling) == served()
    assert not CachedEmbedding.objects.filter(text_hash__in=hashes).exists()


def test_metadata_that_is_edited_while_it_is_embedded_is_the_new_one(
    filling: SpaceState, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = library.loans.documents.get()

    def edited() -> None:
        describe(document, library.admin, unit="7")
        assert metadata.copy_next()

    before_upsert(monkeypatch, edited)
    fill(filling)
    where = search_filter(library.writer.scope_for(library.alicia), 800, {"unit": ["7"]})
    for space in registry.spaces():
        hits = opened.index_of(space).search(None, bm25.encode_query("préstamo libro"), where, 10)
        assert {hit.id for hit in hits.sparse} == {chunk.pk for chunk in document.chunks.all()}


def test_an_edited_title_is_embedded_and_its_embedding_is_erased_with_the_document(
    filling: SpaceState, library: Library
) -> None:
    document = library.loans.documents.get()
    Document.objects.filter(pk=document.pk).update(title="Normas de la casa")
    fill(filling)
    hashes = set(document.chunks.values_list("text_hash", flat=True))
    assert CachedEmbedding.objects.filter(space=filling.collection, text_hash__in=hashes).count() == len(hashes)
    removal.remove_document(document, library.admin, at_once=True)
    assert erase.erase(document.pk) is True
    kept = set(Chunk.objects.values_list("text_hash", flat=True))
    assert set(CachedEmbedding.objects.values_list("text_hash", flat=True)) <= kept


@pytest.mark.parametrize("fault", [{"status": 500}, {"nan": True}, {"dims": 3}])
def test_an_outage_keeps_what_was_written(
    filling: SpaceState, library: Library, model: ModelServer, monkeypatch: pytest.MonkeyPatch, fault: dict[str, Any]
) -> None:
    many_chunks(library.loans, documents=3, chunks=10)
    monkeypatch.setattr("retrieval.embeddings.documents.RETRIES", 0)
    monkeypatch.setattr(space_filling, "BATCH", 8)
    with pytest.raises(EmbeddingError):
        fill(filling, report=lambda done, total: model.script(path="embeddings", **fault))
    assert len(points(filling)) == 8
    model.reset()
    assert fill(filling).total == 0
    assert points(filling) == served()


def test_a_fill_that_was_killed_goes_on_without_paying_again(
    filling: SpaceState, library: Library, model: ModelServer, settings: Any
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("the killed process finds the test's database by its file")
    many_chunks(library.loans, documents=40, chunks=50)
    model.reset()
    model.script(path="embeddings", item_latency=0.01)
    opened.close()  # the folder is the other process's now
    (configured.DATA_DIR / "acervo.sqlite3").symlink_to(connection.settings_dict["NAME"])
    environment = {
        **os.environ,
        "DATA_DIR": str(configured.DATA_DIR),
        "OPENAI_BASE_URL": model.openai_url,
        "OPENAI_API_KEY": "sk-test-key",
        "EMBEDDING_MODEL": settings.EMBEDDING_MODEL,
        "EMBEDDING_DIMENSIONS": str(settings.EMBEDDING_DIMENSIONS),
    }
    command = [sys.executable, "manage.py", "space", "fill", "--manual"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL) as process:
        limit = time.monotonic() + 60
        while model.stats()["embed_items"] < 1_000:
            assert process.poll() is None
            assert time.monotonic() < limit
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    model.script(path="embeddings")
    written, cached = len(points(filling)), CachedEmbedding.objects.filter(space=filling.collection).count()
    assert 0 < written < len(served())
    model.reset()
    assert fill(filling).total == 0
    assert points(filling) == served()
    assert model.stats()["embed_items"] <= len(served()) - cached + 1, "and one probe"

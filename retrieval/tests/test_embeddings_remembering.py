"""Embeddings of past evaluations: asked for once, of documents and questions apart, whatever else forgets them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrieval.embeddings.cache import CachedProvider
from retrieval.embeddings.lexical import LexicalProvider
from retrieval.embeddings.remembering import RememberingProvider, with_memory
from retrieval.models import CachedEmbedding

pytestmark = pytest.mark.django_db


class Counting(LexicalProvider):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        self.documents: list[str] = []
        self.questions: list[str] = []

    def embed_documents(self, texts: Any) -> Any:
        self.documents += texts
        return super().embed_documents(texts)

    def embed_queries(self, texts: Any) -> Any:
        self.questions += texts
        return LexicalProvider.embed_documents(self, texts)


def test_what_was_embedded_once_is_read_from_the_file(tmp_path: Path) -> None:
    model = Counting()
    first = RememberingProvider(CachedProvider(model), tmp_path).embed_documents(["a", "b", "a"])
    CachedEmbedding.objects.all().delete()  # as with the erasure of their documents
    model.documents.clear()
    later = RememberingProvider(CachedProvider(model), tmp_path)
    again = later.embed_documents(["b", "c", "a"])
    assert model.documents == ["c"]
    assert np.array_equal(again[[2, 0]], first[:2])


def test_questions_are_kept_apart_from_documents(tmp_path: Path) -> None:
    model = Counting()
    RememberingProvider(CachedProvider(model), tmp_path).embed_documents(["hello"])
    for _run in range(2):
        later = RememberingProvider(CachedProvider(model), tmp_path)
        assert later.embed_query("hello").shape == (1536,)
        assert later.embed_queries(["hello", "world"]).shape == (2, 1536)
    assert model.questions == ["hello", "world"]


def test_no_text_is_kept(tmp_path: Path) -> None:
    RememberingProvider(CachedProvider(Counting()), tmp_path).embed_documents(["a canary"])
    (file,) = tmp_path.iterdir()
    assert b"canary" not in file.read_bytes()


def test_nothing_asked_is_nothing_answered(tmp_path: Path) -> None:
    assert RememberingProvider(CachedProvider(Counting()), tmp_path).embed_documents([]).shape == (0, 1536)


def test_a_model_faster_than_a_file_stays_as_it_is(tmp_path: Path) -> None:
    lexical = LexicalProvider()
    assert with_memory(lexical, tmp_path) is lexical
    cached = CachedProvider(Counting())
    assert with_memory(cached, tmp_path) is with_memory(cached, tmp_path)

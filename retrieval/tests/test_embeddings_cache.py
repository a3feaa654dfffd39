"""The cache: what was paid for once is not paid for again."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from retrieval.embeddings.base import EmbeddingProvider, EmbeddingRejected, EmbeddingSpace, EmbeddingUnavailable
from retrieval.embeddings.cache import EMBEDDED_AT_ONCE, CachedProvider, text_hash
from retrieval.embeddings.lexical import embed
from retrieval.models import CachedEmbedding
from retrieval.spaces.builtin import space_for


@dataclass
class CountingProvider(EmbeddingProvider):
    """Real vectors, and a record of what was asked."""

    space: EmbeddingSpace = field(default_factory=lambda: space_for("counted", 1536))
    asked: list[list[str]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    fails_at: int = -1
    error: Exception | None = None

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        if len(self.asked) == self.fails_at:
            raise EmbeddingRejected("the answer is wrong")
        self.asked.append(list(texts))
        return np.stack([embed(text) for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        self.questions += texts
        if self.error is not None:
            raise self.error
        return np.stack([embed(text) for text in texts])


@pytest.mark.django_db
def test_the_same_file_again_embeds_nothing() -> None:
    provider = CountingProvider()
    texts = [f"passage {n}" for n in range(40)]
    first = CachedProvider(provider).embed_documents(texts)
    second = CachedProvider(provider).embed_documents(texts)
    assert provider.asked == [texts]
    assert np.array_equal(first, second)
    assert np.array_equal(first, np.stack([embed(text) for text in texts]))


@pytest.mark.django_db
def test_only_what_is_new_is_embedded_and_order_is_kept() -> None:
    provider = CountingProvider()
    CachedProvider(provider).embed_documents(["a b c", "d e f"])
    vectors = CachedProvider(provider).embed_documents(["g h i", "d e f", "j k l", "a b c"])
    assert provider.asked[1] == ["g h i", "j k l"]
    assert np.array_equal(vectors, np.stack([embed(text) for text in ("g h i", "d e f", "j k l", "a b c")]))


@pytest.mark.django_db
def test_a_text_repeated_in_one_call_is_embedded_once() -> None:
    provider = CountingProvider()
    vectors = CachedProvider(provider).embed_documents(["header", "body", "header"])
    assert provider.asked == [["header", "body"]]
    assert np.array_equal(vectors[0], vectors[2])
    assert CachedEmbedding.objects.count() == 2


@pytest.mark.django_db
def test_no_texts_ask_nothing() -> None:
    provider = CountingProvider()
    assert CachedProvider(provider).embed_documents([]).shape == (0, 1536)
    assert provider.asked == []


@pytest.mark.django_db
def test_another_space_does_not_see_these_vectors() -> None:
    provider, other = CountingProvider(), CountingProvider(space=space_for("other", 1536))
    CachedProvider(provider).embed_documents(["text"])
    CachedProvider(other).embed_documents(["text"])
    assert other.asked == [["text"]]


@pytest.mark.django_db
def test_what_came_before_a_failure_is_not_paid_for_twice() -> None:
    texts = [f"passage {n}" for n in range(EMBEDDED_AT_ONCE + 10)]
    provider = CountingProvider(fails_at=1)
    with pytest.raises(EmbeddingRejected):
        CachedProvider(provider).embed_documents(texts)
    assert CachedEmbedding.objects.count() == EMBEDDED_AT_ONCE
    provider.fails_at = -1
    CachedProvider(provider).embed_documents(texts)
    assert provider.asked[1] == texts[EMBEDDED_AT_ONCE:]


@pytest.mark.django_db
def test_a_vector_that_another_worker_stored_meanwhile_is_no_error() -> None:
    provider = CountingProvider()

    class Racing(CountingProvider):
        def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
            CachedProvider(provider).embed_documents(texts)
            return super().embed_documents(texts)

    vectors = CachedProvider(Racing()).embed_documents(["text"])
    assert np.array_equal(vectors[0], embed("text"))
    assert CachedEmbedding.objects.get().text_hash == text_hash("text")


def test_a_repeated_question_is_embedded_once_and_cannot_be_altered() -> None:
    provider = CountingProvider()
    cached = CachedProvider(provider)
    first = cached.embed_query("¿Qué es?")
    assert np.shares_memory(cached.embed_query("¿Qué es?"), first)
    assert np.shares_memory(asyncio.run(cached.aembed_queries(["¿Qué es?"])), first)
    assert provider.questions == ["¿Qué es?"]
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1.0


def test_a_failure_is_not_remembered() -> None:
    provider = CountingProvider(error=EmbeddingUnavailable("down"))
    cached = CachedProvider(provider)
    with pytest.raises(EmbeddingUnavailable):
        cached.embed_query("text")
    provider.error = None
    assert np.array_equal(cached.embed_query("text"), embed("text"))

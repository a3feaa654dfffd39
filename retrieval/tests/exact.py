"""Exact search of both legs in memory, for measuring ranking without an engine; and chunks made of plain texts."""

import math
from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

import numpy as np

from retrieval.confirmation import PAGE
from retrieval.embeddings.base import EmbeddingProvider
from retrieval.index.base import Candidates, Hit
from retrieval.index.bm25 import encode_documents, encode_query
from retrieval.ranking.fusion import Fused, fuse
from retrieval.ranking.relevance import RelevanceScale, SearchQuery, by_relevance
from retrieval.results import RetrievedChunk
from retrieval.text.terms import exact_terms

LIMIT = 50


def chunk_of(number: int, text: str, **fields: object) -> RetrievedChunk:
    """A chunk of a document of its own, with the id `number`."""
    values: dict[str, object] = {
        "chunk": UUID(int=number),
        "document": UUID(int=number),
        "title": "",
        "corpus": UUID(int=0),
        "corpus_name": "",
        "corpus_type": "global",
        "page": None,
        "page_end": None,
        "heading_path": (),
        "text": text,
        "token_count": len(text) // 4,
        "start": 0,
        "end": len(text),
        "relevance": 0.0,
        "dense": None,
        "bm25": None,
        "language": "",
    }
    return RetrievedChunk(**(values | fields))  # type: ignore[arg-type]


class ExactIndex:
    """Texts, searched by comparing with every one; `without` hides some from a search."""

    def __init__(self, provider: EmbeddingProvider, texts: Sequence[str], language: str) -> None:
        self.provider, self.texts = provider, texts
        self._dense = provider.embed_documents(texts)
        self._postings: dict[int, dict[int, float]] = defaultdict(dict)
        for number, vector in enumerate(encode_documents(texts, language)):
            for term, weight in zip(vector.indices, vector.values, strict=True):
                self._postings[term][number] = weight

    def search(self, query: str, without: frozenset[int] = frozenset()) -> Candidates:
        cosines = self._dense @ self.provider.embed_query(query)
        dense = {number: float(cosine) for number, cosine in enumerate(cosines)}
        return Candidates(_best(dense, without), _best(self._bm25(query), without))

    def _bm25(self, query: str) -> dict[int, float]:
        scores: dict[int, float] = defaultdict(float)
        for term in encode_query(query).indices:
            postings = self._postings.get(term, {})
            rarity = math.log(1 + (len(self.texts) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, weight in postings.items():
                scores[number] += rarity * weight
        return scores

    def ranked(self, query: str, candidates: Candidates) -> list[RetrievedChunk]:
        """What retrieval would show, before threshold, duplicates and budget; best first."""
        space = self.provider.space
        hits = fuse(candidates, space.dense_weight, space.bm25_weight, LIMIT)[:PAGE]
        found: list[tuple[Fused, RetrievedChunk]] = [
            (hit, chunk_of(hit.id.int, self.texts[hit.id.int])) for hit in hits
        ]
        return by_relevance(SearchQuery((query,), exact_terms(query)), found, RelevanceScale(space, candidates), {})


def _best(scores: dict[int, float], without: frozenset[int]) -> tuple[Hit, ...]:
    allowed = ((number, score) for number, score in scores.items() if number not in without)
    ranked = sorted(allowed, key=lambda item: (-item[1], item[0]))[:LIMIT]
    return tuple(Hit(UUID(int=number), score) for number, score in ranked)


def numbers(chunks: Sequence[RetrievedChunk]) -> list[int]:
    return [chunk.chunk.int for chunk in chunks]


def unit(vector: Sequence[float]) -> np.ndarray:
    array = np.array(vector, dtype=np.float32)
    return array / np.linalg.norm(array)

"""A small world for tests of the index, and what a search of it must find, computed without an engine.

Two organizations, three readers, random vectors.
"""

import math
from dataclasses import dataclass, field
from uuid import UUID, uuid5

import numpy as np

from retrieval.filters import Between, Condition, SearchFilter
from retrieval.index import Hit, Point, SparseVector

DIMENSIONS = 8
NAMESPACE = UUID("00000000-0000-0000-0000-0000000ace50")


def named(name: str) -> UUID:
    """The same id for the same name, in every run."""
    return uuid5(NAMESPACE, name)


def sparse(*terms: int) -> SparseVector:
    return SparseVector(tuple(terms), (1.0,) * len(terms))


@dataclass
class Library:
    """Points as they were written; `expected_*` are the oracles."""

    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(7))
    points: list[Point] = field(default_factory=list)

    def add(
        self,
        corpus: str,
        document: str,
        owner: str = "",
        organization: str = "acme",
        amount: int = 4,
        **payload: object,
    ) -> list[Point]:
        """`amount` points of a document, at granularity 800 and version 1 unless `payload` says otherwise."""
        owned = {"user_id": str(named(owner))} if owner else {}
        base = {
            "organization_id": str(named(organization)),
            "corpus_id": str(named(corpus)),
            "corpus_type": "personal" if owner else "global",
            "document_id": str(named(document)),
            "version": 1,
            "granularity": "800",
        }
        offset = len(self.points)
        added = [
            Point(named(f"{offset + number}"), self.vector(), self.terms(), base | owned | payload)
            for number in range(amount)
        ]
        self.points += added
        return added

    def vector(self) -> np.ndarray:
        drawn = self.random.normal(size=DIMENSIONS).astype(np.float32)
        return drawn / np.linalg.norm(drawn)

    def terms(self) -> SparseVector:
        chosen = self.random.choice(12, size=5, replace=False)
        return SparseVector(tuple(int(term) for term in chosen), tuple(self.random.uniform(0.5, 2, size=5).tolist()))

    def readable(self, where: SearchFilter) -> list[Point]:
        return [
            point
            for point in self.points
            if all(_holds(point, condition) for condition in where.must)
            and any(all(_holds(point, condition) for condition in branch) for branch in where.should)
        ]

    def expected_dense(self, query: np.ndarray, where: SearchFilter) -> list[Hit]:
        scores = {point.id: float(point.dense @ query) for point in self.readable(where)}
        return _ranked(scores)

    def expected_sparse(self, query: SparseVector, where: SearchFilter) -> list[Hit]:
        """BM25 with document frequencies counted among the readable points only."""
        readable = self.readable(where)
        scores: dict[UUID, float] = {}
        for term in query.indices:
            holders = [point for point in readable if term in point.sparse.indices]
            inverse = math.log((len(readable) - len(holders) + 0.5) / (len(holders) + 0.5) + 1)
            for point in holders:
                weight = point.sparse.values[point.sparse.indices.index(term)]
                scores[point.id] = scores.get(point.id, 0.0) + inverse * weight
        return _ranked(scores)


def _holds(point: Point, condition: Condition | Between) -> bool:
    value = point.payload.get(condition.key)
    if isinstance(condition, Between):
        return value is not None and any((low or 0) <= value <= (high or value) for low, high in condition.any_of)
    values = value if isinstance(value, list) else [value]
    return any(item in condition.any_of for item in values)


def _ranked(scores: dict[UUID, float]) -> list[Hit]:
    return sorted((Hit(point, score) for point, score in scores.items()), key=lambda hit: (-hit.score, hit.id))


def furnished() -> Library:
    """Global corpora of two organizations, Alice's and Bob's own, two granularities, metadata on some."""
    library = Library()
    library.add("manual", "guide", amount=6, tags=["a", "b"], unit="1", language="es", source_date=20190601)
    library.add("manual", "annex", amount=5, tags=["b"], unit="2", language="en", source_date=20240131)
    library.add("laws", "statute", amount=5, content_type="law")
    library.add("laws", "statute", amount=4, granularity="256")
    library.add("notes", "diary", owner="alice", amount=4, language="es")
    library.add("drafts", "draft", owner="bob", amount=4)
    library.add("manual", "foreign", organization="rival", amount=6, tags=["a"])
    return library

"""How relevant each candidate is to the question, and the final order. Pure.

The final order adds to the fused score (0..1) the words' coverage, which corrects BM25 where one frequent word
outweighs several that are missing (measured in `retrieval.fusion`), and the preferred metadata, which decides between
passages of like score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from retrieval.coverage import coverages
from retrieval.embeddings.base import EmbeddingSpace
from retrieval.embeddings.spaces import WORDS
from retrieval.fusion import Fused
from retrieval.index.base import Candidates
from retrieval.passages import indexed_text
from retrieval.results import RetrievedChunk

COVERAGE_SHARE, PREFERENCE_SHARE = 0.2, 0.2


class Judge:
    """The calibrated relevance of a hit, from its cosine and its coverage of the question's words."""

    def __init__(self, space: EmbeddingSpace, candidates: Candidates) -> None:
        self._calibration = space.calibration if candidates.dense else WORDS
        self._tail = candidates.dense[-1].score if candidates.dense else 0.0

    def relevance(self, hit: Fused, coverage: float) -> float:
        """0..1. What only BM25 found has at most the cosine of the last dense hit."""
        cosine = hit.dense if hit.dense is not None else self._tail
        return self._calibration.relevance(cosine, coverage, self._tail)


def by_relevance(
    query: str,
    found: Sequence[tuple[Fused, RetrievedChunk]],
    judge: Judge,
    liked: Mapping[UUID, float],
) -> list[RetrievedChunk]:
    """The chunks with their relevance, best first; `liked` is the share of preferences (0..1) that a document meets."""
    covered = coverages(query, [indexed_text(chunk.title, chunk.heading_path, chunk.text) for _, chunk in found])
    rated = [
        (
            hit.score + COVERAGE_SHARE * coverage + PREFERENCE_SHARE * liked.get(chunk.document, 0.0),
            replace(chunk, relevance=judge.relevance(hit, coverage)),
        )
        for (hit, chunk), coverage in zip(found, covered, strict=True)
    ]
    rated.sort(key=lambda pair: -pair[0])  # stable: equal scores keep the order of fusion
    return [chunk for _, chunk in rated]

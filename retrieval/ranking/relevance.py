"""How relevant each candidate is to the question, and the final order. Pure.

The final order adds to the fused score (0..1) the words' coverage, which corrects BM25 where one frequent word
outweighs several that are missing (measured in `ranking.fusion`), and what is preferred, metadata and recency, which
decides between passages of like score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from operator import mul
from uuid import UUID

from retrieval.confidence.coverage import Coverage, cover
from retrieval.embeddings.base import EmbeddingSpace
from retrieval.index.base import Candidates
from retrieval.ranking.fusion import Fused
from retrieval.results import RetrievedChunk
from retrieval.spaces.builtin import WORDS
from retrieval.text.definitions import defined_thing, definition_of
from retrieval.text.folding import fold_latin
from retrieval.text.passages import indexed_text
from retrieval.text.terms import ExactTerm

# Coverage .3 was chosen with the spaces' weights, see `spaces.builtin`; terms as `terms` measured them.
COVERAGE_SHARE, TERMS_SHARE, PREFERENCE_SHARE, RECENCY_SHARE = 0.3, 0.5, 0.2, 0.2
DEFINITION_SHARE = 0.5  # what says of the one thing that is asked what it is
UNDATED = 0.5  # a source without a date neither gains nor loses against the middle


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What the words of a passage are held against: every phrasing, the question's own first, and its exact terms."""

    phrasings: tuple[str, ...]
    terms: tuple[ExactTerm, ...] = ()

    @property
    def text(self) -> str:
        return self.phrasings[0]

    def defining(self, passages: Sequence[str]) -> list[bool]:
        """Which passages say what the one thing is whose meaning is asked; none where something else is."""
        thing = defined_thing(self.text)
        definition = definition_of(thing) if thing else None
        return [definition is not None and definition.search(fold_latin(one)) is not None for one in passages]

    def coverages(self, passages: Sequence[str]) -> list[Coverage]:
        """What each passage has of the phrasing that it covers best."""
        each = [cover(phrasing, passages, self.terms) for phrasing in self.phrasings]
        return [max(of_one) for of_one in zip(*each, strict=True)]


class RelevanceScale:
    """The calibrated relevance of a hit, from its cosine and its coverage of the question's words."""

    def __init__(self, space: EmbeddingSpace, candidates: Candidates) -> None:
        self._calibration = space.calibration if candidates.dense else WORDS
        self._tail = candidates.dense[-1].score if candidates.dense else 0.0

    def relevance(self, hit: Fused, coverage: float) -> float:
        """0..1. What only BM25 found has at most the cosine of the last dense hit."""
        cosine = hit.dense if hit.dense is not None else self._tail
        return self._calibration.relevance(cosine, coverage, self._tail)


def by_relevance(
    question: SearchQuery,
    found: Sequence[tuple[Fused, RetrievedChunk]],
    scale: RelevanceScale,
    favour: Mapping[UUID, float],
    counts_words: bool = True,
) -> list[RetrievedChunk]:
    """The chunks with their relevance and score, best first.

    `favour` is what is added to the passages of a document. Without `counts_words` coverage and terms are for the
    relevance alone, and the order is that of the hits' scores and of what is favoured.
    """
    coverages = question.coverages([indexed_text(chunk.title, chunk.heading_path, chunk.text) for _, chunk in found])
    defining = question.defining([chunk.text for _, chunk in found])
    shares = (COVERAGE_SHARE, TERMS_SHARE, DEFINITION_SHARE) if counts_words else (0.0, 0.0, 0.0)
    rated = []
    for (hit, chunk), coverage, defines in zip(found, coverages, defining, strict=True):
        words = sum(map(mul, shares, (coverage.share, coverage.terms, defines)))
        total = hit.score + words + favour.get(chunk.document, 0.0)
        rated.append(replace(chunk, relevance=scale.relevance(hit, coverage.share), score=total))
    return sorted(rated, key=lambda chunk: -chunk.score)  # stable: equal scores keep the order of fusion


def favours(
    found: Sequence[tuple[Fused, RetrievedChunk]], liked: Mapping[UUID, float], today: date, half_life_days: int | None
) -> dict[UUID, float]:
    """What preferred metadata (share met, by document) and recency add to the score of each document's passages."""
    favour = {document: PREFERENCE_SHARE * share for document, share in liked.items()}
    if half_life_days is not None:
        for _, chunk in found:
            recent = recency(chunk.source_date, today, half_life_days)
            favour[chunk.document] = PREFERENCE_SHARE * liked.get(chunk.document, 0.0) + RECENCY_SHARE * recent
    return favour


def recency(source_date: date | None, today: date, half_life_days: int) -> float:
    """0..1, halved with each half-life (SPEC §4; information-layer, step 8); a date in the future counts as today.

    Only the date of the source counts, not that of the upload, which says nothing about what is written there.
    """
    if source_date is None:
        return UNDATED
    age = max(0, (today - source_date).days)
    return float(0.5 ** (age / max(1, half_life_days)))

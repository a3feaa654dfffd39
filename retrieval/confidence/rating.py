"""The score of a retrieval: the relevance of what was kept, corrected by how far it stands out as an answer. Pure."""

from collections.abc import Sequence

from retrieval.confidence.evidence import READ, Shown, evidence_of
from retrieval.confidence.gate import score
from retrieval.embeddings.base import EmbeddingSpace
from retrieval.index.base import Candidates
from retrieval.results import RetrievedChunk
from retrieval.text.language import detect

HIGHEST_SCORE = 0.99  # of a corrected one: words are never proof
SAME_LANGUAGE_AMONG = 3  # of the first passages one is in the question's language, or words say nothing of them


def rate_passages(
    phrasings: Sequence[str],
    ordered: Sequence[RetrievedChunk],
    kept: Sequence[RetrievedChunk],
    candidates: Candidates,
    space: EmbeddingSpace,
) -> float:
    """0..1, 0 where nothing is kept: 0.6 mean + 0.4 max of the kept passages' relevance, and the correction.

    Of several phrasings the one that is found best decides, as it does for coverage. Words correct only what
    words are for: not a space whose calibration does without them, not where nothing was searched by words, not
    passages in another language than the question.
    """
    rating = score([passage.relevance for passage in kept])
    if not rating or not candidates.sparse or not space.calibration.coverage_weight:
        return rating
    if not _share_language(phrasings[0], ordered):
        return rating
    shown = [Shown(chunk.text, " > ".join((chunk.title, *chunk.heading_path))) for chunk in ordered[:READ]]
    word_scores = [hit.score for hit in candidates.sparse]
    correction = max(evidence_of(phrasing, shown, word_scores).correction() for phrasing in phrasings)
    return min(HIGHEST_SCORE, max(0.0, rating + correction))


def _share_language(question: str, ordered: Sequence[RetrievedChunk]) -> bool:
    asked = detect(question)
    return not asked or any(chunk.language[:2] in ("", asked) for chunk in ordered[:SAME_LANGUAGE_AMONG])

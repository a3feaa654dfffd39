"""The score of a retrieval: how far the relevance of what was kept, and all else, promises an answer. Pure."""

from collections.abc import Sequence

from retrieval.confidence.caps import cap_of_few
from retrieval.confidence.copies import told_once
from retrieval.confidence.evidence import READ, Evidence, Shown, agreement_on, evidence_of
from retrieval.confidence.gate import score
from retrieval.embeddings.base import EmbeddingSpace
from retrieval.index.base import Candidates
from retrieval.results import RetrievedChunk
from retrieval.spaces.builtin import LEXICAL_MODEL
from retrieval.text.language import detect
from retrieval.text.stems import asked_stems

HIGHEST_SCORE = 0.99  # words are never proof
SAME_LANGUAGE_AMONG = 3  # of the first passages one is in the question's language, or words say nothing of them


def rate_passages(
    phrasings: Sequence[str],
    ordered: Sequence[RetrievedChunk],
    kept: Sequence[RetrievedChunk],
    candidates: Candidates,
    space: EmbeddingSpace,
    *,
    by_words: bool = True,
    is_narrowed: bool = False,
) -> float:
    """0..1, 0 where nothing is kept: the chance that the passages answer (`evidence`), of which the relevance of those
    that are kept, 0.6 mean + 0.4 max, is a part.

    Of several phrasings the one that is found best decides, as it does for coverage. That relevance is the whole where
    words cannot tell more: in a space whose calibration does without them, where nothing was searched or found by words
    (`by_words`: whether they were searched), and of passages in another language than the question. In the lexical
    space, which knows words alone, finding none of them tells: "farmacovigilancia" is only spelled like "farmacia".
    What stands there twice counts once (`copies`).
    """
    relevance = score([passage.relevance for passage in kept])
    if not relevance or not space.calibration.coverage_weight or not _share_language(phrasings[0], ordered):
        return relevance
    if not candidates.sparse and not (by_words and space.model == LEXICAL_MODEL and asked_stems(phrasings[0])):
        return relevance
    once = told_once(ordered, candidates)
    chance = max(
        measure(one, once.passages, once.candidates, relevance, is_narrowed=is_narrowed).chance() for one in phrasings
    )
    return min(HIGHEST_SCORE, cap_of_few(chance, len(kept), len(once.passages)))


def measure(
    question: str,
    ordered: Sequence[RetrievedChunk],
    candidates: Candidates,
    relevance: float,
    *,
    is_narrowed: bool = False,
) -> Evidence:
    """What the passages, best first, say of the question; `relevance` is that of those that are kept. `is_narrowed`:
    they are of documents that the question names."""
    shown = [Shown(chunk.text, " > ".join((chunk.title, *chunk.heading_path))) for chunk in ordered[:READ]]
    agreement = agreement_on(ordered[0].chunk, candidates) if ordered else 0.0
    return evidence_of(question, shown, candidates, relevance, agreement, is_narrowed=is_narrowed)


def _share_language(question: str, ordered: Sequence[RetrievedChunk]) -> bool:
    asked = detect(question)
    return not asked or any(chunk.language[:2] in ("", asked) for chunk in ordered[:SAME_LANGUAGE_AMONG])

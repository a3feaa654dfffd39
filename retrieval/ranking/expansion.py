"""Several phrasings of one question, each searched by itself, as the candidates of the question. Pure.

Each leg takes a point's best score over the phrasings. Cosines of one model are comparable. BM25 sums grow with the
number of terms, so those of another phrasing are first brought to the question's scale, best to best, and then count
somewhat less: a paraphrase may have lost what was asked.
"""

import re
from collections.abc import Sequence
from uuid import UUID

from retrieval.index.base import Candidates, Hit
from retrieval.text.language import detect

MOST_PHRASINGS = 3
PHRASING_SHARE = 0.9  # of a score that only another phrasing gave


# What people ask by its first letters, and documents write out: in Spanish, in English.
_WRITTEN_OUT = {
    "CEO": ("director ejecutivo consejero delegado", "chief executive officer"),
    "CFO": ("director financiero", "chief financial officer"),
    "COO": ("director de operaciones", "chief operating officer"),
    "CTO": ("director de tecnología", "chief technology officer"),
    "HR": ("recursos humanos", "human resources"),
    "RRHH": ("recursos humanos", "human resources"),
    "AGM": ("junta general", "annual general meeting"),
}
_LETTERS = re.compile(rf"(?<!\d )\b(?:(?i:{'|'.join(_WRITTEN_OUT.keys() - {'HR'})})|HR)\b")  # "24 hr" are hours


def phrasings(question: str, expansions: Sequence[str]) -> tuple[str, ...]:
    """The question, then at most three others that differ from it, first with its abbreviations written out."""
    written = _write_out(question) if _LETTERS.search(question) else question
    others = (text for text in (written, *expansions) if text.strip() and text.strip() != question.strip())
    return (question, *list(dict.fromkeys(others))[:MOST_PHRASINGS])


def _write_out(question: str) -> str:
    place = 0 if detect(question) == "es" else 1
    return _LETTERS.sub(lambda found: _WRITTEN_OUT[found[0].upper()][place], question)


def unite_candidates(searched: Sequence[Candidates], limit: int) -> Candidates:
    """The best `limit` of each leg over all phrasings, the question's own first in `searched`."""
    if len(searched) == 1:
        return searched[0]
    dense = [found.dense for found in searched]
    best = [found.sparse[0].score if found.sparse else 0.0 for found in searched]
    scale = best[0] or max(best)
    sparse = [
        [Hit(hit.id, hit.score * scale / top) for hit in found.sparse] if top else []
        for found, top in zip(searched, best, strict=True)
    ]
    return Candidates(_best(dense, limit), _best(sparse, limit))


def _best(legs: Sequence[Sequence[Hit]], limit: int) -> tuple[Hit, ...]:
    scores: dict[UUID, float] = {hit.id: hit.score for hit in legs[0]}
    for leg in legs[1:]:
        for hit in leg:
            scores[hit.id] = max(scores.get(hit.id, -1.0), PHRASING_SHARE * hit.score)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Hit(id, score) for id, score in ranked[:limit])

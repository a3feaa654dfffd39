"""BM25 as sparse vectors: Qdrant's own analyser for documents and questions, in Spanish and English.

A document is analysed in its language (stop words, Snowball stems, folded accents). A question drops the
stop words of *its* language and carries the stems of *both*: so it finds passages of either language, names
and codes included, and a passage whose language was misjudged. Term weights are here; the inverse document
frequency is the engine's (modifier IDF, counted over the searcher's scope, see `index/translate.py`).

Measured on XQuAD (1,190 questions, 240 paragraphs; hit@1 / recall@5), this module: es .9261 / .9891, en
.9471 / .9874. One language's analysis only: .9261 / .9899 and .9462 / .9882, but a paragraph of a misjudged
language is then found first for .53 (es) and .73 (en) of the questions instead of .91 and .93. Without
folding, Spanish is the same (.925) but falls to .911 when the question is typed without accents.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from retrieval.index.base import SparseVector
from retrieval.text.language import detect

if TYPE_CHECKING:
    from qdrant_edge import Bm25

# k, b: saturation of repeated terms, weight of the length. avg_len: terms that are left of an average chunk,
# fixed because a collection's own average would change with every upload. b = .5 instead of .75 makes a
# wrong average matter less: from 64 to 256 hit@1 moves by .6 points at most.
_K, _B, _AVERAGE_TERMS = 1.2, 0.5, 128.0
_NAMES = {"es": "Spanish", "en": "English"}
# Spanish stems for what is neither: its own Romance neighbours, and English loses less by it than Spanish by
# English.
_OTHERWISE = "es"


def encode_documents(texts: Sequence[str], language: str) -> list[SparseVector]:
    """One sparse vector a text, in order; weights are BM25's term part (Robertson & Zaragoza 2009, eq. 3.15).

    `language` is an ISO 639-1 code; another than "es" and "en", or "", is analysed as Spanish.
    A text without terms (empty, stop words only) gives an empty vector.
    """
    stems = language if language in _NAMES else _OTHERWISE
    model = _analyser(stems, stems)
    return [_sparse(vector.indices, vector.values) for vector in map(model.embed_document, texts)]


def encode_query(text: str) -> SparseVector:
    """The question's distinct terms, each with weight 1; empty if it has none: then skip this leg."""
    spoken = detect(text)
    terms = {
        index
        for stems in _NAMES
        for index in _analyser(stems, spoken if spoken in _NAMES else stems).embed_query(text).indices
    }
    ordered = sorted(terms)
    return _sparse(ordered, [1.0] * len(ordered))


def _sparse(indices: Sequence[int], values: Sequence[float]) -> SparseVector:
    return SparseVector(tuple(indices), tuple(values))


@lru_cache(maxsize=len(_NAMES) ** 2)
def _analyser(stems: str, stop_words: str) -> "Bm25":
    """The analyser with one language's Snowball stems and one language's stop words."""
    from qdrant_edge import Bm25, Bm25Config, Language, StopwordsSet  # 35 MB of engine: only where it is used

    return Bm25(
        Bm25Config(
            k=_K,
            b=_B,
            avg_len=_AVERAGE_TERMS,
            language=_NAMES[stems].lower(),
            stopwords=StopwordsSet(languages={getattr(Language, _NAMES[stop_words])}),
            lowercase=True,
            ascii_folding=True,
        )
    )

"""How far a retrieval can be trusted: the score of its passages, capped by what was named and is not there. Pure."""

from collections.abc import Sequence

from retrieval.confidence.caps import cap_of_names, cap_of_terms
from retrieval.confidence.gate import score
from retrieval.places.standing import Standing
from retrieval.ranking.relevance import SearchQuery
from retrieval.ranking.selection import Selection
from retrieval.results import RetrievedChunk
from retrieval.text.folding import fold_latin
from retrieval.text.passages import indexed_text
from retrieval.text.stems import asked_stems


def rate_named(
    rating: float, question: SearchQuery, selection: Selection, standing: Standing, shown: Sequence[RetrievedChunk]
) -> float:
    """0..1: `rating`, or where places were asked for that of their passages, to which what follows only adds; and no
    more than what was named and is not there allows."""
    if selection.named:
        rating = score([passage.relevance for passage in selection.passages[: selection.named]])
    texts = [fold_latin(indexed_text(chunk.title, chunk.heading_path, chunk.text)) for chunk in shown]
    named = standing.named
    named_there = [name for name in named.missing_documents if any(fold_latin(name) in text for text in texts)]
    mentioned = named_there if standing.rest else []
    lacking = [term for term in question.terms if term.is_asked_for and not any(term.is_in(text) for text in texts)]
    words = set(asked_stems(question.text)) - {stem for term in lacking for stem in term.stems}
    return min(rating, cap_of_names(named, mentioned), cap_of_terms(len(lacking), len(words)))

"""How far a retrieval can be trusted: the score of its passages, capped by what was named and is not there. Pure."""

from collections.abc import Sequence

from retrieval.confidence.caps import (
    cap_of_first,
    cap_of_names,
    cap_of_subject,
    cap_of_terms,
    is_numbered,
    is_treated,
    speaks_of,
)
from retrieval.confidence.gate import score
from retrieval.places.standing import SURE, Standing
from retrieval.ranking.relevance import SearchQuery
from retrieval.ranking.selection import Selection
from retrieval.results import RetrievedChunk
from retrieval.text.folding import fold_latin
from retrieval.text.passages import indexed_text
from retrieval.text.stems import asked_stems


def rate_named(
    rating: float,
    question: SearchQuery,
    selection: Selection,
    standing: Standing,
    shown: Sequence[RetrievedChunk],
    *,
    is_narrowed: bool = False,
) -> float:
    """0..1: `rating`, or where places were asked for that of their passages, to which what follows only adds; and no
    more than what was named and is not there allows. What is only like a place ("a Chapter 13 petition"), or has the
    words of a heading, and is asked something else of must be answered as well. `is_narrowed`: what is searched says
    what a question is about that does not say it itself."""
    if selection.named:
        of_places = [passage.relevance for passage in selection.passages[: selection.named]]
        is_named = bool(standing.named.documents) or max(of_places, default=0.0) >= SURE
        is_asked = not standing.rest or (standing.named.is_sure and is_named and not standing.is_by_words)
        rating = score(of_places) if is_asked else min(score(of_places), rating)
    texts = [fold_latin(indexed_text(chunk.title, chunk.heading_path, chunk.text)) for chunk in shown]
    named = standing.named
    named_there = [name for name in named.missing_documents if speaks_of(name, texts)]
    mentioned = [name for name in named_there if standing.rest or not is_numbered(name)]
    lacking = [term for term in question.terms if term.is_asked_for and not any(term.is_in(text) for text in texts)]
    words = set(asked_stems(question.text)) - {stem for term in lacking for stem in term.stems}
    heading = shown[0].heading_path[-1] if shown and shown[0].heading_path else ""
    is_there = bool(selection.named) and not named.is_missing
    first = cap_of_first(question.text, texts[0] if texts else "", heading, is_named=is_there)
    subject = 1.0 if is_narrowed or named.documents or selection.named else cap_of_subject(question.text)
    headings = [fold_latin(" ".join((chunk.title, *chunk.heading_path))) for chunk in shown]
    treated = [name for name in mentioned if is_treated(name, headings)]
    return min(rating, cap_of_names(named, mentioned, treated), cap_of_terms(len(lacking), len(words)), first, subject)

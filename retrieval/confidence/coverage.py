"""How much of a question a passage covers: the share of its words, weighted by their rarity. Pure.

A cosine of hashed n-grams says little about whether a passage answers; the question's rare words in it say
much more (AUC of answerable against unanswerable questions on XQuAD: cosine .86 to .95, coverage .96,
both together .97). Rarity is the BM25 idf counted over the passages at hand, as though they were among at least
32: the candidates stand for the corpus, and a corpus of three passages does not make every word rare. A word that only
serves to ask counts as little as it does for closeness: "¿Qué hago si gotea?" is about "gotea", and a short document of
one passage that has it was else no more than half of what is asked.

An exact term (`retrieval.text.terms`) is one more thing to be found, as rare as the passages that have it are few. A
passage that has it has its words too: "Art. 14.2" is the "artículo" that was asked for. An article or a code that no
passage has is missing from all of them: what is said about another article does not answer. Any other term that none
has, a phrase or a name, may only be written otherwise: it is left to its words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from retrieval.confidence.closeness import ASKING, asking_stems
from retrieval.text.folding import fold_latin, words_only
from retrieval.text.stems import asked_stems, words
from retrieval.text.terms import ExactTerm

AMONG = 32
TERM_WEIGHT = 2.0  # of an exact term against a word of the same rarity


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for, stems before terms, and what each is worth."""

    stems: tuple[str, ...]
    terms: tuple[ExactTerm, ...]
    worth: tuple[float, ...]
    total: float

    def share(self, text: str) -> float:
        """0..1: what of the question's worth a text has."""
        return self.share_of(find_matches(text, self.stems, self.terms))

    def share_of(self, found: Sequence[bool]) -> float:
        there = sum(worth for worth, is_there in zip(self.worth, found, strict=True) if is_there)
        return there / (self.total or 1.0)

    def terms_of(self, found: Sequence[bool]) -> float:
        """0..1: how many of the terms are found."""
        return sum(found[len(self.stems) :]) / (len(self.terms) or 1)


class Coverage(NamedTuple):
    """What a passage has of a question: the share of all that is wanted, and that of its exact terms alone; 0..1."""

    share: float
    terms: float


def coverages(question: str, passages: Sequence[str], terms: Sequence[ExactTerm] = ()) -> list[float]:
    """0..1 for each passage; 0 for all if the question has only function words."""
    return [coverage.share for coverage in cover(question, passages, terms)]


def cover(question: str, passages: Sequence[str], terms: Sequence[ExactTerm] = ()) -> list[Coverage]:
    """What each passage has."""
    wanted, rows = _weigh(question, passages, terms)
    return [Coverage(wanted.share_of(row), wanted.terms_of(row)) for row in rows]


def weigh_question(question: str, passages: Sequence[str], terms: Sequence[ExactTerm] = ()) -> Wanted:
    """The question's words and terms with their worth among these passages."""
    return _weigh(question, passages, terms)[0]


def _weigh(question: str, passages: Sequence[str], terms: Sequence[ExactTerm]) -> tuple[Wanted, list[list[bool]]]:
    asked = asked_stems(question)
    rows = [find_matches(passage, asked, terms) for passage in passages]
    counts = [sum(column) for column in zip(*rows, strict=True)] if rows else [0] * (len(asked) + len(terms))
    among = max(AMONG, len(passages))
    rarity = [log(1.0 + (among - count + 0.5) / (count + 0.5)) for count in counts]
    of_terms = (
        TERM_WEIGHT * rare if count or term.is_asked_for else 0.0
        for term, rare, count in zip(terms, rarity[len(asked) :], counts[len(asked) :], strict=True)
    )
    asking = asking_stems(question)
    of_stems = (rare * (ASKING if one in asking else 1.0) for one, rare in zip(asked, rarity, strict=False))
    worth = (*of_stems, *of_terms)
    return Wanted(asked, tuple(terms), worth, sum(worth)), rows


def find_matches(text: str, wanted: Sequence[str], terms: Sequence[ExactTerm] = ()) -> list[bool]:
    """Which stems begin a word of the text or are of a term that it has; then which terms it has."""
    if not terms:
        return _stems_in(text, wanted)
    folded = fold_latin(text)
    held = [term.is_in(folded) for term in terms]
    theirs = {stem for term, is_there in zip(terms, held, strict=True) if is_there for stem in term.stems}
    return [there or stem in theirs for stem, there in zip(wanted, _stems_in(text, wanted), strict=True)] + held


def _stems_in(text: str, wanted: Sequence[str]) -> list[bool]:
    if all(map(str.isascii, wanted)):
        folded = b" " + words_only(text)
        return [b" " + stem.encode() in folded for stem in wanted]
    spelled = " " + " ".join(words(text))
    return [" " + stem in spelled for stem in wanted]

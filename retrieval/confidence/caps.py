"""What was asked for by name and is not there caps the confidence, whatever the score (SPEC §4). Pure.

A score says how much a passage is like the question, and the passage on article 14 of another law is very much like it.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from retrieval.confidence.closeness import AskedWords
from retrieval.text.folding import fold_latin, words_only
from retrieval.text.naming.acts import acts_in
from retrieval.text.stems import asked_stems, has_subject

NEVER_SUFFICIENT = 0.39  # NONE: of no use, however low an agent's minimum
NEVER_MEDIUM = 0.59
NEVER_HIGH = 0.79
HIGH = 0.8
FEW_OTHERS = 2  # content words beside a term: then it is what was asked for
MOST_OF_A_NAME = 0.66  # of the worth of its words, in one sentence: then it is spoken of
FEWEST_AGREEING = 2  # rag-for-teaching-agents §4.3: "MEDIUM: usar si hay al menos 2"
MOST_OF_A_TITLE = 5  # words of a question that may be nothing but a heading
_NUMBER = re.compile(r"(?<!\w)\d{1,12}(?:[.,/:-]\d{1,12}){0,6}(?!\w)")
_QUOTED = re.compile(
    r"(?P<section>(?:section|secci[oó]n|apartado|cap[ií]tulo|chapter|heading|t[ií]tulo|ep[ií]grafe)\s)?"
    r"[\"“«](?P<words>[^\"“”«»\n]{2,120})[\"”»]",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?|\b(?:que|quien|quienes|cual|cuales|cuando|cuanto|cuanta|cuantos|cuantas|donde|como|what|which|who|whom|whose"
    r"|when|where|why|how)\b"
)


class Naming(Protocol):
    """What a question names (`retrieval.places.named.Named`)."""

    @property
    def missing_documents(self) -> Sequence[str]: ...
    @property
    def missing_places(self) -> Sequence[str]: ...
    @property
    def is_sure(self) -> bool: ...


def cap_of_names(named: Naming, mentioned: Sequence[str] = (), treated: Sequence[str] = ()) -> float:
    """The most that a score may be where a place or a document that was named is missing; 1 where none is.

    `mentioned`: of the missing documents those of which a passage speaks: it may say something of what was asked. One
    without a number, "the Schools Act", may be what the passages are about, and no document's name; and so is one that
    they treat (`is_treated`).
    """
    if named.missing_places:
        return NEVER_SUFFICIENT
    if named.missing_documents:
        if not set(named.missing_documents) <= set(mentioned):
            return NEVER_SUFFICIENT
        others = [name for name in named.missing_documents if name not in treated]
        return NEVER_MEDIUM if any(map(is_numbered, others)) else NEVER_HIGH
    return 1.0 if named.is_sure else NEVER_HIGH


def is_numbered(name: str) -> bool:
    """Whether a name is one document's alone, "Ley 41/2002": what is not, may have more words than the name has."""
    return any(sign.isdigit() for sign in name)


def speaks_of(name: str, folded: Sequence[str]) -> bool:
    """Whether one of some folded texts has a name: word for word where it is numbered, else most of it."""
    if is_numbered(name):
        return any(fold_latin(name) in text for text in folded)
    asked = AskedWords(name, folded)
    return any(asked.closeness(text, "").near >= MOST_OF_A_NAME for text in asked.folded)


def is_treated(name: str, headings: Sequence[str]) -> bool:
    """Whether one of the passages' headings, folded, has what is told by a year: "Constitución de 1837". What is told
    by a number says it in its own words."""
    folded = fold_latin(name)
    return not any(acts_in(folded)) and any(folded in heading for heading in headings)


def cap_of_terms(lacking: int, others: int) -> float:
    """Where `lacking` of a question's codes, numbers and designations are in no passage, beside `others` words."""
    if not lacking:
        return 1.0
    return NEVER_MEDIUM if others <= FEW_OTHERS else NEVER_HIGH


def cap_of_subject(question: str) -> float:
    """Of a question that does not say what it is about: what has "how long" somewhere does not answer it."""
    return 1.0 if has_subject(question) else NEVER_MEDIUM


def cap_of_few(score: float, kept: int, found: int) -> float:
    """The score, which is no MEDIUM on one passage where others were found and none of them agrees."""
    return min(score, NEVER_MEDIUM) if score < HIGH and kept < FEWEST_AGREEING <= found else score


def cap_of_first(question: str, text: str, heading: str, *, is_named: bool = False) -> float:
    """Where the first passage lacks what a question names: a number, a version, words between quotation marks; or is
    headed otherwise than what is asked for as a section, or by nothing but a title. `is_named`: the place was found.
    """
    folded, asked = fold_latin(f"{heading}\n{text}"), fold_latin(question)
    numbers = [] if is_named else _NUMBER.findall(asked)
    if any(re.search(rf"(?<!\w){re.escape(number)}(?!\w)", folded) is None for number in numbers):
        return NEVER_HIGH
    title, quoted = _words(heading), list(_QUOTED.finditer(question))
    has = _words(folded) if quoted else b""
    if any(_words(one["words"]) not in (title if one["section"] else has) for one in quoted):
        return NEVER_HIGH
    is_title = not is_named and 0 < len(asked_stems(question)) <= MOST_OF_A_TITLE and not _ASKS.search(asked)
    return NEVER_HIGH if is_title and _words(question) != title.lstrip(b"0123456789 ") else 1.0


def _words(text: str) -> bytes:
    return b" ".join(words_only(text).split())

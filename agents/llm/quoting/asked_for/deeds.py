"""What is done to what is counted: "How many aircraft were sold?" is answered by no number of aircraft that there are.
Pure.

Only what the question says as done counts, "were sold", "se vendieron", and no verb that says no more than that
something is there, is given or is wanted: "15 days" are what "is granted", whatever the text's word for it.
"""

import re

from retrieval.confidence.inflection import base_of
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS

LONGEST = 600  # characters of a question that are looked at

_COUNTS = r"\b(?:how (?:many|much)|cuant[oa]s?)\b[^?]{1,120}?"
_ENGLISH = re.compile(rf"{_COUNTS}\b(?:was|were|been|being|are|is|got) (?:\w{{2,12}}ly )?(\w{{4,20}})\b")
_SPANISH = re.compile(
    rf"{_COUNTS}\b(?:se|fue|fueron|sido) "
    r"(?:(?:ha|han|habia|habian|puede|pueden|debe|deben|suele|suelen) )?(\w{4,20})\b"
)
# Verbs for which a text that gives the number need not have any word, by how they begin.
_SAYS_LITTLE_ENGLISH = """
    need requir allow permit given grant offer provid includ contain compos used asked expect called named known based
    located listed mention consider estimat suppos involv assign entitl accept admit divid made held available limit
"""
_SAYS_LITTLE_SPANISH = """
    necesit requie requir exig permit conced ofrec inclu contien conten compon otorg pued deb utiliz usan usad emple
    piden pedir recomiend recomend consider tard disting establec estable defin recono indic mencion estim calcul cree
    sabe cono llam dice dispon aplic admit acept tien encuentr halla cuenta divid reparte asign prev limit cobra paga
    refier trat celebr realiz hace hacer
"""
_SAYS_LITTLE = tuple(f"{_SAYS_LITTLE_ENGLISH} {_SAYS_LITTLE_SPANISH}".split())


def asked_deed(question: str) -> str:
    """What is done, folded: "sold", "vendieron"; "" where nothing is, or what says little."""
    folded = fold_latin(question[:LONGEST])
    if (found := _ENGLISH.search(folded)) and not _is_participle(found[1]):
        return ""
    found = found or _SPANISH.search(folded)
    if found is None or found[1] in STOP_WORDS or found[1].startswith(_SAYS_LITTLE):
        return ""
    return found[1]


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or base_of(word) != word

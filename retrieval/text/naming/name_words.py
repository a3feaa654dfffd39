"""The words of a question around one for a document, "la Ley de …", that may be its name. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.text.asked_places import AskedPlace
from retrieval.text.stems import STOP_WORDS

LONGEST_NAME = 8  # content words of one

_WORD = re.compile(r"[^\W_]+")
# Behind these a name is over: what follows says something of it.
_ENDS_ES = """
    sobre acerca respecto dice dicen decir establece establecen regula regulan define definen trata habla exige permite
    obliga prohibe prevee preve senala contiene que cual cuales quien quienes cuando donde como si es son esta estan hay
    tiene tienen se no en ante cuanto cuantos cuanta cuantas y
"""
_ENDS_EN = """
    about say says said state states require requires define defines is are does do did in and when where which who how
    what tell contain contains allow allows
"""
NAME_ENDS = frozenset((_ENDS_ES + _ENDS_EN).split())
# With these it may go on, "Ley para la igualdad", or what is asked begins, "la Constitución por injurias".
JOINTS = frozenset({"por", "para", "con", "contra", "sin", "for", "with", "under"})
_PASSED = JOINTS | {"sobre", "y", "and", "en", "in", "on"}
_TAKES_AN_ARTICLE = _PASSED | {"de", "a", "of", "entre", "to", "que"}
_ARTICLES = frozenset({"el", "la", "los", "las", "the"})
_BY_WHICH = [f"por {one} que se".split() for one in ("el", "la")]
_OUR = frozenset({"the", "our", "your", "this", "of", "in"})


@dataclass(frozen=True, slots=True)
class NameWord:
    text: str
    start: int
    end: int
    begins: bool  # behind a sign that separates names


def name_words(folded: str) -> list[NameWord]:
    found: list[NameWord] = []
    last = 0
    for match in _WORD.finditer(folded):
        between = folded[last : match.start()]
        found.append(NameWord(match.group(), match.start(), match.end(), bool(between.strip(" '’/-\t\n")) or not found))
        last = match.end()
    return found


def words_before(words: Sequence[NameWord], at: int) -> list[NameWord]:
    """English puts the words before: "the employee handbook"; only where an article or the beginning is before them."""
    start = at
    while start > 0 and at - start < 4 and not words[start].begins and words[start - 1].text not in STOP_WORDS:
        start -= 1
    opened = start > 0 and words[start - 1].text in _OUR and not words[start].begins
    return list(words[start:at]) if opened else []


def words_behind(
    words: Sequence[NameWord], at: int, places: Sequence[AskedPlace], *, is_longer: bool = False
) -> list[NameWord]:
    """Those behind it, up to where a name is over: at a sign, a verb, an article that nothing joins to it ("define el
    Estatuto la beca"), and at a joint, unless the longer name is wanted."""
    found: list[NameWord] = []
    first = at + 1
    if [word.text for word in words[first : first + 4]] in _BY_WHICH:  # "Real Decreto por el que se regula …"
        first += 5
    ends = NAME_ENDS - _PASSED if is_longer else NAME_ENDS | JOINTS
    for n, word in enumerate(words[first : first + 2 * LONGEST_NAME], first):
        is_apart = word.text in _ARTICLES and words[n - 1].text not in _TAKES_AN_ARTICLE
        if word.begins or word.text in ends or is_apart or any(one.start <= word.start < one.end for one in places):
            break
        found.append(word)
    while found and found[-1].text in STOP_WORDS:
        found.pop()
    return found

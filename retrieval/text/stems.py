"""Words, stop words and stems: the one analyser of everything but BM25, which brings its engine's. Pure.

A word's stem is its first six letters, accents folded: truncation is as good a stemmer as any across European
languages (McNamee & Mayfield 2004). The lexical embedding is made of these stems: to change them is to make another
embedding space (`spaces.builtin.LEXICAL_MODEL`).
"""

import re
from collections.abc import Sequence

from retrieval.text.folding import fold

STEM_LETTERS = 6
MOST_ASKED = 256  # stems of a question that passages are looked through for; each costs a look at every passage

WORD = re.compile(r"[^\W_]+")
_SPANISH_STOP_WORDS = """
    a al algo ante como con contra cual cuales cuando cuantas cuanto cuantos de del desde donde durante
    e el ella ellas ellos en entre era eran es esa ese eso esta estas este esto estos fue fueron ha han
    hasta hay la las le les lo los mas me mi muy ni no nos o os otra otro para pero por porque que quien
    quienes se ser si sin sobre son su sus tambien tan te tiene tu un una unas uno unos y ya
"""
_ENGLISH_STOP_WORDS = """
    an and are as at be been being but by can could did do does for from had has have he her his how i
    if in into is it its my not of on or our she so than that the their them then there these they this
    those to was we were what when where which who whom whose why will with would you your
"""
STOP_WORDS = frozenset((_SPANISH_STOP_WORDS + _ENGLISH_STOP_WORDS).split())
# Words that refer to what was said before, and words that only ask: a question of nothing else is about nothing.
_BACK_WORDS = """
    ella ellas ello ellos eso esto esos estos esas estas ese esa aquello dicho dicha dichos dichas su sus ahi
    it its they them their that this those these there he she his her
"""
_ASKING_WORDS = """
    que quien cuanto cuanta cuantos cuantas cuando como donde cual cuales por para puede pueden debe deben hay dura
    duran cuesta cuestan vale valen funciona sirve empieza termina aplica pasa ocurre significa hace tiempo plazo mas
    ejemplo dice dicen explica explicame resume
    how long much many what who when where which why can may must does do mean work cost last happen apply about more
"""
_SPOKEN_OF = frozenset({"ella", "ellas", "ello", "ellos", "it", "them", "they"})  # at a question's end
BACK, ASKS = frozenset(_BACK_WORDS.split()), frozenset(_ASKING_WORDS.split())


def words(text: str) -> list[str]:
    """Its words, folded, in order of appearance."""
    return WORD.findall(fold(text))


def stem(word: str) -> str:
    """Of a folded word."""
    return word[:STEM_LETTERS]


def stems(text: str) -> list[str]:
    """The distinct stems of a text's content words, in order of appearance."""
    return list(dict.fromkeys(stem(word) for word in words(text) if word not in STOP_WORDS))


def asked_stems(question: str) -> tuple[str, ...]:
    """Those of a question that are looked for."""
    return tuple(stems(question)[:MOST_ASKED])


def own_words(asked: Sequence[str]) -> list[str]:
    """Those of a question's words that say what it is about."""
    return [word for word in asked if word not in STOP_WORDS and word not in ASKS and word not in BACK]


def has_subject(question: str) -> bool:
    """Whether it says what it is about: not "And for how long?", nor "Who may use it?"."""
    asked = words(question)
    own = own_words(asked)
    return len(own) > 1 or (bool(own) and asked[-1] not in _SPOKEN_OF)

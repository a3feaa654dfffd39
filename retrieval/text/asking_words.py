"""Words that only ask or refer back: a question of nothing else does not say what it is about. Pure."""

from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS, WORD

_BACK_ES = "ella ellas ello ellos eso esto esos estos esas estas ese esa aquello dicho dicha dichos dichas su sus ahi"
_BACK_EN = "it its they them their that this those these there he she his her"
BACK = frozenset(f"{_BACK_ES} {_BACK_EN}".split())
_ASKS_ES = """
    que quien cuanto cuanta cuantos cuantas cuando como donde cual cuales por para puede pueden debe deben hay dura
    duran cuesta cuestan vale valen funciona sirve empieza termina aplica pasa ocurre significa hace tiempo plazo mas
    ejemplo dice dicen explica explicame resume
"""
_ASKS_EN = (
    "how long much many what who when where which why can may must does do mean work cost last happen apply about more"
)
ASKS = frozenset((_ASKS_ES + _ASKS_EN).split())


def folded_words(text: str) -> list[str]:
    """Folded, in order."""
    return WORD.findall(fold_latin(text))


def own_words(words: list[str]) -> list[str]:
    """Those of a question that say what it is about."""
    return [word for word in words if word not in STOP_WORDS and word not in ASKS and word not in BACK]


def has_subject(question: str) -> bool:
    """Whether it says what it is about: not "And for how long?". Other scripts than ours may say it."""
    words = folded_words(question)
    letters = sum(map(str.isalnum, question))
    return bool(own_words(words)) or letters > sum(map(len, words))

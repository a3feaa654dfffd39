"""Folded stems of Spanish and English words, to compare a question with a sentence; pure."""

import re
import unicodedata

_WORD = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_SUFFIX = re.compile(
    r"(?:amientos?|imientos?|aciones|uciones|acion|ucion|adores|adoras|adora|ador|ancias?|encias?|idades|idad|mente"
    r"|ations?|ments?|ness|ingly|ables?|ibles?|antes?|iendo|ando|aron|ieron|aban?|ados?|adas?|idos?|idas?"
    r"|ing|ies|ied|edly|ed|es|os|as|ar|er|ir|an|en|s|o|a|e|y)$"
)
_STOPWORDS = frozenset(
    _WORD.findall(
        "a al algo ante como con cual cuales cuando cuanto cuantos cuanta cuantas de del desde donde dos e "
        "el ella ellos en entre era es esa ese eso esta estan estas este esto estos fue ha han hay hasta la "
        "las le les lo los mas me mi mis muy ni no nos o para pero por porque puede pueden que quien "
        "quienes se sea segun ser si sin sobre son su sus tambien te tener tiene tienen tu tus u un una "
        "unas uno unos y ya "
        "about an and are as at be been but by can could did do does for from had has have how i if in into "
        "is it its may must not of on or our shall should so such than that the their them then there these "
        "they this those to was we were what when where which who whom whose why will with would you your "
    )
)


def stems(text: str) -> set[str]:
    """Folded stems of the words that mean something: `Baños` and `baño` meet, `de` and `the` are left out."""
    folded = unicodedata.normalize("NFD", text.casefold())
    folded = "".join(c for c in folded if not unicodedata.combining(c))
    return {_stem(word) for word in _WORD.findall(folded) if word not in _STOPWORDS}


def _stem(word: str) -> str:
    if len(word) <= 3 or not word.isalpha():
        return word
    cut = _SUFFIX.sub("", word)
    return cut if len(cut) >= 3 else word

"""What a sentence says, for holding another against it: its stems, its figures, and what it denies; pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.text.folding import fold
from retrieval.text.references import number_of, spoken_number
from retrieval.text.stems import STOP_WORDS, WORD, stem

DENIED_WORDS = 2  # words after a negation that it is about
DENIALS = {
    *("no", "nunca", "jamas", "tampoco", "nadie", "ningun", "ninguna", "ninguno"),
    *("not", "never", "nobody", "none", "neither", "nor", "cannot"),
}
_MAY_DENY = {
    *("sin", "salvo", "excepto", "prohibido", "prohibida", "prohibe"),
    *("without", "except", "unless", "prohibited", "forbidden"),
}
_EMPTY = {
    *("puede", "pueden", "podra", "podran", "debe", "deben", "hay", "es", "son"),
    *("can", "may", "must", "shall", "will", "is", "are"),
}
_NO_FIGURES = {
    *("uno", "una", "primer", "primero", "primera", "unico", "unica", "segundo", "segunda"),
    *("one", "first", "second"),
}
_OF_TWO = re.compile(
    r"\b(?:(treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa)\sy\s(un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho"
    r"|nueve)|(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[-\s](one|two|three|four|five|six|seven|eight|nine))\b"
)
_NOT = re.compile(r"n['’]t\b")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"[.,](?=\d{3}(?!\d))")


@dataclass(frozen=True, slots=True)
class Said:
    """`denied`: the stems that its negations are about; `may_deny`: by a word that need not ("without")."""

    stems: frozenset[str]
    numbers: frozenset[str]
    denied: frozenset[str]
    denies: bool
    may_deny: bool


def said_in(text: str) -> Said:
    folded = fold(_NOT.sub(" not", text))
    found = WORD.findall(_OF_TWO.sub(" ", folded))
    numbers = figures(text) | set(map(_of_two, _OF_TWO.finditer(folded)))
    numbers |= {number for word in found if not word.isdigit() and len(word) > 2 and (number := _figure(word))}
    content = frozenset(stem(word) for word in found if word not in STOP_WORDS and not word.isdigit())
    denies = any(word in DENIALS for word in found)
    return Said(
        frozenset(one for one in content if not _figure(one)),
        frozenset(numbers),
        frozenset(_denied(found)) if denies else frozenset(),
        denies,
        any(word in _MAY_DENY for word in found),
    )


def figures(text: str) -> set[str]:
    """The numbers that are written in figures, one way of each: 1.000 and 1,000 are "1000", 0,20 and 0.20 "0.20"."""
    return {_THOUSANDS.sub("", one).replace(",", ".") for one in _NUMBER.findall(text)}


def _of_two(found: re.Match[str]) -> str:
    """ "Treinta y dos" and "twenty-one" are 32 and 21."""
    tens, unit = filter(None, found.groups())
    return str(spoken_number([tens, "uno" if unit == "un" else unit])[0])


def _figure(word: str) -> str:
    """A number that is written as a word: "veintiún" is 21."""
    if word in _NO_FIGURES:
        return ""
    number = number_of("veintiuno" if word == "veintiun" else word)
    return number if number.isdigit() else ""


def _denied(found: Sequence[str]) -> list[str]:
    """What the negations of a text are about: the next words that say something."""
    denied = []
    for place, word in enumerate(found):
        if word in DENIALS:
            after = (one for one in found[place + 1 :] if one not in STOP_WORDS and one not in _EMPTY)
            denied += [stem(one) for one, _ in zip(after, range(DENIED_WORDS), strict=False)]
    return denied

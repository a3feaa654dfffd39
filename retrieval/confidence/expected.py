"""What kind of answer a question asks for, and whether a passage has one of that kind near the question's words. Pure.

"¿Cuántos años …?" is answered by a number of years, "¿Qué multa …?" by an amount of money, "When was …?" by a date,
"¿Qué es …?" by a sentence that says what it is. A passage about the subject without one does not answer.
docs/answers.md has how often such an answer stands near where there is one, and where there is none.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from retrieval.confidence.kinds import BEHIND, CALLED_SO, COUNTED, DATE, NAMING_WORDS, sought_by
from retrieval.confidence.names import named_stems
from retrieval.confidence.quantities import asked_quantity
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS, stem, stems, words

NEAR = 240  # characters between a number and the words that it must stand with
ENOUGH = 0.34  # share of the question's other words that stand near it
MOST_DEFINED = 3  # words of what a question asks to define
ENDING = 3  # letters of a word that is defined that may be others: plural, gender
BESIDE_TITLE = 25  # characters of a line beside what heads it
_ASKS_COUNT = re.compile(r"\b(?:cuant[oa]s|how many)\s+(?:de\s+)?(\w{2,40})")
_ASKS_PAST = re.compile(
    r"^\W{0,3}(?:desde |hasta )?cu[aá]ndo (?:se )?(?:fue|fueron|\w{1,20}(?:ó|aron|ieron))\b", re.IGNORECASE
)
_ASKS_DEFINITION = re.compile(
    r"^\W{0,3}(?:que (?:es|son|significa|quiere decir|se entiende por)|what (?:(?:is|are) meant by|is|are)|define)\b"
)
# "What is the fee for …?" asks for no definition, "What is Query-by-Example?" does.
_ASKS_PART = re.compile(r"(?<![\w-])(?:of|for|in|on|with|to|as|by|called|used|name)(?![\w-])")
# "¿Qué es un índice en una base de datos relacional?" asks what an index is.
_INSIDE = re.compile(
    r"^\W{0,3}que (?:es|son) (?:un|una|el|la|los|las) (\w{2,40}(?: \w{2,40})?)"
    r" (?:en|dentro de) (?:el|la|los|las|una?)\b"
)
_DEFINES = re.compile(
    r"\W{0,6}(?:\([^)\n]{0,60}\)\W{0,4})?\s{0,3}(?::|-|=|\||\([^)\n]{15}|,\s(?:un|una|unos|unas|o|a|an|or)\b"
    r"|(?:,?\s?(?:que|which)\s)?(?:es|son|is|are|was|were|means|significa|consiste|refers|se entiende)\b)"
)
_DEFINED = re.compile(r"(?:entiende por|entendera por|se consideran?|consideracion de|denominad?[oa]?|llama|called"
                      r"|known as|definition of|concepto de)\W{1,4}(?:\w{1,12}\W{1,3})?$")  # fmt: skip
# What a thing is of, said before its name: "el fichero debian/rules" is defined by whatever says what debian/rules is.
_SAID_BEFORE = (
    "fichero archivo orden comando programa funcion metodo opcion concepto termino palabra"
    " file command program function method option concept term word"
)
_KINDS = frozenset(map(stem, _SAID_BEFORE.split()))
_NAMING = frozenset(map(stem, NAMING_WORDS))
_SIGN = re.compile(r"[\W_]")
_DASHES = "–—−‐‑•·→"


@dataclass(frozen=True, slots=True)
class Expected:
    """`kind`: amount, definition, or none that can be told; `others`: stems of what the question is about; `finds`:
    where a folded text has an amount of what is asked."""

    kind: str
    others: tuple[str, ...] = ()
    finds: Callable[[str], Iterator[int]] | None = None

    def is_met(self, text: str, headings: str) -> bool:
        """Whether a passage has an answer of this kind near the words of the question; True where none is expected."""
        if self.kind == "definition":
            return _is_defined(text, headings, self.others)
        return self.finds is None or _stands_near(text, headings, self.others, self.finds)


def expected(question: str, content: Sequence[str]) -> Expected:
    """Of a question with these content stems."""
    folded = fold_latin(question)
    if (pattern := sought_by(folded)) is not None:
        naming = _NAMING if pattern in CALLED_SO else frozenset()
        return Expected("amount", tuple(one for one in content if one not in naming), partial(_at, pattern))
    if quantity := asked_quantity(question):
        asking = frozenset(map(stem, quantity.words))
        return Expected("amount", tuple(one for one in content if one not in asking), partial(_at, quantity.amounts))
    if counted := _ASKS_COUNT.search(folded):
        unit = counted[1]
        if unit not in STOP_WORDS:
            thing = re.escape(stem(unit)[:6])
            each = re.compile(rf"{COUNTED}\W{{0,3}}(?:\w{{1,20}}\W{{1,3}}){{0,2}}{thing}|\b{thing}{BEHIND}")
            return Expected("amount", tuple(one for one in content if one != stem(unit)), partial(_at, each))
    if _ASKS_PAST.search(question):
        return Expected("amount", tuple(content), partial(_at, DATE))
    definition = _ASKS_DEFINITION.match(folded)
    if definition and len(content) > MOST_DEFINED and (inside := _INSIDE.match(folded)):
        content = [one for one in content if one in stems(inside[1])]
    if definition and 0 < len(content) <= MOST_DEFINED and not _ASKS_PART.search(folded, definition.end()):
        names = set(named_stems(question))
        named = (one for one in content if one in names) if names else (one for one in content if one not in _KINDS)
        defined = tuple(named) or tuple(content)
        return Expected("definition", _spelled(folded, defined))
    return Expected("")


def _spelled(folded: str, stems_of: Sequence[str]) -> tuple[str, ...]:
    """Stems as long as inflection leaves them: "farmacia" does not define "farmacovigilancia"."""
    said = {stem(word): word[: max(len(stem(word)), len(word) - ENDING)] for word in words(folded)}
    return tuple(said.get(one, one) for one in stems_of)


def _at(pattern: re.Pattern[str], folded: str) -> Iterator[int]:
    return (match.start() for match in pattern.finditer(folded))


def _stands_near(text: str, headings: str, others: Sequence[str], finds: Callable[[str], Iterator[int]]) -> bool:
    if not others:
        return True
    folded = fold_latin(text.replace("€", " euro "))
    spaced, above = _spaced(folded), _spaced(fold_latin(headings))
    left = [f" {one}" for one in others if f" {one}" not in above]
    needed = ENOUGH * len(others) - (len(others) - len(left))
    left = [one for one in left if one in spaced]
    if len(left) < needed:  # wherever it is looked: a long question and many amounts are not held against each other
        return False
    for place in finds(folded):
        around = spaced[max(0, place - NEAR) : place + NEAR]
        if sum(one in around for one in left) >= needed:
            return True
    return False


def _spaced(folded: str) -> str:
    """A space for every sign, of equal length but for one in front."""
    return " " + _SIGN.sub(" ", folded)


def _is_defined(text: str, headings: str, defined: Sequence[str]) -> bool:
    """What is defined heads the passage or a line of it, stands before a sign or a verb that defines, or is an
    abbreviation behind what it stands for."""
    for dash in _DASHES:
        text = text.replace(dash, "-")
    folded = fold_latin(text)
    if all(one in fold_latin(headings) for one in defined):
        return True
    for match in re.finditer(rf"(?<!\w){re.escape(defined[0])}\w{{0,24}}", folded):
        start = match.start()
        span = _span_of(folded, start, defined)
        if span and (
            _DEFINES.match(folded, span)
            or _DEFINED.search(folded[max(0, start - 40) : start])
            or _heads_line(folded, start, span)
            or (folded[start - 1 : start], folded[span : span + 1]) == ("(", ")")
        ):
            return True
    return False


def _heads_line(folded: str, start: int, end: int) -> bool:
    """Whether nearly nothing else stands in its line, and something follows it."""
    first, last = folded.rfind("\n", 0, start) + 1, folded.find("\n", end)
    return last >= 0 and "?" not in folded[end:last] and (last - first) - (end - start) <= BESIDE_TITLE


def _span_of(folded: str, start: int, defined: Sequence[str]) -> int:
    """Where the words that are defined end, if all of them stand together; else 0."""
    end = start
    for one in defined:
        place = folded.find(one, start, start + 60)
        if place < 0:
            return 0
        end = max(end, place)
    while end < len(folded) and (folded[end].isalnum() or folded[end] == "_"):
        end += 1
    return end

"""What kind of answer a question asks for, and whether a passage has one of that kind near the question's words. Pure.

"¿Cuántos años …?" is answered by a number of years, "¿Qué multa …?" by an amount of money, "¿Qué es …?" by a sentence
that says what it is. A passage about the subject without one does not answer: such a number stands near in 94 of 100
questions for an amount that have an answer, and in 22 of those that have none (docs/answers.md).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS, stem

NEAR = 240  # characters between a number and the words that it must stand with
ENOUGH = 0.34  # share of the question's other words that stand near it
MOST_DEFINED = 3  # words of what a question asks to define
_NUMBERS = (
    "un|una|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|veinte|veinti\\w{2,6}"
    "|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|ciento|mil|one|two|three|four|five|six|seven|eight"
    "|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand"
)
_TIMES = "segundos?|minutos?|horas?|dias?|semanas?|mes|meses|anos?|seconds?|minutes?|hours?|days?|weeks?|months?|years?"
_AMOUNT = rf"(?<!\w)(?:\d[\d.,/]{{0,15}}|(?:{_NUMBERS})\b)"
_MONEY = re.compile(
    r"\d[\d.,]{0,15}\s{0,2}(?:eur|dolar|dollar|usd|millon|million)|[$€£]\s{0,2}\d|\bmil euros|\d de euros"
)
_ASKS_COUNT = re.compile(r"\b(?:cuant[oa]s|how many)\s+(?:de\s+)?(\w{2,40})")
_ASKS_TIME = re.compile(r"\bcuanto (?:tiempo|dura|tarda)|\bplazo\b|\bhow (?:long|often)\b|\bque edad\b|\blifetime\b")
_ASKS_MONEY = re.compile(
    r"\bcuanto (?:cuesta|cobra|vale|paga)|\b(?:multa|sueldo|precio|tarifa|coste)\b|\bhow much .{0,80}\b(?:cost|pay)"
    r"|\bearn\b|\b(?:salary|fine|price)\b"
)
_ASKS_DEFINITION = re.compile(r"^\W{0,3}(?:que (?:es|son|significa)|what (?:is|are)|define)\b")
_DEFINES = re.compile(
    r"\W{0,6}(?:\([^)\n]{0,60}\)\W{0,4})?\s{0,3}(?::|–|—|-|=|\||(?:es|son|is|are|means|significa|consiste|que|which|refers"
    r"|se entiende)\b)"
)
_DEFINED = re.compile(r"(?:entiende por|entendera por|denomina|llama|called|known as|definition of|concepto de)\W{1,4}"
                      r"(?:\w{1,12}\W{1,3})?$")  # fmt: skip


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
    if _ASKS_MONEY.search(folded):
        return Expected("amount", tuple(content), lambda text: _at(_MONEY, text))
    if counted := _ASKS_COUNT.search(folded):
        unit = counted[1]
        if unit not in STOP_WORDS:
            pattern = re.compile(rf"{_AMOUNT}\W{{0,3}}(?:\w{{1,20}}\W{{1,3}}){{0,3}}{re.escape(stem(unit)[:6])}")
            return Expected("amount", tuple(one for one in content if one != stem(unit)), lambda t: _at(pattern, t))
    if _ASKS_TIME.search(folded):
        span = re.compile(rf"{_AMOUNT}\W{{0,3}}(?:\w{{1,12}}\W{{1,3}}){{0,2}}(?:{_TIMES})\b")
        return Expected("amount", tuple(content), lambda text: _at(span, text))
    if _ASKS_DEFINITION.search(folded) and 0 < len(content) <= MOST_DEFINED:
        return Expected("definition", tuple(content))
    return Expected("")


def _at(pattern: re.Pattern[str], folded: str) -> Iterator[int]:
    return (match.start() for match in pattern.finditer(folded))


def _stands_near(text: str, headings: str, others: Sequence[str], finds: Callable[[str], Iterator[int]]) -> bool:
    if not others:
        return True
    folded, above = fold_latin(text.replace("€", " euro ")), fold_latin(headings)
    for place in finds(folded):
        around = folded[max(0, place - NEAR) : place + NEAR]
        if sum(one in around or one in above for one in others) >= ENOUGH * len(others):
            return True
    return False


def _is_defined(text: str, headings: str, defined: Sequence[str]) -> bool:
    """What is defined heads the passage or a line of it, or stands before a sign or a verb that defines."""
    folded = fold_latin(text)
    if all(one in fold_latin(headings) for one in defined):
        return True
    for match in re.finditer(rf"(?<!\w){re.escape(defined[0])}\w{{0,24}}", folded):
        span = _span_of(folded, match.start(), defined)
        if span and (
            _DEFINES.match(folded, span) or _DEFINED.search(folded[max(0, match.start() - 40) : match.start()])
        ):
            return True
    return False


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

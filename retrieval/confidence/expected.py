"""What kind of answer a question asks for, and whether a passage has one of that kind near the question's words. Pure.

"¿Cuántos años …?" is answered by a number of years, "¿Qué multa …?" by an amount of money, "When was …?" by a date,
"¿Qué es …?" by a sentence that says what it is. A passage about the subject without one does not answer.
docs/answers.md has how often such an answer stands near where there is one, and where there is none.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from retrieval.confidence.names import named_stems
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS, stem, words

NEAR = 240  # characters between a number and the words that it must stand with
ENOUGH = 0.34  # share of the question's other words that stand near it
MOST_DEFINED = 3  # words of what a question asks to define
ENDING = 3  # letters of a word that is defined that may be others: plural, gender
BESIDE_TITLE = 25  # characters of a line beside what heads it
_NUMBERS = (
    "dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|veinte|veinti\\w{2,6}"
    "|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|ciento|mil|two|three|four|five|six|seven|eight"
    "|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand"
)
_ONE = "|un|una|uno|one"  # an article as often as a number: it counts of a time alone
_TIMES = (
    "segundos?|minutos?|horas?|dias?|semanas?|mes|meses|anos?|siglos?|decadas?"
    "|seconds?|minutes?|hours?|days?|weeks?|months?|years?|centur\\w{1,3}|decades?"
)
_DAYS = (
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|january|february|march"
    "|april|may|june|july|august|september|october|november|december|lunes|martes|miercoles|jueves|viernes"
    "|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
)
_CLAUSE = r"\d{1,2}(?:\.\d{1,2}){2}"  # "6.8.1 Verify that users …" counts no users
_AMOUNT = rf"(?<!\w)(?<!\d\.)(?:(?!{_CLAUSE})\d[\d.,/]{{0,15}}|(?:{_NUMBERS})\b)"
_PLACES = (
    "articulo", "capitulo", "seccion", "apartado", "anexo", "tabla", "figura", "pagina", "nivel",
    "chapter", "section", "article", "appendix", "table", "figure", "page", "level", "version",
)  # fmt: skip
_COUNTED = "".join(rf"(?<!{place} )" for place in _PLACES) + _AMOUNT  # "Chapter 13 cases" are not thirteen
_BEHIND = (  # what is counted: "Saltos (máx 15)", "Puertos: 24", and not "Puertos: 1. De entrada"
    rf"\w{{0,8}}(?:[^\w\n]{{1,3}}max\w{{0,5}}[^\w\n]{{1,3}}|\s?[:=|(]\s?(?!\d{{1,2}}[.)]\s)){_AMOUNT}"
)
_SPAN = re.compile(
    rf"(?<!\w)(?:\d[\d.,/]{{0,15}}|(?:{_NUMBERS}{_ONE})\b)\W{{0,3}}(?:\w{{1,12}}\W{{1,3}}){{0,2}}(?:{_TIMES})\b"
)
_MONEY = re.compile(
    r"\d[\d.,]{0,15}\s{0,2}(?:eur|dolar|dollar|usd|millon|million)|[$€£]\s{0,2}\d|\bmil euros|\d de euros|\d,\d\d\b"
)
_CURRENCIES = re.compile(
    r"\b(?:pesos?|libras?|pounds?|pence|cent(?:imo|avo)?s?|francos?|francs?|coronas?|soles|bolivares|quetzales|reales"
    r"|yen(?:es|s)?|rupees?|gratis|gratuit[oa]s?|free)\b"
)
_DATE = re.compile(rf"(?<!\w)(?:1\d{{3}}|20\d\d)(?:s|-\d\d)?\b|\b(?:{_DAYS})\b|\b(?:siglo|century)\b|\d/\d{{1,2}}/\d")
_SHARE = re.compile(r"\d\s{0,2}%|\bpor ciento\b|\bper ?cent\b|\bmitad\b|\bhalf\b")
_CLOCK = re.compile(r"\d{1,2}[:.]\d\d\b|\b\d{1,2} ?(?:h|am|pm)\b|\b\d{1,2} horas\b")
_DIGITS = re.compile(r"\d[\d .()-]{5,18}\d")
_ASKS_COUNT = re.compile(r"\b(?:cuant[oa]s|how many)\s+(?:de\s+)?(\w{2,40})")
A_LENGTH = r" (?:must|should|can|may|could) .{1,120}? be(?: at (?:least|most))?\W{0,9}$"  # behind "how long": no time
_ASKS_PRICE = re.compile(
    r"\bcuanto (?:me |nos |se )?(?:cuesta|cobra|vale|paga)|\ba cuanto (?:sale|asciende)"
    r"|\bhow much (?:do|does|did|is|are|will|would|must|can|should|to)\b.{0,80}\b(?:cost|pay|earn|charge)"
)
_PRICING_WORDS = """
    cuesta cuestan costar vale valen cobra cobran cobrar paga pagan pagar sale salen asciende
    cost costs pay pays earn earns charge charges
"""
PRICING_WORDS = frozenset(_PRICING_WORDS.split())  # they ask, where a price is asked for: what has one, answers
_ASKS = (
    (_ASKS_PRICE, _MONEY),
    (re.compile(r"\b(?:multa|sueldo|precio|tarifa|coste|salario|presupuesto|salary|fine|price|fee|hourly rate)\b"),
     _MONEY),
    (re.compile(r"\bcuanto (?:tiempo|dura|tarda)|\bplazo\b|\bhow often\b|\bhow long\b"
                rf"(?!{A_LENGTH})"
                r"|\bque edad\b|\blifetime\b"), _SPAN),
    (re.compile(r"\bporcentaje\b|\bpercentage\b|\bwhat (?:percent|share)\b"), _SHARE),
    (re.compile(r"\b(?:horario|opening hours|(?:what|which) time does|a que hora)\b"), _CLOCK),
    (re.compile(r"\b(?:numero de telefono|telefono|(?:tele)?phone number)\b"), _DIGITS),
    (re.compile(r"\bwhen (?:was|were|did)\b|\b(?:what|which) (?:year|date|century|decade)\b"
                r"|\b(?:que|cual) (?:ano|fecha|siglo|decada)\b"), _DATE),
)  # fmt: skip
_ASKS_NO_AMOUNT = re.compile(
    r"^\W{0,3}(?:who|may|can|must|do|does|is|are|should|where|why|how (?:do|can)|quien|quienes|pueden?|deben?|donde"
    r"|como|por que|para que)\b"
)
_ASKS_PAST = re.compile(
    r"^\W{0,3}(?:desde |hasta )?cu[aá]ndo (?:se )?(?:fue|fueron|\w{1,20}(?:ó|aron|ieron))\b", re.IGNORECASE
)
_ASKS_DEFINITION = re.compile(
    r"^\W{0,3}(?:que (?:es|son|significa|quiere decir|se entiende por)|what (?:(?:is|are) meant by|is|are)|define)\b"
)
# "What is the fee for …?" asks for no definition, "What is Query-by-Example?" does.
_ASKS_PART = re.compile(r"(?<![\w-])(?:of|for|in|on|with|to|as|by|called|used|name)(?![\w-])")
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


def asks_price(question: str) -> bool:
    """ "¿Cuánto cuesta …?", "How much do I pay for …?": of what is asked with PRICING_WORDS."""
    return _ASKS_PRICE.search(fold_latin(question)) is not None


def has_price(text: str) -> bool:
    """Whether it has an amount of money, of whatever currency, or says that nothing is paid."""
    folded = fold_latin(text.replace("€", " euro "))
    return _MONEY.search(folded) is not None or _CURRENCIES.search(folded) is not None


def expected(question: str, content: Sequence[str]) -> Expected:
    """Of a question with these content stems."""
    folded = fold_latin(question)
    for asks, pattern in () if _ASKS_NO_AMOUNT.match(folded) else _ASKS:
        if asks.search(folded):
            return Expected("amount", tuple(content), partial(_at, pattern))
    if counted := _ASKS_COUNT.search(folded):
        unit = counted[1]
        if unit not in STOP_WORDS:
            thing = re.escape(stem(unit)[:6])
            each = re.compile(rf"{_COUNTED}\W{{0,3}}(?:\w{{1,20}}\W{{1,3}}){{0,2}}{thing}|\b{thing}{_BEHIND}")
            return Expected("amount", tuple(one for one in content if one != stem(unit)), partial(_at, each))
    if _ASKS_PAST.search(question):
        return Expected("amount", tuple(content), partial(_at, _DATE))
    definition = _ASKS_DEFINITION.match(folded)
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
    folded, above = fold_latin(text.replace("€", " euro ")), fold_latin(headings)
    left = [one for one in others if one not in above]
    needed = ENOUGH * len(others) - (len(others) - len(left))
    left = [one for one in left if one in folded]
    if len(left) < needed:  # wherever it is looked: a long question and many amounts are not held against each other
        return False
    for place in finds(folded):
        around = folded[max(0, place - NEAR) : place + NEAR]
        if sum(one in around for one in left) >= needed:
            return True
    return False


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

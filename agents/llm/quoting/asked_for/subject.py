"""What an answer must be of: "¿Cuántos días de permiso hay por divorcio?" is answered by no days of anything else, what
"-c" does by no other option, "con escritorio" not by the row "Sin escritorio", and "after 6 years" not by that of "2 to
5 years". Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf

from agents.llm.quoting.topic import asks_with, forms
from retrieval.confidence.names import named_stems
from retrieval.text.document_names import NOUNS
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS, stem, words

_IDENTIFIER = re.compile(r"(?<![^\W_])[^\W_]{1,40}(?:_[^\W_]{1,40}){1,6}")
_OPTION = re.compile(r"(?<![\w-])(?:--[A-Za-z][\w-]{1,40}|-[A-Za-z])(?![\w-])")
_ENCLOSED = re.compile(r"\w-(?=[\s?.,;!]|$)")
# What stands first behind a word for when or how much: "¿A qué hora abre la piscina?", "When does the pool open?".
_FIRST_ASKED = re.compile(
    r"^(?:(?:a|desde|hasta) que hora|cuando|cuanto) (?:se )?\w{2,14} (?:el|la|los|las) (\w{3,30})"
    r"|^(?:what time|when|how (?:much|long|often|soon)) (?:do|does|did|is|are|was|were|will) the (\w{3,30})"
)
_FIGURE = r"(\d[\d.,]{0,12})"
_UNIT = r"([a-z]{1,20})\b"
_COUNTED = re.compile(rf"(?<![\w.,]){_FIGURE} ?{_UNIT}")
_FROM_TO = re.compile(rf"(?<![\w.,]){_FIGURE} ?(?:a|to|y|and|hasta|until|-|–) ?{_FIGURE} ?{_UNIT}")
_UNDER = re.compile(rf"\b(?:less than|under|below|fewer than|up to|menos de|hasta|por debajo de) {_FIGURE} ?{_UNIT}")
_OVER = re.compile(
    rf"\b(?:more than|over|above|from|mas de|desde|a partir de|por encima de) {_FIGURE} ?{_UNIT}"
    rf"|(?<![\w.,]){_FIGURE} ?{_UNIT} (?:or more|and more|o mas|y mas|en adelante)\b"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_UNITS = (
    "[mwvgl]|mm|cm|km|kg|kw|ml|rpm|metros|meters|metres|eur|euros?|dolares|dollars|pounds|libras|litros|lit(?:er|re)s|horas"
    "|hours|dias|days|personas|people|socios|members|palabras|words|vatios|watts|voltios|volts|puntos|points"
)
_YEAR = re.compile(rf"\b(?:en|in|de|of) (1\d{{3}}|20\d\d)\b(?![/.-]\d| ?[€$£%]| (?:{_UNITS})\b)")
_YEARS = re.compile(r"\b(1\d{3}|20\d\d) ?(?:a|to|y|and|hasta|until|-|–|/) ?(?:(1\d|20)?(\d\d))\b")
_DECADE = re.compile(r"\b(?:decada|anos) (?:de|en) \d{4}\b")
_OTHER_END = re.compile(
    r"\b(?:tope|como (?:mucho|minimo|maximo)|al menos|no mas de|superar|supere\w?|pasar de|exceder|hasta"
    r"|at (?:most|least)|up to|no more than|no less than|longest|shortest|highest|lowest|exceed\w{0,3}|limit\w{0,2}"
    r"|mas (?:alt|baj|larg)[oa]s?)\b"
)
_ENDS = re.compile(r"\b(?:maxim|minim)")
# What ends as an infinitive does and is a thing.
_THINGS = "alquiler taller mujer master lider lugar hogar bar mar azucar titular militar familiar"
_NO_INFINITIVES = frozenset(_THINGS.split())
LONGEST = 600  # characters of a question
MOST_READ = 64  # words of a question
SHORTEST = 3  # letters of a word that says what it is

Joined = tuple[str, str]  # "with", "lid"
Amount = tuple[float, str]  # 6, "years"

_ENGLISH = frozenset({"of", "for", "in", "on", "per"})
_OF = frozenset({"de", "del", "of"})
_PREPOSITIONS = _ENGLISH | {"por", "de", "del", "para", "en", "al"}
_POINTING = frozenset({"este", "esta", "estos", "estas", "dicho", "dicha", "dichos", "dichas", "this", "these", "such"})
_OPENING = frozenset({"it", "they", "its", "their", "su", "sus"})
_YES_OR_NO_WORDS = """
    can may must should do does did is are was were will has have
    puedo puede podemos pueden se hay es son esta estan tengo tiene tienen debo debe deben
"""
_YES_OR_NO = frozenset(_YES_OR_NO_WORDS.split())
_OPPOSITES = {"con": "sin", "sin": "con", "with": "without", "without": "with"}
_ARTICLES = frozenset({"el", "la", "los", "las", "un", "una", "unos", "unas", "the", "a", "an"})
# What is measured, not what it is of, and what an infinitive ends with: "el plazo para recurrir".
_MEASURES = re.compile(
    r"(?:porcentaje|numero|cantidad|cifra|precio|importe|cuantia|coste|multa|tamano|edad|altura|distancia|longitud"
    r"|plazo|limite|maxim[oa]|minim[oa]|valor|defecto|duracion|total|media|promedio|tasa|fecha|horas?|dias?|semanas?"
    r"|mes(?:es)?|anos?|minutos?|segundos?|vez|veces|primer[oa]?|ultim[oa]|forma|caso|general"
    r"|days?|hours?|weeks?|months?|years?|minutes?|seconds?|percent|percentage|number|amount|price|fine|size|age|height|length|limit|default|maximum|minimum|value"
    r"|total|average|rate|date|first|last|times?|case|general|\w{2,20}[aei]r)"
)


def subjects_of(question: str) -> tuple[str, ...]:
    """Stems of what an amount is of: of the words that stand behind a preposition, and of what opens, ends or costs
    where it is asked when or how much, but not of a document, which may be the very one. A name that is missing has
    its part in the score of the search, and may say whose the documents are."""
    said = words(question)[:MOST_READ]
    names = frozenset(named_stems(question))
    found = [stem(one) for one in _first_asked(said) if says_what(one) and one not in NOUNS and stem(one) not in names]
    for place, word in enumerate(said):
        is_of_a_thing = word in _OF and place > 0 and said[place - 1] not in STOP_WORDS and says_what(said[place - 1])
        if word not in _PREPOSITIONS or is_of_a_thing:  # "el préstamo de libros" is spoken of as "el préstamo"
            continue
        rest = said[place + 1 :]
        behind = rest[1:] if rest and rest[0] in _ARTICLES else rest
        for one in behind:
            if one in STOP_WORDS:
                break
            if says_what(one):
                found += [stem(one)] if stem(one) not in names else []
                if word not in _ENGLISH:  # "de la ley argentina", but "of a commit body"
                    break
    return tuple(dict.fromkeys(found))


def _first_asked(said: Sequence[str]) -> Sequence[str]:
    first = _FIRST_ASKED.match(" ".join(said))
    return [one for one in first.groups() if one] if first else ()


def identifiers_of(question: str) -> tuple[str, ...]:
    """Of a machine's names those that are no words, "max_connections": what they are made of is no sign of them; and
    the year of which an amount is asked for."""
    folded = fold_latin(question)[:LONGEST]
    return (*_IDENTIFIER.findall(folded), *_YEAR.findall(folded))


def asked_years(question: str) -> tuple[str, ...]:
    """Those in which something is asked for: "sales in 2021"."""
    return tuple(_YEAR.findall(_DECADE.sub("", fold_latin(question)[:LONGEST])))


def says_year(year: str, folded: str) -> bool:
    """Whether a text has a year, or years from before it until after it: "from 1990 to 2000", "2018-19"."""
    if year in folded:
        return True
    spans = ((int(first), int((century or first[:2]) + last)) for first, century, last in _YEARS.findall(folded))
    return any(first <= int(year) <= last for first, last in spans)


def asked_options(question: str) -> frozenset[str]:
    """Those that a question names; none where a dash encloses what is said in passing: "-o se paga tarde-"."""
    return frozenset() if _ENCLOSED.search(question[:LONGEST]) else options_of(question[:LONGEST])


def options_of(text: str) -> frozenset[str]:
    """The options of a program that a text names, "-v" and "--count": each letter counts, and so does its case."""
    return frozenset(_OPTION.findall(text))


def points_back(said: Sequence[str]) -> bool:
    """Whether a sentence, by its words, speaks of what the one before it names: "La contraseña de esta …"."""
    return not _POINTING.isdisjoint(said) or not _OPENING.isdisjoint(said[:1])


def says_what(word: str) -> bool:
    is_measure = word not in _NO_INFINITIVES and _MEASURES.fullmatch(word) is not None
    return len(word) >= SHORTEST and not asks_with(word) and not is_measure


def asked_with(question: str) -> tuple[Joined, ...]:
    """What a question has "with" or "without" something; nothing of one that may be answered by either: "Can I cancel
    without a fee?"."""
    said = words(question)[:MOST_READ]
    return () if not said or said[0] in _YES_OR_NO else tuple(_joined(said))


def is_other_end(question: str, text: str) -> bool:
    """Whether a maximum is asked for and a text has a minimum alone, or the other way."""
    if _OTHER_END.search(fold_latin(text)):
        return False
    asked, there = ({one[:3] for one in _ENDS.findall(fold_latin(said))} for said in (question[:LONGEST], text))
    return len(asked) == 1 and len(there) == 1 and asked != there


def is_opposed(asked: Sequence[Joined], text: str) -> bool:
    """Whether a text has something "without" that is asked "with", or the other way, and nowhere as it is asked."""
    there = list(_joined(words(text))) if asked else []
    return any(_has(there, _OPPOSITES[joint], thing) and not _has(there, joint, thing) for joint, thing in asked)


def asked_amounts(question: str) -> tuple[Amount, ...]:
    """The numbers of a question, each with what it counts: "after 6 years"."""
    folded = fold_latin(question)[:LONGEST]
    return tuple((_number(figure), unit) for figure, unit in _COUNTED.findall(folded))


def stands_within(asked: Sequence[Amount], row: str) -> bool | None:
    """Whether a row is of the number of something that a question has, "5 to 10 years" where 6 are asked for, or of
    other numbers of it; None where it has no such."""
    ranges = list(_ranges_in(fold_latin(row))) if asked else []
    for number, unit in asked:
        own = [(low, high) for low, high, of in ranges if not forms(of).isdisjoint(forms(unit))]
        if own:
            return any(low <= number <= high for low, high in own)
    return None


def _ranges_in(folded: str) -> Iterator[tuple[float, float, str]]:
    yield from ((_number(low), _number(high), unit) for low, high, unit in _FROM_TO.findall(folded))
    yield from ((0.0, _number(high), unit) for high, unit in _UNDER.findall(folded))
    for low, unit, least, of in _OVER.findall(folded):
        yield _number(low or least), inf, unit or of


def _number(figure: str) -> float:
    """Of what may have points or commas between thousands, or before decimals; 0 of what is no number."""
    bare = figure.rstrip(".,")
    if _THOUSANDS.fullmatch(bare):
        return float(re.sub(r"[.,]", "", bare))
    try:
        return float(bare.replace(",", "."))
    except ValueError:
        return 0.0


def _joined(said: Sequence[str]) -> Iterator[Joined]:
    """Each "with" and "without" with the word that it stands before."""
    without_articles = [word for word in said if word not in _ARTICLES]
    return ((joint, thing) for joint, thing in pairwise(without_articles) if joint in _OPPOSITES)


def _has(there: Sequence[Joined], joint: str, thing: str) -> bool:
    return any(one == joint and not forms(thing).isdisjoint(forms(other)) for one, other in there)

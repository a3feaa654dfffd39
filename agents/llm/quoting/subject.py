"""What an answer must be of: "¿Cuántos días de permiso hay por divorcio?" is answered by no days of anything else, what
"-c" does by no other option, and "con escritorio" not by the row "Sin escritorio". Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agents.llm.quoting.topic import asks_with, forms
from retrieval.confidence.names import named_stems
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS, stem, words

_IDENTIFIER = re.compile(r"(?<![^\W_])[^\W_]{1,40}(?:_[^\W_]{1,40}){1,6}")
_OPTION = re.compile(r"(?<![\w-])(?:--[A-Za-z][\w-]{1,40}|-[A-Za-z])(?![\w-])")
_ENCLOSED = re.compile(r"\w-(?=[\s?.,;!]|$)")
_YEAR = re.compile(r"\b(?:en|in|de|of) (1\d{3}|20\d\d)\b(?![/.-]\d)")
LONGEST = 600  # characters of a question
MOST_READ = 64  # words of a question
SHORTEST = 3  # letters of a word that says what it is

Joined = tuple[str, str]  # "with", "lid"

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
    """Stems of what an amount is of: of the words that stand behind a preposition. A name that is missing has its part
    in the score of the search, and may say whose the documents are."""
    said = words(question)[:MOST_READ]
    names = frozenset(named_stems(question))
    found: list[str] = []
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


def identifiers_of(question: str) -> tuple[str, ...]:
    """Of a machine's names those that are no words, "max_connections": what they are made of is no sign of them; and
    the year of which an amount is asked for."""
    folded = fold_latin(question)[:LONGEST]
    return (*_IDENTIFIER.findall(folded), *_YEAR.findall(folded))


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
    return len(word) >= SHORTEST and not asks_with(word) and _MEASURES.fullmatch(word) is None


def asked_with(question: str) -> tuple[Joined, ...]:
    """What a question has "with" or "without" something; nothing of one that may be answered by either: "Can I cancel
    without a fee?"."""
    said = words(question)[:MOST_READ]
    return () if not said or said[0] in _YES_OR_NO else tuple(_joined(said))


def is_opposed(asked: Sequence[Joined], text: str) -> bool:
    """Whether a text has something "without" that is asked "with", or the other way, and nowhere as it is asked."""
    there = list(_joined(words(text))) if asked else []
    return any(_has(there, _OPPOSITES[joint], thing) and not _has(there, joint, thing) for joint, thing in asked)


def _joined(said: Sequence[str]) -> Iterator[Joined]:
    """Each "with" and "without" with the word that it stands before."""
    without_articles = [word for word in said if word not in _ARTICLES]
    return ((joint, thing) for joint, thing in pairwise(without_articles) if joint in _OPPOSITES)


def _has(there: Sequence[Joined], joint: str, thing: str) -> bool:
    return any(one == joint and not forms(thing).isdisjoint(forms(other)) for one, other in there)

"""Headings that a question names by their words: in quotes, behind "the section", or as all that it says. Pure.

Whether a document has such a heading is for the sections to say: what none has is no place, and nothing is missing.
A heading may be the question itself, "¿Cómo me inscribo?" of a FAQ: its document has it as a name (`document_names`).
"""

import re
from collections.abc import Iterable, Iterator

from retrieval.text.asked_places import LONGEST_QUESTION, AskedPlace
from retrieval.text.folding import fold_latin
from retrieval.text.references import HEADING, behind_number, heading_words
from retrieval.text.stems import own_words, words

MOST_HEADINGS = 4
LONGEST_HEADING = 120
LONGEST_BARE = 9  # words of a question that may be nothing but a heading
MOST_QUESTIONS = 400  # of one document
_ARTICLES = frozenset({"el", "la", "los", "las", "un", "una", "the", "a", "an"})
_FIRST = """
    qué cuál cuáles quién quiénes cuándo cuánto cuánta cuántos cuántas cómo dónde
    what which who when how where why
"""
_ASKS_FIRST = frozenset(_FIRST.split())

_QUOTED = re.compile(r"[\"“«](?P<title>[^\"“”«»\n]{2,120})[\"”»]")
_NAMED = re.compile(
    r"(?<![^\W_])(?:subsections?|sections?|headings?|subseccion|seccion|apartado|epigrafe|chapter|capitulo)\s"
    r"(?:(?:called|named|titled|entitled|titulad[oa]|llamad[oa]|on|about|sobre|de|del|of)\s)?(?:(?:the|el|la|los|las)\s)?"
    r"(?P<title>[a-z][^\"“”«»\n?!.:;()]{1,119})"
)
_OVER = re.compile(
    r"\s(?:say|says|said|tell|tells|about|dice|dicen|trata|contiene|contain|contains|is|es|in|en|of|del|que|what|where)(?=\s|\Z)"
)
_ASKING = re.compile(r"[?¿]")
_ASKS = re.compile(r"\s{0,9}(?:cuant|cual|quien|what\b|which\b|who\b|how\b|when\b|where\b|why\b)")
_BRACKETS = re.compile(r"\s?\([^()]{1,80}\)\s?\Z")


def asked_headings(question: str, places: tuple[AskedPlace, ...] = ()) -> tuple[AskedPlace, ...]:
    """At most MOST_HEADINGS, the surer ones first, each once; none that begins as one of `places`."""
    original = question[:LONGEST_QUESTION]
    found: dict[str, AskedPlace] = {}
    for start, end in _spans(original):
        name = heading_words(original[start:end])
        if name and not any(place.start < end and start < place.end for place in places):
            place = AskedPlace(HEADING, name, original[start:end], start, end, is_bare=True)
            found.setdefault(name, place)
    return tuple(found.values())[:MOST_HEADINGS]


def question_names(headings: Iterable[str]) -> frozenset[str]:
    """The names of a document for the questions that are headings of it, at most MOST_QUESTIONS."""
    found: dict[str, None] = {}
    for title in headings:
        if len(found) < MOST_QUESTIONS and _asks(title) and (name := question_name(title)):
            found.setdefault(name)
    return frozenset(found)


def _asks(title: str) -> bool:
    """By its marks, or its first word: "Cómo pedirlo", and not "Como socio"."""
    first = behind_number(title).casefold().split()[:1]
    return bool(_ASKING.search(title) or _ASKS_FIRST.intersection(first))


def question_name(question: str) -> str:
    """What a question is kept and looked for as: all its words behind a number but the articles; "" of what does not
    say what it is about ("¿Cómo funciona?"), which is another question wherever it stands."""
    said = [word for word in words(behind_number(question)) if word not in _ARTICLES]
    return f"asked:{' '.join(said)}" if own_words(said) and len(question) <= LONGEST_QUESTION else ""


def _spans(original: str) -> Iterator[tuple[int, int]]:
    quoted = [match.span("title") for match in _QUOTED.finditer(original)][:MOST_HEADINGS]
    yield from quoted
    if quoted:
        return
    folded = fold_latin(original)
    if (named := _NAMED.search(folded)) is not None:
        start, end = named.span("title")
        for over in list(_OVER.finditer(folded, start, end))[:2]:
            yield start, over.start()
        yield start, end
    elif not _ASKING.search(original):
        brackets = _BRACKETS.search(original)
        if brackets and _ASKS.match(folded):  # "cuantos libros sacan los profesores (PDI)" is none of a document "PDI"
            return
        stop = brackets.start() if brackets else len(original)
        if stop <= LONGEST_HEADING and 0 < len(words(original[:stop])) <= LONGEST_BARE:
            yield 0, stop

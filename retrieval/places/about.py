"""Questions for all that a place says, or what it or a document is about, and the headings below which that is said.
Pure."""

import re
from collections.abc import Iterable, Sequence

from retrieval.text.asked_headings import asked_headings
from retrieval.text.asked_names import MentionKind, asked_mentions, content_stems
from retrieval.text.asked_places import LONGEST_QUESTION, asked_places
from retrieval.text.folding import fold_latin
from retrieval.text.place_words import ASKS_FOR_ALL
from retrieval.text.references import heading_words
from retrieval.text.stems import stems

FEWEST_OF_A_SENTENCE = 6  # words
LONGEST = 300  # characters of a question, and of a heading, that are looked at

_ABOUT = re.compile(
    r"\b(?:de que (?:trata|va|habla)|sobre que (?:trata|es)|resume(?:me)?|resumen (?:de|del)|que (?:temas|contenidos) "
    r"|what (?:is|are) .{1,120} about|what .{1,120} (?:cover|deal with|deals with)|summari[sz]e|summary of)"
)
_ASKS_WHAT_ABOUT = ASKS_FOR_ALL.union(
    stems(
        "trata va habla sobre resume resumeme resumen temas contenidos contenido aborda breve brevemente"
        " about cover covers covered deal deals summarize summarise summary brief briefly topics"
    )
)
_ASKS_BY_HEADING = ASKS_FOR_ALL.union(
    stems("apartado sección subsección epígrafe capítulo subsection heading chapter called titled titulado")
)
_FORMAL = (MentionKind.ACT, MentionKind.NOUN, MentionKind.FILE, MentionKind.SHORT)
_THIS = re.compile(r"\b(?:este|el presente|this) (?:documento|texto|document|text|paper|manual)\b")
_SUMMARY = re.compile(
    r"[^a-z]{0,20}(?:(?:articulo|article|capitulo|chapter|seccion|section)\s[\divxl.]{1,9}\W{0,4})?"
    r"(?:objeto|objetivos?|finalidad|proposito|introduccion|presentacion|resumen|sumario ejecutivo|alcance"
    r"|purpose|objectives?|scope|introduction|overview|abstract|summary|about this|what is this)\b"
)


def asks_what_about(question: str) -> bool:
    """ "¿De qué trata el tema 3?", "Resume el capítulo 2", "What is chapter 3 about?" """
    return _ABOUT.search(fold_latin(question[:LONGEST])) is not None


def is_all_that_is_asked(question: str, named: Sequence[tuple[int, int]]) -> bool:
    """Whether such a question has no word of its own beside how it asks and the spans in which something is named:
    "¿Qué temas de fuego prohíbe la Ordenanza de playas?" asks for more than what that is about."""
    spans = [*named, *(match.span() for match in _THIS.finditer(fold_latin(question[:LONGEST])))]
    return not [stem for stem in content_stems(question, spans) if stem not in _ASKS_WHAT_ABOUT]


def stems_for_all(question: str) -> frozenset[str]:
    """The stems of what asks for whatever a place says; and, where that is asked, what it is about."""
    return _ASKS_WHAT_ABOUT if asks_what_about(question) else ASKS_FOR_ALL


def says_only_where(question: str, headings: Iterable[str] = ()) -> bool:
    """Whether a question names places, and what they belong to, and asks for whatever stands there. `headings`: those
    of what it names, which it may name by their words: 'What does the section "Sick leave" say?'."""
    places = asked_places(question[:LONGEST_QUESTION])
    known = frozenset(map(heading_words, headings))
    below = [one for one in asked_headings(question, places) if one.number in known and one.text != question.strip()]
    if not (places or below):
        return False
    spans = [(one.start, one.end) for place in (*places, *below) for one in (place, place.within) if one]
    mentions = asked_mentions(question, places)
    spans += [(one.start, one.end) for one in mentions if one.kind in _FORMAL or one.is_holder]
    asking = _ASKS_BY_HEADING if below else ASKS_FOR_ALL
    return not [stem for stem in content_stems(question, spans) if stem not in asking]


def says_this_document(question: str) -> bool:
    return _THIS.search(fold_latin(question[:LONGEST])) is not None


def is_summary(heading: str) -> bool:
    """Whether a heading announces what its document or chapter is about: "Artículo 1. Objeto", "1. Introduction"."""
    return _SUMMARY.match(fold_latin(heading[:LONGEST])) is not None


def is_sentence(heading: str) -> bool:
    """Whether a heading is one that an article's text begins with: "Art. 1.1. This guide is about loans."."""
    return heading.rstrip().endswith((".", ":", ";")) and len(heading.split()) >= FEWEST_OF_A_SENTENCE

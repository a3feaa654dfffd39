"""A follow-up question made to stand alone without a model: with the topic of what was asked before. Pure.

A question has no topic of its own where it refers back ("¿Quién puede acceder a ella?"), goes on ("And for how long?")
or says nothing but "how long". Then the documents, places and words of the latest question that had one are searched
for with it; of one that only asks to be told again, that question itself. A place without a document is one of the
document that was named last, "¿y el 15?" the same kind of place, "¿y en la de huertos?" the same of another document,
"¿y en los huertos?", too, where one is called so, "¿y la tercera?" the same of another in a row, "and 24?"
the same with another number, "¿y el artículo siguiente?" the one behind that which was asked for, and "¿y los
discos ópticos?" the same with another term (`replacing`).
"""

import re
from collections.abc import Callable, Sequence

from chat.understanding.replacing import with_other_term
from retrieval.text.asked_names import Mention, MentionKind, asked_mentions
from retrieval.text.asked_places import AskedPlace, asked_places
from retrieval.text.document_names import NOUNS
from retrieval.text.folding import fold_latin
from retrieval.text.place_words import KINDS, ORDINALS
from retrieval.text.references import HEADING, ordinal_number
from retrieval.text.stems import ASKS, BACK, STOP_WORDS, WORD, own_words

MOST_BACK = 4  # questions of a conversation that are looked through
LONGEST = 1_000  # characters of what is searched for
LONGEST_ASKED = 2_000  # characters of a question that are looked at
YEAR_DIGITS = 4
FEW_OWN = 2  # words beside which what is referred to is still missing

_ON = frozenset({"y", "e", "and", "but", "pero", "entonces", "then", "also", "ademas", "so"})
# "¿Dónde vive?", "¿Cuándo se publicó?": a verb alone, whose subject was said before.
_ASKS_OF = frozenset({"donde", "adonde", "cuando", "como", "cuanto", "quien", "quienes"})
_BEFORE_VERBS = frozenset({"se", "lo", "la", "le", "les", "los", "las", "y", "e", "a", "de", "con", "por", "para"})
_INFINITIVES = ("ar", "er", "ir", "arse", "erse", "irse")
# What a document may have one of, without a number: "¿y la disposición final?".
_UNNUMBERED = frozenset(["disposicion", "anexo", "preambulo", "apendice", "annex", "appendix", "preamble", "schedule"])
# What has sections, and no paragraphs of its own: "apartado 3" after a chapter is one of them as it stands.
_OF_SECTIONS = frozenset({"libro", "parte", "titulo", "capitulo", "unidad", "seccion"})
# "No lo entiendo, ponme un ejemplo": what asks to be told again, and what may stand beside it.
_AGAIN_WORDS = """
    entiendo entendi entendido comprendo comprendi ejemplo ejemplos dame ponme explicame explicamelo explicarmelo
    explicalo explicarlo repite repitelo repetirlo
    understand understood example examples explain again repeat
"""
_BESIDE_WORDS = "puedes podrias vez mejor favor give show could please don t didn me one another"
_AGAIN, _BESIDE = frozenset(_AGAIN_WORDS.split()), frozenset(_BESIDE_WORDS.split())
_BESIDE_IT = {
    **dict.fromkeys(("siguiente", "proximo", "proxima", "next", "following"), 1),
    **dict.fromkeys(("anterior", "precedente", "previous", "preceding"), -1),
}
_COUNTED_BY = frozenset({"el", "la", "los", "las", "the"})
_COUNT = re.compile(r"\d{1,4}(?:\.\d{1,3}){0,3}|[ivx]{2,6}")
# "¿y en la de huertos?", "and in the one on gardens?": the word for a document was said before.
_OF_ANOTHER = re.compile(
    r"[\s¿]{0,9}(?:(?:y|and|but|pero)\s{1,3})?(?:(?:en|de|segun|que dice|in|of|what about)\s{1,3}){0,2}"
    r"(?:(?:el|la)\s{1,3}(?:de|sobre)\b|el del\b|la del\b|the\s{1,3}one\s{1,3}(?:on|of|for|about)\b)\s{1,3}"
    r"(?P<which>[^\s?.][^?.]{0,100})"
)
# "¿y en los huertos?", "and for allotments?": of another document where there is one of that name.
_IN_ANOTHER = re.compile(
    r"[\s¿]{0,9}(?:y|and|but|pero)\s{1,3}(?:en|para|in|for|on)\s{1,3}(?:(?:el|la|los|las|the)\s{1,3})?"
    r"(?P<which>[^\s?.][^?.]{0,100})"
)
_NAMES = frozenset({MentionKind.ACT, MentionKind.NOUN, MentionKind.FILE, MentionKind.SHORT})


def nothing_is_called(_name: str) -> bool:
    return False


def carry_topic(asked: Sequence[str], question: str, is_there: Callable[[str], bool] = nothing_is_called) -> str:
    """What to search for instead of `question`; "" where it stands alone or nothing was asked before.

    `asked` are the questions before it, the latest last; `is_there` whether a document is called so.
    """
    question = question[:LONGEST_ASKED]
    before: list[str] = []
    for one in [one[:LONGEST_ASKED] for one in asked if one.strip()][-MOST_BACK:]:
        before.append(_place_meant(one, before) or _other_meant(one, before, is_there) or one)
    topic = _topic_of(before)
    if not topic:
        return ""
    if _asks_again(_words(question)):
        return topic
    if (
        meant := _part_meant(question, before)
        or _place_meant(question, before)
        or _other_meant(question, before, is_there)
    ):
        return meant
    names = _names(question)
    if not _needs_a_topic(question) or (asked_places(question) and not names):
        return ""
    if not _UNNUMBERED.isdisjoint(_words(question)):
        return _joined(question, _names(topic))
    if names:
        return _joined(question, [one.text for one in asked_places(topic)] or _own_words(topic, without_names=True))
    said = _own_words(topic, without_names=True)
    return _joined(question, [*(one.text for one in asked_places(topic)), *_names(topic), *said])


def _topic_of(before: Sequence[str]) -> str:
    return next((one for one in reversed(before) if not _needs_a_topic(one)), before[0] if before else "")


def _place_meant(question: str, before: Sequence[str]) -> str:
    """A question of a place without a document as one of the document before; "" of others."""
    named = _names(_topic_of(before)) if before else []
    if counted := _counted_like(question, before):
        return _part_meant(counted, before) or _joined(counted, named) or counted
    return _joined(question, named) if asked_places(question) and not _names(question) else ""


def _part_meant(question: str, before: Sequence[str]) -> str:
    """ "¿y el apartado 3?" after a question on an article as "apartado 3 de articulo 8" of that one; "" else."""
    asked = asked_places(question)
    if len(asked) != 1 or not asked[0].is_part or "." in asked[0].number or _names(question):
        return ""
    for n, one in reversed(list(enumerate(before))):
        whole = [place for place in asked_places(one) if place.kind != HEADING and not place.is_part]
        if whole and whole[-1].kind in _OF_SECTIONS:
            return ""
        if whole:
            meant = f"{question[: asked[0].end]} de {whole[-1].kind} {whole[-1].number}{question[asked[0].end :]}"
            return _joined(meant, _names(_topic_of(before[: n + 1]))) or meant.strip()
    return ""


def _other_meant(question: str, before: Sequence[str], is_there: Callable[[str], bool]) -> str:
    """What was asked, of another document of the same kind or of another in a row; "" of other questions."""
    return (
        _of_another(question, _topic_of(before), is_there)
        or _another_in_a_row(question, before)
        or _another_number(question, before)
        or _another_term(question, before, is_there)
    )


def _of_another(question: str, topic: str, is_there: Callable[[str], bool]) -> str:
    named = next((word for name in _names(topic) for word in _words(name) if word in NOUNS), "")
    if not named or _names(question):
        return ""
    found = _OF_ANOTHER.match(fold_latin(question))
    if not found and (other := _IN_ANOTHER.match(fold_latin(question))):
        found = other if is_there(f"{named} de {other['which']}") else None
    if not found:
        return ""
    asked = [one.text for one in asked_places(topic)] or _own_words(topic, without_names=True)
    return _joined(
        " ".join(dict.fromkeys(asked)), [f"{named} de {question[found.start('which') : found.end('which')].strip()}"]
    )


def _another_in_a_row(question: str, before: Sequence[str]) -> str:
    """ "¿y la tercera?" after "¿Qué es la segunda forma normal?" as that question with the other ordinal."""
    said = _counted(question)
    if said not in ORDINALS:
        return ""
    for one in reversed(before):
        spans = [match.span() for match in WORD.finditer(fold_latin(one)) if match.group() in ORDINALS]
        if len(spans) == 1:
            start, end = spans[0]
            return f"{one[:start]}{said}{one[end:]}"[:LONGEST]
    return ""


def _another_number(question: str, before: Sequence[str]) -> str:
    """ "and 24?" after "rsync exit code 25" as that with the other number; a year only for a year."""
    said = _counted(question).split()
    if not said or not said[-1].isdecimal() or not STOP_WORDS.issuperset(said[:-1]):
        return ""
    for one in reversed(before):
        spans = [match.span() for match in WORD.finditer(fold_latin(one)) if match.group().isdecimal()]
        if spans:
            start, end = spans[0]
            is_alike = len(spans) == 1 and (end - start == YEAR_DIGITS) == (len(said[-1]) == YEAR_DIGITS)
            return f"{one[:start]}{said[-1]}{one[end:]}"[:LONGEST] if is_alike else ""
    return ""


def _another_term(question: str, before: Sequence[str], is_there: Callable[[str], bool]) -> str:
    """ "¿y de matrícula?" after "¿Qué plazo de inscripción hay?" as that question with the other term; "" of others."""

    def mentioned(text: str) -> list[Mention]:
        """Short names only where a document is called so: "the L/M series" is none."""
        return [one for one in _mentions(text) if one.kind is not MentionKind.SHORT or is_there(one.text)]

    if not before or mentioned(question) or asked_places(question) or _asks_again(_words(question)):
        return ""
    topic = _topic_of(before)
    kept = [(one.start, one.end) for one in asked_places(topic)] + [(one.start, one.end) for one in mentioned(topic)]
    return with_other_term(topic, question, kept)[:LONGEST]


def _joined(question: str, topic: Sequence[str]) -> str:
    """ "" where there is nothing to add."""
    added = " ".join(dict.fromkeys(topic))
    return f"{question.strip()} {added}"[:LONGEST] if added else ""


def _needs_a_topic(question: str) -> bool:
    words = _words(question)
    own = own_words(words)
    if not own or _asks_again(words):
        return bool(words)
    named = {word for name in _names(question) for word in _words(name)}
    own = [word for word in own if word not in named]
    refers = not BACK.isdisjoint(words) or words[0] in _ON or _is_verb_alone(words)
    return refers and len(own) <= FEW_OWN


def _asks_again(words: Sequence[str]) -> bool:
    """Whether nothing new is asked: its words are in no document, or everywhere ("por ejemplo")."""
    said = _AGAIN.union(_BESIDE, STOP_WORDS, ASKS, BACK)
    return not _AGAIN.isdisjoint(words) and said.issuperset(words)


def _is_verb_alone(words: Sequence[str]) -> bool:
    said = [word for word in words if word not in _BEFORE_VERBS]
    return len(said) == 2 and said[0] in _ASKS_OF and not said[1].endswith(_INFINITIVES)


def _counted_like(question: str, before: Sequence[str]) -> str:
    """ "¿y el 15?" after a question on an article as "artículo 15", "¿y la tercera?" on a clause; "" of others."""
    said = _counted(question)
    if beside := _beside_it(question, before):
        return beside
    if not _COUNT.fullmatch(said) and not ordinal_number(said):
        return ""
    for one in reversed(before):
        if places := [place for place in asked_places(one) if place.kind != HEADING]:
            kind: AskedPlace = places[-1]
            return f"{' '.join(kind.text.split()[: len(kind.kind.split())])} {said}"
    return ""


def _beside_it(question: str, before: Sequence[str]) -> str:
    """ "¿Y el artículo siguiente?" after one on article 15 as "articulo 16", "el anterior" as "articulo 14"; "" of
    others."""
    said = [word for word in _words(question) if word not in ASKS | _ON | _COUNTED_BY | {"one"}]
    steps = [_BESIDE_IT[word] for word in said if word in _BESIDE_IT]
    kinds = [KINDS.get(word, "") for word in said if word not in _BESIDE_IT]
    if len(steps) != 1 or len(kinds) > 1:
        return ""
    for one in reversed(before):
        places = [place for place in asked_places(one) if place.kind != HEADING and place.number.isdigit()]
        if meant := next((place for place in reversed(places) if not kinds or place.kind == kinds[0]), None):
            return f"{meant.kind} {int(meant.number) + steps[0]}" if int(meant.number) + steps[0] > 0 else ""
    return ""


def _counted(question: str) -> str:
    """What is left of "¿y la tercera?": "tercera"."""
    words = fold_latin(question).strip("¿? .").split()
    return " ".join(word for word in words if word not in _ON and word not in _COUNTED_BY)


def _names(question: str) -> list[str]:
    """How a question calls documents, as far as that has the form of a name."""
    return [one.text for one in _mentions(question)]


def _mentions(question: str) -> list[Mention]:
    found: list[Mention] = []
    for one in asked_mentions(question, asked_places(question)):
        if (one.kind in _NAMES or one.is_holder) and not any(
            other.start <= one.start and one.end <= other.end for other in found
        ):
            found.append(one)
    return sorted(found, key=lambda one: one.start)


def _own_words(question: str, *, without_names: bool = False) -> list[str]:
    """The words that matter, as they were written."""
    folded = fold_latin(question)
    named = {word for name in _names(question) for word in _words(name)} if without_names else set()
    spans = [(match.start(), match.end()) for match in WORD.finditer(folded)]
    skipped = STOP_WORDS | ASKS | BACK | named
    return [question[start:end] for start, end in spans if folded[start:end] not in skipped]


def _words(text: str) -> list[str]:
    return WORD.findall(fold_latin(text))

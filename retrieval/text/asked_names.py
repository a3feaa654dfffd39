"""The names of documents that a question may be using, each with what it would be kept as. Pure.

Whether one of them is a name is for the documents to say (`retrieval.places`): a question's words are tried as titles,
as parts of titles and as abbreviations, and what no document is called is none. Only what has the form of a name, a
law by its number or "la Ley de …", is one even where no document has it: then it is missing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from retrieval.text.asked_places import LONGEST_QUESTION, AskedPlace
from retrieval.text.document_names import (
    LEGAL_NOUNS,
    NOUNS,
    act_kinds,
    act_number,
    acts_in,
    noun_name,
    pair_name,
    title_name,
)
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STOP_WORDS, stem

MOST_WORDS = 24  # content words that are tried as names
LONGEST_NAME = 8  # of them in one
LONGEST_GAP = 16  # characters of function words between two words of a name
MOST_MENTIONS = 160

_WORD = re.compile(r"[^\W_]+")
_SIGN = re.compile(r"\w+|[^\w\s]")
_FILE = re.compile(r"[\w-][\w.-]{0,120}\.(?:pdf|docx|md|txt|json)(?!\w)")
_SHORT = re.compile(r"(?<![\w.-])[A-Z][A-Za-z]{0,2}[A-Z]{1,8}(?!\w)")
# Behind these a name is over: what follows says something of it.
_ENDS_ES = """
    sobre acerca respecto dice dicen decir establece establecen regula regulan define definen trata habla exige permite
    obliga prohibe prevee preve senala contiene que cual cuales quien quienes cuando donde como si es son esta estan hay
    tiene tienen se no en ante cuanto cuantos cuanta cuantas y
"""
_ENDS_EN = """
    about say says said state states require requires define defines is are does do did in and when where which who how
    what tell contain contains allow allows
"""
_ENDS = frozenset((_ENDS_ES + _ENDS_EN).split())
_OF = "de del la el los las of the in en al segun , ( )"
_BEFORE_A_CONTAINED = frozenset(_OF.split())
_THIS = "presente misma mismo citada citado dicha dicho esta este anterior vigente actual"
_GENERIC = frozenset(_THIS.split())
_BY_WHICH = [f"por {one} que se".split() for one in ("el", "la")]
_OUR = frozenset({"the", "our", "your", "this", "of", "in"})
_WHOLE = frozenset({"capitulo", "titulo", "anexo", "unidad", "parte", "libro"})  # what a document may be by itself


class MentionKind(StrEnum):
    ACT = "act"  # by its number
    FILE = "file"
    SHORT = "short"
    TITLE = "title"
    NOUN = "noun"  # "la guía de …": the word for a document and what follows it
    PAIR = "pair"
    PLACE = "place"  # "la unidad 4", which a document may be
    HOLDER = "holder"  # what a place is said to be of, in capitals: "capítulo 3 del Quijote"


@dataclass(frozen=True, slots=True)
class Mention:
    """One way to read some words as a name: `names` as `document_names` keeps them.

    A document is meant by any of them, of NOUN by all, as far as it goes. `holds_a_place`: "el artículo 9 de …".
    """

    kind: MentionKind
    text: str
    start: int
    end: int
    names: tuple[str, ...]
    is_legal: bool = False
    holds_a_place: bool = False


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int
    begins: bool  # behind a sign that separates names


def asked_mentions(question: str, places: Sequence[AskedPlace] = ()) -> tuple[Mention, ...]:
    """Everything that may be a name, surer kinds first, at most MOST_MENTIONS."""
    original = question[:LONGEST_QUESTION]
    folded = fold_latin(original)
    words = _words(folded)
    acts = list(_acts(original, folded, places))
    taken = [*((one.start, one.end) for one in acts), *((one.start, one.end) for one in places)]
    free = [word for word in words if not any(start <= word.start < end for start, end in taken)]
    found = [
        *acts,
        *_files(original, folded),
        *(one for one in _shorts(original, places) if not any(act.start <= one.start < act.end for act in acts)),
        *_nouns(original, words, places, acts),
        *_holders(original, words, places, acts),
        *_places(places),
        *_titles(original, free),
    ]
    return tuple({(one.kind, one.names): one for one in found}.values())[:MOST_MENTIONS]


def content_stems(question: str, skipped: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The stems of a question's content words that are outside of the spans."""
    words = _words(fold_latin(question[:LONGEST_QUESTION]))
    left = (word for word in words if not any(start <= word.start < end for start, end in skipped))
    return tuple(dict.fromkeys(stem(word.text) for word in left if word.text not in STOP_WORDS))


def _words(folded: str) -> list[_Word]:
    found: list[_Word] = []
    last = 0
    for match in _WORD.finditer(folded):
        between = folded[last : match.start()]
        found.append(_Word(match.group(), match.start(), match.end(), bool(between.strip(" '’/-\t\n")) or not found))
        last = match.end()
    return found


def _acts(original: str, folded: str, places: Sequence[AskedPlace]) -> Iterator[Mention]:
    for match in acts_in(folded):
        kinds = act_kinds(match["kind"]) if match["kind"] else ()
        number = act_number(match)
        names = tuple(f"law:{kind} {number}" for kind in kinds) or (f"number:{number}",)
        start, end = match.span()
        holds = _holds_a_place(folded, start, end, places)
        yield Mention(MentionKind.ACT, original[start:end].strip(), start, end, names, bool(kinds), holds)


def _files(original: str, folded: str) -> Iterator[Mention]:
    for match in _FILE.finditer(folded):
        start, end = match.span()
        yield Mention(MentionKind.FILE, original[start:end], start, end, (f"file:{match.group()}",))


def _shorts(original: str, places: Sequence[AskedPlace]) -> Iterator[Mention]:
    folded = fold_latin(original)
    for match in _SHORT.finditer(original):
        start, end = match.span()
        short = folded[start:end]
        names = (f"short:{short}", f"initials:{short}")
        if not any(place.start <= start < place.end for place in places):
            holds = _holds_a_place(folded, start, end, places)
            yield Mention(MentionKind.SHORT, match.group(), start, end, names, holds_a_place=holds)


def _nouns(
    original: str, words: Sequence[_Word], places: Sequence[AskedPlace], acts: Sequence[Mention]
) -> Iterator[Mention]:
    folded = fold_latin(original)
    for at, word in enumerate(words):
        if word.text not in NOUNS or any(act.start <= word.start < act.end for act in acts):
            continue
        before, behind = _before(words, at), _behind(words, at, places)
        stems = tuple(dict.fromkeys(stem(one.text) for one in (*before, *behind) if one.text not in STOP_WORDS))
        if behind and behind[0].text in _GENERIC:
            continue
        if not stems:
            if _holds_a_place(folded, word.start, word.end, places):
                text, alone = original[word.start : word.end], stem(word.text)
                kept = (title_name([alone]), noun_name(alone, alone))
                yield Mention(MentionKind.HOLDER, text, word.start, word.end, kept, holds_a_place=True)
            continue
        first = words[at - 1] if at and (words[at - 1].text, word.text) == ("real", "decreto") else word
        start, end = (before or [first])[0].start, (behind or [word])[-1].end
        names = tuple(noun_name(stem(word.text), one) for one in stems)
        yield Mention(
            MentionKind.NOUN,
            original[start:end],
            start,
            end,
            names,
            word.text in LEGAL_NOUNS and bool(behind),
            _holds_a_place(folded, start, end, places),
        )


def _holders(
    original: str, words: Sequence[_Word], places: Sequence[AskedPlace], acts: Sequence[Mention]
) -> Iterator[Mention]:
    """The word in capitals behind "artículo 3 de la", alone or with those that follow it."""
    folded = fold_latin(original)
    for place in places:
        at = next((n for n, word in enumerate(words) if word.start >= place.end and word.text not in STOP_WORDS), None)
        word = words[at] if at is not None else None
        if at is None or word is None or any(act.start <= word.start < act.end for act in acts):
            continue
        if not _holds_a_place(folded, word.start, word.end, [place]) or not original[place.end : word.start].strip(
            " ,()"
        ):
            continue
        behind = [one for one in _behind(words, at, places) if one.text not in STOP_WORDS]
        following = words[at + 1].text if at + 1 < len(words) else ""
        if word.text in NOUNS or following in NOUNS or not original[word.start].isupper():
            continue
        stems = [stem(one.text) for one in (word, *behind)]
        names = [title_name(stems[:n]) for n in range(1, len(stems) + 1)]
        end = max([word, *(one for one in behind if original[one.start].isupper())], key=lambda one: one.end).end
        text = original[word.start : end]
        yield Mention(MentionKind.HOLDER, text, word.start, end, tuple(names), holds_a_place=True)


def _before(words: Sequence[_Word], at: int) -> list[_Word]:
    """English puts the words before: "the employee handbook"; only where an article or the beginning is before them."""
    start = at
    while start > 0 and at - start < 4 and not words[start].begins and words[start - 1].text not in STOP_WORDS:
        start -= 1
    opened = start > 0 and words[start - 1].text in _OUR and not words[start].begins
    return list(words[start:at]) if opened else []


def _behind(words: Sequence[_Word], at: int, places: Sequence[AskedPlace]) -> list[_Word]:
    found = []
    first = at + 1
    if [word.text for word in words[first : first + 4]] in _BY_WHICH:  # "Real Decreto por el que se regula …"
        first += 5
    for word in words[first : first + 2 * LONGEST_NAME]:
        if word.begins or word.text in _ENDS or any(place.start <= word.start < place.end for place in places):
            break
        found.append(word)
    while found and found[-1].text in STOP_WORDS:
        found.pop()
    return found


def _places(places: Sequence[AskedPlace]) -> Iterator[Mention]:
    for place in places:
        for one in (place, *([place.within] if place.within else [])):
            if one.kind in _WHOLE:
                names = tuple(f"place:{key}" for key in one.keys if not key.startswith("seccion:"))
                yield Mention(MentionKind.PLACE, one.text, one.start, one.end, names)


def _titles(original: str, words: Sequence[_Word]) -> Iterator[Mention]:
    """Every run of words as a whole title, and every two as a part of one."""
    content = [word for word in words if word.text not in STOP_WORDS or word.begins]
    runs: list[list[_Word]] = []
    for word in content:
        if word.begins or not runs or (runs[-1] and word.start - runs[-1][-1].end > LONGEST_GAP):
            runs.append([])
        if word.text not in STOP_WORDS:
            runs[-1].append(word)
    left = MOST_WORDS
    for full in runs:
        run, left = full[:left], left - min(left, len(full))
        stems = [stem(word.text) for word in run]
        for (first, second), (a, b) in zip(pairwise(run), pairwise(stems), strict=True):
            text = original[first.start : second.end]
            yield Mention(MentionKind.PAIR, text, first.start, second.end, (pair_name(a, b),))
        for start in range(len(run)):
            for end in range(start + 1, min(start + LONGEST_NAME, len(run)) + 1):
                text = original[run[start].start : run[end - 1].end]
                name = title_name(stems[start:end])
                yield Mention(MentionKind.TITLE, text, run[start].start, run[end - 1].end, (name,))


def _holds_a_place(folded: str, start: int, end: int, places: Sequence[AskedPlace]) -> bool:
    """Whether only "de la" and the like, or nothing, is between a place and a name: on either side of it."""
    for place in places:
        between = folded[place.end : start] if place.end <= start else folded[end : place.start]
        is_near = place.end <= start or end <= place.start
        if is_near and len(between) <= LONGEST_GAP and set(_SIGN.findall(between)) <= _BEFORE_A_CONTAINED:
            return True
    return False

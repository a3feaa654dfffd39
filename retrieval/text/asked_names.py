"""The names of documents that a question may be using, each with what it would be kept as. Pure.

Whether one of them is a name is for the documents to say (`retrieval.places`): a question's words are tried as titles,
as parts of titles and as abbreviations, and what no document is called is none. Only what has the form of a name, a
law by its number or "la Ley de …", is one even where no document has it: then it is missing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from retrieval.text.asked_places import LONGEST_QUESTION, AskedPlace
from retrieval.text.document_names import (
    LEGAL_NOUNS,
    NOUNS,
    noun_name,
    pair_name,
    said_name,
    title_name,
)
from retrieval.text.folding import fold_latin
from retrieval.text.naming.acts import act_kinds, acts_in
from retrieval.text.naming.editions import asked_editions
from retrieval.text.naming.name_words import (
    JOINTS,
    LONGEST_NAME,
    NAME_ENDS,
    NameWord,
    name_words,
    words_before,
    words_behind,
)
from retrieval.text.place_words import PAGE
from retrieval.text.references import HEADING
from retrieval.text.stems import STOP_WORDS, stem

MOST_WORDS = 24  # content words that are tried as names
LONGEST_GAP = 16  # characters of function words between two words of a name
MOST_MENTIONS = 160

_SIGN = re.compile(r"\w+|[^\w\s]")
_FILE = re.compile(r"[\w-][\w.-]{0,120}\.(?:pdf|docx|md|txt|json)(?!\w)")
_BRACKETS = re.compile(r"\(([^()]{2,80})\)")
_SHORT = re.compile(r"(?<![\w.-])[A-Z][A-Za-z]{0,2}[A-Z]{1,8}(?!\w)")
_OF = "de del la el los las of the in en al segun , ( ) un una a an"
_BEFORE_A_CONTAINED = frozenset(_OF.split())
_ONE_OF = frozenset({"de", "del", "of"})
_THIS = "presente misma mismo citada citado dicha dicho esta este anterior vigente actual"
_GENERIC = frozenset(_THIS.split())
_ARTICLES = frozenset({"the", "el", "la", "del", "al", "our", "your", "this", "este", "esta", "nuestro", "nuestra"})
_WHICH = frozenset({"que", "un", "una", "algun", "alguna", "ningun", "ninguna", "which", "what", "an", "any", "some"})
_WAS = frozenset({"era", "eran", "fue", "fueron", "was", "were"})
_MATTERS = frozenset({"codigo", "constitucion"})  # other things, too: of errors, of a company
_OF_A_MACHINE = re.compile(  # and neither "código 1889" nor "código 155 de defensa del consumidor"
    r"[a-z]{0,2}\d{1,3}(?: (?:del|de (?:la|mi|tu|su|este|esta)) .{1,200})?"
    r"|(?:de )?(?:error|fallo|estado|salida|retorno|respuesta|barras)(?: .{1,200})?|qr|postal|fuente"
    r"|promocional|pin"
)
_WHOLE = frozenset({"capitulo", "titulo", "anexo", "unidad", "parte", "libro"})  # what a document may be by itself


class MentionKind(StrEnum):
    ACT = "act"  # by its number
    FILE = "file"
    SHORT = "short"
    TITLE = "title"
    NOUN = "noun"  # "la guía de …": the word for a document and what follows it
    LONGER = "longer"  # a noun's name that goes on over "para" and the like: one only where a document has all of it
    PAIR = "pair"
    PLACE = "place"  # "la unidad 4", which a document may be
    EDITION = "edition"  # of what is named beside it
    HOLDER = "holder"  # what a place is said to be of, in capitals: "capítulo 3 del Quijote"


@dataclass(frozen=True, slots=True)
class Mention:
    """One way to read some words as a name: `names` as `document_names` keeps them.

    A document is meant by any of them, of NOUN and LONGER by all, as far as it goes. `holds_a_place`: "el artículo 9
    de …".
    """

    kind: MentionKind
    text: str
    start: int
    end: int
    names: tuple[str, ...]
    is_legal: bool = False
    holds_a_place: bool = False
    is_said: bool = False  # an edition with the word for it

    @property
    def is_holder(self) -> bool:
        """Whether it is the word behind a place, "artículo 15 de la Constitución"."""
        return self.kind is MentionKind.HOLDER and self.holds_a_place


def asked_mentions(question: str, places: Sequence[AskedPlace] = ()) -> tuple[Mention, ...]:
    """Everything that may be a name, surer kinds first, at most MOST_MENTIONS."""
    original = question[:LONGEST_QUESTION]
    folded = fold_latin(original)
    words = name_words(folded)
    named, places = places, [place for place in places if place.kind != HEADING]
    acts = list(_acts(original, folded, places))
    editions = list(_editions(original, places, acts))
    taken = [(one.start, one.end) for one in places]
    taken += [(one.start, one.end) for one in (*acts, *editions)]
    free = [word for word in words if not any(start <= word.start < end for start, end in taken)]
    found = [
        *acts,
        *_files(original, folded),
        *(one for one in _shorts(original, places) if not any(act.start <= one.start < act.end for act in acts)),
        *_nouns(original, words, places, acts),
        *_holders(original, words, places, acts),
        *_places(places),
        *editions,
        *_titles(original, free),
    ]
    if named:
        found = [_as_holder(one, _in_brackets(original)) for one in found]
        found = [replace(one, holds_a_place=True) if _is_of(one, folded, places) else one for one in found]
    return tuple({(one.kind, one.names): one for one in found}.values())[:MOST_MENTIONS]


def _in_brackets(original: str) -> list[tuple[int, int]]:
    """What stands in brackets is what a place is of: "section 2.1 (security)"."""
    return [match.span(1) for match in _BRACKETS.finditer(original)]


def _as_holder(mention: Mention, brackets: Sequence[tuple[int, int]]) -> Mention:
    """Of what a place is said to be where a name is all that is in brackets."""
    whole = any(start >= mention.start - 1 and mention.end >= end - 1 for start, end in brackets)
    is_name = mention.kind is not MentionKind.PAIR
    return replace(mention, holds_a_place=True) if is_name and whole and not mention.holds_a_place else mention


def _is_of(mention: Mention, folded: str, places: Sequence[AskedPlace]) -> bool:
    """Whether a title of one word stands behind "chapter 4 of": it need not be in capitals, as what may be missing. Any
    title, or two words of one, do beside a page: each document has such a one, so that they are what is meant."""
    pages = [place for place in places if place.kind == PAGE]
    if mention.kind in (MentionKind.TITLE, MentionKind.PAIR) and _holds_a_place(
        folded, mention.start, mention.end, pages
    ):
        return True
    is_word = mention.kind is MentionKind.TITLE and " " not in mention.names[0]
    return is_word and any(folded[place.end : mention.start].strip() in _ONE_OF for place in places)


def _editions(original: str, places: Sequence[AskedPlace], acts: Sequence[Mention]) -> Iterator[Mention]:
    """All that may be one; what is a place by its word is none."""
    counted = [(place.start, place.end) for place in places if not place.is_bare]
    counted += [(act.start, act.end) for act in acts]
    for one in asked_editions(original):
        if not any(start < one.end and one.start < end for start, end in counted):
            text = original[one.start : one.end]
            yield Mention(MentionKind.EDITION, text, one.start, one.end, (one.name,), is_said=one.is_said)


def is_of_one(mention: Mention, question: str, places: Sequence[AskedPlace]) -> bool:
    """Whether a name is what one of these places is of."""
    folded = fold_latin(question[:LONGEST_QUESTION])
    return mention.holds_a_place and _holds_a_place(folded, mention.start, mention.end, places)


def content_stems(question: str, skipped: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The stems of a question's content words that are outside of the spans."""
    words = name_words(fold_latin(question[:LONGEST_QUESTION]))
    left = (word for word in words if not any(start <= word.start < end for start, end in skipped))
    return tuple(dict.fromkeys(stem(word.text) for word in left if word.text not in STOP_WORDS))


def _acts(original: str, folded: str, places: Sequence[AskedPlace]) -> Iterator[Mention]:
    for act in acts_in(folded):
        kinds = act_kinds(act.kind) if act.kind else ()
        names = tuple(f"law:{kind} {act.number}" for kind in kinds) or (f"number:{act.number}",)
        holds = _holds_a_place(folded, act.start, act.end, places)
        text = original[act.start : act.end].strip()
        yield Mention(MentionKind.ACT, text, act.start, act.end, names, bool(kinds), holds)


def _files(original: str, folded: str) -> Iterator[Mention]:
    for match in _FILE.finditer(folded):
        start, end = match.span()
        yield Mention(MentionKind.FILE, original[start:end], start, end, (f"file:{match.group()}",))


def _shorts(original: str, places: Sequence[AskedPlace]) -> Iterator[Mention]:
    """Where a whole question is in capitals those of "DE LA" say nothing."""
    folded, shouts = fold_latin(original), original.isupper()
    for match in _SHORT.finditer(original):
        start, end = match.span()
        short = folded[start:end]
        if shouts and (short in STOP_WORDS or short in NAME_ENDS or short in NOUNS):
            continue
        names = (f"short:{short}", f"initials:{short}", f"token:{short}")
        if not any(place.start <= start < place.end for place in places):
            holds = _holds_a_place(folded, start, end, places)
            yield Mention(MentionKind.SHORT, match.group(), start, end, names, holds_a_place=holds)


def _nouns(
    original: str, words: Sequence[NameWord], places: Sequence[AskedPlace], acts: Sequence[Mention]
) -> Iterator[Mention]:
    folded = fold_latin(original)
    for at, word in enumerate(words):
        if word.text not in NOUNS or any(act.start <= word.start < act.end for act in acts):
            continue
        if folded[: word.start].endswith("-"):  # "mother-in-law"
            continue
        before, behind = words_before(words, at), words_behind(words, at, places)
        longer = words_behind(words, at, places, is_longer=True)
        is_cut = bool(behind) or not longer or longer[0].text not in JOINTS
        behind = behind if is_cut else longer
        stems = _stems_of(before, behind)
        if behind and behind[0].text in _GENERIC:
            continue
        if len(longer) > len(behind):
            yield _longer(original, word, _stems_of(before, longer), (before or [word])[0].start, longer[-1].end)
        if not stems:
            if _holds_a_place(folded, word.start, word.end, places) or (places and _is_the_one(original, words, at)):
                text, alone = original[word.start : word.end], stem(word.text)
                kept = (title_name([alone]), noun_name(alone, alone))
                holds = _holds_a_place(folded, word.start, word.end, places)
                yield Mention(MentionKind.HOLDER, text, word.start, word.end, kept, holds_a_place=holds)
            continue
        first = words[at - 1] if at and (words[at - 1].text, word.text) == ("real", "decreto") else word
        start, end = (before or [first])[0].start, (behind or [word])[-1].end
        names = tuple(noun_name(stem(word.text), one) for one in stems)
        holds = _holds_a_place(folded, start, end, places)
        is_name = not _is_asked_for(words, at) and not _is_a_matter(original, [word, *behind])
        is_legal = word.text in LEGAL_NOUNS and bool(behind) and ((is_cut and is_name) or holds)
        yield Mention(MentionKind.NOUN, original[start:end], start, end, names, is_legal, holds)


def _is_asked_for(words: Sequence[NameWord], at: int) -> bool:
    """Whether it is what is asked for or about, and not where: "¿Qué código sale …?", "¿Qué era el Estatuto Real?"."""
    first = at - 1 if at and words[at - 1].text in _ARTICLES else at
    return at > 0 and (words[at - 1].text in _WHICH or (first > 0 and words[first - 1].text in _WAS))


def _is_a_matter(original: str, named: Sequence[NameWord]) -> bool:
    """Whether a word that has another sense is said in small letters, of something: "el código de vestimenta"; or is
    the code of a machine: "el código 24", "el código de error 39"."""
    if named[0].text not in _MATTERS:
        return False
    of = original[named[0].end :].lstrip().split(" ", 1)[0].lower()
    said = [original[one.start : one.end] for one in named]
    if named[0].text == "codigo" and _OF_A_MACHINE.fullmatch(" ".join(one.text for one in named[1:])):
        return True
    return of in _ONE_OF and all(one.islower() for one in said)


def _stems_of(before: Sequence[NameWord], behind: Sequence[NameWord]) -> tuple[str, ...]:
    """Of the words around one for a document; letters alone name none, "Ley N"."""
    stems = dict.fromkeys(stem(one.text) for one in (*before, *behind) if one.text not in STOP_WORDS)
    return tuple(stems) if any(len(one) > 1 or one.isdigit() for one in stems) else ()


def _longer(original: str, word: NameWord, stems: Sequence[str], start: int, end: int) -> Mention:
    """The name as it is where a document has all of it: "la ley sobre riesgos del trabajo"."""
    names = tuple(noun_name(stem(word.text), one) for one in stems)
    return Mention(MentionKind.LONGER, original[start:end], start, end, names)


def _is_the_one(original: str, words: Sequence[NameWord], at: int) -> bool:
    """Whether a word for a document stands in brackets, or with its article: "(manual)", "in the handbook"."""
    before = original[: words[at].start].rstrip(" ").endswith("(")
    return before or (at > 0 and words[at - 1].text in _ARTICLES)


def _holders(
    original: str, words: Sequence[NameWord], places: Sequence[AskedPlace], acts: Sequence[Mention]
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
        behind = [one for one in words_behind(words, at, places) if one.text not in STOP_WORDS]
        following = words[at + 1].text if at + 1 < len(words) else ""
        if word.text in NOUNS or following in NOUNS or not original[word.start].isupper():
            continue
        stems = [stem(one.text) for one in (word, *behind)]
        names = [*(name for n in range(1, len(stems) + 1) for name in _title_names(stems[:n])), said_name(stems[0])]
        end = max([word, *(one for one in behind if original[one.start].isupper())], key=lambda one: one.end).end
        text = original[word.start : end]
        yield Mention(MentionKind.HOLDER, text, word.start, end, tuple(names), holds_a_place=True)


def _places(places: Sequence[AskedPlace]) -> Iterator[Mention]:
    for place in places:
        for one in (place, *([place.within] if place.within else [])):
            if one.kind in _WHOLE:
                names = tuple(f"place:{key}" for key in one.keys if not key.startswith("seccion:"))
                yield Mention(MentionKind.PLACE, one.text, one.start, one.end, names)


def _titles(original: str, words: Sequence[NameWord]) -> Iterator[Mention]:
    """Every run of words as a whole title, and every two as a part of one."""
    content = [word for word in words if word.text not in STOP_WORDS or word.begins]
    runs: list[list[NameWord]] = []
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
                names = _title_names(stems[start:end])
                yield Mention(MentionKind.TITLE, text, run[start].start, run[end - 1].end, names)


def _title_names(stems: Sequence[str]) -> tuple[str, ...]:
    """A genitive's "s" may be a part of the title's word: "Developer's Reference", "Developers Reference"."""
    bare = [one for one in stems if one != "s"]
    return tuple(dict.fromkeys(title_name(one) for one in (bare, stems) if one))


def _holds_a_place(folded: str, start: int, end: int, places: Sequence[AskedPlace]) -> bool:
    """Whether only "de la" and the like, or nothing, is between a place and a name: on either side of it."""
    for place in places:
        between = folded[place.end : start] if place.end <= start else folded[end : place.start]
        is_near = place.end <= start or end <= place.start
        if is_near and len(between) <= LONGEST_GAP and set(_SIGN.findall(between)) <= _BEFORE_A_CONTAINED:
            return True
    return False

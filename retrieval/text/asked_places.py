"""Places that a question names: "artículo 8.2", "arts. 14 y 15", "capítulo II del título III", "V2.1.1". Pure.

The question is taken apart into words, numbers and signs, and these are gone through once: linear in its length.
Keys are those of `references.heading_key`. What is only a part of a place, "8.2", "apartado 2", "letra a)", stays
with it: sections are articles, their paragraphs have no heading.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from retrieval.text.folding import fold_latin
from retrieval.text.place_words import (
    AFTER_A_LETTER,
    AND,
    CAPTIONED,
    COUNTED_BEFORE,
    INSIDE,
    KINDS,
    LARGE,
    NO_PLACES,
    ONLY_PARTS,
    ORDINALS,
    OTHERWISE,
    PARTS,
    PROVISION,
    PROVISIONS,
    SHORT_PROVISIONS,
    TO,
)
from retrieval.text.references import (
    HEADING,
    SUFFIXES,
    clause_number,
    is_roman,
    number_of,
    place_key,
    roman_number,
    spoken_number,
)

LONGEST_QUESTION = 2_000  # characters that are looked through
MOST_PLACES = 8
MOST_PARTS = 5  # numbers of one place
SIGNS = frozenset({"o", "a", "er", "º", "ª"})  # of ordinals
WIDEST_RANGE = 20  # "artículos 3 a 5" are three

_TOKEN = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]+|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class AskedPlace:
    """One place as the question names it, `text`, from `start` to `end` of it.

    `part` is what of it is asked for, "2" or "2.a" of "8.2.a)"; `within` the larger place that holds it. `is_bare`:
    "2.1.11" without a word for what it is, or a heading's words: it is a place where there is such a section.
    """

    kind: str
    number: str
    text: str
    start: int
    end: int
    part: str = ""
    within: "AskedPlace | None" = None
    is_only: bool = False  # "único": not the first of several
    is_bare: bool = False

    @property
    def key(self) -> str:
        return place_key(self.kind, self.number)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys that a section which is this place may have, the surest first."""
        found = [self.key]
        if self.kind == HEADING:
            return (self.key,)
        whole, _, rest = self.number.partition(".")
        if self.kind == "articulo" and self.part:
            found.insert(0, place_key(self.kind, f"{self.number}.{self.part.partition('.')[0]}"))
        if self.text.startswith("§"):  # which statutes have for articles, too
            found += [place_key("articulo", self.number), place_key("articulo", whole)]
        if self.kind == "clausula":
            bare = self.number.lstrip("abcdefghijklmnopqrstuvwxyz-.")
            found += [place_key("seccion", bare), place_key("clausula", f"v{bare}")]
        elif self.kind == "seccion" and rest:
            found += [place_key("clausula", f"v{self.number}")]
        else:
            found += [place_key(other, whole) for other in OTHERWISE.get(self.kind, ())]
        return tuple(dict.fromkeys(found))


class _Token(NamedTuple):
    text: str  # folded
    start: int
    end: int


class _Numeral(NamedTuple):
    number: str
    part: str
    next: int
    is_only: bool = False


def asked_places(question: str) -> tuple[AskedPlace, ...]:
    """The places in order of appearance, each once, at most MOST_PLACES."""
    original = question[:LONGEST_QUESTION]
    folded = fold_latin(original)
    tokens = [_Token(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(folded)]
    found = [
        replace(place, text=original[place.start : place.end])
        for place in _nested(list(_Reader(original, tokens).places()), tokens)
        if fold_latin(original[place.start : place.end]).split(None, 1)[0] not in ONLY_PARTS or place.kind != "seccion"
    ]
    return tuple({(place.key, place.part, place.within, place.is_only): place for place in found}.values())[
        :MOST_PLACES
    ]


class _Reader:
    """One way through the tokens."""

    def __init__(self, original: str, tokens: Sequence[_Token]) -> None:
        self._original, self._tokens = original, tokens

    def places(self) -> Iterator[AskedPlace]:
        at = 0
        while at < len(self._tokens):
            found, at = self._at(at)
            yield from found

    def _at(self, at: int) -> tuple[list[AskedPlace], int]:
        """The places that begin at a token, and where to read on."""
        if clause := self._clause(at, at):
            return clause
        if self._text(at) in ORDINALS and KINDS.get(self._text(at + 1)) in COUNTED_BEFORE:
            number = str(spoken_number([self._text(at)])[0])
            if self._numeral(at + 2, KINDS[self._text(at + 1)]) is None:
                return [self._place(KINDS[self._text(at + 1)], _Numeral(number, "", at + 2), at)], at + 2
        if self._is_bare(at):
            return [self._place("clausula", _Numeral(self._text(at), "", at + 1), at, is_bare=True)], at + 1
        kind, behind = self._kind(at)
        if not kind:
            return [], at + 1
        if clause := self._clause(behind, at):
            return clause
        numerals, after = self._numerals(behind, kind)
        if not numerals and self._text(at) in SUFFIXES:
            return [], at + 1
        return [self._place(kind, one, at) for one in numerals], max(after, at + 1)

    def _is_bare(self, at: int) -> bool:
        """Whether a number of three parts or more stands by itself, and no word for a version before it."""
        parts = self._text(at).count(".") + 1
        return 3 <= parts <= MOST_PARTS and self._text(at)[0].isdigit() and self._text(at - 1) not in NO_PLACES

    def _place(self, kind: str, numeral: _Numeral, first: int, *, is_bare: bool = False) -> AskedPlace:
        start, end = self._tokens[first].start, self._tokens[min(numeral.next, len(self._tokens)) - 1].end
        text = self._original[start:end]
        return AskedPlace(kind, numeral.number, text, start, end, numeral.part, None, numeral.is_only, is_bare)

    def _text(self, at: int) -> str:
        return self._tokens[at].text if at < len(self._tokens) else ""

    def _touches(self, at: int) -> bool:
        """Whether nothing is between a token and the one before it."""
        return 0 < at < len(self._tokens) and self._tokens[at].start == self._tokens[at - 1].end

    def _written(self, at: int) -> str:
        return self._original[self._tokens[at].start : self._tokens[at].end] if at < len(self._tokens) else ""

    def _kind(self, at: int) -> tuple[str, int]:
        """The kind of place that is named at a token, and the token behind the name."""
        word = self._text(at)
        if self._touches(at) and self._text(at - 1) in {".", "_", "/"}:
            return "", at
        if word in PROVISION:
            behind = at + 2 if self._text(at + 1) == "." else at + 1
            kind = PROVISIONS.get(self._text(behind), "")
            if kind and (len(word) > 1 or self._text(at + 1) == "."):
                return kind, self._past_point(behind + 1)
        if kind := SHORT_PROVISIONS.get(self._written(at), ""):
            return kind, self._past_point(at + 1)
        if word in {"letra", "letter", "numero", "inciso"}:
            return "seccion", at + 1
        if word in {"base", "bases"} and self._text(at + 1) in ORDINALS:  # of a call; "base 2" counts otherwise
            return "clausula", at + 1
        return KINDS.get(word, ""), self._past_point(at + 1)

    def _past_point(self, at: int) -> int:
        return at + 1 if self._text(at) == "." and self._touches(at) else at

    def _clause(self, at: int, first: int) -> tuple[list[AskedPlace], int] | None:
        """Of "V2.1.1", "SEC-4.2": letters with a number of several parts at once behind them, of "AC-2" with one.

        Of several letters, "TLS1.2", it is a place where there is such a section, or behind a word for it (`first`).
        """
        letters, joint = self._text(at), int(self._text(at + 1) in {"-", "."} and self._touches(at + 1))
        number = self._text(at + 1 + joint)
        is_number = number[:1].isdigit() and self._touches(at + 1 + joint) and number.count(".") < MOST_PARTS
        is_counted = "." in number or self._text(at + joint) == "-"
        is_name = letters.isalpha() and len(letters) <= 4 and (self._text(at + joint) == "-" or letters not in KINDS)
        if not (is_number and is_counted and is_name):
            return None
        behind = at + 2 + joint
        more = self._in_brackets(behind)
        numeral = _Numeral(clause_number(letters, number, more), "", behind + 3 * bool(more))
        is_bare = first == at and not (len(letters) == 1 and not joint and self._written(at).isupper())
        return [self._place("clausula", numeral, first, is_bare=is_bare)], numeral.next

    def _in_brackets(self, at: int) -> str:
        """The "(1)" of "AC-2(1)", if it stands there."""
        inside = self._text(at + 1)
        is_there = self._text(at) == "(" and self._touches(at) and inside.isdigit() and self._text(at + 2) == ")"
        return f"({inside})" if is_there else ""

    def _numerals(self, at: int, kind: str) -> tuple[list[_Numeral], int]:
        """All that are counted: "14", "14 y 15", "3 a 5", "3, 4 y 7"."""
        while self._text(at) in {"n", "no", "num", "numero", "number", "º", "o", "ª", "§", "#"}:
            at = self._past_point(at + 1)
        first = self._numeral(at, kind)
        if first is None:
            return [], at
        found, at = [first], first.next
        while (joint := self._text(at)) in AND | TO and len(found) < MOST_PLACES:
            behind = at + 2 if self._text(at + 1) in {"el", "la", "los", "las", "the", "y"} else at + 1
            following = self._numeral(behind, kind) if self._counts(behind) else None
            if following is None:
                break
            found += _between(found[-1], following) if joint in TO else [following]
            at = following.next
        return found[:MOST_PLACES], at

    def _counts(self, at: int) -> bool:
        """Behind "y" a figure or a word for one, not a letter, and no figure that counts something else: "y 3 más"."""
        return len(self._text(at)) > 1 or self._text(at).isdigit() or self._written(at).isupper()

    def _numeral(self, at: int, kind: str) -> _Numeral | None:
        word = self._text(at)
        if not word:
            return None
        if word[0].isdigit():
            return self._figures(at, kind)
        if kind == "clausula" and word not in ORDINALS:
            return None
        if word in {"unico", "unica"}:
            return _Numeral("1", "", at + 1, is_only=True)
        if kind == "articulo" and word in {"l", "c"} and self._written(at).isupper():  # no article is a letter
            return self._with_suffix(str(roman_number(word)), at + 1)
        if is_roman(word) and (len(word) > 1 or (word in "ivx" and self._stands_alone(at))):
            return self._with_suffix(number_of(word), at + 1)
        said = [one for one in range(at, at + 5) if one == at or self._text(one) not in {"y", "and"}]
        number, taken = spoken_number([self._text(one) for one in said])
        if number:
            return self._with_suffix(str(number), said[taken - 1] + 1)
        is_letter = len(word) == 1 and word.isalpha() and kind != "articulo"
        is_capital = self._written(at).isupper()
        alone = self._stands_alone(at) or (is_capital and kind == "anexo" and not self._original.isupper())
        named = is_capital or self._text(at - 1) in {"letra", "letter"}
        return _Numeral(word, "", at + 1) if is_letter and named and alone else None

    def _stands_alone(self, at: int) -> bool:
        following = self._text(at + 1)
        return not following or not following.isalnum() or following in AFTER_A_LETTER

    def _with_suffix(self, number: str, at: int) -> _Numeral:
        is_suffixed = self._text(at) in SUFFIXES
        return _Numeral(number + self._text(at) if is_suffixed else number, "", at + is_suffixed)

    def _figures(self, at: int, kind: str) -> _Numeral:
        whole, _, rest = self._text(at).partition(".")
        following = at + 1
        if kind in CAPTIONED and self._text(following) == "-" and self._touches(following):
            second = self._text(following + 1)
            if second.isdigit() and self._touches(following + 1):
                rest, following = second, following + 2
        following = self._before_suffix(following)
        if self._text(following) in SUFFIXES:
            whole, following = whole + self._text(following), following + 1
            point = self._text(following) == "." and self._touches(following)
            if point and self._text(following + 1).isdigit() and self._touches(following + 1):
                rest, following = self._text(following + 1), following + 2
        letter, following = self._letter(following)
        if kind == "articulo":
            return _Numeral(_plain(whole), ".".join(filter(None, (rest, letter))), following)
        digits = ".".join(piece for piece in rest.split(".") if piece.isdigit())
        return _Numeral(f"{_plain(whole)}.{digits}" if digits else _plain(whole), letter, following)

    def _letter(self, at: int) -> tuple[str, int]:
        """The letter of an item behind a number, "8.2.a)" or "3.1(b)", and the token behind it or an ordinal's sign."""
        first = at + 1 if self._text(at) == "(" and self._touches(at) else self._past_point(at)
        letter = self._text(first)
        if self._text(first + 1) == ")" and len(letter) == 1 and letter.isalpha():
            return letter, first + 2
        return "", first + 1 if letter in SIGNS and self._touches(first) else at

    def _before_suffix(self, at: int) -> int:
        """Past the sign of an ordinal with "bis" behind it: "4.º bis"."""
        sign = self._past_point(at)
        return sign + 1 if self._text(sign) in SIGNS and self._text(sign + 1) in SUFFIXES else at


def _plain(whole: str) -> str:
    """Without the zeros in front: unit 04 is unit 4."""
    return whole.lstrip("0") or "0"


def _between(first: _Numeral, last: _Numeral) -> list[_Numeral]:
    """Those from the one behind `first` to `last`; `last` alone where they do not count upwards."""
    if first.number.isdigit() and last.number.isdigit():
        low, high = int(first.number[:6]), int(last.number[:6])
        if low < high <= low + WIDEST_RANGE:
            return [*(_Numeral(str(one), "", last.next) for one in range(low + 1, high)), last]
    return [last]


def _nested(found: Sequence[AskedPlace], tokens: Sequence[_Token]) -> list[AskedPlace]:
    """Parts put to their places, and places into the larger ones that hold them: the two in either order."""
    kept: list[AskedPlace] = []
    for place in found:
        last = kept[-1] if kept else None
        between = _words_between(last, place, tokens) if last else None
        if last is None or between is None or not between <= INSIDE | {",", ")"}:
            kept.append(place)
        elif _is_part(last) and _is_part(place) and between & INSIDE:
            kept[-1] = replace(place, number=f"{place.number}.{last.number}", start=last.start)
        elif _is_part(last) and place.kind == "articulo" and between & INSIDE:
            kept[-1] = replace(place, part=place.part or last.number, start=last.start)
        elif _is_part(place) and last.kind == "articulo" and not between & {"de", "del", "of"}:
            kept[-1] = replace(last, part=".".join(filter(None, (last.part, place.number))), end=place.end)
        elif last.kind != place.kind and between & {"de", "del", "of", "en", "in"}:
            kept[-1] = replace(last, within=place)
        elif _rank(last) < _rank(place) and not between & INSIDE:
            kept[-1] = replace(place, within=last)
        else:
            kept.append(place)
    return kept


def _is_part(place: AskedPlace) -> bool:
    """A part of an article that has no heading of its own."""
    return place.kind == "seccion" and place.text.split(None, 1)[0].strip(".").casefold() in PARTS | {"párrafo"}


def _rank(place: AskedPlace) -> int:
    return LARGE.index(place.kind) if place.kind in LARGE else len(LARGE)


def _words_between(first: AskedPlace, second: AskedPlace, tokens: Sequence[_Token]) -> set[str] | None:
    return {token.text for token in tokens if first.end <= token.start < second.start}

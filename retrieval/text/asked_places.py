"""Places that a question names: "artículo 8.2", "arts. 14 y 15", "capítulo II del título III", "V2.1.1". Pure.

The question is taken apart into words, numbers and signs, and these are gone through once: linear in its length.
Keys are those of `references.heading_key`. What is only a part of a place, "8.2", "apartado 2", "letra a)", stays
with it: sections are articles, their paragraphs have no heading. Numbers are read by `place_numerals`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from retrieval.text.folding import fold_latin
from retrieval.text.place_numerals import MOST_NUMBERS, Numeral, NumeralReader, QuestionToken, joined_parts, tokens_in
from retrieval.text.place_words import (
    CAPTIONED,
    COUNTED_BEFORE,
    INSIDE,
    ITEMS,
    KINDS,
    LARGE,
    NO_PLACES,
    ORDINALS,
    OTHERWISE,
    PAGE,
    PARAGRAPHED,
    PARTS,
    PROVISION,
    PROVISIONS,
    SHORT_PAGES,
    SHORT_PROVISIONS,
)
from retrieval.text.references import HEADING, SUFFIXES, clause_number, place_key, spoken_number

LONGEST_QUESTION = 2_000  # characters that are looked through
MOST_PLACES = MOST_NUMBERS
MOST_PARTS = 5  # numbers of one place
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class AskedPlace:
    """One place as the question names it, `text`, from `start` to `end` of it.

    `part` is what of it is asked for, "2" or "2.a" of "8.2.a)"; `within` the larger place that holds it. `is_bare`:
    "2.1.11" without a word for what it is, or a heading's words: it is a place where there is such a section.
    `is_question`: a heading that is the whole question. `word` is what it is called, folded.
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
    word: str = ""
    is_question: bool = False

    @property
    def is_part(self) -> bool:
        """A part that is counted inside of a place, and may have a heading of its own if it is no item."""
        return self.kind == "seccion" and self.word in PARTS

    @property
    def is_item(self) -> bool:
        return self.kind == "seccion" and self.word in ITEMS

    @property
    def key(self) -> str:
        return place_key(self.kind, self.number)

    @property
    def letters(self) -> str:
        """Those before a clause's number, "v" of "V3.2.1": what is numbered without them is another place."""
        return self.number[: len(self.number) - len(self.number.lstrip(LETTERS))] if self.kind == "clausula" else ""

    @property
    def keys_above(self) -> tuple[str, ...]:
        """Of a lettered clause those that may hold it, "clausula:v3.2" of "V3.2.1", the nearest first."""
        parts = self.number.split(".")
        return tuple(place_key(self.kind, ".".join(parts[:n])) for n in range(len(parts) - 1, 1, -1) if self.letters)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys that a section which is this place may have, the surest first; of a lettered one also the number alone,
        which only counts inside of what has the letters (`keys_above`)."""
        found = [self.key]
        if self.kind == HEADING:
            return (self.key,)
        whole, _, rest = self.number.partition(".")
        if self.kind == "articulo" and self.part:
            found.insert(0, place_key(self.kind, f"{self.number}.{self.part.partition('.')[0]}"))
        if self.text.startswith("§"):  # which statutes have for articles, too
            found += [place_key("articulo", self.number), place_key("articulo", whole)]
        if self.letters:
            found += [place_key("seccion", self.number.removeprefix(self.letters))]
        elif self.kind == "clausula":
            found += [place_key("seccion", self.number), place_key("clausula", f"v{self.number}")]
        elif self.kind == "seccion" and rest:
            found += [place_key("clausula", f"v{self.number}")]
        else:
            found += [place_key(other, whole) for other in OTHERWISE.get(self.kind, ())]
        return tuple(dict.fromkeys(found))


def asked_places(question: str) -> tuple[AskedPlace, ...]:
    """The places in order of appearance, each once, at most MOST_PLACES."""
    original = question[:LONGEST_QUESTION]
    folded = fold_latin(original)
    tokens = tokens_in(folded)
    found = [
        replace(place, text=original[place.start : place.end])
        for place in _nested(list(_PlaceReader(original, tokens).places()), tokens)
        if not place.is_item
    ]
    return tuple({(place.key, place.part, place.within, place.is_only): place for place in found}.values())[
        :MOST_PLACES
    ]


class _PlaceReader(NumeralReader):
    """One way through the tokens."""

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
                counted = self._place(KINDS[self._text(at + 1)], Numeral(number, "", at + 2), at)
                return [replace(counted, word=self._text(at + 1))], at + 2
        if self._is_bare(at):
            return [self._place("clausula", Numeral(self._text(at), "", at + 1), at, is_bare=True)], at + 1
        kind, behind = self._kind(at)
        if not kind:
            return [], at + 1
        if kind not in CAPTIONED | {PAGE} and (clause := self._clause(behind, at)):
            return clause
        numerals, after = self._numerals(behind, kind)
        if not numerals and self._text(at) in SUFFIXES:
            return [], at + 1
        return [self._place(kind, one, at) for one in numerals], max(after, at + 1)

    def _is_bare(self, at: int) -> bool:
        """Whether a number of three parts or more stands by itself, and no word for a version before it."""
        parts = self._text(at).count(".") + 1
        return 3 <= parts <= MOST_PARTS and self._text(at)[0].isdigit() and self._text(at - 1) not in NO_PLACES

    def _place(self, kind: str, numeral: Numeral, first: int, *, is_bare: bool = False) -> AskedPlace:
        start, end = self._tokens[first].start, self._tokens[min(numeral.next, len(self._tokens)) - 1].end
        text = self._original[start:end]
        word = self._text(first)
        return AskedPlace(kind, numeral.number, text, start, end, numeral.part, None, numeral.is_only, is_bare, word)

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
        if word in ITEMS:
            return "seccion", at + 1
        if word in SHORT_PAGES:
            return (PAGE, at + 2) if self._past_point(at + 1) == at + 2 else ("", at + 1)
        if word in {"base", "bases"} and self._is_ordinal(at + 1):  # of a call; "base 2" counts otherwise
            return "clausula", at + 1
        return KINDS.get(word, ""), self._past_point(at + 1)

    def _clause(self, at: int, first: int) -> tuple[list[AskedPlace], int] | None:
        """Of "V2.1.1", "SEC-4.2": letters with a number of several parts at once behind them, of "AC-2" and "A.1" with
        one. "Annex A.1" is of the annex.

        Of several letters, "TLS1.2", it is a place where there is such a section, or behind a word for it (`first`).
        """
        letters, joint = self._text(at), int(self._text(at + 1) in {"-", "."} and self._touches(at + 1))
        number = self._text(at + 1 + joint)
        is_number = number[:1].isdigit() and self._touches(at + 1 + joint) and number.count(".") < MOST_PARTS
        is_initial = len(letters) == 1 and self._written(at).isupper() and KINDS.get(self._text(first)) != "anexo"
        is_counted = "." in number or self._text(at + joint) == "-" or (joint == 1 and is_initial)
        is_name = letters.isalpha() and len(letters) <= 4 and (self._text(at + joint) == "-" or letters not in KINDS)
        if not (is_number and is_counted and is_name):
            return None
        behind = at + 2 + joint
        more = self._in_brackets(behind)
        numeral = Numeral(clause_number(letters, number, more), "", behind + 3 * bool(more))
        is_bare = first == at and not (is_initial and not joint)
        return [self._place("clausula", numeral, first, is_bare=is_bare)], numeral.next

    def _in_brackets(self, at: int) -> str:
        """The "(1)" of "AC-2(1)", if it stands there."""
        inside = self._text(at + 1)
        is_there = self._text(at) == "(" and self._touches(at) and inside.isdigit() and self._text(at + 2) == ")"
        return f"({inside})" if is_there else ""


def _nested(found: Sequence[AskedPlace], tokens: Sequence[QuestionToken]) -> list[AskedPlace]:
    """Parts put to their places, and places into the larger ones that hold them: the two in either order."""
    kept: list[AskedPlace] = []
    for place in found:
        last = kept[-1] if kept else None
        between = _words_between(last, place, tokens) if last else None
        if last is None or between is None or not between <= INSIDE | {",", ")"}:
            kept.append(place)
        elif whole := _with_its_part(last, place, between):
            counted = [n for n, one in enumerate(kept) if one.start == last.start and one.is_part]  # "apartados 2 y 3"
            for n in counted if last.is_part else ():
                kept[n] = _with_its_part(kept[n], place, between) or kept[n]
            kept[-1] = whole
        elif last.is_item or place.is_item:
            kept.append(place)
        elif last.kind != place.kind and between & {"de", "del", "of", "en", "in"}:
            kept[-1] = replace(last, within=place)
        elif _rank(last) < _rank(place) and not between & INSIDE and place.kind != PAGE:
            kept[-1] = replace(place, within=last)
        else:
            kept.append(place)
    return kept


def _with_its_part(first: AskedPlace, second: AskedPlace, between: set[str]) -> AskedPlace | None:
    """The one with the other as its part: "letra b) del artículo 8.2", "artículo 8.2, letra b)"; None of others."""
    if first.is_part and between & INSIDE and (second.is_part or _counts_parts(second, first)):
        return replace(second, part=joined_parts(second.part, first.number, first.part), start=first.start)
    is_behind = second.is_part and not between & {"de", "del", "of"}
    is_smaller = first.word != second.word and not first.is_item if first.is_part else _counts_parts(first, second)
    if is_behind and is_smaller:
        return replace(first, part=joined_parts(first.part, second.number, second.part), end=second.end)
    return None


def _counts_parts(place: AskedPlace, part: AskedPlace) -> bool:
    """Whether a part is no section of its own there: of a chapter it is one, unless it is an item."""
    return part.is_item or place.kind in PARAGRAPHED


def _rank(place: AskedPlace) -> int:
    return LARGE.index(place.kind) if place.kind in LARGE else len(LARGE)


def _words_between(first: AskedPlace, second: AskedPlace, tokens: Sequence[QuestionToken]) -> set[str] | None:
    return {token.text for token in tokens if first.end <= token.start < second.start}

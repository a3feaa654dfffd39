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
from retrieval.text.references import KIND_OF, is_roman, number_of, place_key, spoken_number

LONGEST_QUESTION = 2_000  # characters that are looked through
MOST_PLACES = 8
WIDEST_RANGE = 20  # "artículos 3 a 5" are three

_TOKEN = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]+|[^\w\s]|_")
_PLURALS = {
    "articulos": "articulo",
    "arts": "articulo",
    "articles": "articulo",
    "capitulos": "capitulo",
    "caps": "capitulo",
    "chapters": "capitulo",
    "chap": "capitulo",
    "titulos": "titulo",
    "secciones": "seccion",
    "sections": "seccion",
    "apartados": "seccion",
    "paragraph": "seccion",
    "parrafo": "seccion",
    "punto": "seccion",
    "anexos": "anexo",
    "annexes": "anexo",
    "appendices": "anexo",
    "unidades": "unidad",
    "units": "unidad",
    "temas": "unidad",
    "lecciones": "unidad",
    "lessons": "unidad",
    "modulos": "unidad",
    "tablas": "tabla",
    "tables": "tabla",
    "figuras": "figura",
    "figures": "figura",
    "clausula": "clausula",
    "clause": "clausula",
    "requisito": "clausula",
    "requirement": "clausula",
    "control": "clausula",
}
_KINDS = {name: kind for name, kind in KIND_OF.items() if " " not in name} | _PLURALS
_PROVISION = frozenset({"disposicion", "disposiciones", "disp", "d"})
_PROVISIONS = {
    **dict.fromkeys(("adicional", "adicionales", "ad", "a"), "disposicion adicional"),
    **dict.fromkeys(("transitoria", "transitorias", "trans", "t"), "disposicion transitoria"),
    **dict.fromkeys(("derogatoria", "derogatorias", "dt"), "disposicion derogatoria"),
    **dict.fromkeys(("final", "finales", "f"), "disposicion final"),
}
_SHORT_PROVISIONS = {"DA": "disposicion adicional", "DT": "disposicion transitoria", "DF": "disposicion final"}
_ONLY_PARTS = frozenset({"letra", "letter", "numero", "inciso"})  # without what they are of they are no place
_PARTS = frozenset({"apartado", "apartados", "parrafo", "paragraph", "punto", "letra", "letter", "numero", "inciso"})
_ORDINAL_WORDS = (
    "primer primera primero segunda segundo tercer tercera tercero cuarta cuarto quinta quinto sexta sexto septima "
    "septimo octava octavo novena noveno decima decimo first second third fourth fifth sixth seventh eighth ninth "
    "tenth"
)
_ORDINALS = frozenset(_ORDINAL_WORDS.split())
_COUNTED_BEFORE = frozenset({"articulo", "capitulo", "titulo", "seccion", "anexo", "unidad", "tabla", "figura"})
_AND = frozenset({",", "y", "e", "and", "&", "o", "u", "or", "ni"})
_TO = frozenset({"a", "al", "to", "hasta", "through", "-", "–", "—"})
_INSIDE = frozenset({"de", "del", "la", "el", "of", "the", "in", "en", "dentro"})
_AFTER_A_LETTER = _INSIDE | _AND | {"a", "sobre", "about", "say", "says", "dice", "is", "es"}
_SUFFIXES = frozenset({"bis", "ter", "quater", "quinquies"})
_LARGE = ("libro", "parte", "titulo", "capitulo", "unidad", "seccion", "articulo", "clausula")  # the larger first
# Where a document counts by another word what is asked for: its chapters are units, its sections bare numbers.
_OTHERWISE = {"capitulo": ("unidad", "seccion"), "unidad": ("capitulo",), "seccion": ("clausula",)}


@dataclass(frozen=True, slots=True)
class AskedPlace:
    """One place as the question names it, `text`, from `start` to `end` of it.

    `part` is what of it is asked for, "2" or "2.a" of "8.2.a)"; `within` the larger place that holds it.
    """

    kind: str
    number: str
    text: str
    start: int
    end: int
    part: str = ""
    within: "AskedPlace | None" = None
    is_only: bool = False  # "único": not the first of several

    @property
    def key(self) -> str:
        return place_key(self.kind, self.number)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys that a section which is this place may have, the surest first."""
        found = [self.key]
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
            found += [place_key(other, whole) for other in _OTHERWISE.get(self.kind, ())]
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
        if fold_latin(original[place.start : place.end]).split(None, 1)[0] not in _ONLY_PARTS or place.kind != "seccion"
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
        if clause := self._clause(at):
            return [clause], at + 2
        if self._text(at) in _ORDINALS and _KINDS.get(self._text(at + 1)) in _COUNTED_BEFORE:
            number = str(spoken_number([self._text(at)])[0])
            if self._numeral(at + 2, _KINDS[self._text(at + 1)]) is None:
                return [self._place(_KINDS[self._text(at + 1)], _Numeral(number, "", at + 2), at)], at + 2
        kind, behind = self._kind(at)
        if not kind:
            return [], at + 1
        numerals, after = self._numerals(behind, kind)
        if not numerals and self._text(at) in _SUFFIXES:
            return [], at + 1
        return [self._place(kind, one, at) for one in numerals], max(after, at + 1)

    def _place(self, kind: str, numeral: _Numeral, first: int) -> AskedPlace:
        start, end = self._tokens[first].start, self._tokens[min(numeral.next, len(self._tokens)) - 1].end
        text = self._original[start:end]
        return AskedPlace(kind, numeral.number, text, start, end, numeral.part, is_only=numeral.is_only)

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
        if word in _PROVISION:
            behind = at + 2 if self._text(at + 1) == "." else at + 1
            kind = _PROVISIONS.get(self._text(behind), "")
            if kind and (len(word) > 1 or self._text(at + 1) == "."):
                return kind, self._past_point(behind + 1)
        if kind := _SHORT_PROVISIONS.get(self._written(at), ""):
            return kind, self._past_point(at + 1)
        if word in {"letra", "letter", "numero", "inciso"}:
            return "seccion", at + 1
        return _KINDS.get(word, ""), self._past_point(at + 1)

    def _past_point(self, at: int) -> int:
        return at + 1 if self._text(at) == "." and self._touches(at) else at

    def _clause(self, at: int) -> AskedPlace | None:
        """Of "V2.1.1", "SEC-4.2": letters with a number of several parts at once behind them."""
        letters, number = self._text(at), self._text(at + 1)
        is_number = number[:1].isdigit() and "." in number and self._touches(at + 1)
        if not (is_number and letters.isalpha() and len(letters) <= 4) or letters in _KINDS:
            return None
        return self._place("clausula", _Numeral(letters + number, "", at + 2), at)

    def _numerals(self, at: int, kind: str) -> tuple[list[_Numeral], int]:
        """All that are counted: "14", "14 y 15", "3 a 5", "3, 4 y 7"."""
        while self._text(at) in {"n", "no", "num", "numero", "number", "º", "o", "ª", "§", "#"}:
            at = self._past_point(at + 1)
        first = self._numeral(at, kind)
        if first is None:
            return [], at
        found, at = [first], first.next
        while (joint := self._text(at)) in _AND | _TO and len(found) < MOST_PLACES:
            behind = at + 2 if self._text(at + 1) in {"el", "la", "los", "las", "the", "y"} else at + 1
            following = self._numeral(behind, kind) if self._counts(behind) else None
            if following is None:
                break
            found += _between(found[-1], following) if joint in _TO else [following]
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
        if kind == "clausula":
            return None
        if word in {"unico", "unica"}:
            return _Numeral("1", "", at + 1, is_only=True)
        if is_roman(word) and (len(word) > 1 or (word in "ivx" and self._stands_alone(at))):
            return self._with_suffix(number_of(word), at + 1)
        words = [self._text(at), *([self._text(at + 2)] if self._text(at + 1) == "y" else [self._text(at + 1)])]
        number, taken = spoken_number(words)
        if number:
            return self._with_suffix(str(number), at + 1 + (taken - 1) * (2 if self._text(at + 1) == "y" else 1))
        is_letter = len(word) == 1 and word.isalpha() and kind != "articulo"
        named = self._text(at - 1) in {"letra", "letter"} or self._written(at).isupper()
        return _Numeral(word, "", at + 1) if is_letter and named and self._stands_alone(at) else None

    def _stands_alone(self, at: int) -> bool:
        following = self._text(at + 1)
        return not following or not following.isalnum() or following in _AFTER_A_LETTER

    def _with_suffix(self, number: str, at: int) -> _Numeral:
        is_suffixed = self._text(at) in _SUFFIXES
        return _Numeral(number + self._text(at) if is_suffixed else number, "", at + is_suffixed)

    def _figures(self, at: int, kind: str) -> _Numeral:
        whole, _, rest = self._text(at).partition(".")
        following = at + 1
        if self._text(following) in _SUFFIXES:
            whole, following = whole + self._text(following), following + 1
            point = self._text(following) == "." and self._touches(following)
            if point and self._text(following + 1).isdigit() and self._touches(following + 1):
                rest, following = self._text(following + 1), following + 2
        letter_at = self._past_point(following)
        if self._text(letter_at + 1) == ")" and len(self._text(letter_at)) == 1 and self._text(letter_at).isalpha():
            rest, following = ".".join(filter(None, (rest, self._text(letter_at)))), letter_at + 2
        elif self._text(letter_at) in {"o", "a", "er", "º", "ª"} and self._touches(letter_at):
            following = letter_at + 1
        if kind == "articulo" or not rest:
            return _Numeral(_plain(whole), rest, following)
        digits = ".".join(piece for piece in rest.split(".") if piece.isdigit())
        return _Numeral(f"{_plain(whole)}.{digits}" if digits else _plain(whole), "", following)


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
        if last is None or between is None or not between <= _INSIDE | {",", ")"}:
            kept.append(place)
        elif _is_part(last) and _is_part(place) and between & _INSIDE:
            kept[-1] = replace(place, number=f"{place.number}.{last.number}", start=last.start)
        elif _is_part(last) and place.kind == "articulo" and between & _INSIDE:
            kept[-1] = replace(place, part=place.part or last.number, start=last.start)
        elif _is_part(place) and last.kind == "articulo" and not between & {"de", "del", "of"}:
            kept[-1] = replace(last, part=".".join(filter(None, (last.part, place.number))), end=place.end)
        elif last.kind != place.kind and between & {"de", "del", "of", "en", "in"}:
            kept[-1] = replace(last, within=place)
        elif _rank(last) < _rank(place) and not between & _INSIDE:
            kept[-1] = replace(place, within=last)
        else:
            kept.append(place)
    return kept


def _is_part(place: AskedPlace) -> bool:
    """A part of an article that has no heading of its own."""
    return place.kind == "seccion" and place.text.split(None, 1)[0].strip(".").casefold() in _PARTS | {"párrafo"}


def _rank(place: AskedPlace) -> int:
    return _LARGE.index(place.kind) if place.kind in _LARGE else len(_LARGE)


def _words_between(first: AskedPlace, second: AskedPlace, tokens: Sequence[_Token]) -> set[str] | None:
    return {token.text for token in tokens if first.end <= token.start < second.start}

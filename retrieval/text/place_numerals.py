"""The numbers with which a question counts places: "14", "14 y 15", "8.2.a)", "6(1)(b)", "decimocuarto", "4.º bis".

Read from the words of a question, each once: what follows the word for a place, "artículo" or "letra". Pure.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from retrieval.text.place_words import (
    AFTER_A_LETTER,
    AND,
    CAPTIONED,
    ITEMS,
    ORDINALS,
    PAGE,
    PARAGRAPHED,
    PARTS,
    TO,
)
from retrieval.text.references import SUFFIXES, is_roman, number_of, roman_number, spoken_number

MOST_NUMBERS = 8  # of one word: "arts. 14, 15 y 16"
SIGNS = frozenset({"o", "a", "er", "º", "ª"})  # of ordinals, folded or not
LONGEST_PARAGRAPH = 3  # digits; "(2016)" is a year
WIDEST_RANGE = 20  # "artículos 3 a 5" are three

_TOKEN = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]+|[^\w\s]|_")


class QuestionToken(NamedTuple):
    text: str  # folded
    start: int
    end: int


class Numeral(NamedTuple):
    number: str
    part: str
    next: int
    is_only: bool = False


def tokens_in(folded: str) -> list[QuestionToken]:
    """Words, numbers with their points, and signs."""
    return [QuestionToken(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(folded)]


class NumeralReader:
    """The tokens of a question, and what they count from one of them on."""

    def __init__(self, original: str, tokens: Sequence[QuestionToken]) -> None:
        self._original, self._tokens = original, tokens

    def _text(self, at: int) -> str:
        return self._tokens[at].text if at < len(self._tokens) else ""

    def _touches(self, at: int) -> bool:
        """Whether nothing is between a token and the one before it."""
        return 0 < at < len(self._tokens) and self._tokens[at].start == self._tokens[at - 1].end

    def _written(self, at: int) -> str:
        return self._original[self._tokens[at].start : self._tokens[at].end] if at < len(self._tokens) else ""

    def _past_point(self, at: int) -> int:
        return at + 1 if self._text(at) == "." and self._touches(at) else at

    def _numerals(self, at: int, kind: str) -> tuple[list[Numeral], int]:
        """All that are counted: "14", "14 y 15", "3 a 5", "3, 4 y 7"."""
        signs = {"n", "no", "num", "numero", "number", "º", "o", "ª", "§", "#"}
        while self._text(at) in signs and not (self._text(at - 1) in ITEMS and self._item(at)):  # "letra n)"
            at = self._past_point(at + 1)
        first = self._numeral(at, kind)
        if first is None:
            return [], at
        found, at = [first], first.next
        while (joint := self._text(at)) in AND | TO and len(found) < MOST_NUMBERS:
            behind = at + 2 if self._text(at + 1) in {"el", "la", "los", "las", "the", "y"} else at + 1
            following = self._numeral(behind, kind) if self._counts(behind) else None
            if following is None:
                break
            found += _between(found[-1], following) if joint in TO else [following]
            at = following.next
        return found[:MOST_NUMBERS], at

    def _counts(self, at: int) -> bool:
        """Behind "y" a figure or a word for one, not a letter, and no figure that counts something else: "y 3 más"."""
        return len(self._text(at)) > 1 or self._text(at).isdigit() or self._written(at).isupper()

    def _numeral(self, at: int, kind: str) -> Numeral | None:
        word = self._text(at)
        if not word:
            return None
        if word[0].isdigit():
            return self._figures(at, kind)
        if kind == PAGE:
            return self._page(at)
        if kind in CAPTIONED and (lettered := self._lettered(at)):
            return lettered
        if self._text(at - 1) in PARTS and (item := self._item(at)):
            return item
        return None if kind == "clausula" and word not in ORDINALS else self._in_words(at, kind)

    def _page(self, at: int) -> Numeral | None:
        """As it is printed, "xii" is not the twelfth; or in words."""
        word = self._text(at)
        if is_roman(word) and (len(word) > 1 or (word in "ivx" and self._stands_alone(at))):
            return Numeral(word, "", at + 1)
        number, taken = spoken_number([self._text(one) for one in range(at, at + 4)])
        return Numeral(str(number), "", at + taken) if number else None

    def _lettered(self, at: int) -> Numeral | None:
        """Of "Table A.1", "Table A-1" and "Table A1", which count by the annex, "a.1"."""
        joint = int(self._text(at + 1) in {".", "-"} and self._touches(at + 1))
        number = self._text(at + 1 + joint)
        is_one = _is_letter(self._text(at)) and self._touches(at + 1 + joint) and number[:1].isdigit()
        return Numeral(f"{self._text(at)}.{number}", "", at + 2 + joint) if is_one else None

    def _in_words(self, at: int, kind: str) -> Numeral | None:
        """Of words, Roman numerals and capital letters."""
        word = self._text(at)
        if word in {"unico", "unica"}:
            return Numeral("1", "", at + 1, is_only=True)
        if kind == "articulo" and word in {"l", "c"} and self._written(at).isupper():  # no article is a letter
            return self._with_suffix(str(roman_number(word)), at + 1)
        if is_roman(word) and (len(word) > 1 or (word in "ivx" and self._stands_alone(at))):
            return self._with_suffix(number_of(word), at + 1)
        said = [one for one in range(at, at + 5) if one == at or self._text(one) not in {"y", "and"}]
        number, taken = spoken_number([self._text(one) for one in said])
        if number:
            return self._with_suffix(str(number), said[taken - 1] + 1)
        is_capital = _is_letter(word) and kind != "articulo" and self._written(at).isupper()
        alone = self._stands_alone(at) or (kind == "anexo" and not self._original.isupper())
        return Numeral(word, "", at + 1) if is_capital and alone else None

    def _item(self, at: int) -> Numeral | None:
        """ "(b)" and "(2)" behind a word for a part; "b)" and "b" behind one for an item, "i)" the ninth."""
        word, inside = self._text(at), self._text(at + 1)
        if word == "(" and self._text(at + 2) == ")" and (inside.isdigit() or _is_letter(inside)):
            return Numeral(self._item_letter(at + 1), "", at + 3)
        is_item = self._text(at - 1) in ITEMS and _is_letter(word) and self._stands_alone(at)
        return Numeral(self._item_letter(at), "", at + 2 if inside == ")" else at + 1) if is_item else None

    def _item_letter(self, at: int) -> str:
        """As it counts: "ñ" is behind "n"."""
        return "ñ" if self._written(at) in {"ñ", "Ñ"} else self._text(at)

    def _stands_alone(self, at: int) -> bool:
        following = self._text(at + 1)
        return not following or not following.isalnum() or following in AFTER_A_LETTER

    def _with_suffix(self, number: str, at: int) -> Numeral:
        is_suffixed = self._text(at) in SUFFIXES
        return Numeral(number + self._text(at) if is_suffixed else number, "", at + is_suffixed)

    def _figures(self, at: int, kind: str) -> Numeral:
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
        paragraph, following = self._paragraph(following) if kind in PARAGRAPHED else ("", following)
        letter, following = self._letter(following)
        if kind == "articulo":
            return Numeral(_plain(whole), joined_parts(rest, paragraph, letter), following)
        digits = ".".join(piece for piece in rest.split(".") if piece.isdigit())
        return Numeral(joined_parts(_plain(whole), digits), joined_parts(paragraph, letter), following)

    def _paragraph(self, at: int) -> tuple[str, int]:
        """The "1" of "6(1)" or "6(1)(b)", and the token behind it."""
        inside = self._text(at + 1)
        is_there = self._text(at) == "(" and self._touches(at) and self._text(at + 2) == ")"
        return (inside, at + 3) if is_there and inside.isdigit() and len(inside) <= LONGEST_PARAGRAPH else ("", at)

    def _letter(self, at: int) -> tuple[str, int]:
        """The letter of an item behind a number, "8.2.a)" or "3.1(b)", and the token behind it or an ordinal's sign."""
        first = at + 1 if self._text(at) == "(" and self._touches(at) else self._past_point(at)
        letter = self._text(first)
        if self._text(first + 1) == ")" and _is_letter(letter) and self._written(first) not in {"º", "ª"}:
            return self._item_letter(first), first + 2
        return "", first + 1 if letter in SIGNS and self._touches(first) else at

    def _before_suffix(self, at: int) -> int:
        """Past the sign of an ordinal with "bis" behind it: "4.º bis"."""
        sign = self._past_point(at)
        return sign + 1 if self._text(sign) in SIGNS and self._text(sign + 1) in SUFFIXES else at

    def _is_ordinal(self, at: int) -> bool:
        """A word for one, or "4.ª", "4ª", "4.a": "4" alone counts otherwise."""
        sign = self._past_point(at + 1)
        has_sign = self._touches(sign) and (
            self._written(sign) in {"º", "ª"} or (self._text(sign) in SIGNS and sign > at + 1)
        )
        return self._text(at) in ORDINALS or (self._text(at).isdigit() and has_sign)


def joined_parts(*parts: str) -> str:
    """Of "2" and "b" "2.b"."""
    return ".".join(filter(None, parts))


def _is_letter(word: str) -> bool:
    return len(word) == 1 and word.isalpha()


def _plain(whole: str) -> str:
    """Without the zeros in front: unit 04 is unit 4."""
    return whole.lstrip("0") or "0"


def _between(first: Numeral, last: Numeral) -> list[Numeral]:
    """Those from the one behind `first` to `last`; `last` alone where they do not count upwards."""
    if first.number.isdigit() and last.number.isdigit():
        low, high = int(first.number[:6]), int(last.number[:6])
        if low < high <= low + WIDEST_RANGE:
            return [*(Numeral(str(one), "", last.next) for one in range(low + 1, high)), last]
    return [last]

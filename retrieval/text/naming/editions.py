"""Editions of documents: "4.0.3", "v5", "segunda edición", "2022". Pure.

Two editions of one standard have one title; what tells them apart is a number in the title, in the file's name or on
the first page. "4.0.3" is also called 4.0 and 4.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.text.folding import fold_latin
from retrieval.text.references import spoken_number

ANY = "edition:any"  # the name of every document that says which edition it is
MOST = 6  # editions of one document
FIRST_LINES = 600  # characters of a text: where it says which edition it is
LONGEST_ASKED = 2_000
MOST_FOUND = 32  # in one text

_SAID = r"(?:version|ver\.|edicion|edition|release|rev\.|revision)"
_NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,3}(?![\w/])(?!\.\d)"
_WITH_WORD = re.compile(
    rf"(?<![^\W_]){_SAID}\s{{0,2}}(?:(?:de|del|of|n[ouº°]?\.?)\s)?v?(?P<number>{_NUMBER}|(?:19|20)\d\d(?!\d))"
)
_WITH_SIGN = re.compile(rf"(?<![^\W_])v\.?\s?(?P<number>{_NUMBER})")
_DECIMAL = re.compile(r"(?<![\w.,/])(?P<number>\d{1,3}(?:\.\d{1,3}){1,3})(?![\w/%])(?!\.\d)")
_YEAR = re.compile(r"(?<![\d.,/-])(?P<number>(?:19|20)\d\d)(?![\d/]|\.\d)")
_BEHIND_A_SHORT = re.compile(r"(?<=[A-Z]{2})[ -](?P<number>\d{1,2})(?=\s{0,3}(?:\Z|[?!,;:)]))")
_COUNTED = re.compile(
    r"(?<![^\W_])(?P<word>[a-z]{3,12}|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th|\.?ª)?)\s(?:edicion|edition|version)(?!\w)"
)
_DIGITS = re.compile(r"\d{1,4}")
_EXTENSION = re.compile(r"\.[a-z]{2,5}$")


@dataclass(frozen=True, slots=True)
class AskedEdition:
    """What a question may be calling an edition. `is_said`: with the word for it; `is_year`: by a year alone."""

    start: int
    end: int
    number: str
    is_said: bool = False
    is_year: bool = False

    @property
    def name(self) -> str:
        return f"edition:{self.number}"


def edition_names(title: str, filename: str, beginning: str = "") -> list[str]:
    """What a document's edition is called, the whole number and what it begins with; ANY with them."""
    named = [fold_latin(title), _EXTENSION.sub("", fold_latin(filename)).replace("_", " ").replace("-", " ")]
    numbers = [one.number for text in named for one in _written(text)]
    if not any("." in one for one in numbers):
        numbers += [one.number for one in _written(fold_latin(beginning[:FIRST_LINES])) if one.is_said]
    names: dict[str, None] = {}
    for number in list(dict.fromkeys(numbers))[:MOST]:
        pieces = number.split(".")
        names |= dict.fromkeys(f"edition:{'.'.join(pieces[:n])}" for n in range(len(pieces), 0, -1))
    return [*names, ANY] if names else []


def asked_editions(question: str) -> list[AskedEdition]:
    """Everything in a question that may be an edition, in order, none within another; "ASVS 4", too."""
    asked = question[:LONGEST_ASKED]
    found = _written(fold_latin(asked))
    for match in _BEHIND_A_SHORT.finditer(asked):
        if len(found) < MOST_FOUND:
            found.append(AskedEdition(match.start("number"), match.end(), match["number"]))
    return found


def _written(folded: str) -> list[AskedEdition]:
    found: list[AskedEdition] = []
    for one in (*_counted(folded), *_numbered(folded)):
        if len(found) < MOST_FOUND and not any(other.start < one.end and one.start < other.end for other in found):
            found.append(one)
    return sorted(found, key=lambda one: one.start)


def _numbered(folded: str) -> Iterator[AskedEdition]:
    for match in _WITH_WORD.finditer(folded):
        yield AskedEdition(match.start(), match.end(), match["number"], is_said=True)
    for match in _WITH_SIGN.finditer(folded):
        yield AskedEdition(match.start(), match.end(), match["number"], is_said=True)
    for match in _DECIMAL.finditer(folded):
        yield AskedEdition(match.start(), match.end(), match["number"])
    for match in _YEAR.finditer(folded):
        is_said = folded[max(match.start() - 1, 0) : match.start()] == ":"  # "ISO 7001:2013"
        yield AskedEdition(match.start(), match.end(), match["number"], is_said, is_year=True)


def _counted(folded: str) -> Iterator[AskedEdition]:
    """ "La segunda edición", "2nd edition"."""
    for match in _COUNTED.finditer(folded):
        digits = _DIGITS.match(match["word"])
        number = digits[0] if digits else str(spoken_number([match["word"]])[0] or "")
        if number:
            yield AskedEdition(match.start(), match.end(), number, is_said=True)

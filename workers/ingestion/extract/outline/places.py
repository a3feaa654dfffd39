"""Which lines could be the heading of a numbered place: "Artículo 14.", "CAPÍTULO II", "V2.1.1 …", "1.2.3 Title".

A line that could be one need not be: `sequences` tells headings from mentions by what was counted before.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from retrieval.text.folding import fold_latin
from retrieval.text.references import number_of, ordinal_number

# Lower is higher up. What stands at the end of a law or of a book belongs to none of its chapters.
RANKS = {
    "parte": 10, "libro": 11, "anexo": 13, "schedule": 13, "exhibit": 13, "disposiciones": 13, "disposicion": 14,
    "titulo": 20, "unidad": 22, "capitulo": 30, "seccion": 40, "subseccion": 44, "articulo": 60, "clausula": 60,
    "preambulo": 60,
}  # fmt: skip
CLOSING_RANKS = (13, 14)  # of annexes and dispositions: nothing numbered that came before is above them
BELOW_ARTICLES = 62  # the rank of sections that articles consist of, where as many
FEWEST_ARTICLES = 2  # begin with one
DECIMAL_RANK = 70  # of "1.2.3", and one more for each further number
_NAMES = {
    "articulo": "art[íi]culo|article|art",
    "clausula": "cl[áa]usula|clause|estipulaci[óo]n",
    "capitulo": "cap[íi]tulo|chapter",
    "titulo": "t[íi]tulo|title",
    "seccion": "secci[óo]n|section",
    "subseccion": "subsecci[óo]n|subsection",
    "libro": "libro|book",
    "parte": "parte|part",
    "anexo": "anexo|anejo|annex|appendix|ap[ée]ndice",
    "schedule": "schedule",
    "exhibit": "exhibit",
    "unidad": "unidad|unit|tema|lecci[óo]n|lesson|m[óo]dulo|module",
    "disposicion": "disposici[óo]n (?:adicional|transitoria|derogatoria|final)",
}
_KIND = {kind: re.compile(names, re.IGNORECASE) for kind, names in _NAMES.items()}
_PLACE = re.compile(
    rf"(?P<name>{'|'.join(_NAMES.values())})\.?[ ]"
    r"(?P<number>\d{1,4}(?:\.\d{1,3}(?!\w)){0,3}|[^\W\d_]{1,24}"
    r"(?: y [^\W\d_]{3,7}| (?!(?:bis|ter|qu[áa]ter|quinquies|sexies)\b)[^\W\d_]{3,12}(?: y [^\W\d_]{3,7})?)?)"
    r"(?:\.?[ºª°])?(?P<suffix> (?:bis|ter|qu[áa]ter|quinquies|sexies|septies|octies))?(?!\w)(?P<rest>.{0,3})",
    re.IGNORECASE,
)
_DECIMAL = re.compile(
    r"(?:§ ?)?(?P<prefix>[A-Z]{0,4}[-.]?)(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})(?P<point>[.)]?)(?: (?P<rest>.{0,3})|\Z)"
)
_UNNUMBERED = re.compile(
    r"(?:(?P<disposiciones>disposiciones (?:adicionales|transitorias|derogatorias|finales))"
    r"|(?P<preambulo>pre[áa]mbulo|exposici[óo]n de motivos)|(?P<anexo>anexo|anejo|annex|ap[ée]ndice|appendix))\.?",
    re.IGNORECASE,
)
# Alone of its kind it has no number: "DISPOSICIÓN FINAL. Esta Ordenanza …".
_ONLY = re.compile(
    rf"(?P<name>(?i:{_NAMES['disposicion']}))(?P<number>(?:\.[-–—]?|:| ?[-–—])(?= ?[A-ZÁÉÍÓÚÑ¿«]| ?\Z)|\Z)"
)
# "PRIMERA.- Objeto", "Segunda. Extensión", "Base tercera. Plazo": how contracts and the terms of a call count.
_ORDINAL = re.compile(
    r"(?:(?i:base) )?(?P<number>[^\W\d_]{5,8}(?: [^\W\d_]{5,8})?)"
    r"(?: ?[-–—:]|\.[-–—]?)(?: ?(?P<rest>[A-ZÁÉÍÓÚÑ¿«].{0,2})|\Z)"
)
_GOES_ON_AS_TITLE = re.compile(r"\s*\Z|\s?[.:)–—-]|\s[A-ZÁÉÍÓÚÑÜ¿¡«“\"(\[]")
_SUFFIXES = {
    name: number for number, name in enumerate(("bis", "ter", "quater", "quinquies", "sexies", "septies", "octies"), 1)
}
_LONGEST_STARTING_LINE, _LONGEST_UNNUMBERED = 300, 30

Number = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NumberedPlace:
    """`family` are the places that are counted together, `end` the characters that name it; `bare`: nothing follows."""

    family: str
    rank: int
    number: Number
    end: int
    bare: bool


def numbered_place(line: str) -> NumberedPlace | None:
    """The place that a printed line may name at its start; None of any other line."""
    first = line[:1]
    if not (first.isupper() or first.isdigit() or first == "§"):
        return None
    start = line[:_LONGEST_STARTING_LINE]
    if first.isalpha() and (place := _in_words(start)):
        return place
    if (counted := _DECIMAL.match(start)) and (
        counted["rest"] is None or _GOES_ON_AS_TITLE.match(f" {counted['rest']}")
    ):
        return _decimal(counted, start)
    if len(start) <= _LONGEST_UNNUMBERED and (plain := _UNNUMBERED.fullmatch(start)):
        kind = plain.lastgroup or ""
        if kind != "anexo" or start.isupper():
            return NumberedPlace(start.casefold(), RANKS[kind], (1,), len(start), True)
    return None


def with_sections_of_articles(places: Sequence[NumberedPlace | None]) -> list[NumberedPlace | None]:
    """The places; sections stand below articles where these begin them, "Article II", "Section 1", as in by-laws. In
    codes they stand above."""
    named = [place for place in places if place and place.rank < DECIMAL_RANK]
    begun = sum(_begins_article(above, place) for above, place in pairwise(named))
    if begun < FEWEST_ARTICLES:
        return list(places)
    return [replace(one, rank=BELOW_ARTICLES) if one and one.rank == RANKS["seccion"] else one for one in places]


def _begins_article(above: NumberedPlace, place: NumberedPlace) -> bool:
    if (above.family, place.family) != ("articulo", "seccion"):
        return False
    return place.number[0] == (above.number[0] if len(place.number) > 2 else 1)


def _in_words(line: str) -> NumberedPlace | None:
    named = _PLACE.match(line)
    if named and (place := _named(named, line)):
        return place
    if only := _ONLY.match(line):
        bare = not line[only.end() :].strip(" -–—")
        return NumberedPlace(fold_latin(only["name"]), RANKS["disposicion"], (1, 0), only.end(), bare)
    if counted := _ORDINAL.match(line):
        written = fold_latin(counted["number"])
        if number := ordinal_number(written) or int(written == "unica"):
            return NumberedPlace(
                "ordinal", RANKS["clausula"], (number, 0), counted.end("number") + 1, not counted["rest"]
            )
    return None


def _named(match: "re.Match[str]", line: str) -> NumberedPlace | None:
    if not _GOES_ON_AS_TITLE.match(match["rest"]):
        return _with_one_word(match, line)
    number = _counted(match["number"])
    return _place(match, number, match.start("rest"), line) if number else _with_one_word(match, line)


def _with_one_word(match: "re.Match[str]", line: str) -> NumberedPlace | None:
    """Of "TÍTULO PRIMERO DISPOSICIONES" the second word is no number."""
    word = match["number"].split(" ")[0]
    end = match.start("number") + len(word)
    number = _counted(word) if word != match["number"] and _GOES_ON_AS_TITLE.match(line[end : end + 3]) else None
    return _place(match, number, end, line) if number else None


def _place(match: "re.Match[str]", number: Number, end: int, line: str) -> NumberedPlace:
    kind = next(kind for kind, names in _KIND.items() if names.fullmatch(match["name"]))
    suffix = _SUFFIXES[fold_latin(match["suffix"].strip())] if match["suffix"] and end >= match.end("suffix") else 0
    family = fold_latin(match["name"]) if kind == "disposicion" else kind
    end += len(line[end : end + 1].strip(" –—-"))
    return NumberedPlace(family, RANKS[kind], (*number, suffix), end, not line[end:].strip(" .:–—-"))


def _counted(written: str) -> Number | None:
    """The numeral as a number, "preliminar" as 0; a small letter's is none."""
    if fold_latin(written) in ("preliminar", "preliminary"):
        return (0,)
    if len(written) == 1 and written.isupper() and written not in "IVX":
        return (ord(written) - ord("A") + 1,)
    if len(written) < 3 and not written.isdigit() and not written.isupper():
        return None
    if written[0].isdigit():
        return tuple(map(int, written.split(".")))
    number = number_of(fold_latin(written))
    return (int(number),) if number.isdigit() else None


def _decimal(match: "re.Match[str]", line: str) -> NumberedPlace | None:
    number = tuple(map(int, match["number"].split(".")))
    if len(number) == 1 and not match["prefix"] and not match["point"] and not line.startswith("§"):
        return None  # "12 meses": a number alone counts nothing
    end = match.end("point") if match["rest"] is not None else len(line)
    return NumberedPlace(f"decimal {match['prefix']}", DECIMAL_RANK + len(number), number, end, match["rest"] is None)

"""Places of documents by their names: "Artículo 14", "Disposición adicional segunda", "ANEXO II", "V2.1.1". Pure.

A place has a key that is the same however it is written: `articulo:14`, `disposicion adicional:2`, `anexo:2`,
`seccion:4.2`, `clausula:v2.1.1`; a heading without a number has one of its words, `heading:mailin lists`. Sections keep
the key of their heading (`corpora.models.Section`), a question is looked through for the same keys.
"""

import re

from retrieval.text.folding import fold_latin
from retrieval.text.stems import stems, words

LONGEST_NUMBER = 32  # characters of a key's number
LONGEST_WORDS = 56  # of the stems of a heading that is looked for by its words
HEADING = "heading"  # the kind of a place that counts nothing
LONGEST_HEADING = 200  # characters of a heading that are looked at: what names a place stands first

# What a part of a document is called, folded, in Spanish and English: the first is the name in its keys.
KINDS: dict[str, tuple[str, ...]] = {
    "articulo": ("articulo", "art", "article"),
    "capitulo": ("capitulo", "cap", "chapter"),
    "titulo": ("titulo", "title"),
    "seccion": ("seccion", "secc", "sec", "section", "apartado", "§"),
    "anexo": ("anexo", "annex", "appendix", "apendice", "anejo"),
    "unidad": ("unidad", "unit", "tema", "leccion", "lesson", "modulo", "module"),
    "tabla": ("tabla", "cuadro", "table"),
    "figura": ("figura", "fig", "figure"),
    "parte": ("parte", "part"),
    "clausula": ("clausula", "clause", "estipulacion"),
    "schedule": ("schedule",),
    "exhibit": ("exhibit",),
    "libro": ("libro", "book"),
    "disposicion adicional": ("disposicion adicional",),
    "disposicion transitoria": ("disposicion transitoria",),
    "disposicion derogatoria": ("disposicion derogatoria",),
    "disposicion final": ("disposicion final",),
}
KIND_OF = {name: kind for kind, names in KINDS.items() for name in names}

_UNITS = (
    "uno primero primer unico one first",
    "dos segundo two second",
    "tres tercero tercer three third",
    "cuatro cuarto four fourth",
    "cinco quinto five fifth",
    "seis sexto six sixth",
    "siete septimo seven seventh",
    "ocho octavo eight eighth",
    "nueve noveno nine ninth",
    "diez decimo ten tenth",
    "once undecimo eleven eleventh",
    "doce duodecimo twelve twelfth",
    "trece thirteen",
    "catorce fourteen",
    "quince fifteen",
)
_TENS = (
    "decimo dieci",
    "vigesimo veinti veinte twenty",
    "trigesimo treinta thirty",
    "cuadragesimo cuarenta forty",
    "quincuagesimo cincuenta fifty",
    "sexagesimo sesenta sixty",
    "septuagesimo setenta seventy",
    "octogesimo ochenta eighty",
    "nonagesimo noventa ninety",
    "centesimo ciento cien hundred",
)
UNITS = {word: number for number, words in enumerate(_UNITS, 1) for word in words.split()}
TENS = {word: 10 * number for number, words in enumerate(_TENS, 1) for word in words.split()}
_ORDINAL_STEMS = "primer segund tercer cuart quint sext septim octav noven decim undecim duodecim vigesim trigesim"
_ORDINALS = frozenset(f"{stem}{end}" for stem in _ORDINAL_STEMS.split() for end in "oa")
_LETTERS = frozenset("lcdm")  # alone they count parts by the alphabet: nobody has fifty annexes
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN_NUMBER = re.compile(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")

_NAMES = "|".join(sorted((re.escape(name) for name in KIND_OF), key=len, reverse=True))
SUFFIXES = frozenset({"bis", "ter", "quater", "quinquies", "sexies", "septies", "octies"})
_SUFFIX = rf"(?:(?:\.?[oa])?\s?(?:{'|'.join(sorted(SUFFIXES))})\b)?"
_IN_WORDS = r"[a-z]{3,24}(?:\s(?:y\s)?[a-z]{3,12}){0,3}"
_NUMERAL = rf"(?:\d{{1,5}}(?:\.\d{{1,4}}){{0,5}}{_SUFFIX}|[ivxlcdm]{{1,9}}\b{_SUFFIX}|[a-z]\b|{_IN_WORDS})"
_HEADED = re.compile(rf"(?P<name>{_NAMES})(?:\.|\b|(?<=§))\s{{0,3}}(?:n\.?[ºo]\s)?(?P<number>{_NUMERAL})")
_CLAUSE = re.compile(
    r"(?P<letters>[a-z]{1,4})(?:[-.]?(?P<number>\d{1,4}(?:\.\d{1,4}){1,5})|(?:-|(?<![a-z][a-z])\.)(?P<only>\d{1,4}))(?P<more>\(\d{1,3}\))?(?![\w-])"
)
_NUMBERED = re.compile(r"(?P<number>\d{1,4}(?:\.\d{1,4}){0,5})(?:\.|\)|\b)\s")
# "PRIMERA.- Objeto", "Segunda. Extensión", "Base tercera. Plazo": how contracts and the terms of a call count.
_ORDINAL = re.compile(r"(?:base\s)?(?P<number>[a-z]{5,8}(?:\s[a-z]{5,8})?)\s?(?:\.[-–—]?|[:–—])(?:\s|\Z)")
_BASE = re.compile(r"base\s(?P<number>\d{1,3})\.?[oa](?!\w)")  # "Base 4.ª": "Base 4" may be of a number
_UNIT = re.compile(r"(?:u|ud)\.?\s?(?P<number>\d{1,3})(?!\w|\.\d)")
# What statutes gather under one heading: "DISPOSICIONES ADICIONALES", and below it "Primera. …", "2.ª …", "Única. …".
_PROVISIONS = re.compile(
    r"disposici(?:on|ones)\s(?P<kind>(?:adicional|final)(?:es)?|(?:transitoria|derogatoria)s?)\W{0,3}"
)
_PROVISION = re.compile(
    r"(?:(?P<figures>\d{1,3})(?:\.?[oa](?!\w)|\.(?!\d)|\))|(?P<number>[a-z]{5,12}(?:\s[a-z]{5,12})?)\s?(?:[.:–—-]|\Z))"
)
_ONLY = frozenset({"unica", "unico"})
_MARKS = re.compile(r"^[\s#*_>«\"“\-–—•]{1,20}")


def heading_key(title: str) -> str:
    """The key of the place that a heading names first: "Artículo 8 bis. Objeto" is `articulo:8bis`; "" of none."""
    folded = _MARKS.sub("", fold_latin(title[:LONGEST_HEADING])).strip()
    if headed := _HEADED.match(folded):
        number = number_of(headed["number"])
        return place_key(KIND_OF[headed["name"]], number) if number else ""
    if (counted := _ORDINAL.match(folded)) and (ordinal := ordinal_number(counted["number"])):
        return place_key("clausula", str(ordinal))
    if base := _BASE.match(folded):
        return place_key("clausula", str(int(base["number"])))
    if unit := _UNIT.match(folded):
        return place_key("unidad", str(int(unit["number"])))
    if clause := _CLAUSE.match(folded):
        return place_key(
            "clausula", clause_number(clause["letters"], clause["number"] or clause["only"], clause["more"] or "")
        )
    if numbered := _NUMBERED.match(folded):
        return place_key("seccion", numbered["number"])
    return ""


def provision_key(above: str, title: str) -> str:
    """The key of a heading below another one: "Segunda. Zonas" below "DISPOSICIONES ADICIONALES" is
    `disposicion adicional:2`; "" of any others."""
    group = _PROVISIONS.fullmatch(_MARKS.sub("", fold_latin(above[:LONGEST_HEADING])).strip())
    counted = _PROVISION.match(_MARKS.sub("", fold_latin(title[:LONGEST_HEADING])).strip()) if group else None
    if group is None or counted is None:
        return ""
    written = counted["figures"] or counted["number"]
    number = int(written) if written.isdigit() else ordinal_number(written) or int(written in _ONLY)
    return place_key(f"disposicion {group['kind'].removesuffix('s').removesuffix('e')}", str(number)) if number else ""


def heading_words(title: str) -> str:
    """The stems of what a heading says behind its number, of "Who we are" its words; "" where it says nothing else."""
    said = behind_number(title)
    return " ".join(stems(said) or words(said))[:LONGEST_WORDS].rstrip()


def behind_number(title: str) -> str:
    """What a heading says behind its number."""
    shown = title[:LONGEST_HEADING]
    folded = fold_latin(shown)
    begin = marks.end() if (marks := _MARKS.match(folded)) else 0
    for pattern in (_HEADED, _UNIT, _CLAUSE, _NUMBERED):
        if (numbered := pattern.match(folded, begin)) and _counts(numbered):
            begin = numbered.end()
            break
    return shown[begin:]


def _counts(numbered: "re.Match[str]") -> bool:
    """Whether it is the number of a place: "Parts of speech" has none."""
    return numbered.re is not _HEADED or bool(number_of(numbered["number"]))


def caption_number(written: str) -> str:
    """Of a table or a figure: of "2-1" "2.1", of "A-1" and of "A1" "a.1", as of "A.1"."""
    number = fold_latin(written).replace("-", ".")
    return f"{number[0]}.{number[1:].lstrip('.')}" if number[:1].isalpha() else number


def clause_number(letters: str, number: str, more: str = "") -> str:
    """Of "SEC-4.2" and of "SEC4.2" the same; `more` of "AC-2(1)" is "(1)"."""
    return letters + number + more


def place_key(kind: str, number: str) -> str:
    """`kind:number`, as sections keep it."""
    return f"{kind}:{number if kind == HEADING else number[:LONGEST_NUMBER]}"


def number_of(written: str) -> str:
    """A folded numeral in figures: "xiv" and "decimocuarto" are "14", "8 bis" is "8bis", "b" stays; "" for others."""
    words = written.split()
    if not words:
        return ""
    if words[0][:1].isdigit():  # of "4.º bis" as of "4bis"
        return words[0].rstrip("oa.") + words[1] if words[-1] in SUFFIXES and len(words) > 1 else "".join(words)
    said = [word for word in words if word != "y"]
    if _ROMAN_NUMBER.fullmatch(words[0]) and words[0] not in _LETTERS:
        return str(roman_number(words[0])) + _suffix(words[1:2])
    counted, taken = spoken_number(said)
    if counted:
        return str(counted) + _suffix(said[taken : taken + 1])
    return words[0] if len(words[0]) == 1 else ""


def _suffix(words: list[str]) -> str:
    return words[0] if words and words[0] in SUFFIXES else ""


def roman_number(numeral: str) -> int:
    """What a folded Roman numeral counts, a single letter, too."""
    values = [_ROMAN[sign] for sign in numeral]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


def is_roman(word: str) -> bool:
    """Whether a folded word counts in Roman numerals, below four hundred: "mi", "di" and "mix" are words."""
    return bool(word) and _ROMAN_NUMBER.fullmatch(word) is not None and 0 < roman_number(word) < 400


def ordinal_number(written: str) -> int:
    """What folded ordinals count, "vigésima primera" 21; 0 of any other words."""
    words = written.split()
    number, taken = spoken_number(words) if set(words) <= _ORDINALS else (0, 0)
    return number if taken == len(words) else 0


def spoken_number(words: list[str]) -> tuple[int, int]:
    """The number that the first words say, and how many say it; (0, 0) if they say none.

    Ordinals and cardinals of both genders, up to 199: "diez", "treinta cuatro", "ciento treinta dos", but of "tres
    cuatro" three.
    """
    first = _one_word(words[0]) if words else 0
    if first == TENS["ciento"]:
        below, taken = spoken_number(words[1:4])
        return (first + below, 1 + taken) if 0 < below < first else (first, 1)
    if first and first % 10 == 0 and len(words) > 1 and 0 < (unit := _one_word(words[1])) < 10:
        return first + unit, 2
    return first, int(first > 0)


def _one_word(word: str) -> int:
    masculine = word[:-1] + "o" if word.endswith("a") and word not in TENS else word
    for known in (word, masculine):
        if value := UNITS.get(known) or TENS.get(known):
            return value
    for stem, value in TENS.items():
        for joint in (stem, stem[:-1] if stem.endswith("o") else stem):
            rest = masculine.removeprefix(joint)
            if rest != masculine and (unit := UNITS.get(rest, 0)) and unit < 10:
                return value + unit
    return 0

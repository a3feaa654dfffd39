"""What a DOCX's styles and numbering say about a paragraph: its heading level and its list marker."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MAX_LEVEL = 9
_ROMAN = (("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50), ("xl", 40))
_ROMAN_ENDS = (("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1))


@dataclass(frozen=True, slots=True)
class Style:
    """`level` 0: not a heading. `numbering`: (numId, level) or None."""

    level: int = 0
    is_title: bool = False
    numbering: tuple[str, int] | None = None
    is_contents: bool = False  # Word's own styles of its table of contents


class Styles:
    """Paragraph styles by id, inheritance resolved. Built-in names are English in every language of Word."""

    def __init__(self, document: Any) -> None:
        # Not document.styles: without a styles part that opens python-docx's template, and the child opens no file.
        parts = [r.target_part for r in document.part.rels.values() if r.reltype.endswith("/styles")]
        elements = [style for part in parts for style in part.element.iter(f"{W}style")]
        self._elements = {style.get(f"{W}styleId"): style for style in elements}
        self._resolved: dict[str, Style] = {}

    def of(self, style_id: str) -> Style:
        """The style's meaning; an unknown id is plain text."""
        if style_id not in self._resolved:
            self._resolved[style_id] = self._resolve(style_id)
        return self._resolved[style_id]

    def _resolve(self, style_id: str) -> Style:
        level, is_title, numbering, is_contents = 0, False, None, False
        seen: set[str] = set()
        while style_id in self._elements and style_id not in seen:
            seen.add(style_id)
            element = self._elements[style_id]
            name = (value(element.find(f"{W}name")) or "").lower()
            properties = element.find(f"{W}pPr")
            level = level or outline_level(properties) or _level_by_name(name)
            is_title = is_title or name == "title"
            is_contents = is_contents or name.startswith("toc ") or name == "table of figures"
            numbering = numbering or numbering_of(properties)
            style_id = value(element.find(f"{W}basedOn")) or ""
        return Style(1 if is_title else 0 if is_contents else level, is_title, numbering, is_contents)


def value(element: Any) -> str | None:
    """An element's w:val; None without the element."""
    return None if element is None else element.get(f"{W}val")


def whole(text: str | None, default: int = 0) -> int:
    """A number in an attribute; `default` if it is absent or nonsense."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else default


def outline_level(properties: Any) -> int:
    """1 to 9 from w:outlineLvl, 0 for body text."""
    level = None if properties is None else value(properties.find(f"{W}outlineLvl"))
    return whole(level) + 1 if level is not None and whole(level, MAX_LEVEL) < MAX_LEVEL else 0


def numbering_of(properties: Any) -> tuple[str, int] | None:
    """(numId, level) of a paragraph's or style's w:numPr; numId "0" means: no list after all."""
    found = None if properties is None else properties.find(f"{W}numPr")
    if found is None:
        return None
    identifier, level = value(found.find(f"{W}numId")), whole(value(found.find(f"{W}ilvl")))
    return None if identifier is None else (identifier, min(level, MAX_LEVEL - 1))


def _level_by_name(name: str) -> int:
    number = name.removeprefix("heading ")
    return min(whole(number), MAX_LEVEL) if number != name else 0


class Numbering:
    """List markers in document order: keeps a counter per list and level."""

    def __init__(self, document: Any) -> None:
        self._formats: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._abstract: dict[str, str] = {}
        self._counters: dict[str, list[int]] = defaultdict(lambda: [0] * MAX_LEVEL)
        for relation in document.part.rels.values():
            if relation.reltype.endswith("/numbering"):
                self._read(relation.target_part.element)

    def _read(self, root: Any) -> None:
        for abstract in root.iter(f"{W}abstractNum"):
            levels = {}
            for level in abstract.iter(f"{W}lvl"):
                style, pattern = value(level.find(f"{W}numFmt")), value(level.find(f"{W}lvlText"))
                start = whole(value(level.find(f"{W}start")), 1)
                levels[whole(level.get(f"{W}ilvl"))] = (style or "decimal", pattern or "", start)
            self._formats[abstract.get(f"{W}abstractNumId")] = levels
        for number in root.iter(f"{W}num"):
            self._abstract[number.get(f"{W}numId")] = value(number.find(f"{W}abstractNumId")) or ""

    def marker(self, identifier: str, level: int) -> str:
        """The next item's marker: "-" for bullets, "3." or "2.1.c)" for numbers, "" without such a list."""
        abstract = self._abstract.get(identifier, "")
        levels = self._formats.get(abstract, {})
        if level not in levels:
            return ""
        style, pattern, start = levels[level]
        if style == "bullet":
            return "-"
        counters = self._counters[abstract]
        counters[level] = counters[level] + 1 if counters[level] else start
        counters[level + 1 :] = [0] * (MAX_LEVEL - level - 1)
        for depth in range(level + 1):
            shown = numeral(counters[depth] or 1, levels.get(depth, ("decimal", "", 1))[0])
            pattern = pattern.replace(f"%{depth + 1}", shown)
        return "" if style == "none" else pattern.strip()


def numeral(number: int, style: str) -> str:
    """A list number in Word's style: decimal, letters (a, b, … z, aa, bb), Roman numerals."""
    if style in ("lowerLetter", "upperLetter"):
        text = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 5)
    elif style in ("lowerRoman", "upperRoman"):
        text = _roman(number)
    else:
        return str(number)
    return text.upper() if style.startswith("upper") else text


def _roman(number: int) -> str:
    text, rest = "", min(number, 3999)
    for letters, worth in _ROMAN + _ROMAN_ENDS:
        text += letters * (rest // worth)
        rest %= worth
    return text

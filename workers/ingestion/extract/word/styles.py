"""What a DOCX's styles and numbering say about a paragraph: its heading level and its list marker."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MAX_LEVEL = 9
FEWEST_LETTERS = 3  # of a name before a number
_ROMAN = (("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50), ("xl", 40))
_ROMAN_ENDS = (("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1))


@dataclass(frozen=True, slots=True)
class Print:
    """How letters look: their size in half points, 0 where nothing says it, and whether they are bold."""

    size: int = 0
    is_bold: bool | None = None

    def over(self, below: "Print") -> "Print":
        """What this says, and what `below` says of the rest."""
        return Print(self.size or below.size, below.is_bold if self.is_bold is None else self.is_bold)


PLAIN = Print()


@dataclass(frozen=True, slots=True)
class Style:
    """`level` 0: not a heading. `numbering`: (numId, level) or None."""

    level: int = 0
    is_title: bool = False
    numbering: tuple[str, int] | None = None
    is_contents: bool = False  # Word's own styles of its table of contents
    print: Print = PLAIN


class Styles:
    """Paragraph styles by id, inheritance resolved. Built-in names are English in every language of Word."""

    def __init__(self, document: Any) -> None:
        # Not document.styles: without a styles part that opens python-docx's template, and the child opens no file.
        parts = [r.target_part for r in document.part.rels.values() if r.reltype.endswith("/styles")]
        elements = [style for part in parts for style in part.element.findall(f"{W}style")]
        self._elements = {style.get(f"{W}styleId"): style for style in elements}
        self._resolved: dict[str, Style] = {}
        self._default = next((one.get(f"{W}styleId") for one in elements if _is_default(one)), "")
        defaults = [one for part in parts for one in part.element.findall(f"{W}docDefaults/{W}rPrDefault")]
        self._print = print_of(defaults[0].find(f"{W}rPr")) if defaults else PLAIN

    def of(self, style_id: str) -> Style:
        """The style's meaning; an unknown id is plain text, none is the document's own for paragraphs."""
        style_id = style_id or self._default
        if style_id not in self._resolved:
            self._resolved[style_id] = self._resolve(style_id)
        return self._resolved[style_id]

    def _resolve(self, style_id: str) -> Style:
        level, is_title, numbering, is_contents, looks = 0, False, None, False, PLAIN
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
            looks = looks.over(print_of(element.find(f"{W}rPr")))
            style_id = value(element.find(f"{W}basedOn")) or ""
        level = 1 if is_title else 0 if is_contents else level
        return Style(level, is_title, numbering, is_contents, looks.over(self._print))


def print_of_paragraph(paragraph: Any, style: Style, styles: Styles) -> Print:
    """How the letters of a paragraph look, by its first ones; it is bold where all are."""
    first, is_bold = PLAIN, True
    for run in paragraph.iter(f"{W}r"):
        if not any(one.text and not one.text.isspace() for one in run.iter(f"{W}t")):
            continue
        properties = run.find(f"{W}rPr")
        look = print_of(properties)
        if look.is_bold is None and properties is not None and (named := value(properties.find(f"{W}rStyle"))):
            look = Print(look.size, styles.of(named).print.is_bold)
        look = look.over(style.print)
        first = first if first.size else look
        is_bold = is_bold and bool(look.is_bold)
        if not is_bold and first.size:
            break
    return Print(first.size or style.print.size, is_bold)


def value(element: Any) -> str | None:
    """An element's w:val; None without the element."""
    return None if element is None else element.get(f"{W}val")


def whole(text: str | None, default: int = 0) -> int:
    """A number in an attribute; `default` if it is absent or nonsense."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else default


def print_of(properties: Any) -> Print:
    """What a w:rPr says of its letters."""
    if properties is None:
        return PLAIN
    bold = properties.find(f"{W}b")
    return Print(
        whole(value(properties.find(f"{W}sz"))),
        None if bold is None else value(bold) not in ("0", "false", "off"),
    )


def _is_default(style: Any) -> bool:
    return style.get(f"{W}type") == "paragraph" and style.get(f"{W}default") in ("1", "true", "on")


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
        self._legal: set[tuple[str, int]] = set()  # lists and levels that count in figures alone
        self._abstract: dict[str, str] = {}
        self._restarts: dict[str, dict[int, int]] = {}  # by list and level: the number that it begins anew with
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
                depth = whole(level.get(f"{W}ilvl"))
                levels[depth] = (style or "decimal", pattern or "", start)
                legal = level.find(f"{W}isLgl")
                if legal is not None and value(legal) not in ("0", "false", "off"):
                    self._legal.add((abstract.get(f"{W}abstractNumId"), depth))
            self._formats[abstract.get(f"{W}abstractNumId")] = levels
        for number in root.iter(f"{W}num"):
            identifier = number.get(f"{W}numId")
            self._abstract[identifier] = value(number.find(f"{W}abstractNumId")) or ""
            self._restarts[identifier] = {
                whole(one.get(f"{W}ilvl")): whole(first)
                for one in number.iter(f"{W}lvlOverride")
                if (first := value(one.find(f"{W}startOverride"))) is not None
            }

    def counts_sections(self, identifier: str) -> bool:
        """Whether the list counts as a document's sections are counted, "2.1." or "Article 2", and not as steps are."""
        patterns = [pattern for _, pattern, _ in self._formats.get(self._abstract.get(identifier, ""), {}).values()]
        return any(one.count("%") > 1 or sum(map(str.isalpha, one)) >= FEWEST_LETTERS for one in patterns)

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
        anew = self._restarts.get(identifier, {}).pop(level, None)
        counters[level] = start if not counters[level] else counters[level] + 1
        if anew is not None:
            counters[level] = anew
        counters[level + 1 :] = [0] * (MAX_LEVEL - level - 1)
        for depth in range(level + 1):
            style = levels.get(depth, ("decimal", "", 1))[0]
            if (abstract, level) in self._legal and style != "decimalZero":
                style = "decimal"
            shown = numeral(counters[depth] or 1, style)
            pattern = pattern.replace(f"%{depth + 1}", shown)
        return "" if style == "none" else pattern.strip()


def numeral(number: int, style: str) -> str:
    """A list number in Word's style: decimal, of two figures, letters (a, b, … z, aa, bb), Roman numerals."""
    if style == "decimalZero":
        return f"{number:02}"
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

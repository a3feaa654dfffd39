"""Tables and figures by their captions: "Table 2. Summary …", "Figura 3.1: …". Pure.

A caption is a place that people ask for and no heading: what follows the table still belongs to the section around it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from retrieval.text.folding import fold_latin
from retrieval.text.references import KIND_OF, caption_number
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.outline.levels import MAX_HEADING_LEVEL

MOST_CAPTIONS = 2_000
LONGEST = 1_500  # characters from a caption on that are its table
LONGEST_TITLE = 200
_CAPTION = re.compile(
    r"^[*_#>|\s]{0,6}(?P<kind>Tabla|Cuadro|Table|Figura|Figure|Fig\.|TABLA|CUADRO|TABLE|FIGURA|FIGURE)[ ]"
    r"(?P<number>(?:[A-Z][.-]?)?\d{1,4}(?:[.-]\d{1,3}){0,2})(?=[.:)–—*]|[ ]{1,2}[–—-]|[ ]?$)(?P<rest>[^\n]{0,200})",
    re.MULTILINE,
)
_MARKS = "*_#>| \t"
_GOES_ON = re.compile(r"\((?:cont|continu)|\bcontinu(?:ed|ación|acion)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Caption:
    """`kind` as in keys; `level` is one below the section around; characters into the text."""

    kind: str
    number: str
    title: str
    level: int
    start: int
    end: int


def captions_of(extracted: Extracted) -> list[Caption]:
    """In order, of each number the first one; none in contents, none that says it continues."""
    found: list[Caption] = []
    known: set[tuple[str, str]] = set()
    text, starts = extracted.text, [heading.start for heading in extracted.headings]
    matches = list(_captions(extracted))
    borders = sorted({*starts, *(match.start() for match in matches), len(text)})
    for match in matches:
        kind, number = KIND_OF[fold_latin(match["kind"]).rstrip(".")], caption_number(match["number"])
        if (kind, number) in known or _GOES_ON.search(match["rest"]) or len(found) >= MOST_CAPTIONS:
            continue
        known.add((kind, number))
        above = bisect_right(starts, match.start()) - 1
        level = extracted.headings[above].level + 1 if above >= 0 else 1
        end = _end(text, match.end(), min(borders[bisect_right(borders, match.start())], match.start() + LONGEST))
        title = " ".join(match.group().strip(_MARKS).replace("**", "").split())[:LONGEST_TITLE]
        found.append(Caption(kind, number, title, min(level, MAX_HEADING_LEVEL), match.start("kind"), end))
    return found


def _captions(extracted: Extracted) -> Iterator["re.Match[str]"]:
    """Outside of contents and of headings."""
    spans = sorted((*extracted.furniture, *((one.start, one.end) for one in extracted.headings)))
    begins = [start for start, _ in spans]
    for match in _CAPTION.finditer(extracted.text):
        at = bisect_right(begins, match.start("kind")) - 1
        if at < 0 or match.start("kind") >= spans[at][1]:
            yield match


def _end(text: str, shown: int, most: int) -> int:
    """The last end of a line before `most`, behind the caption itself."""
    if most >= len(text) or text[most - 1] == "\n":
        return max(most, shown)
    return max(text.rfind("\n", shown, most), shown)

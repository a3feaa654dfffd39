"""Which `<…>` of a Markdown text are tags of HTML; pure.

They are so by their names, outside of code. Of what HTML closes only pairs are: "a<b and c>d", "List<A>" and "the <b>
element" are words, and so is every other name ("<title>", "List<String>").
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workers.ingestion.extract.extracted import Span

INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark", "q"),
        *("s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"),
    )
)
SECTIONS = frozenset(("article", "caption", "details", "footer", "header", "main", "nav", "pre", "section", "summary"))
HEADINGS = {f"h{level}": level for level in range(1, 7)}
PAIRED = INLINE | SECTIONS
BLOCKS = SECTIONS.union(
    HEADINGS,
    ("blockquote", "center", "dd", "div", "dl", "dt", "figcaption", "figure", "hr", "li", "ol", "p", "picture"),
    ("table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"),
)
NAMES = PAIRED | BLOCKS | {"br", "col", "colgroup", "img", "wbr"}
MATCHED = PAIRED | {"table", *HEADINGS}

_TAG = re.compile(
    r"(?<!\\)<(?P<closing>/?)(?P<name>[A-Za-z][A-Za-z1-6]{0,9})"
    r"(?P<attributes>(?:[\s/](?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+)?)>"
)
_ATTRIBUTE = re.compile(
    r"(?<![\w-])(?P<name>href|src|alt|colspan|rowspan)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))", re.IGNORECASE
)


@dataclass(slots=True)
class Tag:
    """text[start:end]. `partner`: of what MATCHED holds the number of the tag that closes it, else 0; `holds_its_like`:
    another of its name stands between the two."""

    name: str
    start: int
    end: int
    is_closing: bool
    attributes: str
    partner: int = 0
    holds_its_like: bool = False

    def value(self, attribute: str) -> str:
        """Of one of its attributes, "" without it."""
        for found in _ATTRIBUTE.finditer(self.attributes):
            if found["name"].lower() == attribute:
                return found[2] or found[3] or found[4] or ""
        return ""


def tags_in(text: str, code: Sequence[Span]) -> list[Tag]:
    """In order, those outside of `code` (spans in order)."""
    found = list(_named(text, code))
    waiting = defaultdict[str, list[Tag]](list)
    closed_by = dict[int, int]()  # of an opening tag's first character, that of the tag that closes it
    for tag in found:
        opened = waiting[tag.name] if tag.name in MATCHED else None
        if opened is None or tag.attributes.endswith("/"):
            continue
        if not tag.is_closing:
            opened.append(tag)
        elif opened:
            closed_by[opened.pop().start] = tag.start
            for around in opened[-1:]:
                around.holds_its_like = True
    unclosed = {tag.start for name in PAIRED for tag in waiting[name]}
    kept = [tag for tag in found if tag.start not in unclosed]
    numbers = {tag.start: number for number, tag in enumerate(kept)}
    for tag in kept:
        tag.partner = numbers[closed_by[tag.start]] if tag.start in closed_by else 0
    return kept


def _named(text: str, code: Sequence[Span]) -> Iterator[Tag]:
    spans = iter(code)
    start, end = next(spans, (len(text), len(text)))
    for found in _TAG.finditer(text):
        while end <= found.start():
            start, end = next(spans, (len(text), len(text) + 1))
        if start <= found.start() or found["name"].lower() not in NAMES or _is_of_a_type(text, found):
            continue
        yield Tag(
            found["name"].lower(), *found.span(), is_closing=bool(found["closing"]), attributes=found["attributes"]
        )


def _is_of_a_type(text: str, found: re.Match[str]) -> bool:
    """ "Set<P>", "Optional<A>"."""
    is_letter = len(found["name"]) == 1 and found["name"].isupper() and not found["closing"]
    return is_letter and text[max(found.start() - 1, 0) : found.start()].isalnum()

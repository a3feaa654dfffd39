"""Markdown of an answer to safe HTML: rendered with HTML off, then sanitised (RELIABILITY R17).

No images; links only to http, https and mailto, with their host in sight; citations as links to the sources.
"""

import re
from collections.abc import Collection
from functools import cache
from types import MappingProxyType

import nh3
from markdown_it import MarkdownIt

from chat.rendering.markdown_rules import Marks, parser

TAGS = {"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li"}
TAGS |= {"a", "em", "strong", "s", "code", "pre", "span", "table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {
    "a": {"href", "rel", "target", "class", "data-n", "data-span", "data-quote", "data-place"},
    "code": {"class"},
    "span": {"class"},
    "ol": {"start"},
    "th": {"align"},
    "td": {"align"},
}
CLASS = re.compile(r"citation(?: unsupported)?|link-host|math (?:inline|block)|language-[\w+#.-]{1,30}")
SPAN = re.compile(r"\d{1,10}-\d{1,10}")
HREF = re.compile(r"#source-\d{1,3}|https?://.+|mailto:.+", re.IGNORECASE | re.DOTALL)


EMPTY: Marks = MappingProxyType({})


def render(markdown: str, sources: Collection[int] = (), marks: Marks = EMPTY) -> str:
    """Safe HTML of `markdown`. `sources`: the numbers that exist; `[n]` of any other number stays text. `marks`: what
    stands behind each citation, where that is known."""
    env = {"sources": frozenset(sources), "marks": marks}
    return sanitise(_parser().render(markdown.replace("\0", ""), env))


def sanitise(html: str) -> str:
    """`html` reduced to what an answer may contain, whoever wrote it; the last thing before a page."""
    return nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,  # ours is set where the link is made; a citation needs none
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name not in ATTRIBUTES.get(tag, ()):  # nh3 itself also lets `title` and `lang` pass
        return None
    allowed = {"class": CLASS, "href": HREF, "data-span": SPAN}.get(name)
    return value if allowed is None or allowed.fullmatch(value) else None


@cache
def _parser() -> MarkdownIt:
    return parser()


class BlockRenderer:
    """Renders an answer block by block while it arrives; every line and every block is worked on once.

    A block ends at a blank line outside a fence; a list or indented code ends where the first line after a
    blank one is neither indented nor another item. The blocks' HTML, joined, is that of the whole answer.
    """

    def __init__(self, sources: Collection[int] = ()) -> None:
        self._sources = frozenset(sources)
        self._splitter = BlockSplitter()
        self._index = 0

    def feed(self, text: str) -> list[tuple[int, str]]:
        """The blocks that `text` completes, as (index from 0, HTML)."""
        return self._rendered(self._splitter.feed(text))

    def finish(self) -> list[tuple[int, str]]:
        """The rest."""
        return self._rendered(self._splitter.finish())

    def _rendered(self, blocks: list[str]) -> list[tuple[int, str]]:
        rendered = []
        for block in blocks:
            if html := render(block, self._sources):
                rendered.append((self._index, html))
                self._index += 1
        return rendered


FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
CONTINUING = re.compile(r" {2,}|\t| {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)")  # what keeps a list or code going
STICKY = re.compile(r" {4}|\t| {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)")  # what makes a block go on after a blank


class BlockSplitter:
    """Cuts Markdown that arrives in pieces into its top-level blocks, line by line."""

    def __init__(self) -> None:
        self._partial: list[str] = []  # pieces of the line that is still arriving
        self._lines: list[str] = []
        self._fence = ""  # the opening of the fence we are in
        self._sticky = self._after_blank = False

    def feed(self, text: str) -> list[str]:
        """The Markdown of the blocks that `text` completes."""
        *lines, rest = text.split("\n")
        blocks = []
        for line in lines:
            blocks += self._line("".join([*self._partial, line]))
            self._partial.clear()
        if rest:
            self._partial.append(rest)
        return blocks

    def finish(self) -> list[str]:
        blocks = self._line("".join(self._partial))
        self._partial.clear()
        return [*blocks, *self._end()]

    def _line(self, line: str) -> list[str]:
        if self._fence:
            return self._in_fence(line)
        if not line.strip():
            return self._blank(line)
        ended = self._end() if self._after_blank and not CONTINUING.match(line) else []
        self._after_blank = False
        self._sticky = self._sticky or STICKY.match(line) is not None
        if (fence := FENCE.match(line)) and not (fence[1][0] == "`" and "`" in fence[2]):
            self._fence = fence[1]
        self._lines.append(line)
        return ended

    def _in_fence(self, line: str) -> list[str]:
        closing = FENCE.match(line)
        if closing and closing[1].startswith(self._fence) and not closing[2].strip():
            self._fence = ""
        self._lines.append(line)
        return []

    def _blank(self, line: str) -> list[str]:
        if not self._sticky:
            return self._end()
        self._lines.append(line)
        self._after_blank = True
        return []

    def _end(self) -> list[str]:
        block, self._lines = "\n".join(self._lines), []
        self._sticky = self._after_blank = False
        return [block] if block.strip() else []

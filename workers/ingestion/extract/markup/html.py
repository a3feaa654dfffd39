"""Markdown with HTML inside to Markdown without: what a page shows of the tags, its code as it stands; pure.

    <p>One<br>two</p>   a paragraph of two lines          <h2>Title</h2>          ## Title
    <ul><li>one         - one                             <details><summary>      a heading (`Unfolding`)
    <a href="x">y</a>   [y](x)                            <img src="x" alt="y">   ![y](x)
    <table>             rows between bars, the first of them the head; text where a row cannot say what its cells are

Other tags go, and their text stays. No entity is resolved but in what is written anew.
"""

import html
from bisect import bisect
from collections.abc import Callable, Sequence

from workers.ingestion.extract.canonical import tidy_lines
from workers.ingestion.extract.extracted import Span
from workers.ingestion.extract.markup.html_tables import CELLS, rows_in_bars
from workers.ingestion.extract.markup.html_tags import BLOCKS, HEADINGS, Tag, tags_in
from workers.ingestion.extract.markup.unfolding import CLOSED, OPENED, SUMMARY
from workers.ingestion.extract.markup.writer import Writer

LISTS = {"ol", "ul"}
LINES = {"caption", "dd", "dt", "li", "tbody", "tfoot", "thead", "tr"}  # lines of their own, and no paragraphs
LONGEST_HEADING = 500  # a longer line is text
FENCES = ("```", "~~~")
_NO_ADDRESS = frozenset(" \t\n()<>")


def without_tags(text: str, code: Sequence[Span]) -> str:
    """`code`: spans of `text`, in order. The signs of `unfolding` stand in what is returned."""
    if not (tags := tags_in(text, code)):
        return text
    writer = Writer()
    _Page(text, tags, code).write(writer)
    return tidy_lines(writer.written())


class _Page:
    def __init__(self, text: str, tags: Sequence[Tag], code: Sequence[Span]) -> None:
        self._text, self._tags = text, tags
        self._starts, self._code = [start for start, _ in code], code
        self._lists: list[int] = []  # the last number of each that is open, -1 of one without numbers
        self._whole: dict[str, Callable[[int], str]] = {
            **dict.fromkeys(HEADINGS, self._heading),
            "pre": self._listing,
            "summary": self._summary,
            "table": self._table,
        }

    def write(self, writer: Writer) -> None:
        self._write(writer, 0, len(self._tags), 0, len(self._text))

    def line(self, first: int, last: int) -> str:
        """What stands between two tags, on one line."""
        writer = Writer(is_one_line=True)
        self._write(writer, first + 1, last, self._tags[first].end, self._tags[last].start)
        return " ".join(html.unescape(writer.written()).split())

    def _write(self, writer: Writer, number: int, last: int, start: int, end: int) -> None:
        """text[start:end], in which the tags from `number` to before `last` stand."""
        while number < last:
            tag = self._tags[number]
            writer.text(self._text[start : tag.start])
            if tag.partner and not writer.is_within_a_line and (block := self._block(number)):
                writer.block(block)
                number = tag.partner
            elif tag.partner and tag.name == "a" and (link := self._link(number)):
                writer.text(link)
                number = tag.partner
            else:
                self._tag(writer, tag)
            start = self._tags[number].end
            number += 1
        writer.text(self._text[start:end])

    def between(self, first: int, last: int) -> str:
        """The source."""
        return self._text[self._tags[first].end : self._tags[last].start]

    def _has_lines_of_code(self, first: int, last: int) -> bool:
        start, end = self._tags[first].end, self._tags[last].start
        spans = self._code[bisect(self._starts, start) : bisect(self._starts, end)]
        return any("\n" in self._text[one:other] for one, other in spans)

    def _block(self, number: int) -> str:
        """What becomes of all that a tag encloses, as one; "" where each tag in it stands for itself."""
        tag = self._tags[number]
        whole = self._whole.get(tag.name)
        if not whole or tag.holds_its_like or (tag.name != "pre" and self._has_lines_of_code(number, tag.partner)):
            return ""
        return whole(number)

    def _tag(self, writer: Writer, tag: Tag) -> None:
        if tag.name == "img":
            writer.text(_picture(tag))
        elif tag.name in CELLS:
            writer.space()
        elif tag.name == "br":
            writer.end_line()
        elif tag.name == "li" and not tag.is_closing and not writer.is_within_a_line:
            writer.item(self._mark())
        elif tag.name in LINES or (tag.name in LISTS and self._lists[tag.is_closing :]):
            writer.begin_line()
        elif tag.name in BLOCKS:
            writer.begin_paragraph()
        self._keep_count(writer, tag)

    def _keep_count(self, writer: Writer, tag: Tag) -> None:
        if tag.name in LISTS:
            if tag.is_closing:
                self._lists[-1:] = []
            else:
                self._lists.append(0 if tag.name == "ol" else -1)
        elif tag.name == "details" and not writer.is_within_a_line:
            writer.sign(CLOSED if tag.is_closing else OPENED)

    def _mark(self) -> str:
        indent = "  " * min(len(self._lists) - 1, 9)
        if not self._lists or self._lists[-1] < 0:
            return f"{indent}- "
        self._lists[-1] += 1
        return f"{indent}{self._lists[-1]}. "

    def _link(self, number: int) -> str:
        """Nothing of one that leads nowhere, says nothing, or has more than one line."""
        tag = self._tags[number]
        address = tag.value("href")
        if tag.holds_its_like or not _is_address(address) or address[0] == "#":
            return ""
        if any(one.name in BLOCKS for one in self._tags[number + 1 : tag.partner]):
            return ""
        said = self.line(number, tag.partner)
        return f"[{said}]({address})" if said else ""

    def _heading(self, number: int) -> str:
        tag = self._tags[number]
        title = self.line(number, tag.partner)
        return f"{'#' * HEADINGS[tag.name]} {title}" if 0 < len(title) <= LONGEST_HEADING else ""

    def _summary(self, number: int) -> str:
        title = self.line(number, self._tags[number].partner)
        return f"{SUMMARY}{title}" if 0 < len(title) <= LONGEST_HEADING else ""

    def _listing(self, number: int) -> str:
        inside = range(number, self._tags[number].partner)
        said = html.unescape("".join(self.between(one, one + 1) for one in inside)).strip("\n")
        fence = next((one for one in FENCES if one not in said), "")
        return f"{fence}\n{said}\n{fence}" if fence and said.strip() else ""

    def _table(self, number: int) -> str:
        return rows_in_bars(self, self._tags, number)


def _picture(tag: Tag) -> str:
    said = " ".join(tag.value("alt").replace("[", "").replace("]", "").split())
    address = tag.value("src")
    return f"![{said}]({address if _is_address(address) else ''})" if said else ""


def _is_address(address: str) -> bool:
    return bool(address) and _NO_ADDRESS.isdisjoint(address)

"""Markdown: its source as text, with front matter and headings recognised line by line."""

import re
from bisect import bisect
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, islice

from workers.ingestion.extract.canonical import one_line, tidy_text
from workers.ingestion.extract.extracted import MAX_HEADINGS, Extracted, HeadingSpan, Span, furniture_of
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.extract.markup.code import code_in
from workers.ingestion.extract.markup.front_matter import read_front_matter
from workers.ingestion.extract.markup.html import without_tags
from workers.ingestion.extract.markup.unfolding import Unfolding
from workers.ingestion.extract.outline.contents import is_contents_title
from workers.ingestion.extract.outline.faq import bold_questions
from workers.ingestion.extract.outline.levels import MAX_HEADING_LEVEL
from workers.ingestion.extract.outline.typed.underlined import setext_level
from workers.ingestion.extract.plain import decode_text
from workers.ingestion.extract.titles import title_among, title_of_first_lines
from workers.ingestion.pictures.embedded import Carried, spots_in, without_carried
from workers.ingestion.pictures.formats import MOST_PICTURES

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?\Z")
_LONGEST_HEADING = 500  # a longer line is text
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)\Z")  # any indentation: fences inside lists and quotes count
_DEFINITION = re.compile(  # of a link, by its name: "[`Duplex`]: #class-streamduplex"
    r" {0,3}\[(?!\^)[^\[\]]{1,300}\]:\s*+(?=\S{0,200}[#/.:])\S++(?:\s++(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\Z"
)
_LISTED = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])")
_COMPONENT = re.compile(r"<[A-Za-z][^<>]*(?:=[^<>]*|/)>")  # of the site that the page is for
_ANCHOR = re.compile(r"\s*\{[#.:][^}]*\}\s*\Z")
_EMPHASIS = re.compile(r"(\*{1,3}|~~|`+|(?<!\w)_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)")


def extract_markdown(content: bytes) -> Extracted:
    """Markdown to its tidied source without front matter, which is read apart; headings become `## Title` lines.

    Title: the front matter's, else that of the first heading of level 1. Raises ExtractionError as plain text does.
    """
    source = tidy_text(decode_text(content))
    front = _FRONT_MATTER.match(source)
    carried = lines_carried(source)
    text, headings = _canonical(_shown("\n".join(_seen(carried.lines)).strip("\n").split("\n")))
    if not text:
        raise ExtractionError("empty_document", cause="only white space")
    metadata = read_front_matter(front[1]) if front else {}
    title = metadata.pop("title", "") or title_among(headings) or title_of_first_lines(text)
    headings = _with_questions(text, headings)
    furniture = furniture_of(list(_contents(text, headings)), len(text))
    pictures = tuple(islice(spots_in(text, carried.pictures), MOST_PICTURES))
    return Extracted(
        text, headings=tuple(headings), title=str(title), metadata=metadata, furniture=furniture, pictures=pictures
    )


def lines_carried(source: str) -> Carried:
    """The tidied source's lines behind its front matter, with names for the pictures that they carried."""
    front = _FRONT_MATTER.match(source)
    lines = (source[front.end() :].strip("\n") if front else source).split("\n")
    if "data:image/" not in source:
        return Carried(lines)
    found = without_carried(lines, _lines_in_fences(lines))
    while found.lines and not found.lines[-1].strip():  # where the definitions stood
        found.lines.pop()
    return found


def pictures_in_markdown(content: bytes) -> list[bytes]:
    """Those that the file carries, in the order of their numbers."""
    return lines_carried(tidy_text(decode_text(content))).pictures


def _with_questions(text: str, headings: Sequence[HeadingSpan]) -> list[HeadingSpan]:
    """The headings with the questions in bold between them, each one level below the heading that it stands under."""
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    others = {one.start for one in headings}
    fenced = _lines_in_fences(lines)
    asked = bold_questions(
        lines, [start not in others and number not in fenced for number, start in enumerate(starts[:-1])]
    )
    found = {one.start: one for one in headings}
    for number, (end, title) in asked.items():
        above = bisect(headings, starts[number], key=lambda one: one.start)
        level = min(headings[above - 1].level + 1, MAX_HEADING_LEVEL) if above else 1
        found[starts[number]] = HeadingSpan(level, plain_title(title), starts[number], starts[number] + end)
    return [found[start] for start in sorted(found)][:MAX_HEADINGS]


def _contents(text: str, headings: Sequence[HeadingSpan]) -> Iterator[Span]:
    """Lists, and nothing else, below a heading that says that they are the contents."""
    for heading, end in zip(headings, [*(one.start for one in headings[1:]), len(text)], strict=False):
        if not is_contents_title(heading.title):
            continue
        body = text[heading.end : end].rstrip(" \n-")
        lines = [line for line in body.split("\n") if line.strip(" -")]
        if len(lines) > 1 and all(map(_LISTED.match, lines)):
            yield heading.end + len(body) - len(body.lstrip("\n")), heading.end + len(body)


def _seen(lines: Sequence[str]) -> Iterator[str]:
    """Without what no reader of the page sees: comments, and where links lead that are named in the text. What they
    stood between stays together."""
    fenced = _lines_in_fences(lines)
    commented = _lines_in_comments(lines, fenced)
    above, is_after_gap = "", False
    for number, line in enumerate(lines):
        if number in commented or (number not in fenced and _DEFINITION.match(line)):
            is_after_gap = True
        elif line or above or not is_after_gap:
            yield line
            above, is_after_gap = line, False


def _shown(lines: Sequence[str]) -> Unfolding:
    """What a page shows of the HTML in them."""
    text = "\n".join(lines)
    if "<" not in text:
        return Unfolding(lines)
    return Unfolding(without_tags(text, code_in(lines, _lines_in_fences(lines))).split("\n"))


def plain_title(marked: str) -> str:
    """A heading's words without Markdown: `**[Altas](#altas)** {#x}` is `Altas`."""
    title = _ANCHOR.sub("", _COMPONENT.sub("", _LINK.sub(r"\1", _IMAGE.sub(r"\1", marked))))
    for _ in range(3):  # bold inside italics inside code
        title = _EMPHASIS.sub(r"\2", title)
    return one_line(title)


def _canonical(unfolding: Unfolding) -> tuple[str, list[HeadingSpan]]:
    kept: list[str] = []
    headings: list[HeadingSpan] = []
    position = 0
    for number, line, written, said in _heading_lines(unfolding.lines):
        title = plain_title(line) if number in unfolding else said
        level = unfolding.level(number, written if title else 0)
        if title and len(headings) < MAX_HEADINGS:
            line = f"{'#' * level} {title}"
            headings.append(HeadingSpan(level, title, position, position + len(line)))
        kept.append(line)
        position += len(line) + 1
    return "\n".join(kept), headings


def _heading_lines(lines: list[str]) -> Iterator[tuple[int, str, int, str]]:
    """(number, line, level, title): title is empty for lines that are no heading; a setext underline is swallowed."""
    fenced = _lines_in_fences(lines)
    skip = False
    for number, line in enumerate(lines):
        if skip or number in fenced:
            if not skip:
                yield number, line, 0, ""
            skip = False
            continue
        if len(line) > _LONGEST_HEADING:
            yield number, line, 0, ""
            continue
        if atx := _ATX.match(line):
            yield number, line, len(atx[1]), plain_title(_without_closing_marks(atx[2] or ""))
            continue
        below = lines[number + 1] if number + 1 < len(lines) and number + 1 not in fenced else ""
        level = setext_level(lines[number - 1] if number else "", line, below)
        title = plain_title(line) if level else ""
        skip = bool(title)
        yield number, line, level, title


def _without_closing_marks(title: str) -> str:
    """`Título ##` is `Título`, but `C#` stays."""
    words = title.rstrip().rstrip("#")
    return words if not words or words[-1] in " \t" else title


def _lines_in_fences(lines: Sequence[str]) -> set[int]:
    """Numbers of the lines inside code fences, fences included. A fence that nobody closes is no fence."""
    inside: set[int] = set()
    opened, mark = -1, ""
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if not fence:
            continue
        if opened < 0:
            if not (fence[1][0] == "`" and "`" in fence[2]):
                opened, mark = number, fence[1]
        elif fence[1].startswith(mark) and not fence[2].strip():
            inside.update(range(opened, number + 1))
            opened = -1
    return inside


def _lines_in_comments(lines: Sequence[str], fenced: Collection[int]) -> set[int]:
    """Numbers of the lines of comments that begin and end with a line. One that nobody closes is no comment."""
    inside: set[int] = set()
    opened = -1
    for number, line in enumerate(lines):
        if opened < 0 and number not in fenced and line.lstrip().startswith("<!--"):
            opened = number
        if opened >= 0 and "-->" in line:
            if line.rstrip().endswith("-->"):
                inside.update(range(opened, number + 1))
            opened = -1
    return inside


def warm_up() -> None:
    """Compile what is compiled on first use."""
    extract_markdown("# Título\n\nTexto\n".encode())

"""A passage read as it is laid out: paragraphs, lists, tables and code, each below its heading. Pure.

A line seldom says by itself what it is about: "Tiempo que tarda un paquete" stands below "Latencia", "22/TCP" below
"Puerto", a solution below the question that it solves. A `LaidBlock` keeps what stands above its lines, so that they
are found by it and quoted with it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby, pairwise
from statistics import median

from agents.llm.quoting.asked_for.offices import is_signed, signed_lines
from agents.llm.quoting.laid.marks import listed_behind, with_marks, without_comment_marks
from agents.llm.quoting.laid.trail import Trail, trail_above
from agents.llm.quoting.quotable import WORDS_WITHOUT_STOP, unmarked
from retrieval.context.compression import ELISION
from retrieval.text.lines.columns import with_rows
from retrieval.text.lines.fields import fields_in, is_field
from retrieval.text.lines.sentences import below_title, sentences

MOST_LINES = 2_000  # of a passage
LONGEST_ROW = 600  # characters
LONGEST_ASKED = 300  # of a paragraph that is a question
COLUMN = " · "  # between the columns of a table that a passage begins within (`workers.ingestion.chunk`)
FEWEST_BARS = 3  # of a table's row
FEWEST_SPEECHES = 2  # of a section in which people talk
FEWEST_LOOSE, SHORT_LINE = 4, 30  # lines that do not run on; characters of the middle one
FEWEST_CLAUSE_WORDS = 5  # of a heading that is a sentence, and of a sentence that a list belongs to
INDENT = 3  # spaces before a heading's mark


class Form(StrEnum):
    PARAGRAPH = "paragraph"
    ITEMS = "items"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class LaidBlock:
    """Lines of one form, with what stands above them.

    `lines`: a paragraph as one, the items without their marks, a table's rows (the header first), lines of code.
    `marks`: of the items, "2." or "-". `heading`: the nearest. `lead`: what introduces the lines.
    `asked`: for each line the question that it answers, none or all. `is_first`: below its heading. `is_spoken`: of a
    section in which people talk. `outer`: the headings around the nearest one, as far as they are known.
    """

    form: Form
    lines: tuple[str, ...]
    marks: tuple[str, ...] = ()
    heading: str = ""
    lead: str = ""
    asked: tuple[str, ...] = ()
    is_first: bool = False
    is_spoken: bool = False
    outer: str = ""

    @property
    def is_numbered(self) -> bool:
        return bool(self.marks) and all(mark[:1].isdigit() for mark in self.marks)

    @property
    def header(self) -> tuple[str, ...]:
        """Of a table."""
        return cells_of(self.lines[0]) if self.form is Form.TABLE else ()


_FENCE = re.compile(r"^\s{0,9}(?:(?:[-*+]|\d{1,3}[.)])\s{1,9})?(`{3,}|~{3,})([^`]*)$")  # also as an item
_HEADING = re.compile(rf"^\s{{0,{INDENT}}}#{{1,6}}\s+(\S.*)$")
_RULE = re.compile(r"^[|:\s=_*-]{3,}$")
_ITEM = re.compile(r"^\s*([-*+•▪◦–—]|\(?\d{1,3}[.)º]|\d{1,3}(?:\.\d{1,3})+\.?|\(?[a-zñ][.)])\s+")
_REFERENCE = re.compile(r"^\s*\[\d+\]:")
_CAPITALS = re.compile(r"^[^a-záéíóúüñ]{12,}$")
_NUMBERS = re.compile(r"^\W*(?:\d+\W*)?$")
# A gazette's own lines, contents, page numbers, templates, tags.
_FURNITURE = re.compile(
    r"^\s*cve:|\bISSN\b"
    r"|^.{0,300}?(?:(?<!\.)\.{4,}+|(?<!\s\.)(?:\s\.){4,}+)(?:\s*+\S{1,8}+){0,2}+\s*+$"
    r"|\b[Pp][áa]g(?:ina|e)?s?\.?\s*\d+\s*$|\{[%{]|^\s*<[^<>]*>\s*$"
)
_DEBRIS = (_RULE, _REFERENCE, _CAPITALS, _NUMBERS, _FURNITURE)
_HYPHENATED = re.compile(r"(?<=\w)[-\u00ad\u2010\u2011]\n\s*(?=[a-záéíóúüñ])")
_NUMBERED = re.compile(r"^\s*\d{1,3}(?:\.\d{1,3})+\s+[a-záéíóúüñ]")
_NUMBERED_TITLE = re.compile(r"^\s{0,9}(\d{1,3}(?:\.\d{1,3})+)\.?\s(?=\S)(?!.{80})")
_ENDS = (".", ":", ";", "!", "?", "…")
_SPEECH = re.compile(r"[A-ZÁÉÍÓÚÑ][^:.\n]{0,30}:[*\s]{0,4}[—–-]\s?|[—–]\s?\w")
_BAR = re.compile(r"(?<!\\)\|")
_DRESS = " \t>*_`#~"


def blocks_of(text: str, headings: Collection[str] = ()) -> list[LaidBlock]:
    """The blocks in order. `headings`: the lines that are headings without a mark, as those of a PDF."""
    lines = _HYPHENATED.sub("", text.replace(ELISION, "\n\n")).splitlines()[:MOST_LINES]
    if any(map(_FENCE.match, lines)):  # in code a comment keeps its mark, and what stands below another its room
        lines = list(with_marks(lines))
    else:
        lines = list(with_rows(list(with_marks(list(without_comment_marks(lines))))))
    columns = [one for heading in headings if len(one := tuple(heading.split(COLUMN))) > 1]
    known = frozenset(map(undressed, headings)) | frozenset(_numbered_titles(lines))
    above = trail_above([undressed(one) for one in headings if COLUMN not in one], list(map(undressed, lines)))
    reading = _Reading(known - {""}, columns, opened=_fence_before(lines), trail=above)
    for line in lines:
        reading.take(line)
    reading.end_section()
    return [one for _, section in groupby(reading.blocks, lambda one: one.heading) for one in _heard(list(section))]


def _heard(section: list[LaidBlock]) -> list[LaidBlock]:
    """With what is said by somebody told from what the author says."""
    spoken = sum(_SPEECH.match(undressed(one.lines[0])) is not None for one in section)
    return [replace(one, is_spoken=True) for one in section] if spoken >= FEWEST_SPEECHES else section


def _fence_before(lines: Sequence[str]) -> str:
    """What encloses the beginning of a passage that was cut within code: its first fence closes one."""
    fences = [found for line in lines if (found := _FENCE.match(line))]
    return fences[0][1] if len(fences) % 2 and not fences[0][2].strip() else ""


def _numbered_titles(lines: Sequence[str]) -> Iterator[str]:
    """The lines that stand alone, have a number of several parts and are no sentence: "3.4.2. Requirements" between
    two paragraphs. Where the next one counts on from it they are clauses."""
    printed = [number for number, line in enumerate(lines) if line.strip()]
    for at, after in pairwise((*printed, len(lines) + 1)):
        title = _NUMBERED_TITLE.match(lines[at])
        is_alone = after > at + 1 and (at == 0 or not lines[at - 1].strip())
        if title and is_alone and not lines[at].rstrip().endswith(_ENDS):
            counts_on = _NUMBERED_TITLE.match(lines[after]) if after < len(lines) else None
            if not counts_on or counts_on[1].count(".") != title[1].count("."):
                yield undressed(lines[at])


def undressed(line: str) -> str:
    """A line without marks of emphasis and quotation around it, and without a picture in front."""
    line = (unmarked(line) if "**" in line else line).strip(_DRESS)
    first = next((place for place, sign in enumerate(line) if sign.isalnum() or sign in "¿¡\"'«“("), 0)
    return " ".join(line[first:].split())


def cells_of(line: str) -> tuple[str, ...]:
    """Of a table's row; none of another line."""
    line = line.strip()
    if not line.startswith("|") or len(line) > LONGEST_ROW or line.count("|") < FEWEST_BARS:
        return ()
    inner = line.removeprefix("|").removesuffix("|")
    return tuple(" ".join(cell.split()).replace(r"\|", "|") for cell in _BAR.split(inner))


@dataclass
class _Reading:
    """The state between two lines. `questions`: those of the section, by their numbers."""

    headings: frozenset[str]
    columns: list[tuple[str, ...]]
    opened: str = ""  # the mark of the fence that is open
    blocks: list[LaidBlock] = field(default_factory=list)
    form: Form | None = None
    lines: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    heading: str = ""
    lead: str = ""
    before: str = ""
    asked: str = ""
    questions: dict[str, str] = field(default_factory=dict)
    is_first: bool = True
    is_after_empty: bool = False
    trail: Trail = field(default_factory=Trail)

    def take(self, line: str) -> None:
        fence = _FENCE.match(line)
        if fence and (not self.opened or (fence[1].startswith(self.opened) and not fence[2].strip())):
            self.end()
            self.opened = "" if self.opened else fence[1]
        elif self.opened:
            self._add(Form.CODE, line.rstrip())
        elif not line.strip():
            self._pause()
        elif heading := self._heading_in(line):
            self._begin_section(heading)
            self.trail = self.trail.behind(line, heading)
        else:
            self._take_text(line)

    def _heading_in(self, line: str) -> str:
        if marked := _HEADING.match(line):
            return undressed(marked[1])
        said = undressed(line)
        return said if said in self.headings else ""

    def _take_text(self, line: str) -> None:
        if cells_of(line):
            if not _RULE.match(line):
                self._add(Form.TABLE, line.strip())
        elif self.form is Form.TABLE and line.strip().startswith("|"):
            return  # a row that is too long to be told
        elif _is_debris(line):
            self.end()
        elif (item := _ITEM.match(line)) and not self._goes_on(line):
            self._item(item[1], line[item.end() :].strip())
        elif self.form is Form.ITEMS and not self.is_after_empty:
            self.lines[-1] += " " + line.strip()
        else:
            self._add(Form.PARAGRAPH, line.strip().lstrip("> "))

    def _goes_on(self, line: str) -> bool:
        """A number in the middle of a sentence is no item's: "el artículo / 149.1.16 de la Constitución"."""
        if not self.lines or self.lines[-1].endswith(_ENDS):
            return False
        return self.form in (Form.PARAGRAPH, Form.ITEMS) and _NUMBERED.match(line) is not None

    def end(self) -> None:
        form, lines, marks = self.form, self.lines, self.marks
        self.form, self.lines, self.marks = None, [], []
        if form is Form.PARAGRAPH:
            self._lines_of_text(lines)
        elif form is Form.ITEMS:
            self._items(lines, marks)
        elif form is not None:
            self._put(form, lines)

    def _lines_of_text(self, lines: list[str]) -> None:
        """Fields, a signature, a list without marks, or a paragraph."""
        first = listed_behind(lines)
        if (listed := fields_in(lines)) is not None:
            self._fields(*listed)
        elif signed := signed_lines(lines):
            self._put(Form.PARAGRAPH, [signed])
        elif (_are_loose(lines) and not first) or (len(lines) > 1 and all(map(is_signed, lines))):
            self._put(Form.ITEMS, lines, [""] * len(lines))
        elif first:
            self._paragraph(" ".join(lines[:first]))
            self._put(Form.ITEMS, lines[first:], [""] * len(lines[first:]))
        else:
            if below_title("\n".join(lines[:2])):
                self._begin_section(undressed(lines.pop(0)))
            self._paragraph(" ".join(lines))

    def _fields(self, title: str, fields: list[str]) -> None:
        """Each is told alone, below what heads them: "Modelo eléctrico", and its weight and its price."""
        if title.rstrip().endswith(_ENDS):
            self._paragraph(title)
        elif title:
            self._tell_lead()
            self.lead = undressed(title)
        self.before = ""
        self._put(Form.ITEMS, fields, [""] * len(fields))

    def _pause(self) -> None:
        """An empty line ends all but a list, whose next item may come after it."""
        self.is_after_empty = True
        if self.form is not Form.ITEMS:
            self.end()

    def _add(self, form: Form, line: str) -> None:
        if self.form is not form:
            self.end()
            self.form = form
        self.lines.append(line)
        self.is_after_empty = False

    def _item(self, mark: str, text: str) -> None:
        if self.marks and _number(mark) == "1":  # another list begins
            self.end()
        self._add(Form.ITEMS, text)
        self.marks.append(mark)

    def end_section(self) -> None:
        """A heading that is a sentence with nothing below it is what its section says: "2.1. It lasts a year."."""
        self.end()
        self._tell_lead()
        if self.is_first and not (self.lead or self.asked) and _is_clause(self.heading):
            said, self.heading = self.heading, ""
            self._put(Form.ITEMS, [said], [""])

    def _begin_section(self, heading: str) -> None:
        self.end_section()
        self.heading, self.lead, self.before, self.asked = heading, "", "", ""
        self.questions, self.is_first = {}, True

    def _paragraph(self, text: str) -> None:
        """Its last sentence may introduce what is below."""
        said = undressed(text)
        if said.endswith("?") and len(said) <= LONGEST_ASKED:
            self.asked, self.lead = said, ""
            return
        self._tell_lead()
        start = sentences(text, shortest=1)[-1][0] if said.endswith(":") else len(text)
        if undressed(text[:start]):
            self._put(Form.PARAGRAPH, [text[:start].rstrip()])
        self.lead = text[start:]
        last = "" if self.lead else text[sentences(text, shortest=1)[-1][0] :]
        self.before = last if len(last.split()) >= FEWEST_CLAUSE_WORDS else ""

    def _tell_lead(self) -> None:
        """A long sentence that introduces no list, table or code is one of those: "In his article Tesla said:"."""
        if len(self.lead.split()) >= WORDS_WITHOUT_STOP:
            said, self.lead = self.lead, ""
            self._put(Form.PARAGRAPH, [said])

    def _items(self, lines: list[str], marks: list[str]) -> None:
        """A list of questions is none, but what has their numbers below answers them. An item with a colon at its end
        introduces those that are marked otherwise: "1. Son:", then "a)"."""
        asked = [is_question(line) for line in lines]
        if sum(asked) * 2 > len(lines):
            self.questions = {_number(mark): undressed(line) for mark, line in zip(marks, lines, strict=True)}
            self.lead = ""
            return
        outer = ""  # how the items are marked that may introduce others
        for is_inner, group in groupby(_nested(lines, marks), lambda one: one[0]):
            part = [(line, mark) for _, line, mark in group]
            if is_inner:
                self.lead = outer
            self._put(Form.ITEMS, [line for line, _ in part], [mark for _, mark in part])
            outer = part[-1][0] if part[-1][0].endswith(":") else ""

    def _put(self, form: Form, lines: list[str], marks: list[str] | None = None) -> None:
        marks = marks or []
        if (
            form is Form.TABLE and not self.blocks
        ):  # of a passage that begins within a table its heading has the columns
            width = len(cells_of(lines[0]))
            lines = ["| " + " | ".join(one) + " |" for one in self.columns if len(one) == width][-1:] + lines
        asked = [self.questions.get(_number(mark), "") for mark in marks]
        if self.asked and not any(asked):
            asked = [self.asked] * len(lines)
        is_set_off = form is Form.ITEMS and not any(map(_number, marks))  # numbered ones are often paragraphs
        lead = self.lead or (self.before if is_set_off else "")
        above = (self.heading, lead, tuple(asked), self.is_first)
        self.blocks.append(LaidBlock(form, tuple(lines), tuple(marks), *above, outer=self.trail.outer))
        self.lead, self.before, self.is_first = "", "", False


def _is_debris(line: str) -> bool:
    """A field may be all in capitals: "NIF: B12345678"."""
    return any(one.search(line) for one in _DEBRIS if one is not _CAPITALS or not is_field(line))


def _are_loose(lines: Sequence[str]) -> bool:
    """Lines that do not run on: those of a slide."""
    return len(lines) >= FEWEST_LOOSE and median(map(len, lines)) < SHORT_LINE


def _is_clause(heading: str) -> bool:
    return heading.endswith((".", ";")) and len(heading.split()) >= FEWEST_CLAUSE_WORDS


def is_question(line: str) -> bool:
    said = undressed(line).rstrip("\"»”'*")
    return said.endswith("?") or "¿" in said


def _nested(lines: list[str], marks: list[str]) -> list[tuple[bool, str, str]]:
    """Each item, and whether one before it introduces it."""
    found: list[tuple[bool, str, str]] = []
    introduced_by = ""  # the kind of mark
    for line, mark in zip(lines, marks, strict=True):
        if introduced_by and _kind_of_mark(mark) == introduced_by:
            introduced_by = ""
        found.append((bool(introduced_by), line, mark))
        if not introduced_by and line.endswith(":"):
            introduced_by = _kind_of_mark(mark)
    return found


def _kind_of_mark(mark: str) -> str:
    inner = mark.strip("().º")
    return "number" if inner[:1].isdigit() else "letter" if inner.isalpha() else mark


def _number(mark: str) -> str:
    """Of "2." and "(2)" it is "2"; of another mark ""."""
    inner = mark.strip("().º")
    return inner if inner.isdigit() else ""

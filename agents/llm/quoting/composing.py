"""Chosen statements as Markdown, each with its citation: what is a table stays one, what is a list too. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, pairwise

from agents.llm.quoting.asked_for.kinds import Wish
from agents.llm.quoting.laid.layout import Form, LaidBlock, cells_of
from agents.llm.quoting.quotable import shown, unmarked
from agents.llm.quoting.selecting import Chosen
from agents.llm.quoting.statements import Statement
from agents.llm.quoting.writing import leans

MOST_LINES = 10  # of a list, a table or code
LONGEST_LINE = 300  # characters
_LEVELS = re.compile(r"\d{1,3}(?:\.\d{1,3})+\.?")
_NUMBER = re.compile(r"\d{1,3}[.)]")
Part = tuple[str, str]  # a heading, and what is told below it
ANSWER_FIRST = (Wish.NUMBER, Wish.TIME, Wish.SPAN, Wish.PERSON, Wish.PLACE, Wish.DEFINITION)


def compose(chosen: Sequence[Chosen], kind: Wish) -> str:
    """Sentences of one passage as a paragraph, in reading order unless one thing was asked for, which then comes first;
    of several as a list. Rows under their header, whole blocks as they are laid out. A heading that tells stands on a
    line of its own, once for all that follows below it: what is cited is the sentence."""
    laid = [one for one in chosen if _is_laid(one)]
    told = [one for one in chosen if not _is_laid(one)]
    tables, sentences = list(_of_blocks(laid)), list(_of_sentences(told, kind))
    parts = [*tables, *sentences] if _is_laid(chosen[0]) else [*sentences, *tables]
    below = ["", *(heading for heading, _ in parts)]
    headings = [heading if heading != last else "" for last, heading in pairwise(below)]
    return "\n\n".join(filter(None, chain.from_iterable(zip(headings, (said for _, said in parts), strict=True))))


def _is_laid(one: Chosen) -> bool:
    return one.statement.is_whole or one.statement.block.form is Form.TABLE


def _of_sentences(told: Sequence[Chosen], kind: Wish) -> Iterator[Part]:
    """What stands below one heading and lead together, where the first of it stands."""
    above = list(map(_above, told))
    order = sorted(range(len(told)), key=lambda place: above.index(above[place]) if any(above[place]) else place)
    for (heading, lead), group in groupby((told[place] for place in order), key=_above):
        several = list(group)
        said = _paragraph(several, kind) if _is_paragraph(several) else "\n".join(f"- {_line(one)}" for one in several)
        yield heading, _below(lead, said)


def _above(one: Chosen) -> tuple[str, str]:
    """Heading and lead, which an item or a row cannot do without: it may be forbidden there, or false. Of a sentence,
    what tells."""
    block = one.statement.block
    is_told = one.heading_tells or block.form is not Form.PARAGRAPH
    heading = f"**{shown(_shortened(unmarked(block.heading)))}**" if block.heading and is_told else ""
    is_led = block.lead and block.form is not Form.PARAGRAPH
    return heading, cite(_shortened(unmarked(block.lead)), one.statement.n) if is_led else ""


def _below(lead: str, said: str) -> str:
    return f"{lead}\n\n{said}" if lead else said


def _is_paragraph(told: Sequence[Chosen]) -> bool:
    is_of_one = len({one.statement.n for one in told}) == 1
    return len(told) == 1 or (is_of_one and all(one.statement.block.form is Form.PARAGRAPH for one in told))


def _paragraph(told: Sequence[Chosen], kind: Wish) -> str:
    is_leaning = any(leans(one.statement.text) for one in told)
    ordered = sorted(told, key=lambda one: one.statement.place) if is_leaning or kind not in ANSWER_FIRST else told
    return " ".join(map(_line, ordered))


def _line(one: Chosen) -> str:
    """With the number by which people know it: "2.1.7"."""
    statement = one.statement
    mark = statement.block.marks[statement.line or 0] if statement.block.marks else ""
    said = cite(statement.text, statement.n)
    return f"{mark} {said}" if _LEVELS.fullmatch(mark) else said


def cite(text: str, n: int) -> str:
    return f"{shown(text)} [{n}]"


def _of_blocks(laid: Sequence[Chosen]) -> Iterator[Part]:
    for _, group in groupby(laid, key=lambda one: id(one.statement.block)):
        several = list(group)
        first, (heading, lead) = several[0].statement, _above(several[0])
        if first.is_whole:
            said = _whole(first)
        else:
            said = _table(first.block, [first.block.lines[one.statement.line or 0] for one in several], first.n)
        yield heading, _below(lead, said)


def _whole(one: Statement) -> str:
    block = one.block
    lines = block.lines[1:] if block.form is Form.TABLE else block.lines
    told, more = lines[:MOST_LINES], len(lines) - MOST_LINES
    rest = f"\n\n… (+{more})" if more > 0 else ""
    if block.form is Form.TABLE:
        return _table(block, told, one.n) + rest
    if block.form is Form.CODE:
        cited = "" if block.lead else f"\n\n[{one.n}]"
        return "```\n" + "\n".join(told) + f"\n```{rest}{cited}"
    marks = block.marks or ("",) * len(lines)
    items = (
        f"{_marked(mark)} {cite(_shortened(unmarked(item)), one.n)}" for mark, item in zip(marks, told, strict=False)
    )
    return "\n".join(items) + rest


def _marked(mark: str) -> str:
    """As Markdown keeps it: "4." is a list's number, "2.1.7" and "b)" are said."""
    if _NUMBER.fullmatch(mark):
        return mark
    return f"- {mark}" if any(sign.isalnum() for sign in mark) else "-"


def _shortened(line: str) -> str:
    """At a word, and marked."""
    return line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE].rpartition(" ")[0] + " …"


def _table(block: LaidBlock, rows: Sequence[str], n: int) -> str:
    lines = [_row(block.header), "|" + "---|" * len(block.header)]
    lines += [_row(cells_of(row)).removesuffix(" |") + f" [{n}] |" for row in rows]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(shown(unmarked(cell)).replace("|", r"\|") for cell in cells) + " |"

"""Headings of questions and answers: a line that is a question, with its answer below it. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from workers.ingestion.extract.outline.lines import Bookmark, Line

QUESTION_RANK = 90  # below every numbered place
FEWEST = 3  # questions of a text that is made of them
LONGEST, SHORTEST = 220, 8  # characters of a question
LONGEST_ANSWER = 25  # lines, on average: a question in a longer text is the author's way of writing
_ASKED = re.compile(r"(?:P|Q|Pregunta|Question)(?: ?\d{1,3})?[.:)-] ?(?=\S)")
_ANSWERED = re.compile(r"(?:R|A|Respuesta|Answer)(?: ?\d{1,3})?[.:)-] ?(?=\S)")
_BOLD = re.compile(r" {0,3}(?:(?:[-*+]|\d{1,3}[.)])\s{1,3})?(\*\*|__)(?P<asked>[^*_\n]{1,220}\?)\1")
_MARKED = re.compile(r"(?:[-*•▪] |\d{1,3}[.)] |[*_]{1,3})?")


def question_lines(lines: Sequence[str]) -> frozenset[int]:
    """The lines that are a question with its answer below, in a text that has several; of others none."""
    printed = [number for number, line in enumerate(lines) if line.strip()]
    found = [
        number
        for number, below in zip(printed, [*printed[1:], -1], strict=False)
        if below >= 0 and _is_question(lines[number]) and not _is_question(lines[below])
        and (not _ASKED.match(lines[number]) or _ANSWERED.match(lines[below]))
    ]  # fmt: skip
    if len(found) < FEWEST:
        return frozenset()
    answered = sum(found[0] <= number for number in printed) - len(found)
    return frozenset(found) if answered <= LONGEST_ANSWER * len(found) else frozenset()


def bold_questions(lines: Sequence[str], is_text: Sequence[bool]) -> dict[int, tuple[int, str]]:
    """Of a Markdown the lines that begin with a question in bold, its answer behind or below it, in a text that has
    several: each with where the question ends, and its title."""
    found: dict[int, tuple[int, str]] = {}
    waiting = -1  # the line of a question that nothing has answered yet
    for number, line in enumerate(lines):
        bold = _BOLD.match(line) if is_text[number] else None
        if bold and _is_question(bold["asked"]):
            found.pop(waiting, None)
            found[number] = bold.end(), question_title(bold["asked"])
            waiting = -1 if line[bold.end() :].strip() else number
        elif line.strip():
            if waiting >= 0 and not is_text[number]:
                del found[waiting]
            waiting = -1
    found.pop(waiting, None)
    return found if len(found) >= FEWEST else {}


def question_title(line: str) -> str:
    """The question without its mark."""
    rest = line[match.end() :] if (match := _ASKED.match(line)) else line
    return rest[_MARKED.match(rest).end() :].rstrip("*_ ")  # type: ignore[union-attr]


def with_question_headings(lines: Sequence[Line]) -> list[Line]:
    """The lines of a PDF, those that ask as headings where nothing else made them one."""
    asked = question_lines(["" if line.heading or line.is_furniture else line.text for line in lines])
    return [
        replace(line, heading=Bookmark(0, question_title(line.text), line.page), rank=QUESTION_RANK)
        if number in asked
        else line
        for number, line in enumerate(lines)
    ]


def _is_question(line: str) -> bool:
    """Whether the whole line asks: it begins as a question does, and its only question mark ends it."""
    if not SHORTEST <= len(line) <= LONGEST or not line.rstrip("*_ ").endswith("?"):
        return False
    title = question_title(line)
    return title.count("?") == 1 and (title[0] == "¿" or (title[0].isupper() and "¿" not in title))

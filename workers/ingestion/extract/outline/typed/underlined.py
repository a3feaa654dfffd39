"""Headings that a line of signs underlines: those of Markdown, and those of a plain text. Pure."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

SIGNS = "=-~"  # of the higher heading first
LONGEST = 120  # characters of an underlined line of a plain text
SHORTEST_RULE = 3
EXACTLY, MOSTLY = 2, 0.5  # characters by which a rule may differ where most are as long as their line
LIKE = range(50, 201)  # per cent of its line's length: a shorter or longer rule separates
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*\Z")
_NOT_A_PARAGRAPH = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]\s|<|$)| {4}|\t")


def setext_level(above: str, line: str, below: str) -> int:
    """1 or 2 as Markdown has it, of a line between two others; 0 of what is no heading."""
    underline = _SETEXT.match(below)
    # Only one-line headings: a rule under a longer paragraph is far more often a separator.
    if not underline or _NOT_A_PARAGRAPH.match(line) or not _NOT_A_PARAGRAPH.match(above):
        return 0
    return 1 if underline[1][0] == "=" else 2


def underlined_lines(lines: Sequence[str]) -> Mapping[int, int]:
    """Of a plain text the numbers of the lines that are underlined, each with its level: those stand alone, are about
    as long as their rule, and are neither a sentence nor the head of columns."""
    found = {
        number: below[0]
        for number, (line, below) in enumerate(pairwise(lines))
        if is_rule(below) and _is_title(line, len(below)) and _begins(lines, number, below)
    }
    exact = {number for number in found if abs(len(lines[number]) - len(lines[number + 1])) <= EXACTLY}
    if len(exact) >= MOSTLY * len(found):  # what is cited between two rules is none
        enclosed = {number for number in found if number and is_rule(lines[number - 1])}
        found = {number: sign for number, sign in found.items() if number in exact or number not in enclosed}
    signs = [sign for sign in SIGNS if sign in found.values()]
    return {number: signs.index(sign) + 1 for number, sign in found.items()}


def is_rule(line: str) -> bool:
    return len(line) >= SHORTEST_RULE and line[0] in SIGNS and not line.strip(line[0])


def _is_title(line: str, length: int) -> bool:
    if not line or len(line) > LONGEST or not any(map(str.isalnum, line)) or line[-1] in ".;,":
        return False
    is_listed = line[0] in "-*+>|#<" or "  " in line or "\t" in line or "|" in line
    return not is_listed and 100 * length // len(line) in LIKE


def _begins(lines: Sequence[str], number: int, rule: str) -> bool:
    """Whether nothing is above it, or the same rule with nothing above that."""
    above = number - 1 - (number > 0 and lines[number - 1] == rule)
    return above < 0 or not lines[above]

"""Marks of lines: of the comments of settings files, which is a heading's in Markdown, and of lists whose items
have none of the usual ones: letters, values in a column, lines behind a colon. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from retrieval.text.lines.sentences import LETTER_BULLET, has_letter_bullets

COMMENT = "#"
DEEPEST = 6  # marks of a heading; a title between more of them is set off as one: "##### MEMORY #####"
MARK = "• "
FEWEST_VALUES = 3  # in a column
LONGEST_VALUE = 12  # characters of what stands before its meaning
GAP = 3  # spaces between the two
FEWEST_LINES = 3  # behind a colon


def without_comment_marks(lines: Sequence[str]) -> Iterator[str]:
    """The lines, those of a comment without their mark: of lines with one "#" that follow on one another without an
    empty line between them none is a heading, which stands alone. A bare "#" parts paragraphs, as a row of them does.
    """
    for is_marked, group in groupby(lines, _is_comment):
        run = list(group)
        is_remark = is_marked and (len(run) > 1 or not _said(run[0]))
        yield from map(_said if is_remark else _heading, run)


def _heading(line: str) -> str:
    return f"{COMMENT} {_said(line)}" if line.startswith(COMMENT * (DEEPEST + 1)) else line


def _is_comment(line: str) -> bool:
    rest = line.removeprefix(COMMENT)
    return rest != line and (rest[:1] in ("", " ", "\t") or not rest.strip(COMMENT))


def _said(line: str) -> str:
    return line.strip(COMMENT).strip()


def with_marks(lines: Sequence[str]) -> Iterator[str]:
    """The lines, those with a mark that begin with a letter as bullet or with a value: "0      Success"."""
    lettered = has_letter_bullets(lines)
    columns = [_meaning_at(line) for line in lines]
    told = {at for at, count in Counter(columns).items() if at and count >= FEWEST_VALUES}
    for line, at in zip(lines, columns, strict=True):
        said = line.lstrip()
        if lettered and said.startswith(LETTER_BULLET):
            yield MARK + said.removeprefix(LETTER_BULLET).lstrip()
        else:
            yield MARK + said if at in told else line


def _meaning_at(line: str) -> int:
    """Where in an indented line the meaning of its value begins; 0 where there is none."""
    said = line.lstrip()
    value, gap, meaning = said.partition(" " * GAP)
    if said == line or not gap or not value or len(value) > LONGEST_VALUE or len(value.split()) > 1:
        return 0
    meaning = meaning.lstrip()
    return len(line) - len(meaning) if value[0].isalnum() and len(meaning.split()) and "  " not in meaning else 0


def listed_behind(lines: Sequence[str]) -> int:
    """The first of the lines behind a colon that are a list, for each begins with a capital or a number; else 0."""
    first = next((at for at, (line, _) in enumerate(pairwise(lines), 1) if line.rstrip().endswith(":")), 0)
    items = lines[first:]
    is_list = first and len(items) >= FEWEST_LINES and all(one[:1].isupper() or one[:1].isdigit() for one in items)
    return first if is_list else 0

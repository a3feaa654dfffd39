"""Settings files explain themselves in comments, whose mark is a heading's in Markdown. Pure."""

from collections.abc import Iterator, Sequence
from itertools import groupby

MARK = "#"
DEEPEST = 6  # marks of a heading; a title between more of them is set off as one: "##### MEMORY #####"


def without_comment_marks(lines: Sequence[str]) -> Iterator[str]:
    """The lines, those of a comment without their mark: of lines with one "#" that follow on one another without an
    empty line between them none is a heading, which stands alone. A bare "#" parts paragraphs, as a row of them does.
    """
    for is_marked, group in groupby(lines, _is_comment):
        run = list(group)
        is_remark = is_marked and (len(run) > 1 or not _said(run[0]))
        yield from map(_said if is_remark else _heading, run)


def _heading(line: str) -> str:
    return f"{MARK} {_said(line)}" if line.startswith(MARK * (DEEPEST + 1)) else line


def _is_comment(line: str) -> bool:
    rest = line.removeprefix(MARK)
    return rest != line and (rest[:1] in ("", " ", "\t") or not rest.strip(MARK))


def _said(line: str) -> str:
    return line.strip(MARK).strip()

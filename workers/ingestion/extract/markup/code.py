"""Where the code of a Markdown text is: in fences, indented, and between ticks; pure."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from chat.rendering.code_spans import code_spans
from workers.ingestion.extract.extracted import Span

INDENT, INDENT_IN_A_LIST = 4, 8  # columns
TAB = 4
_LISTED = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")


def code_in(lines: Sequence[str], fenced: Collection[int]) -> list[Span]:
    """Spans of the lines' text in order, apart from one another. `fenced`: the numbers of those in fences."""
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    numbers = {*fenced, *_indented(lines, fenced)}
    found = [(starts[number], starts[number + 1]) for number in numbers]
    united: list[Span] = []
    for start, end in sorted([*found, *code_spans("\n".join(lines))]):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united


def _indented(lines: Sequence[str], fenced: Collection[int]) -> Iterator[int]:
    """Behind an empty line, and not as what a list's item goes on with."""
    is_code, is_listed, is_behind_empty = False, False, True
    for number, line in enumerate(lines):
        said = line.lstrip()
        if not said or number in fenced:
            is_behind_empty = True
            continue
        indent = len(line[: len(line) - len(said)].expandtabs(TAB))
        is_code = indent >= (INDENT_IN_A_LIST if is_listed else INDENT) and (is_code or is_behind_empty)
        if is_code:
            yield number
        elif indent < INDENT:
            is_listed = _LISTED.match(line) is not None or (is_listed and indent > 0)
        is_behind_empty = False

"""Where the code of a Markdown text is, in one pass over it; pure.

One expression for both kinds takes the square of the text's length: it looks for the end of a span from every backtick.
"""

import re
from collections.abc import Iterator

Span = tuple[int, int]  # characters [start, end)

# A line that opens or closes a fenced block; one of backticks has no other backtick in its line (CommonMark).
_FENCE = re.compile(r"^ {0,3}(?:(`{3,}+)(?![^\n]*`)|(~{3,}+))([^\n]*)$", re.MULTILINE)
_RUN_OR_BREAK = re.compile(r"`+|\n[ \t]*(?=\n)")


def code_spans(text: str) -> Iterator[Span]:
    """Fenced blocks, and what stands in a paragraph between two runs of as many backticks; in order."""
    position = 0
    for start, end in _fenced_blocks(text):
        yield from _inline_spans(text, position, start)
        yield start, end
        position = end
    yield from _inline_spans(text, position, len(text))


def _fenced_blocks(text: str) -> Iterator[Span]:
    """One that nothing closes goes on to the end."""
    start, marks = 0, ""
    for line in _FENCE.finditer(text):
        found = line[1] or line[2]
        if not marks:
            start, marks = line.start(), found
        elif found.startswith(marks) and not line[3].strip():
            yield start, line.end()
            marks = ""
    if marks:
        yield start, len(text)


def _inline_spans(text: str, start: int, end: int) -> Iterator[Span]:
    runs: list[Span] = []
    for found in _RUN_OR_BREAK.finditer(text, start, end):
        if found[0][0] == "`":
            runs.append(found.span())
        else:
            yield from _paired(runs)
            runs = []
    yield from _paired(runs)


def _paired(runs: list[Span]) -> Iterator[Span]:
    """Each run with the next one of its length."""
    later: dict[int, int] = {}
    partners = [0] * len(runs)
    for number in reversed(range(len(runs))):
        start, end = runs[number]
        partners[number] = later.get(end - start, 0)
        later[end - start] = number
    number = 0
    while number < len(runs):
        if partner := partners[number]:
            yield runs[number][0], runs[partner][1]
            number = partner
        number += 1

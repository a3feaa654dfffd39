"""The citations `[n]` in an answer's text: `[1]`, `[1, 2]`, `[1][2]`, `[1-3]`; pure."""

import re
from collections.abc import Collection, Iterator
from itertools import islice

from chat.rendering.code_spans import code_spans

MOST_CITATIONS = 1_000  # of an answer: a range in few characters names many sources
# A group of numbers and ranges in brackets, unless it is the text of a Markdown link.
CITATION = re.compile(r"\[(\d{1,3}(?:\s*(?:[,;–-]|y|and)\s*\d{1,3})*)\](?!\()")
_WITH_SPACE_BEFORE = re.compile(r"(?<![ \t])[ \t]*" + CITATION.pattern)  # the lookbehind keeps long runs linear
RANGE = re.compile(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?")


def cited_numbers(text: str, available: Collection[int]) -> tuple[int, ...]:
    """The numbers that `text` cites and that exist, each once, in order of appearance; code is not read."""
    return tuple(dict.fromkeys(citations_in(text, available)))


def citations_in(text: str, available: Collection[int]) -> Iterator[int]:
    """The same, each as often as it is cited, but once in one pair of brackets; up to MOST_CITATIONS."""
    spoken = " ".join(text[start:end] for start, end in _spans_outside_code(text))
    found = (n for group in CITATION.finditer(spoken) for n in dict.fromkeys(numbers_in(group[1], available)))
    return islice(found, MOST_CITATIONS)


def numbers_in(group: str, available: Collection[int]) -> Iterator[int]:
    """The existing numbers of the inside of one citation: `1, 3-5` gives 1, 3, 4, 5."""
    most = max(available, default=0)
    for part in RANGE.finditer(group):
        first, last = int(part[1]), int(part[2] or part[1])
        yield from (n for n in range(first, min(last, most) + 1) if n in available)


def without_citations(text: str) -> str:
    """`text` without its citations: those of an earlier answer number other sources than the present ones."""
    kept, position = [], 0
    for start, end in _spans_outside_code(text):
        kept += [text[position:start], _WITH_SPACE_BEFORE.sub("", text[start:end])]
        position = end
    return "".join([*kept, text[position:]])


def _spans_outside_code(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    for start, end in code_spans(text):
        yield position, start
        position = end
    yield position, len(text)

"""The citations `[n]` in an answer's text: `[1]`, `[1, 2]`, `[1][2]`, `[1-3]`; pure."""

import re
from collections.abc import Collection, Iterator

# A group of numbers and ranges in brackets, unless it is the text of a Markdown link.
CITATION = re.compile(r"\[(\d{1,3}(?:\s*(?:[,;–-]|y|and)\s*\d{1,3})*)\](?!\()")
CODE = re.compile(r"(?P<fence>^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\2[`~]*\s*$|\Z))|(`+)(?!`).+?(?<!`)\3(?!`)", re.M | re.S)
RANGE = re.compile(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?")


def cited_numbers(text: str, available: Collection[int]) -> tuple[int, ...]:
    """The numbers that `text` cites and that exist, each once, in order of appearance; code is not read."""
    return tuple(dict.fromkeys(citations_in(text, available)))


def citations_in(text: str, available: Collection[int]) -> Iterator[int]:
    """The same, each as often as it is cited."""
    for group in CITATION.finditer(CODE.sub(" ", text)):
        yield from numbers_in(group[1], available)


def numbers_in(group: str, available: Collection[int]) -> Iterator[int]:
    """The existing numbers of the inside of one citation: `1, 3-5` gives 1, 3, 4, 5."""
    for part in RANGE.finditer(group):
        first, last = int(part[1]), int(part[2] or part[1])
        yield from (n for n in range(first, last + 1) if n in available)


def without_citations(text: str) -> str:
    """`text` without its citations: those of an earlier answer number other sources than the present ones."""
    kept, position = [], 0
    for code in CODE.finditer(text):
        kept += [_BEFORE_CITATION.sub("", text[position : code.start()]), code[0]]
        position = code.end()
    return "".join([*kept, _BEFORE_CITATION.sub("", text[position:])])


_BEFORE_CITATION = re.compile(r"[ \t]*" + CITATION.pattern)

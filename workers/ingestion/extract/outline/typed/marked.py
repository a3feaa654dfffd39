"""Headings of a plain text by how it is typed: flush lines above indented text, as in manual pages; marks in
front, as in AsciiDoc; and titles in bars or boxes of signs, as in the comments of settings files. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

SIGNS = "=-~*+#"
COMMENTS = ("#", ";", "//")
LONGEST, MOST_WORDS = 80, 10  # characters and words of a title
SURELY_A_TITLE = 3  # words
NO_TITLE = frozenset("=<>(){}")  # code that is commented out
FEWEST = 2  # of one kind: one alone is something else
FEWEST_FLUSH, MOSTLY = 3, 0.6  # flush titles; their share of the flush lines, and that of the indented among all
FEWEST_SIGNS = 3  # of a bar; fewer are a mark beside a title, one level below
DEEPEST = 5  # signs of "===== Title"


def typed_lines(lines: Sequence[str]) -> Mapping[int, tuple[int, str]]:
    """The numbers of the lines that are headings, each with its level and its title without signs."""
    found: dict[int, tuple[int, str]] = {}
    for kind in (_hanging(lines), _marked(lines), _barred(lines)):
        found |= kind if len(kind) >= FEWEST else {}
    return found


def boxes(lines: Sequence[str], told: Mapping[int, tuple[int, str]]) -> Iterator[int]:
    """The numbers of the lines of signs around the titles."""
    for number in told:
        yield from (at for at in (number - 1, number + 1) if 0 <= at < len(lines) and _bar(_said(lines[at])))


def _hanging(lines: Sequence[str]) -> dict[int, tuple[int, str]]:
    """Flush titles, each above text that is indented, and those between them and the text that are indented less."""
    indents = [len(line) - len(line.lstrip()) if line else -1 for line in lines]
    printed = [indent for indent in indents if indent >= 0]
    titles = [number for number in range(len(lines)) if indents[number] == 0 and _is_above(lines, indents, number)]
    if len({lines[number] for number in titles}) < len(titles):  # who speaks, in a play or a log
        return {}
    flush, inside = printed.count(0), len(printed) - printed.count(0)
    if len(titles) < max(FEWEST_FLUSH, MOSTLY * flush) or inside < MOSTLY * len(printed):
        return {}
    usual = Counter(indents[number + 1] for number in titles).most_common(1)[0][0]
    lesser = [number for number, indent in enumerate(indents) if 0 < indent < usual]
    below = [number for number in lesser if _is_above(lines, indents, number)]
    if len(below) < MOSTLY * len(lesser):
        below = []
    return {number: (2 if indents[number] else 1, lines[number].strip()) for number in sorted((*titles, *below))}


def _is_above(lines: Sequence[str], indents: Sequence[int], number: int) -> bool:
    """Whether a line begins something and stands right above text that is indented further."""
    line = lines[number].strip()
    is_first = number == 0 or not lines[number - 1] or indents[number - 1] < indents[number]
    hangs = number + 1 < len(lines) and indents[number + 1] > indents[number]
    if not (is_first and hangs and "  " not in line and _is_title(line)):
        return False
    goes_on = lines[number + 1].lstrip()[:1].islower()  # a paragraph whose first line hangs
    return not goes_on or line.isupper() or len(line.split()) <= SURELY_A_TITLE


def _marked(lines: Sequence[str]) -> dict[int, tuple[int, str]]:
    """ "== Title", with nothing above but its anchor."""
    found = {}
    for number, line in enumerate(lines):
        title = line.lstrip("=")
        level = len(line) - len(title)
        if 0 < level <= DEEPEST and title.startswith(" ") and title.lstrip()[:1].isalpha():
            above = lines[number - 1] if number else ""
            if len(title) <= LONGEST and (not above or above.startswith("[")):
                found[number] = (level, title.partition("[[")[0].strip(" ="))
    return found


def _barred(lines: Sequence[str]) -> dict[int, tuple[int, str]]:
    """ "#### NETWORK ####", "# - Memory -", and a comment between two bars."""
    said = ["" if not _is_comment(line) else _said(line) for line in lines]
    found = {number: one for number, line in enumerate(lines) if (one := _in_bar(line))}
    short = [number for number, (level, _) in found.items() if level > 1]
    if len(short) < FEWEST:
        found = {number: one for number, one in found.items() if number not in short}
    for number, (above, title) in enumerate(pairwise(said), 1):
        below = said[number + 1] if number + 1 < len(said) else ""
        if _bar(above) and _bar(below) and _is_title(title) and not _bar(title) and NO_TITLE.isdisjoint(title):
            found[number] = (1, title)
    return found


def _in_bar(line: str) -> tuple[int, str] | None:
    """The level and the title of a comment that begins and ends with the same signs."""
    if not _is_comment(line) or len(line) > 2 * LONGEST:
        return None
    words = line.split()
    if len(words[0]) < FEWEST_SIGNS:  # the comment's mark alone
        words = _said(line).split()
    if len(words) < 3 or not _sign(words[0]) or _sign(words[0]) != _sign(words[-1]):
        return None
    title = " ".join(words[1:-1])
    is_title = _is_title(title) and NO_TITLE.isdisjoint(title)
    return (1 if len(words[0]) >= FEWEST_SIGNS else 2, title) if is_title else None


def _is_comment(line: str) -> bool:
    return line.startswith(COMMENTS) and not line[1:2].isalnum()  # "#include"


def _said(line: str) -> str:
    """A comment without its mark."""
    mark = next((one for one in COMMENTS if line.startswith(one)), "")
    return line.removeprefix(mark).strip()


def _sign(word: str) -> str:
    """The sign that a word consists of."""
    return word[0] if word[0] in SIGNS and not word.strip(word[0]) else ""


def _bar(said: str) -> bool:
    return len(said) >= FEWEST_SIGNS and _sign(said) != ""


def _is_title(line: str) -> bool:
    is_short = len(line) <= LONGEST and len(line.split()) <= MOST_WORDS
    return is_short and line[-1:] not in (".", ",", ";", ":") and any(map(str.isalpha, line[:LONGEST]))

"""Places that no heading has: a line, or the row of a table, begins with what was asked for, "| V3.2.1 | … |". Pure."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import ceil
from uuid import UUID

from retrieval.results import RetrievedChunk
from retrieval.text.asked_places import AskedPlace
from retrieval.text.folding import fold_latin
from retrieval.text.references import KINDS

MOST_HOLDING = 3  # documents with a line for one lettered place
COLUMNS = " · "  # between the names of columns in a path of headings, as chunks are cut
_MARKS = r"[#*|•–\- \t]{0,9}"
_RULE = re.compile(r"\|[|:\- ]{2,400}")
_COUNT = re.compile(r"\d{1,6}\Z")


def lines_of(
    place: AskedPlace, ordered: Sequence[RetrievedChunk], holders: Collection[UUID] | None
) -> tuple[RetrievedChunk, ...]:
    """What of the passages begins with the place, in documents whose headings do not tell; `holders` are the only ones
    that may, None: any.

    Of a lettered place its line alone, the first of each document, at most MOST_HOLDING; of others the first passage
    from there on.
    """
    found: dict[UUID, RetrievedChunk] = {}
    for chunk in ordered if holders is None else [one for one in ordered if one.document in holders]:
        if chunk.document not in found and (line := _line_in(chunk, place)):
            found[chunk.document] = line
    return tuple(islice(found.values(), MOST_HOLDING if place.letters else 1))


def is_said(place: AskedPlace, texts: Sequence[str]) -> bool:
    """Whether a text has a lettered place anywhere."""
    said = re.compile(rf"(?<!\w){_lettered(place)}")
    return any(said.search(fold_latin(text)) for text in texts)


def part_of(chunk: RetrievedChunk, start: int, end: int) -> RetrievedChunk:
    """The chunk from one character of the document to another; tokens by the share of characters."""
    text = chunk.text[start - chunk.start : end - chunk.start]
    kept = text.rstrip()
    counted = ceil(chunk.token_count * len(kept) / max(1, len(chunk.text)))
    return replace(chunk, text=kept, start=start, end=start + len(kept), token_count=counted)


def below_its_heading(chunk: RetrievedChunk, whole: RetrievedChunk) -> RetrievedChunk:
    """A part of a whole passage with the headings and the page of the section in which it begins."""
    own = next((one for one in whole.parts if one.start <= chunk.start < one.end), None)
    path, page = (own.heading_path, own.page) if own else (chunk.heading_path, chunk.page)
    return replace(chunk, heading_path=path, page=page, parts=())


def place_heading(place: AskedPlace) -> re.Pattern[str]:
    """Of folded text: the place at the beginning of a line, by any name for its kind."""
    if place.letters:
        return re.compile(rf"(?:^|\n){_MARKS}(?P<place>{_lettered(place)})")
    part = place.part.partition(".")[0]
    number = re.escape(place.number) + (rf"(?:\.{part})?" if part.isdigit() else "")
    if place.kind == "clausula":
        counted = rf"{number}(?!\w|\.\w)|base\s{number}\.?[oa](?!\w)"  # "9. …", and not "9.1"
        return re.compile(rf"(?:^|\n|\|)[#*\s|]{{0,9}}(?P<place>{counted})")
    kinds = ("articulo", "seccion") if place.kind in ("articulo", "seccion") else (place.kind,)
    names = "|".join(re.escape(name) for kind in kinds for name in KINDS.get(kind, (kind,)))
    return re.compile(rf"(?:^|\n|[.:;]\s)[#*\s]{{0,9}}(?P<place>(?:{names})\.?\s?(?:n\.?[ºo]\s)?{number}(?![\w]))")


def _lettered(place: AskedPlace) -> str:
    """ "V3.2.1", "R-12" and "R12" of folded text, and no longer one."""
    number = place.number.removeprefix(place.letters)
    return rf"{place.letters}[-. ]?{re.escape(number)}(?![\w(]|[.-]\w)"


def _line_in(chunk: RetrievedChunk, place: AskedPlace) -> RetrievedChunk | None:
    folded = fold_latin(chunk.text)
    found = place_heading(place).search(folded)
    if found is None or _is_listed(chunk.text, found.end()):
        return None
    if not place.letters:
        return part_of(chunk, chunk.start + found.start("place"), chunk.end)
    if place.is_bare and not _is_counted(folded, place):
        return None
    start = found.start() + (folded[found.start()] == "\n")
    is_row = folded.startswith("|", start)
    end = _end_of_line(folded, found.end(), place, is_row=is_row)
    line = below_its_heading(part_of(chunk, chunk.start + start, chunk.start + end), chunk)
    columns = _columns_above(chunk, start) if is_row else ()
    return replace(line, heading_path=(*(one for one in line.heading_path if one not in columns), *columns))


def _columns_above(chunk: RetrievedChunk, start: int) -> tuple[str, ...]:
    """What the columns of a row's table are called, as a passage says that begins within one."""
    first = start
    while first and chunk.text.startswith("|", above := chunk.text.rfind("\n", 0, first - 1) + 1):
        first = above
    head, rule, *_ = (*chunk.text[first:start].splitlines(), "", "")
    if _RULE.fullmatch(rule):
        return (COLUMNS.join(cell for one in head.strip("| ").split("|") if (cell := one.strip())),)
    return tuple(one for one in chunk.heading_path[-1:] if first == 0 and COLUMNS in one)


def _is_counted(folded: str, place: AskedPlace) -> bool:
    """Whether the text counts on or back from the place, "R-11" beside "R-12": "UTF-8" is a name."""
    count = _COUNT.search(place.number)
    if count is None:
        return False
    beside = (replace(place, number=place.number[: count.start()] + one) for one in _beside(count[0]))
    return any(place_heading(one).search(folded) for one in beside)


def _beside(number: str) -> Iterator[str]:
    """ "08" and "10" of "09"."""
    for one in (int(number) - 1, int(number) + 1):
        yield str(max(one, 0)).rjust(len(number) if number.startswith("0") else 0, "0")


def _end_of_line(folded: str, named: int, place: AskedPlace, *, is_row: bool) -> int:
    """Where what the line says ends: a row with its line, else before the next of the count or a blank line."""
    line = folded.find("\n", named)
    if is_row or line < 0:
        return len(folded) if line < 0 else line
    following = re.compile(rf"\n{_MARKS}{place.letters}[-. ]?\d").search(folded, named)
    says = any(map(str.isalnum, folded[named:line]))  # a name alone has its text below
    blank = folded.find("\n\n", line if says else named + len(folded[named:]) - len(folded[named:].lstrip(" .:*\n")))
    return min(following.start() if following else len(folded), blank if blank >= 0 else len(folded))


def _is_listed(text: str, end: int) -> bool:
    """Whether the line is one of a table of contents."""
    line = text[end:].split("\n", 1)[0]
    return ". . ." in line or "..." in line

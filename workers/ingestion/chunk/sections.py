"""A document's sections under its headings, and which of them share a chunk."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from workers.ingestion.chunk.segments import Segments
from workers.ingestion.extract.extracted import Extracted, HeadingSpan, Span

_FULL_ENOUGH = 2  # a group of at least 1/2 of the granularity takes no further section …
_TINY = 8  # … but one below 1/8, which would make a poor chunk of its own


@dataclass(frozen=True, slots=True)
class HeadedSection:
    """Segments first:last under one heading; `path` are the titles down to it, () before the first.

    `is_furniture`: no text, but a table of contents or the like.
    """

    first: int
    last: int
    tokens: int
    path: tuple[str, ...]
    is_furniture: bool = False


def spans_apart(extracted: Extracted) -> list[Span]:
    """Headings and furniture in order: where segments begin and end."""
    return sorted([*((heading.start, heading.end) for heading in extracted.headings), *extracted.furniture])


def headed_sections(segments: Segments, extracted: Extracted) -> list[HeadedSection]:
    """Sections tile the segments: one before the first heading, if there is text, one per heading, and furniture."""
    found = []
    borders = [(0, (), False), *_borders(extracted)]
    for index, (start, path, is_furniture) in enumerate(borders):
        first = bisect_left(segments.ends, start) + 1 if start else 0
        after = borders[index + 1][0] if index + 1 < len(borders) else None
        last = len(segments) if after is None else bisect_left(segments.ends, after) + 1 if after else 0
        if last > first:
            tokens = segments.before[last] - segments.before[first]
            found.append(HeadedSection(first, last, tokens, path, is_furniture))
    return found


def _borders(extracted: Extracted) -> Iterator[tuple[int, tuple[str, ...], bool]]:
    """Where what begins: (character, path, whether it is furniture)."""
    paths = dict(zip((heading.start for heading in extracted.headings), heading_paths(extracted.headings), strict=True))
    above: tuple[str, ...] = ()
    apart = spans_apart(extracted)
    for index, (start, end) in enumerate(apart):
        if start in paths:
            above = paths[start]
            yield start, above, False
            continue
        yield start, above, True
        rest = extracted.text[end : apart[index + 1][0] if index + 1 < len(apart) else None]
        if rest.strip():
            yield end + len(rest) - len(rest.lstrip()), above, False


def heading_paths(headings: Sequence[HeadingSpan]) -> list[tuple[str, ...]]:
    """Of each heading, the titles of those above it and its own."""
    paths = []
    above: list[HeadingSpan] = []
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        paths.append(tuple(one.title for one in above))
    return paths


def groups(found: Sequence[HeadedSection], granularity: int) -> Iterator[tuple[int, int]]:
    """(first, last) segments of sections that belong together, in order.

    Small sections under the same parent are merged up to the granularity, because a 20-token chunk retrieves
    badly; a heading with hardly any text goes with its first subsection, however long that is. Furniture is in
    no group.
    """
    for is_furniture, run in groupby(found, key=lambda section: section.is_furniture):
        if not is_furniture:
            yield from _groups_of(run, granularity)


def _groups_of(found: Iterable[HeadedSection], granularity: int) -> Iterator[tuple[int, int]]:
    group: list[HeadedSection] = []
    for section in _with_lead_ins(found, granularity // _TINY):
        if group and not _joins(group, section, granularity):
            yield group[0].first, group[-1].last
            group = []
        group.append(section)
    if group:
        yield group[0].first, group[-1].last


def _with_lead_ins(found: Iterable[HeadedSection], tiny: int) -> Iterator[HeadedSection]:
    """The sections, each tiny one made one with the subsection that follows it."""
    lead: HeadedSection | None = None
    for section in found:
        if lead is not None:
            if section.path[: len(lead.path)] == lead.path:
                tokens = lead.tokens + section.tokens
                section = replace(lead, last=section.last, tokens=tokens)
            else:
                yield lead
        lead = section if section.tokens < tiny else None
        if lead is None:
            yield section
    if lead is not None:
        yield lead


def _joins(group: list[HeadedSection], section: HeadedSection, granularity: int) -> bool:
    parent = group[0].path[:-1]
    if section.path[: len(parent)] != parent:
        return False
    tokens = sum(one.tokens for one in group)
    small = tokens < granularity // _FULL_ENOUGH or section.tokens < granularity // _TINY
    return small and tokens + section.tokens <= granularity

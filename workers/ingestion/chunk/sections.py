"""A document's sections under its headings, and which of them share a chunk."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workers.ingestion.chunk.segments import Segments
from workers.ingestion.extract.extracted import HeadingSpan

_FULL_ENOUGH = 2  # a group of at least 1/2 of the granularity takes no further section …
_TINY = 8  # … but one below 1/8, which would make a poor chunk of its own


@dataclass(frozen=True, slots=True)
class HeadedSection:
    """Segments first:last under one heading; `path` are the titles down to it, () before the first."""

    first: int
    last: int
    tokens: int
    path: tuple[str, ...]


def headed_sections(segments: Segments, headings: Sequence[HeadingSpan]) -> list[HeadedSection]:
    """Sections tile the segments: one before the first heading, if there is text, and one per heading."""
    borders: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    for heading, path in zip(headings, heading_paths(headings), strict=True):
        borders.append((bisect_left(segments.ends, heading.start) + 1 if heading.start else 0, path))
    found = []
    for index, (first, path) in enumerate(borders):
        last = borders[index + 1][0] if index + 1 < len(borders) else len(segments)
        if last > first:
            found.append(HeadedSection(first, last, segments.before[last] - segments.before[first], path))
    return found


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
    badly; a heading with hardly any text goes with its first subsection, however long that is.
    """
    group: list[HeadedSection] = []
    for section in _with_lead_ins(found, granularity // _TINY):
        if group and not _joins(group, section, granularity):
            yield group[0].first, group[-1].last
            group = []
        group.append(section)
    if group:
        yield group[0].first, group[-1].last


def _with_lead_ins(found: Sequence[HeadedSection], tiny: int) -> Iterator[HeadedSection]:
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

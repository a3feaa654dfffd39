"""Headings by their numbers: "Artículo 14. …", "CAPÍTULO II", "V2.1.1 …" in lines that no outline names. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from workers.ingestion.extract.outline.lines import Bookmark, Line
from workers.ingestion.extract.outline.places import (
    CLOSING_RANKS,
    DECIMAL_RANK,
    RANKS,
    Number,
    NumberedPlace,
    numbered_place,
    with_sections_of_articles,
)
from workers.ingestion.extract.outline.sequences import FEWEST_DECIMALS, Candidate, headings_among

FILLED = 0.75  # of the page's line width: such a line goes on below
LONGEST_TITLE, MOST_TITLE_LINES = 250, 4
LONGEST_LAST_TITLE, MOST_LAST_TITLE_LINES = 450, 7  # of dispositions, which name the laws that they change
LONGEST_CLAUSE_TITLE = 90
RUN_IN = 0.5  # of a text's articles
SHORT_TITLE = 60  # of a clause: its first words
_ENDS = re.compile(r"[.:;!?…]\)?\Z")
_SENTENCE_INSIDE = re.compile(r"\.[-–—]? (?=[A-ZÁÉÍÓÚÑ¿«\d])")
_INTRODUCES = re.compile(r"[:;,]\Z")  # a title ends otherwise
_LISTED = re.compile(r"(?:\d{1,3}|[a-zA-Z])[.)]")


def with_numbered_headings(lines: Sequence[Line], widths: Sequence[int]) -> list[Line]:
    """The lines, headings among them joined with what their title goes on with; each heading has its rank."""
    places = with_sections_of_articles(
        [
            None if line.is_furniture else numbered_place(line.heading.title if line.heading else line.text)
            for line in lines
        ]
    )
    told = {(place.family, place.number) for line, place in zip(lines, places, strict=True) if place and line.heading}
    listed = _families_told(told)
    counted = {number for family, number in told if family.startswith("decimal")}
    candidates: list[Candidate] = []
    for index, place in enumerate(places):
        if place and not lines[index].heading and place.rank == DECIMAL_RANK + 1 and place.family in listed:
            continue
        if place and not lines[index].heading and _is_mention(place, counted):
            continue
        if place and (
            lines[index].heading or ((place.family, place.number) not in told and _begins(lines, index, places, widths))
        ):
            candidates.append((index, place))
    accepted = {index for index, _ in headings_among(candidates)}
    untitled = _untitled_articles(lines, places, accepted, widths)
    result: list[Line] = []
    index = 0
    while index < len(lines):
        line, place, end = lines[index], places[index], index + 1
        if line.heading:
            line = replace(line, rank=place.rank if place else 0)
        elif place and index in accepted:
            by_number = _heading(line, line.text[: place.end], place.rank, place.end), end
            line, end = by_number if index in untitled else _headed(lines, index, place, places, widths)
        result.append(line)
        index = end
    return result


def _untitled_articles(
    lines: Sequence[Line], places: Sequence[NumberedPlace | None], accepted: Collection[int], widths: Sequence[int]
) -> frozenset[int]:
    """The articles of which a long sentence behind the number is all that they have: their text, and no title."""
    found = set()
    for index in accepted:
        place = places[index]
        if not place or place.family != "articulo" or place.bare or lines[index].heading:
            continue
        end = below = _end_of_title(lines, index, place, widths, places)
        while below < len(lines) and lines[below].is_furniture:
            below += 1
        is_all = below == len(lines) or lines[below].heading is not None or below in accepted
        text = " ".join(line.text for line in lines[index:end])[place.end :]
        has_title = _SENTENCE_INSIDE.search(lines[index].text, place.end + 1)
        if is_all and not has_title and text.endswith(".") and len(text) > SHORT_TITLE and not text.isupper():
            found.add(index)
    return frozenset(found)


def _families_told(told: Collection[tuple[str, Number]]) -> frozenset[str]:
    """Those of which an outline has numbers of several parts: "3." alone, where it does not, is an item of a list."""
    several = Counter(family for family, number in told if len(number) > 1)
    return frozenset(family for family, count in several.items() if count >= FEWEST_DECIMALS)


def _is_mention(place: NumberedPlace, counted: Collection[Number]) -> bool:
    """Whether it is "Section 1.6" where the outline has "1.6 …": a heading does not stand there a second time."""
    return place.family in ("seccion", "subseccion") and len(place.number) > 2 and place.number[:-1] in counted


def numbered_lines(
    lines: Sequence[str], is_text: Sequence[bool], is_told: Sequence[bool] | None = None
) -> dict[int, NumberedPlace]:
    """The lines of a text without pages that are headings by their numbers, of those that may be (`is_text`).

    Those that are told to be headings are among them, and what they name is no heading a second time.
    """
    width = max((len(line) for line in lines), default=0)
    shown = [Line(line, 0, after_gap=not above) for line, above in zip(lines, ["", *lines], strict=False)]
    found = (numbered_place(line) if may_be else None for line, may_be in zip(lines, is_text, strict=True))
    places = with_sections_of_articles(list(found))
    sure = is_told or [False] * len(lines)
    told = {(place.family, place.number) for place, is_sure in zip(places, sure, strict=True) if place and is_sure}
    candidates = [
        (index, place)
        for index, place in enumerate(places)
        if place
        and (sure[index] or ((place.family, place.number) not in told and _begins(shown, index, places, [width])))
    ]
    return dict(headings_among(candidates))


def run_in_articles(lines: Sequence[str], places: Mapping[int, NumberedPlace], *, are_wrapped: bool) -> frozenset[int]:
    """Of a text without pages the articles whose text begins on the line of their number: it is too long for a title,
    introduces something, or, where lines `are_wrapped`, goes on in the one below. Where most do so, all do."""
    width = max((len(line) for line in lines), default=0) if are_wrapped else 0
    articles = [index for index, place in places.items() if place.family == "articulo" and not place.bare]
    found = frozenset(index for index in articles if _has_its_text(lines, index, width))
    return frozenset(articles) if len(found) > RUN_IN * len(articles) else found


def _has_its_text(lines: Sequence[str], index: int, width: int) -> bool:
    line = lines[index]
    if len(line) > LONGEST_TITLE or _INTRODUCES.search(line[-1:]):
        return True
    goes_on = index + 1 < len(lines) and bool(lines[index + 1].strip()) and not _ENDS.search(line[-3:])
    return bool(width) and goes_on and len(line) >= FILLED * width


def _begins(lines: Sequence[Line], index: int, places: Sequence[NumberedPlace | None], widths: Sequence[int]) -> bool:
    """Whether the line begins something: the one above does not go on in it, or is the title of a bare number."""
    above = lines[index - 1] if index else None
    if above is None or above.heading or above.is_furniture or lines[index].after_gap:
        return True
    if any(place and place.bare for place in places[max(index - MOST_TITLE_LINES, 0) : index]):
        return True
    if _is_next(places[index - 1], places[index]) or _is_opened(places, index):
        return True
    return bool(_ENDS.search(above.text[-3:])) or len(above.text) < FILLED * widths[above.page]


def _is_next(above: NumberedPlace | None, place: NumberedPlace | None) -> bool:
    """Whether a line counts on from the one above it, which then was a whole: "13.3.2 …", "13.3.3 …"."""
    if above is None or place is None or above.family != place.family or place.rank <= DECIMAL_RANK:
        return False
    return above.number[:-1] == place.number[:-1] and above.number[-1] + 1 == place.number[-1]


def _is_opened(places: Sequence[NumberedPlace | None], index: int) -> bool:
    """Whether the line below counts the first of it: "1. DEFINITIONS", "1.1 …"."""
    place, below = places[index], places[index + 1] if index + 1 < len(places) else None
    if place is None or below is None or place.family != below.family or place.rank <= DECIMAL_RANK:
        return False
    return below.number == (*place.number, 1)


def _headed(
    lines: Sequence[Line],
    index: int,
    place: NumberedPlace,
    places: Sequence[NumberedPlace | None],
    widths: Sequence[int],
) -> tuple[Line, int]:
    """The heading's line, and the index after the last line that its title takes."""
    line = lines[index]
    if place.bare:
        end = _title_below(lines, index + 1, places, widths) if place.rank < DECIMAL_RANK else index + 1
    elif place.rank > DECIMAL_RANK:
        return _clause(lines, index, place), index + 1
    elif _is_only(line.text, place):
        return _heading(line, line.text[: place.end], place.rank, place.end), index + 1
    else:
        inside = _SENTENCE_INSIDE.search(line.text, place.end + 1)
        if inside or _LISTED.match(line.text, place.end + 1):
            named = inside.start() + 1 if inside and not _LISTED.match(line.text, place.end + 1) else place.end
            return _heading(line, line.text[:named], place.rank, named), index + 1
        end = _end_of_title(lines, index, place, widths, places)
        if not end or (place.family == "articulo" and lines[end - 1].text.endswith(":")):
            return _heading(line, line.text[: place.end], place.rank, place.end), index + 1
    text = " ".join(one.text for one in lines[index:end])
    return _heading(replace(line, text=text), text, place.rank, 0), end


def _is_only(text: str, place: NumberedPlace) -> bool:
    """Whether a disposition without a number is followed by its text: "DISPOSICIÓN FINAL. Esta Ordenanza …"."""
    named, rest = text[: place.end], text[place.end :]
    return place.rank == RANKS["disposicion"] and len(named.split()) == 2 and named.isupper() and not rest.isupper()


def _heading(line: Line, title: str, rank: int, named: int) -> Line:
    return replace(line, heading=Bookmark(0, title.strip(), line.page), rank=rank, named=named)


def _clause(lines: Sequence[Line], index: int, place: NumberedPlace) -> Line:
    """A clause's text follows its number; only a short one that does not go on is its title."""
    line = lines[index]
    below = lines[index + 1] if index + 1 < len(lines) else None
    goes_on = below is not None and not below.after_gap and not below.heading and not _is_new(below.text)
    if goes_on or line.text.endswith((".", ";", ":")) or len(line.text) > LONGEST_CLAUSE_TITLE:
        return _heading(line, _first_words(line.text), place.rank, place.end)
    return _heading(line, line.text, place.rank, 0)


def _is_new(text: str) -> bool:
    """Whether the line may begin something."""
    return text[:1].isupper() or text[:1].isdigit() or text[:1] in "#¿¡«“\"'•-–|"


def _first_words(text: str) -> str:
    return text if len(text) <= SHORT_TITLE else f"{text[:SHORT_TITLE].rsplit(' ', 1)[0]}…"


def _end_of_title(
    lines: Sequence[Line],
    index: int,
    place: NumberedPlace,
    widths: Sequence[int],
    places: Sequence[NumberedPlace | None],
) -> int:
    """After the lines that a title with its number takes; 0 where no end is near: then it is a text."""
    length = 0
    last = place.rank in CLOSING_RANKS
    longest, most = (LONGEST_LAST_TITLE, MOST_LAST_TITLE_LINES) if last else (LONGEST_TITLE, MOST_TITLE_LINES)
    for end in range(index, min(index + most, len(lines))):
        line = lines[end]
        if end > index and (line.heading or line.is_furniture or line.after_gap or places[end]):
            return end
        length += len(line.text) + 1
        if length > longest:
            return 0
        if _ENDS.search(line.text[-3:]) or len(line.text) < FILLED * widths[line.page]:
            return end + 1
    return 0


def _title_below(
    lines: Sequence[Line], index: int, places: Sequence[NumberedPlace | None], widths: Sequence[int]
) -> int:
    """After the lines that are the title of the bare number above; what ends like a sentence is none."""
    end, length = index, 0
    while end < min(index + MOST_TITLE_LINES, len(lines)):
        line = lines[end]
        if line.heading or line.is_furniture or places[end] or (line.after_gap and end > index):
            break
        if end > index and _begins_anew(lines[end - 1], line, FILLED * widths[line.page]):
            break
        length += len(line.text) + 1
        end += 1
        if line.text.endswith((".", ";", ":")):
            return index
    if end - index == MOST_TITLE_LINES or length > LONGEST_TITLE or (end > index and _LISTED.match(lines[index].text)):
        return index
    return end


def _begins_anew(above: Line, line: Line, filled: float) -> bool:
    """Whether a line below a title's is the text: it stands on a new line though there was room above."""
    in_capitals = line.text.isupper() and above.text.isupper()
    return line.text[:1].isupper() and not in_capitals and len(above.text) < filled

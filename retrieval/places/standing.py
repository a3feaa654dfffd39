"""The passages of the sections that a question names stand first, each cut to its section. Pure.

A chunk may hold several small sections and a section several chunks: what is cited is the section's own span of each,
and of "artículo 8.2" the paragraph that begins with "2.", where there is one. Who asks for a place and for nothing else
gets it and nothing else.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from retrieval.places.about import stems_for_all
from retrieval.places.lines import below_its_heading, is_said, lines_of, part_of
from retrieval.places.lookup import Looked
from retrieval.places.named import Named
from retrieval.places.sections import FoundSection
from retrieval.ranking.fusion import Fused
from retrieval.results import RetrievedChunk
from retrieval.text.asked_names import Mention, MentionKind, content_stems
from retrieval.text.asked_places import AskedPlace
from retrieval.text.naming.told_names import told_name
from retrieval.text.place_words import PAGE
from retrieval.text.references import HEADING
from retrieval.text.stems import stems

# What a passage of the place that was asked for is worth on the scale of calibrated relevance: that it is the place is
# certain, so what is left open is whether it says what else was asked.
SURE, MANY, OF_OTHER_WORDS = 0.95, 0.65, 0.65
COVERED = 0.5  # of the question's other words, compared by their first letters
COMPARED = 5
MOST_CHUNKS = 6  # of one section, and
MOST_SECTIONS = 8  # of the question, that are read
NEAREST = 3  # titles that are told where what was asked for is missing
FEWEST_SHARING = 2  # documents with a place that the question says of none
MOST_LEFT_OUT = 3  # parts of a place, between two that are there
ITEM_LETTERS = "abcdefghijklmnñopqrstuvwxyz"
LONGEST_PAGE = 2  # words of one: "página 20"
MOST_MEANT = 3  # sections for one place, where several may be meant


@dataclass(frozen=True, slots=True)
class Standing:
    """`first` are the passages of the places, best first, `others` the rest in their order; `rest` the stems of what
    the question says beside places and names. `is_by_words`: a place is a heading that has the words."""

    first: tuple[RetrievedChunk, ...]
    others: tuple[RetrievedChunk, ...]
    named: Named
    rest: tuple[str, ...] = ()
    is_by_words: bool = False


def with_places(hits: Sequence[Fused], looked: Looked) -> tuple[tuple[Fused, ...], int]:
    """The hits with the chunks of the sections before them, and how many these are."""
    if not looked.sections:
        return tuple(hits), 0
    wanted = _chunks_to_read(looked, [hit.id for hit in hits])
    known = {hit.id: hit for hit in hits}
    first = [known.get(id, Fused(id, 0.0, None, None)) for id in wanted]
    return (*first, *(hit for hit in hits if hit not in first)), len(first)


def _chunks_to_read(looked: Looked, found: Sequence[UUID]) -> list[UUID]:
    """The chunks of the sections, in order; of a long one its beginning and what the search found in it."""
    ranks = {id: rank for rank, id in enumerate(found)}
    wanted: list[UUID] = []
    for section in looked.sections[: 2 * MOST_SECTIONS]:
        several = len(looked.sections) > MOST_SECTIONS
        wanted += section.chunks[:1] if several else _worth_reading(section.chunks, ranks)
    return list(dict.fromkeys(wanted))


def _worth_reading(chunks: Sequence[UUID], ranks: Mapping[UUID, int]) -> list[UUID]:
    if len(chunks) <= MOST_CHUNKS:
        return list(chunks)
    best = sorted((id for id in chunks[1:] if id in ranks), key=lambda id: ranks[id])[: MOST_CHUNKS - 1]
    return [chunks[0], *best]


def stand_first(question: str, ordered: Sequence[RetrievedChunk], looked: Looked) -> Standing:
    """The places' passages before the others, with the relevance of what was asked for by name."""
    by_id = {chunk.chunk: chunk for chunk in ordered}
    rest = _other_words(question, looked)
    sections = _meant(looked, ordered)
    first: dict[tuple[UUID, int], RetrievedChunk] = {}
    lacking: list[AskedPlace] = []
    for section in sections:
        pieces = [_narrowed(by_id[id], section) for id in section.chunks if id in by_id]
        if section.place and len(pieces) == len(section.chunks) and _lacks_the_part(section, pieces):
            lacking.append(section.place)
        for piece in _of_the_part(section, pieces):
            is_sure = _is_sure(section, sections) and _are_one(looked) and section.place not in lacking
            first.setdefault((piece.chunk, piece.start), _rated(piece, rest, is_sure=is_sure))
    begun = _begun_with(looked, ordered)
    is_certain = _are_one(looked) and all(place.letters and len(lines) == 1 for place, lines in begun.items())
    lines = [line for found in begun.values() for line in found]
    for line in lines:
        at = next((at for at in first if at[0] == line.chunk), (line.chunk, line.start))
        known = first.get(at)
        first[at] = _rated(_united(known, line, by_id[line.chunk]) if known else line, rest, is_sure=is_certain)
    gone = [place for place in looked.missing_places if place not in begun]
    if not (rest or first):
        gone += [one for one in _unheaded(looked) if not is_said(one, [chunk.text for chunk in ordered])]
    doubtful = gone if is_certain else [*gone, *looked.missing_places]
    is_all = bool(first) and not (rest or doubtful) and _are_one(looked) and not _by_words(sections)
    named = _named(question, looked, sections, gone, ordered)
    named = replace(
        named,
        places=tuple(dict.fromkeys((*named.places, *(_headings(lines) if is_certain else ())))),
        is_sure=named.is_sure and is_certain and not lacking,
        outline=looked.outline,
        shared_by=shared_by(sections, first.values(), rest) if not looked.resolution.documents else (),
    )
    standing = {id for id, _start in first}
    left = () if is_all else tuple(chunk for chunk in ordered if chunk.chunk not in standing)
    told = _each_first(first.values()) if named.shared_by else tuple(first.values())
    return Standing(told, left, named, rest, _by_words(sections))


def shared_by(
    sections: Sequence[FoundSection], passages: Iterable[RetrievedChunk], rest: Sequence[str]
) -> tuple[str, ...]:
    """The titles of the documents that have one place, as their passages stand; none where it is of one, or where the
    first alone has most of the question's other words, `rest`."""
    holders: dict[AskedPlace, set[UUID]] = defaultdict(set)
    for section in sections:
        if section.place and (section.place.kind != HEADING or section.place.is_question):
            holders[section.place].add(section.document)
    several = frozenset[UUID]().union(*(one for one in holders.values() if len(one) > 1))
    texts: dict[UUID, list[RetrievedChunk]] = defaultdict(list)
    for chunk in passages:
        if chunk.document in several:
            texts[chunk.document].append(chunk)
    if len(texts) < FEWEST_SHARING or _are_copies(texts.values()):
        return ()
    best, *others = (
        _share_said(f"{own[0].title} {' '.join(map(_said_in, own))}", rest) if rest else 0.0 for own in texts.values()
    )
    if best >= COVERED and best > max(others):
        return ()
    return tuple(own[0].title for own in texts.values())


def _are_copies(each: Iterable[Sequence[RetrievedChunk]]) -> bool:
    """Whether all documents say the same there."""
    return len({" ".join(" ".join(chunk.text for chunk in own).split()).casefold() for own in each}) == 1


def _said_in(chunk: RetrievedChunk) -> str:
    return f"{' '.join(chunk.heading_path)} {chunk.text}"


def _share_said(text: str, rest: Sequence[str]) -> float:
    """How many of some stems a text has, in the singular or the plural: "infrac" is not begun by "infrarrojos"."""
    said = {_singular(one) for one in stems(text)}
    return sum(_singular(one) in said for one in rest) / len(rest)


def _singular(one: str) -> str:
    return one.rstrip("es")


def _each_first(passages: Iterable[RetrievedChunk]) -> tuple[RetrievedChunk, ...]:
    """What each document begins with before what any of them goes on with."""
    counted: dict[UUID, int] = defaultdict(int)
    ranked: list[tuple[int, RetrievedChunk]] = []
    for chunk in passages:
        ranked.append((counted[chunk.document], chunk))
        counted[chunk.document] += 1
    return tuple(chunk for _, chunk in sorted(ranked, key=lambda one: one[0]))


def _headings(lines: Sequence[RetrievedChunk]) -> list[str]:
    """The last one above each line; that of a row are its columns."""
    return [line.heading_path[-1] for line in lines if line.heading_path]


def _begun_with(looked: Looked, ordered: Sequence[RetrievedChunk]) -> dict[AskedPlace, tuple[RetrievedChunk, ...]]:
    """The lines that begin with the places that no section is."""
    places = (*looked.missing_places, *looked.unclear_places, *_unheaded(looked))
    found = {
        place: lines_of(place, ordered, looked.resolution.holders(place)) for place in places if place.kind != PAGE
    }
    return {place: lines for place, lines in found.items() if lines}


def _unheaded(looked: Looked) -> list[AskedPlace]:
    """Lettered places that may be names of something else, "R-12", and no section is."""
    there = {section.place for section in looked.sections}
    return [place for place in looked.asked.places if place.letters and place.is_bare and place not in there]


def _united(known: RetrievedChunk, line: RetrievedChunk, whole: RetrievedChunk) -> RetrievedChunk:
    """Two lines of one passage, with what is between them; rows of one table keep its columns."""
    both = part_of(whole, min(known.start, line.start), max(known.end, line.end))
    is_one = known.heading_path == line.heading_path
    united = below_its_heading(both, whole)
    return replace(united, heading_path=line.heading_path) if is_one else united


def _near_titles(question: str, ordered: Sequence[RetrievedChunk]) -> list[str]:
    """Titles of what the search found that have a word of the question's: what shares nothing is not near."""
    asked = {stem[:COMPARED] for stem in stems(question)}
    titles = dict.fromkeys(chunk.title for chunk in ordered)
    return [title for title in titles if not asked.isdisjoint(stem[:COMPARED] for stem in stems(title))][:NEAREST]


def _by_words(sections: Sequence[FoundSection]) -> bool:
    """Whether a place was only found by a heading's words, which may say what is asked instead of where."""
    return any(section.place is not None and section.place.kind == HEADING for section in sections)


def _are_one(looked: Looked) -> bool:
    """Whether no place may be several documents, "la unidad 4" of two courses."""
    places = [one for one in looked.resolution.clear if one.mention.kind is MentionKind.PLACE]
    return all(len(one.documents) == 1 for one in places)


def _other_words(question: str, looked: Looked) -> tuple[str, ...]:
    """The stems of what the question says beside places and names."""
    places = [one for place in looked.asked.places for one in (place, place.within) if one]
    spans = [(place.start, place.end) for place in places]
    spans += [(one.mention.start, one.mention.end) for one in looked.resolution.clear]
    spans += [(one.start, one.end) for one in looked.resolution.missing]
    asking = stems_for_all(question)
    return tuple(stem for stem in content_stems(question, spans) if stem not in asking)


def _meant(looked: Looked, ordered: Sequence[RetrievedChunk]) -> list[FoundSection]:
    """Of several documents that have a place, those whose passages and names fit the other words best."""
    best: dict[UUID, float] = {}
    for chunk in ordered:
        best[chunk.document] = max(best.get(chunk.document, 0.0), chunk.score)
    liked = dict(looked.resolution.liked)
    kept: list[FoundSection] = []
    for place in looked.asked.places:
        own = [one for one in looked.sections if one.place == place]
        own.sort(key=lambda one: -(best.get(one.document, 0.0) + liked.get(one.document, 0.0)))
        kept += own if len({one.document for one in own}) <= 1 and len(own) <= MOST_MEANT else own[:MOST_MEANT]
    return kept[:MOST_SECTIONS]


def _is_sure(section: FoundSection, sections: Sequence[FoundSection]) -> bool:
    return section.is_sure and not any(
        one.place == section.place and one.document != section.document for one in sections
    )


def _narrowed(chunk: RetrievedChunk, section: FoundSection) -> RetrievedChunk:
    """The chunk's share of the section, under its heading and on its pages."""
    start, end = max(chunk.start, section.start), min(chunk.end, section.end)
    narrowed = part_of(chunk, start, end)
    path = below_its_heading(narrowed, chunk).heading_path
    is_page = section.place is not None and section.place.kind == PAGE
    if section.title not in path and not is_page:
        path = (*path[: max(0, section.level - 1)], section.title)
    return replace(
        narrowed,
        heading_path=path,
        page=section.page_start if start == section.start and section.page_start else chunk.page,
        page_end=section.page_end if end == section.end and section.page_end else chunk.page_end,
        parts=(),  # of the whole chunk, and one of the others would be cited
    )


def _lacks_the_part(section: FoundSection, pieces: Sequence[RetrievedChunk]) -> bool:
    """Whether a section counts its paragraphs, and none has the number that was asked for."""
    part = section.place.part.partition(".")[0] if section.place else ""
    if not part.isdigit() or section.key.partition(":")[2].endswith(f".{part}"):
        return False
    first, asked = (any(_from_mark(pieces, one, run_in=run_in) for run_in in (False, True)) for one in ("1", part))
    return first and not asked


def _of_the_part(section: FoundSection, pieces: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """The paragraph that begins with the number that was asked for, up to that of the next, and in it the item of the
    letter; what has none of that stays whole."""
    kept = list(pieces)
    for part in section.place.part.split(".") if section.place else ():
        if part and not section.key.partition(":")[2].endswith(f".{part}"):
            kept = next((own for run_in in (False, True) if (own := _from_mark(kept, part, run_in=run_in))), kept)
    return kept


def _from_mark(pieces: Sequence[RetrievedChunk], part: str, *, run_in: bool) -> list[RetrievedChunk]:
    """From where the part is marked to the next one; none where it is not."""
    mark = part_mark(part, run_in=run_in)
    following = _end_of(pieces, mark, [part_mark(one, run_in=run_in) for one in _parts_behind(part)])
    found: list[RetrievedChunk] = []
    for piece in pieces:
        begun = mark.search(piece.text) if not found else None
        if not (begun or found):
            continue
        start = begun.end() if begun else 0
        ended = following.search(piece.text, start) if following else None
        found.append(part_of(piece, piece.start + start, piece.start + (ended.end() if ended else len(piece.text))))
        if ended:
            break
    return found


def _parts_behind(part: str) -> list[str]:
    """The parts that may follow one, the nearest first: a text may leave some out, and "ñ" counts in some."""
    if part.isdigit():
        return [str(int(part) + n) for n in range(1, MOST_LEFT_OUT + 2)]
    at = ITEM_LETTERS.find(part) + 1
    return list(ITEM_LETTERS[at : at + MOST_LEFT_OUT + 1]) if at else []


def _end_of(
    pieces: Sequence[RetrievedChunk], mark: re.Pattern[str], following: Sequence[re.Pattern[str]]
) -> re.Pattern[str] | None:
    """The first of the marks that is there, behind that of the part itself."""
    text = "\n".join(piece.text for piece in pieces)
    begun = mark.search(text)
    return next((one for one in following if begun and one.search(text, begun.end())), None)


def part_mark(part: str, *, run_in: bool = False) -> re.Pattern[str]:
    """Where a paragraph's number or an item's letter stands: at a line's beginning, or after the end of what precedes
    it on the line: "… sin licencia. 2. La licencia …", "Se presentan: a) plano; b) seguro"."""
    mark = rf"\(?{part}(?:\.|\)|º|\.º)[-–—]?\s" if part.isdigit() else rf"\(?{re.escape(part)}\)\s"
    if run_in and part.isdigit():
        mark = rf"{part}\.[-–—]?\s[A-ZÁÉÍÓÚÑ¿¡«“]"
    before = r"[.:;,]\s" if run_in else r"(?:^|\n)[^\S\n]{0,9}"
    return re.compile(rf"{before}(?={mark})")


def _rated(chunk: RetrievedChunk, rest: Sequence[str], *, is_sure: bool) -> RetrievedChunk:
    """What is certain to be the place is worth SURE, if it also has the question's other words."""
    if not is_sure:
        return replace(chunk, relevance=MANY)
    begun = {stem[:COMPARED] for stem in stems(_said_in(chunk))}  # plural forms end otherwise
    share = sum(stem[:COMPARED] in begun for stem in rest) / len(rest) if rest else 1.0
    return replace(chunk, relevance=SURE if share >= COVERED else max(chunk.relevance, OF_OTHER_WORDS))


def _named(
    question: str,
    looked: Looked,
    sections: Sequence[FoundSection],
    missing: Sequence[AskedPlace],
    ordered: Sequence[RetrievedChunk],
) -> Named:
    resolution = looked.resolution
    near = [looked.titles[id] for id in resolution.nearest if id in looked.titles]
    is_missing = bool(missing or resolution.missing)
    if is_missing and not near:
        near = [looked.titles[id] for id in sorted(resolution.documents, key=str) if id in looked.titles]
        near = near or _near_titles(question, ordered)
    return Named(
        documents=tuple(dict.fromkeys(looked.titles[id] for id in sorted(resolution.documents, key=str))),
        places=tuple(dict.fromkeys(section.title for section in sections)),
        missing_documents=tuple(dict.fromkeys(one.text for one in resolution.missing)),
        missing_told=tuple(dict.fromkeys(told_name(one.text) for one in _outer(resolution.missing))),
        missing_places=tuple(dict.fromkeys(map(_called, missing))),
        nearest=tuple(near) if is_missing else (),
        blank_places=tuple(map(_called, looked.paged.blank)),
        pages=looked.paged.told,
        is_sure=all(_is_sure(section, sections) for section in sections)
        and not looked.unclear_places
        and not any(one.is_guess for one in resolution.clear)
        and _are_one(looked),
    )


def _outer(mentions: Sequence[Mention]) -> list[Mention]:
    """Without what is a part of another: "AI" of "AI Act"."""
    spans = [(one.start, one.end) for one in mentions]
    return [
        one
        for one in mentions
        if not any(start <= one.start and one.end <= end and end - start > one.end - one.start for start, end in spans)
    ]


def _called(place: AskedPlace) -> str:
    """As the question has it; of several pages each by itself."""
    return f"p. {place.number}" if place.kind == PAGE and len(place.text.split()) > LONGEST_PAGE else place.text

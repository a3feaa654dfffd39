"""Documents by name, then sections in them by reference, within the scope (SPEC §2.3, §4).

What is found are ids (`places.statements`): the passages are confirmed with all others (`retrieval.confirmation`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from uuid import UUID

from corpora.metadata.names import DOCUMENT
from corpora.scope import Scope
from retrieval.places import statements
from retrieval.places.about import (
    asks_what_about,
    is_all_that_is_asked,
    is_sentence,
    is_summary,
    says_this_document,
)
from retrieval.places.eligible import meant_sections, sections_meeting
from retrieval.places.names import name_key
from retrieval.places.paging import NO_PAGES, FoundPages, find_pages
from retrieval.places.resolution import Resolution, resolve_names
from retrieval.places.sections import MOST_AROUND, FoundSection, chosen_sections
from retrieval.results import RetrievalPolicy
from retrieval.text.asked_headings import asked_headings, question_name
from retrieval.text.asked_names import Mention, MentionKind, asked_mentions, is_of_one
from retrieval.text.asked_places import AskedPlace, asked_places
from retrieval.text.naming.editions import ANY
from retrieval.text.place_words import CAPTIONED, PAGE
from retrieval.text.references import HEADING, heading_words
from retrieval.text.section_kinds import DIALOGUE, EXERCISE, GOALS, section_kind

BEGINNING = 0.2  # of a document, in which it says what it is about
FIRST_HEADINGS = 10  # of a document, among which it says so however short it is
ENOUGH_TEXT = 200  # characters of a section that says more than whose document it is
MOST_ASKING = 8  # sections headed by one question that are looked at: of more the search finds the nearest

Headings = Sequence[tuple[str, int, int, str]]  # title, level, start, key


@dataclass(frozen=True, slots=True)
class AskedNames:
    """What a question's words may name, before anything is looked up."""

    places: tuple[AskedPlace, ...] = ()
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found of it: `titles` of the documents by id, the sections of every place that is in scope.

    Of `unclear_places` there are too many in scope to choose from: the search has to find the document first.
    `outline`: the headings right below the one section, or of the one document, that the question asks about.
    `paged` is what was found of pages, which are among the sections and the places, too.
    """

    asked: AskedNames = field(default_factory=AskedNames)
    resolution: Resolution = field(default_factory=Resolution)
    titles: dict[UUID, str] = field(default_factory=dict)
    sections: tuple[FoundSection, ...] = ()
    missing_places: tuple[AskedPlace, ...] = ()
    unclear_places: tuple[AskedPlace, ...] = ()
    outline: tuple[str, ...] = ()
    paged: FoundPages = NO_PAGES

    @property
    def documents(self) -> frozenset[UUID]:
        """Where alone is searched; empty: everywhere."""
        return self.resolution.documents


def read_question(question: str, *, with_pages: bool = True) -> AskedNames:
    places = asked_places(question)
    if not with_pages:
        places = tuple(place for place in places if place.kind != PAGE)
    places += asked_headings(question, places)
    return AskedNames(places, asked_mentions(question, places))


def look_up(question: str, scope: Scope, policy: RetrievalPolicy) -> Looked:
    """What a question names in scope; of one that asks what something is about also what that is made of."""
    looked = _look_up(question, scope, policy)
    if not asks_what_about(question):
        return looked
    named = [(one.mention.start, one.mention.end) for one in looked.resolution.clear]
    named += [(one.start, one.end) for place in looked.asked.places for one in (place, place.within) if one]
    return with_outline(question, looked, scope, policy) if is_all_that_is_asked(question, named) else looked


def _look_up(question: str, scope: Scope, policy: RetrievalPolicy, *, with_pages: bool = True) -> Looked:
    """The documents and sections in scope that a question names, of documents that meet the policy's requirements."""
    asked = read_question(question, with_pages=with_pages)
    names, titles = _documents(asked, scope, question_name(question))
    resolution = resolve_names(asked.mentions, names, asked.places)
    place, below, outline = _asked_by_headings(question, names, resolution, scope, policy)
    if below:
        return Looked(AskedNames((place,)), titles=titles, sections=tuple(below), outline=outline)
    if not _are_of_documents([place for place in asked.places if place.kind == PAGE], question, resolution):
        return _look_up(question, scope, policy, with_pages=False)
    asked = replace(asked, places=_without_editions(asked.places, resolution))
    headed = tuple(place for place in asked.places if place.kind != PAGE)
    sure = resolution.without_doubtful()
    rows = _rows(headed, sure, scope, policy)
    if sure is not resolution and (rows is None or not _has_own(rows, headed)):
        rows = _rows(headed, resolution, scope, policy)
    else:
        resolution = sure
    wanted = [(place, resolution.holders(place)) for place in asked.places]
    missing = [place for place, holders in wanted if holders is not None and not holders and not place.is_bare]
    left = [(place, holders) for place, holders in wanted if place not in missing]
    paged = find_pages([one for one in left if one[0].kind == PAGE], resolution.liked, scope, policy)
    missing += paged.missing
    left = [one for one in left if one[0].kind != PAGE]
    if rows is None:
        unclear = (*(place for place, _ in left if not place.is_bare), *paged.unclear)
        return Looked(asked, resolution, titles, paged.sections, tuple(missing), unclear, paged=paged)
    sections: list[FoundSection] = []
    for place, holders in left:
        found = chosen_sections(place, meant_sections(rows, holders, policy))
        sections += found
        if not (found or place.is_bare or _is_a_document(place, resolution)):
            missing.append(place)
    sections = [*sections, *paged.sections]
    return Looked(asked, resolution, titles, tuple(sections), tuple(missing), paged.unclear, paged=paged)


def _asked_by_headings(
    question: str, names: Mapping[str, Sequence[UUID]], resolution: Resolution, scope: Scope, policy: RetrievalPolicy
) -> tuple[AskedPlace, list[FoundSection], tuple[str, ...]]:
    """The question as a place, the sections that have it as their heading, and the headings below the one that has no
    text before them: its steps, or its kinds. What stands below answers it, whatever else it names, unless that is
    another document in scope.

    None of a document that asks it several times, or as its title, or where it is an exercise, or nothing stands below.
    """
    whole = question_name(question)
    place = AskedPlace(HEADING, heading_words(question), question, 0, len(question), is_bare=True, is_question=True)
    holders = frozenset(names.get(whole, ()))
    if resolution.documents:
        holders &= resolution.documents
    if not holders:
        return place, [], ()
    rows = _sections([place], [holders], scope, policy.granularity) or []
    own = [row for row in sections_meeting(rows, policy) if question_name(row.title) == whole]
    asked = [(row, *_around(row, scope)) for row in chosen_sections(place, own)[:MOST_ASKING] if row.is_sure]
    kept = [(row, below) for row, above, below in asked if _answers_itself(row, above, below)]
    outline = kept[0][1] if len(kept) == 1 and not _has_text(*kept[0]) else []
    return place, [row for row, _ in kept], outline_of(outline)


def _around(section: FoundSection, scope: Scope) -> tuple[Headings, Headings]:
    """The headings of a document before a section's and those within it."""
    rows = statements.headings_within(section.document, scope, 0, section.end)
    return [row for row in rows if row[2] < section.start], [row for row in rows if row[2] > section.start]


def _answers_itself(section: FoundSection, above: Headings, below: Headings) -> bool:
    levels = {level: title for title, level, _, _ in above if level < section.level}
    is_title = bool(below) and not above
    is_task = section_kind([levels[level] for level in sorted(levels)]) in (EXERCISE, GOALS, DIALOGUE)
    return not (is_title or is_task) and (bool(below) or _has_text(section, below))


def _has_text(section: FoundSection, below: Headings) -> bool:
    end = min((start for _, _, start, _ in below), default=section.end)
    return end - section.start > len(section.title) + MOST_AROUND


def _are_of_documents(pages: Sequence[AskedPlace], question: str, resolution: Resolution) -> bool:
    """Whether pages are meant of a document: beside its name, or where nothing else is asked. "La página 404" of a
    server and "la página 2 del formulario" are none, whatever article of a named law is asked for with them."""
    if not pages or any(is_of_one(one.mention, question, pages) for one in resolution.clear):
        return True
    named = [(place.start, place.end) for place in pages]
    named += [(one.mention.start, one.mention.end) for one in resolution.clear]
    return is_all_that_is_asked(question, named)


def is_called(name: str, scope: Scope) -> bool:
    """Whether documents in scope are clearly called so: "ordenanza de huertos"."""
    mentions = asked_mentions(name)
    resolution = resolve_names(mentions, _documents(AskedNames((), mentions), scope)[0])
    return bool(resolution.documents) and not resolution.missing


def _without_editions(places: Sequence[AskedPlace], resolution: Resolution) -> tuple[AskedPlace, ...]:
    """Without the numbers that are an edition's: "4.0.3" of "V2.1.1 of ASVS 4.0.3"."""
    meant = (*(one.mention for one in resolution.clear), *resolution.missing)
    ends = {one.end for one in meant if one.kind is MentionKind.EDITION}
    return tuple(place for place in places if not place.is_bare or place.end not in ends)


def _rows(
    places: Sequence[AskedPlace], resolution: Resolution, scope: Scope, policy: RetrievalPolicy
) -> list[FoundSection] | None:
    """The sections that may be meant, of documents that meet what is required."""
    wanted = [(place, resolution.holders(place)) for place in places]
    looked_for = [(place, holders) for place, holders in wanted if holders is None or holders]
    rows = _sections(
        [place for place, _ in looked_for], [holders for _, holders in looked_for], scope, policy.granularity
    )
    return None if rows is None else sections_meeting(rows, policy)


def _has_own(rows: Sequence[FoundSection], places: Sequence[AskedPlace]) -> bool:
    """Whether a section is one of the places by its own kind: a chapter, and no unit in its stead."""
    keys = {one.key for place in places for one in (place, place.within) if one and one.kind != HEADING}
    return any(row.key in keys for row in rows)


def _is_a_document(place: AskedPlace, resolution: Resolution) -> bool:
    """Whether a document by itself is the place: "la unidad 4"."""
    meant = (one.mention for one in resolution.clear)
    return any(one.kind is MentionKind.PLACE and one.start == place.start for one in meant)


def with_outline(question: str, looked: Looked, scope: Scope, policy: RetrievalPolicy) -> Looked:
    """With the headings of the one section or document that is asked about; of a document the section that says what
    it is about is a place that is asked for."""
    places = [place for place in looked.asked.places if place.kind != HEADING]
    if len(looked.sections) == 1 and len(looked.asked.places) == 1:
        section = looked.sections[0]
        rows = statements.headings_within(section.document, scope, section.start + 1, section.end)
        if outline := outline_of(rows):
            return replace(looked, outline=outline)
    meant = looked.documents
    if not meant and says_this_document(question):
        meant = frozenset(UUID(one) for one in policy.preferences.get(DOCUMENT, ()))
    is_whole = all(_is_a_document(place, looked.resolution) for place in places)
    return _of_a_document(looked, meant, scope, policy) if is_whole and len(meant) == 1 else looked


def _of_a_document(looked: Looked, documents: frozenset[UUID], scope: Scope, policy: RetrievalPolicy) -> Looked:
    """With the section as a place that says what the document is about."""
    (document,) = documents
    rows = statements.headings_within(document, scope, 0, None)
    key, start, end = telling_section(rows)
    held = statements.sections_held((key,), documents, scope, policy.granularity) if key else None
    own = sorted((row for row in held or () if row[5] == start), key=lambda row: row[-2])
    if not own:
        return looked
    kind, _, number = key.partition(":")
    place = AskedPlace(kind, number, text="", start=0, end=0)
    section = FoundSection(*own[0][1:-2])
    section = replace(
        section,
        place=place,
        end=min(section.end, end or section.end),
        chunks=list(dict.fromkeys(row[-1] for row in own if not end or row[-2] < end)),
    )
    asked = replace(looked.asked, places=(*looked.asked.places, place))
    return replace(looked, asked=asked, sections=(section,), outline=outline_of(rows))


def telling_section(rows: Sequence[tuple[str, int, int, str]]) -> tuple[str, int, int]:
    """The key, the beginning and the end (0: its own) of the section that says what a document is about: the first that
    is headed so, else the first with text of its own, as far as that goes; "" where there is none with a key."""
    keyed = [(title, start, key) for title, _, start, key in rows if key]
    starts = sorted({start for _, start, _ in keyed})
    last = max(BEGINNING * max(starts, default=0), *starts[FIRST_HEADINGS - 1 : FIRST_HEADINGS] or starts[-1:], 0)
    ends = dict(pairwise(sorted({start for _, _, start, _ in rows})))
    for title, start, key in keyed:
        has_text = start not in ends or ends[start] - start > len(title) + MOST_AROUND
        if is_summary(title) and start <= last and has_text:
            return key, start, 0
    long = ((key, start, ends.get(start, 0)) for _, start, key in keyed)
    return next((one for one in long if not one[2] or one[2] - one[1] >= ENOUGH_TEXT), ("", 0, 0))


def outline_of(rows: Sequence[tuple[str, int, int, str]]) -> tuple[str, ...]:
    """The titles of the highest level of which there are several; tables and figures are none. None where some are
    the sentences that an article begins with: what they are of is no title."""
    titles = {start: (level, title) for title, level, start, key in rows if key.partition(":")[0] not in CAPTIONED}
    for level in sorted({level for level, _ in titles.values()}):
        if len(own := [title for one, title in titles.values() if one == level]) > 1:
            return () if any(map(is_sentence, own)) else tuple(own)
    return ()


def _documents(asked: AskedNames, scope: Scope, question: str = "") -> tuple[dict[str, list[UUID]], dict[UUID, str]]:
    """The documents by name, `question` as one, and their titles; editions of those that something else names, or where
    nothing does."""
    found: dict[str, list[UUID]] = defaultdict(list)
    titles: dict[UUID, str] = {}
    editions = [one for one in asked.mentions if one.kind is MentionKind.EDITION]
    names = [name for one in asked.mentions if one not in editions for name in one.names]
    _find(found, titles, [*names, question] if question else names, scope)
    names = [name for one in editions for name in one.names]
    if names and (titles or asked.places):
        _find(found, titles, [*names, ANY] if titles else names, scope, tuple(titles))
    return found, titles


def _find(
    found: dict[str, list[UUID]],
    titles: dict[UUID, str],
    names: Sequence[str],
    scope: Scope,
    among: tuple[UUID, ...] = (),
) -> None:
    """Add to `found` who has the names, `among` some documents if there are any, and to `titles` what these are."""
    keys = {name_key(scope.organization_id, name): name for name in names}
    if not keys:
        return
    named = statements.names_held(tuple(keys), scope, among)
    if not named:
        return
    new = tuple(dict.fromkeys(document for _, document in named if document not in titles))
    titles |= statements.titles_held(new, scope)
    for key, document in named:
        if document in titles:
            found[keys[key]].append(document)


def _sections(
    places: Sequence[AskedPlace], holders: Sequence[frozenset[UUID] | None], scope: Scope, granularity: int
) -> list[FoundSection] | None:
    """Every section in scope with a key of one of the places, or of what holds them, with the ids of its chunks.

    None of more than could be told apart: half of a large library has an article 1.
    """
    wanted = [key for place in places for one in (place, place.within) if one for key in (*one.keys, *one.keys_above)]
    if not wanted:
        return []
    everywhere = any(one is None for one in holders)
    documents = None if everywhere else frozenset().union(*(one for one in holders if one))
    rows = statements.sections_held(tuple(dict.fromkeys(wanted)), documents, scope, granularity)
    if rows is None or (everywhere and len(rows) >= statements.MOST_ROWS):
        return None
    sections: dict[int, FoundSection] = {}
    for id, *facts, _, chunk in sorted(rows, key=lambda row: (str(row[1]), row[5], row[9])):
        sections.setdefault(id, FoundSection(*facts)).chunks.append(chunk)
    return list(sections.values())

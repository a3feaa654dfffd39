"""Pages in scope that a question names, with the chunks that stand on them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from corpora.scope import Scope
from retrieval.places import statements
from retrieval.places.eligible import meant_sections, sections_meeting
from retrieval.places.pages import page_sections, pages_told
from retrieval.places.resolution import MOST_MEANT
from retrieval.places.sections import FoundSection
from retrieval.results import RetrievalPolicy
from retrieval.text.asked_places import AskedPlace


@dataclass(frozen=True, slots=True)
class FoundPages:
    """`missing` are the places that no document has which may be meant, `blank` those of them that one has without any
    text; of `unclear` ones there are too many documents to look at. `told`: which pages the one document has that lacks
    what is missing ("1–36"), "" where it has none; None where that is not one document."""

    sections: tuple[FoundSection, ...] = ()
    missing: tuple[AskedPlace, ...] = ()
    blank: tuple[AskedPlace, ...] = ()
    unclear: tuple[AskedPlace, ...] = ()
    told: str | None = None


NO_PAGES = FoundPages()


def find_pages(
    wanted: Sequence[tuple[AskedPlace, frozenset[UUID] | None]],
    liked: Mapping[UUID, float],
    scope: Scope,
    policy: RetrievalPolicy,
) -> FoundPages:
    """Of the places, each with the documents in which it is looked for; None: in any, but of those that have most of a
    name that the question says (`liked`) before all others, and then not for sure."""
    if not wanted:
        return NO_PAGES
    each = [holders for _, holders in wanted]
    documents = None if None in each else frozenset[UUID]().union(*(one for one in each if one))
    pages = statements.pages_held(documents, scope)
    rows = [one for place, _ in wanted for id, own in pages.items() for one in page_sections(place, id, own)]
    rows = sections_meeting(rows, policy)
    likely = _likely(liked, pages)
    there: list[FoundSection] = []
    missing, blank, unclear = [], [], []
    for place, holders in wanted:
        own = meant_sections([row for row in rows if row.place == place], holders, policy)
        if holders is None and likely:
            own = [replace(row, is_sure=False) for row in own if row.document in likely]
        there += (told := [row for row in own if row.end > row.start])
        if not told and holders is None and len(pages) >= statements.MOST_PAGED:
            unclear.append(place)
        elif not told:
            missing.append(place)
            blank += [place] if own else []
    only = next(iter(pages.values())) if missing and documents is not None and len(pages) == 1 else None
    told_pages = None if only is None else pages_told(only)
    return FoundPages(_with_chunks(there, scope, policy), tuple(missing), tuple(blank), tuple(unclear), told_pages)


def _likely(liked: Mapping[UUID, float], pages: Collection[UUID]) -> frozenset[UUID]:
    """Of the documents that have pages those with the largest share of a name; none of very many."""
    shares = {id: liked[id] for id in pages if id in liked}
    best = frozenset(id for id, share in shares.items() if share == max(shares.values()))
    return best if len(best) <= MOST_MEANT else frozenset()


def _with_chunks(rows: Sequence[FoundSection], scope: Scope, policy: RetrievalPolicy) -> tuple[FoundSection, ...]:
    chunks = statements.chunks_held([(row.document, row.start, row.end) for row in rows], scope, policy.granularity)
    return tuple(
        replace(
            row,
            chunks=[
                id
                for id, document, start, end in chunks
                if document == row.document and start < row.end and end > row.start
            ],
        )
        for row in rows
    )

"""Which edition of a document is meant: it narrows what is named beside it. Pure.

"ASVS 4.0.3" are two names, one of every edition of a standard and one of every document that is a 4.0.3, and what is
meant is what has both. A number that nothing beside it has is no edition, unless the question says that it is one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from retrieval.text.asked_names import Mention, MentionKind
from retrieval.text.asked_places import AskedPlace
from retrieval.text.naming.editions import ANY

NEAR = 16  # characters between an edition and what it is one of
MOST_MEANT = 5  # documents by an edition alone
SURE_PARTS = 3  # of "4.0.3": a number that is an edition without anything beside it

Found = Mapping[str, Sequence[UUID]]
_NO_NAMES = (MentionKind.EDITION, MentionKind.PLACE)


@dataclass(frozen=True, slots=True)
class MeantEdition:
    """`documents` are the named ones of this edition; empty with `missing` where the named have others."""

    mention: Mention
    documents: frozenset[UUID]
    missing: frozenset[UUID] = frozenset()


def meant_editions(
    mentions: Sequence[Mention], found: Found, named: frozenset[UUID], places: Sequence[AskedPlace]
) -> list[MeantEdition]:
    """Of each edition in the question; `named` are the documents that the question names clearly. Alone it is one only
    beside a place that is asked for."""
    meant = []
    names = [one for one in mentions if one.kind not in _NO_NAMES]
    for one in (one for one in mentions if one.kind is MentionKind.EDITION):
        having = frozenset(found.get(one.names[0], ()))
        beside = [name for name in names if _gap(name, one) <= NEAR and _documents(name, found)]
        near = frozenset[UUID]().union(*(_documents(name, found) for name in beside))
        base = named or near
        whole = _with_names(one, beside)
        if having & base:
            meant.append(MeantEdition(whole, having & base))
        elif having and not base and _is_beside(one, places) and _is_sure(one) and len(having) <= MOST_MEANT:
            meant.append(MeantEdition(one, having))
        elif base and near and base <= frozenset(found.get(ANY, ())) and (one.is_said or _is_its(one, beside, places)):
            meant.append(MeantEdition(whole, frozenset(), base))
    return meant


def _is_beside(edition: Mention, places: Sequence[AskedPlace]) -> bool:
    """Whether a place is asked for that is not the number itself."""
    return any(place.end <= edition.start or edition.end <= place.start for place in places)


def _is_its(edition: Mention, names: Sequence[Mention], places: Sequence[AskedPlace]) -> bool:
    """Whether a number is right behind an abbreviation, and what is asked for is another: "V3.2.1 of the DSS 3.0"."""
    others = [place for place in places if not place.is_bare]
    behind = any(one.kind is MentionKind.SHORT and one.end + 1 == edition.start for one in names)
    return behind and "." in edition.text and _is_beside(edition, others)


def _is_sure(edition: Mention) -> bool:
    return edition.is_said or edition.text.count(".") + 1 >= SURE_PARTS


def _documents(mention: Mention, found: Found) -> frozenset[UUID]:
    return frozenset(document for name in mention.names for document in found.get(name, ()))


def _gap(name: Mention, edition: Mention) -> int:
    return max(edition.start - name.end, name.start - edition.end, 0)


def _with_names(edition: Mention, beside: Iterable[Mention]) -> Mention:
    """As it is told: "ASVS version 3.0"."""
    longest = max((one for one in beside if one.end <= edition.start), key=lambda one: len(one.text), default=None)
    return replace(edition, text=f"{longest.text} {edition.text}", start=longest.start) if longest else edition

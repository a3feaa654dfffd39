"""Documents by name, then sections in them by reference, within the scope (SPEC §2.3, §4).

One query for the names, and where a document has one of them another that confirms it in scope; one for the sections
where a place is named. What is found are ids: the passages are
confirmed with all others (`retrieval.confirmation`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from config.prepared import Prepared
from corpora.models import Document, DocumentName, Section
from corpora.scope import Scope
from retrieval.places.names import name_key
from retrieval.places.resolution import Resolution, resolve_names
from retrieval.places.sections import FoundSection, chosen_sections
from retrieval.ranking.preference import preference_shares
from retrieval.results import RetrievalPolicy
from retrieval.text.asked_names import Mention, MentionKind, asked_mentions
from retrieval.text.asked_places import AskedPlace, asked_places

STEP = 32  # hashes are asked for in multiples of it: another number makes another statement
MOST_NAMES = 500  # rows of names, and
MOST_ROWS = 240  # of sections with their chunks
KEYS = 16  # of sections, in one statement
WHEREVER = ""


@dataclass(frozen=True, slots=True)
class AskedNames:
    """What a question's words may name, before anything is looked up."""

    places: tuple[AskedPlace, ...] = ()
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found of it: `titles` of the documents by id, the sections of every place that is in scope.

    Of `unclear_places` there are too many in scope to choose from: the search has to find the document first.
    """

    asked: AskedNames = field(default_factory=AskedNames)
    resolution: Resolution = field(default_factory=Resolution)
    titles: dict[UUID, str] = field(default_factory=dict)
    sections: tuple[FoundSection, ...] = ()
    missing_places: tuple[AskedPlace, ...] = ()
    unclear_places: tuple[AskedPlace, ...] = ()

    @property
    def documents(self) -> frozenset[UUID]:
        """Where alone is searched; empty: everywhere."""
        return self.resolution.documents


def read_question(question: str) -> AskedNames:
    places = asked_places(question)
    return AskedNames(places, asked_mentions(question, places))


def look_up(question: str, scope: Scope, policy: RetrievalPolicy) -> Looked:
    """The documents and sections in scope that a question names, of documents that meet the policy's requirements."""
    asked = read_question(question)
    names, titles = _documents(asked.mentions, scope)
    resolution = resolve_names(asked.mentions, names)
    wanted = [(place, resolution.holders(place)) for place in asked.places]
    looked_for = [(place, holders) for place, holders in wanted if holders is None or holders]
    rows = _sections(
        [place for place, _ in looked_for], [holders for _, holders in looked_for], scope, policy.granularity
    )
    missing = [place for place, holders in wanted if holders is not None and not holders]
    if rows is None:
        unclear = tuple(place for place, _ in looked_for)
        return Looked(asked, resolution, titles, (), tuple(missing), unclear)
    rows = _meeting(rows, policy)
    sections: list[FoundSection] = []
    for place, holders in looked_for:
        found = chosen_sections(place, [row for row in rows if holders is None or row.document in holders])
        sections += found
        if not found and not _is_a_document(place, resolution):
            missing.append(place)
    return Looked(asked, resolution, titles, tuple(sections), tuple(missing))


def _is_a_document(place: AskedPlace, resolution: Resolution) -> bool:
    """Whether a document by itself is the place: "la unidad 4"."""
    meant = (one.mention for one in resolution.clear)
    return any(one.kind is MentionKind.PLACE and one.start == place.start for one in meant)


def _documents(mentions: Sequence[Mention], scope: Scope) -> tuple[dict[str, list[UUID]], dict[UUID, str]]:
    """The documents by name, and their titles."""
    keys = {name_key(scope.organization_id, name): name for one in mentions for name in one.names}
    found: dict[str, list[UUID]] = defaultdict(list)
    titles: dict[UUID, str] = {}
    if not keys:
        return found, titles
    wanted = _padded(tuple(keys), STEP)
    named = _named(keys=wanted)
    if len(named) >= MOST_NAMES:  # of others' documents perhaps, which must not hide ours
        named = _named_in_scope(keys=wanted, **_scope_values(scope))
    if not named:
        return found, titles
    ids = _padded(tuple(dict.fromkeys(document for _, document in named)), 4)
    titles |= {id: title or filename for id, title, filename in _titles(ids=ids, **_scope_values(scope))}
    for key, document in named:
        if document in titles:
            found[keys[key]].append(document)
    return found, titles


def _sections(
    places: Sequence[AskedPlace], holders: Sequence[frozenset[UUID] | None], scope: Scope, granularity: int
) -> list[FoundSection] | None:
    """Every section in scope with a key of one of the places, or of what holds them, with the ids of its chunks.

    None of more than could be told apart: half of a large library has an article 1.
    """
    wanted = [key for place in places for one in (place, place.within) if one for key in one.keys]
    if not wanted:
        return []
    keys = dict(zip(_KEY_NAMES, _padded(tuple(dict.fromkeys(wanted))[:KEYS], KEYS), strict=True))
    everywhere = any(one is None for one in holders)
    documents = () if everywhere else tuple(frozenset().union(*(one for one in holders if one)))
    if everywhere:
        rows = _statement(granularity, everywhere=True)(**keys, **_scope_values(scope))
    else:
        rows = _statement(granularity)(documents=_padded(documents, 4), **keys, **_scope_values(scope))
    if len(rows) >= MOST_ROWS and everywhere:
        return None
    sections: dict[int, FoundSection] = {}
    for id, *facts, _, chunk in sorted(rows, key=lambda row: (str(row[1]), row[5], row[9])):
        sections.setdefault(id, FoundSection(*facts)).chunks.append(chunk)
    return list(sections.values())


def _meeting(rows: list[FoundSection], policy: RetrievalPolicy) -> list[FoundSection]:
    """Those of documents that meet what is required of metadata."""
    required = policy.requirements
    for key, values in required.items() if isinstance(required, Mapping) else required:
        listed = (values,) if isinstance(values, str) else tuple(values)
        shares = preference_shares({row.document for row in rows}, {key: listed}) if rows and listed else None
        rows = rows if shares is None else [row for row in rows if shares.get(row.document)]
    return rows


def _padded(values: tuple[Any, ...], step: int) -> tuple[Any, ...]:
    """The last once more, until there is a multiple of `step`."""
    return values + values[-1:] * (-len(values) % step)


def _scope_values(scope: Scope) -> dict[str, Any]:
    return {
        "organization": scope.organization_id,
        "user": scope.user_id,
        "shared": tuple(scope.global_ids),
        "personal": tuple(scope.personal_ids),
    }


def _scope(organization: UUID, user: UUID, shared: Sequence[UUID], personal: Sequence[UUID]) -> Scope:
    return Scope(organization, user, frozenset(shared), frozenset(personal))


def _names_of_all(keys: Sequence[UUID]) -> QuerySet[DocumentName, Any]:
    """Ids alone, of the organization that is in every key, and none is believed before `_titles` confirms it in scope.

    Asked for with the scope at once, SQLite walks all documents of the corpora: 100 ms of 2,000, and 1 so.
    """
    return DocumentName.objects.filter(key__in=keys).order_by().values_list("key", "document_id")[:MOST_NAMES]


def _names_in_scope(keys: Sequence[UUID], **scope: Any) -> QuerySet[DocumentName, Any]:
    rows = DocumentName.objects.in_scope(_scope(**scope)).filter(key__in=keys).order_by()
    return rows.values_list("key", "document_id")[:MOST_NAMES]


def _titles_in_scope(ids: Sequence[UUID], **scope: Any) -> QuerySet[Document, Any]:
    rows = Document.objects.in_scope(_scope(**scope)).filter(id__in=ids).order_by()
    return rows.values_list("id", "title", "filename")


def _sections_in_scope(
    granularity: int, documents: Sequence[UUID] | None, keys: Sequence[str], **scope: Any
) -> QuerySet[Section, Any]:
    rows = Section.objects.in_scope(_scope(**scope)).filter(
        key__in=keys,
        document__chunks__version=F("version"),
        document__chunks__granularity=granularity,
        document__chunks__start__lt=F("end"),
        document__chunks__end__gt=F("start"),
    )
    if documents is not None:
        rows = rows.filter(document_id__in=documents)
    columns = ("id", "document_id", "key", "title", "level", "start", "end", "page_start", "page_end")
    chunk = ("document__chunks__start", "document__chunks__id")
    return rows.order_by().values_list(*columns, *chunk)[:MOST_ROWS]  # unordered, it ends with as many as are wanted


_named = Prepared(_names_of_all)
_named_in_scope = Prepared(lambda **values: _names_in_scope(**values))
_titles = Prepared(lambda **values: _titles_in_scope(**values))
_KEY_NAMES = tuple(f"key{n}" for n in range(KEYS))


@lru_cache(maxsize=16)  # a few granularities
def _statement(granularity: int, *, everywhere: bool = False) -> Prepared[Any]:
    def build(**values: Any) -> QuerySet[Section, Any]:
        keys = [values.pop(name) for name in _KEY_NAMES]
        documents = None if everywhere else values.pop("documents")
        return _sections_in_scope(granularity, documents, keys, **values)

    return Prepared(build)

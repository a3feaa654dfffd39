"""The vector filter, built from a scope and from nothing else (SPEC §2), for no engine in particular.

In Qdrant an empty `should` matches everything (RELIABILITY, fact 1), so a `SearchFilter` without a branch, a
branch without a condition, or a condition without a value cannot be built at all.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from corpora.metadata import date_ranges
from corpora.metadata.free import free_name, free_word
from corpora.metadata.names import CORPUS, DOCUMENT, FREE_FIELD, METADATA_FIELDS
from corpora.scope import Scope
from retrieval.results import Requirements

DATE_KEY = date_ranges.FIELD  # in the payload an integer, 20240531
PAYLOAD_METADATA = (*METADATA_FIELDS, FREE_FIELD, DATE_KEY)
IDS = {DOCUMENT: "document_id", CORPUS: "corpus_id"}  # conditions on what a passage is of, and their key in the payload
Span = tuple[int | None, int | None]


class EmptyScope(ValueError):
    """Nothing may be read here, so nothing may be searched."""


@dataclass(frozen=True, slots=True)
class Condition:
    """The payload's `key` holds any of these keywords; for a list in the payload, one of its items does."""

    key: str
    any_of: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.any_of or not all(self.any_of):
            raise EmptyScope(f"the condition on {self.key!r} allows no value")


@dataclass(frozen=True, slots=True)
class Between:
    """The payload's `key` is a number within one of these spans, both ends included; None is an open end."""

    key: str
    any_of: tuple[Span, ...]

    def __post_init__(self) -> None:
        if not self.any_of or any(span == (None, None) for span in self.any_of):
            raise EmptyScope(f"the condition on {self.key!r} has no span, or one without an end")


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Every condition of `must`, and every condition of at least one branch of `should`."""

    must: tuple[Condition | Between, ...]
    should: tuple[tuple[Condition, ...], ...]

    def __post_init__(self) -> None:
        if not self.should or not all(self.should):
            raise EmptyScope("an empty `should` would match everything")
        if not any(condition.key == "organization_id" for condition in self.must):
            raise EmptyScope("a search stays within one organization")


def search_filter(
    scope: Scope, granularity: int, requirements: Requirements | None = None, documents: Iterable[UUID] = ()
) -> SearchFilter:
    """What `scope` may see at one granularity (tokens), narrowed by metadata that must match (SPEC §2, §4).

    `documents` narrows it further to those, where there are any.

    `requirements` gives metadata keys their allowed values; of pairs all must hold, also several of one key. A key
    without values requires nothing. Values of `source_date` are ranges (`corpora.metadata.date_ranges`); `meta.NAME` is
    one of a document's own names (`corpora.metadata.free`), `document` and `corpus` are ids.
    Raises EmptyScope if the scope has no corpus, ValueError for a key that is not metadata or a date that is no range.
    """
    if scope.is_empty:
        raise EmptyScope("the scope has no corpus")
    must = (
        Condition("organization_id", (str(scope.organization_id),)),
        Condition("granularity", (str(granularity),)),
        *_required(requirements or {}),
        *([Condition("document_id", named)] if (named := tuple(sorted(map(str, documents)))) else []),
    )
    return SearchFilter(must, tuple(_tiers(scope)))


def _tiers(scope: Scope) -> Iterable[tuple[Condition, ...]]:
    if scope.global_ids:
        yield (Condition("corpus_type", ("global",)), _corpora(scope.global_ids))
    if scope.personal_ids:
        yield (
            Condition("corpus_type", ("personal",)),
            _corpora(scope.personal_ids),
            Condition("user_id", (str(scope.user_id),)),
        )


def _corpora(ids: frozenset[UUID]) -> Condition:
    return Condition("corpus_id", tuple(sorted(map(str, ids))))


def _required(requirements: Requirements) -> Iterable[Condition | Between]:
    for key, values in requirements.items() if isinstance(requirements, Mapping) else requirements:
        free = free_name(key)
        if (free is None and key not in (*PAYLOAD_METADATA, *IDS)) or key == FREE_FIELD:
            raise ValueError(f"{key!r} is not a metadata key")
        listed = (values,) if isinstance(values, str) else tuple(values)
        if listed and free:
            yield Condition(FREE_FIELD, tuple(free_word(free, value) for value in listed))
        elif listed and key in IDS:
            yield Condition(IDS[key], listed)
        elif listed:
            yield _dated(listed) if key == DATE_KEY else Condition(key, listed)


def _dated(ranges: Sequence[str]) -> Between:
    spans = map(date_ranges.parse_range, ranges)
    return Between(DATE_KEY, tuple((_number(span.first), _number(span.last)) for span in spans))


def _number(day: date | None) -> int | None:
    return None if day is None else date_ranges.day_number(day)

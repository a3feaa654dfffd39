"""Source dates as a requirement: which documents in scope are from then, asked of the database.

The index knows no dates: an edited date counts at once and costs no write of points, on either engine.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import Q

from corpora.date_ranges import FIELD, parse
from corpora.models import Document
from corpora.scope import Scope
from retrieval.results import Requirements

Pairs = tuple[tuple[str, Sequence[str]], ...]


def without_dates(requirements: Requirements) -> tuple[Pairs, list[Sequence[str]]]:
    """The requirements that the index can check, and the lists of date ranges, of which each must hold."""
    pairs = tuple(requirements.items() if isinstance(requirements, Mapping) else requirements)
    dated = [values for key, values in pairs if key == FIELD and values]
    return tuple((key, values) for key, values in pairs if key != FIELD), dated


def documents_from(scope: Scope, conditions: Sequence[Sequence[str]]) -> frozenset[UUID]:
    """Documents in scope whose source date is in one range of every condition. Raises ValueError for no range."""
    documents = Document.objects.in_scope(scope).order_by()
    for ranges in conditions:
        documents = documents.filter(_any_of([ranges] if isinstance(ranges, str) else ranges))
    return frozenset(documents.values_list("pk", flat=True))


def _any_of(ranges: Sequence[str]) -> Q:
    held = Q()
    for span in map(parse, ranges):
        within = Q(source_date__isnull=False)
        if span.first:
            within &= Q(source_date__gte=span.first)
        if span.last:
            within &= Q(source_date__lte=span.last)
        held |= within
    return held

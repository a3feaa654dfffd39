"""From the selected passages to what the prompt gets: more of what is beside them, or less of what matters least."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from config.prepared import Prepared
from corpora.models import Document
from corpora.scope import Scope
from retrieval.confidence.coverage import Wanted, weigh_question
from retrieval.confirmation import confirm_chunks
from retrieval.context.budget import cut, fit_budget
from retrieval.context.compression import compress
from retrieval.context.narrowing import answering_parts, cited_as
from retrieval.context.neighbours import ids_beside, widen
from retrieval.ranking.relevance import SearchQuery
from retrieval.ranking.selection import Selection
from retrieval.results import RetrievalPolicy, RetrievedChunk


def present(
    selection: Selection, question: SearchQuery, scope: Scope, policy: RetrievalPolicy
) -> tuple[RetrievedChunk, ...]:
    """The passages within the budget: widened where it leaves room, shortened where it does not; each cited as the
    part of it that answers."""
    parts = answering_parts(question, selection.passages)
    return tuple(cited_as(passage, parts.get(passage.chunk)) for passage in _fitted(selection, question, scope, policy))


def _fitted(
    selection: Selection, question: SearchQuery, scope: Scope, policy: RetrievalPolicy
) -> tuple[RetrievedChunk, ...]:
    room = policy.budget_tokens - sum(passage.token_count for passage in selection.passages)
    if room < 0:
        return _shorten(selection, question, scope, policy)
    if not policy.neighbours or selection.named:  # what was asked for by name is whole, and nothing else is asked for
        return tuple(selection.passages)
    beside = ids_beside(selection.chosen, policy.granularity, room)
    neighbours = confirm_chunks(beside, {chunk.document for chunk in selection.passages}, scope)
    return widen(selection.passages, [neighbours[id] for id in beside if id in neighbours], policy.budget_tokens)


def _shorten(
    selection: Selection, question: SearchQuery, scope: Scope, policy: RetrievalPolicy
) -> tuple[RetrievedChunk, ...]:
    if not policy.compress:
        return fit_budget(selection.passages, policy.budget_tokens, cut)
    wanted = weigh_question(question.text, [chunk.text for chunk in selection.ordered], question.terms)
    return fit_budget(selection.passages, policy.budget_tokens, _Shortener(wanted, selection.passages, scope))


class _Shortener:
    """A passage's most important sentences; where not even one fits, its document's summary, once a document."""

    def __init__(self, wanted: Wanted, passages: Sequence[RetrievedChunk], scope: Scope) -> None:
        self._wanted, self._passages, self._scope = wanted, passages, scope
        self._summaries: dict[UUID, str] | None = None

    def __call__(self, passage: RetrievedChunk, tokens: int) -> RetrievedChunk | None:
        return compress(passage, tokens, self._wanted) or self._summary(passage, tokens)

    def _summary(self, passage: RetrievedChunk, tokens: int) -> RetrievedChunk | None:
        if self._summaries is None:
            self._summaries = self._read()
        summary = self._summaries.get(passage.document, "")
        counted = ceil(passage.token_count * len(summary) / max(1, len(passage.text)))
        if not summary or counted > tokens:
            return None
        del self._summaries[passage.document]
        return replace(passage, text=summary, token_count=counted)

    def _read(self) -> dict[UUID, str]:
        documents = {passage.document for passage in self._passages}
        scope = self._scope
        return dict(
            _summaries(
                ids=tuple(documents),
                organization=scope.organization_id,
                user=scope.user_id,
                shared=tuple(scope.global_ids),
                personal=tuple(scope.personal_ids),
            )
        )


def _summaries_in_scope(
    ids: Sequence[UUID], organization: UUID, user: UUID, shared: Sequence[UUID], personal: Sequence[UUID]
) -> QuerySet[Document, Any]:
    scope = Scope(organization, user, frozenset(shared), frozenset(personal))
    rows = Document.objects.in_scope(scope).filter(id__in=ids).order_by()
    return rows.exclude(summary="").values_list("id", "summary")


_summaries = Prepared(lambda **values: _summaries_in_scope(**values))

"""Retrieval quality on a question set, through the product's own retrieval (API.md, `evaluate`).

Every configuration is asked every question, first for the ten best chunks by themselves, then as an answer would be.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings

from corpora.scope import Scope
from evaluation.configurations import Configuration
from evaluation.measures import Spans, means, of_context, of_ranking, of_spans
from evaluation.sets import Unknown
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve

PATIENCE = (0.5, 2.0, 10.0)  # seconds before a question is asked again of a model that did not answer


class NotMeasured(RuntimeError):
    """A part of retrieval did not answer: measures of what is left would be of something else."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its truth as the database knows it; `spans` of the answer and `excerpts` by document."""

    text: str
    relevant: frozenset[UUID]
    spans: Spans = field(default_factory=dict)
    excerpts: Spans = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over the questions of one set in one configuration; times in milliseconds. `judged`: what judging cost."""

    name: str
    configuration: str
    space: str
    questions: int
    documents: int
    chunks: int
    measures: dict[str, float]
    judged: dict[str, Any] | None = None
    unknown: Unknown = field(default_factory=Unknown)


def embeddings_folder() -> Path:
    return Path(settings.DATA_DIR) / "evaluation"


def ask_all(
    cases: Sequence[Case], scope: Scope, configuration: Configuration, report: Callable[[int, int], None]
) -> dict[str, float]:
    """The means over all cases. Raises NotMeasured."""
    rows = []
    for done, case in enumerate(cases, 1):
        rows.append(ask_case(case, scope, configuration))
        report(done, len(cases))
    return means(rows)


def ask_case(case: Case, scope: Scope, configuration: Configuration) -> dict[str, float]:
    ranking = patiently(case.text, scope, configuration.ranking)
    started = time.perf_counter()
    context = patiently(case.text, scope, configuration.product)
    ms = (time.perf_counter() - started) * 1000
    row = of_ranking(ranking, case.relevant) | of_spans(ranking.chunks, case.spans, case.excerpts)
    return row | of_context(context, case.relevant, case.spans, ms)


def patiently(question: str, scope: Scope, policy: RetrievalPolicy) -> Retrieval:
    """A retrieval with all its parts; a model that is slow at the moment is asked again."""
    for pause in (*PATIENCE, None):
        retrieval = retrieve(question, scope, policy)
        if retrieval.degraded is None:
            return retrieval
        if pause is not None:
            time.sleep(pause)
    raise NotMeasured(f"nothing was measured: {retrieval.degraded}")

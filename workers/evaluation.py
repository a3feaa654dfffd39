"""Retrieval quality on question sets, through the product's own ingestion and retrieval (API.md, `evaluate`).

The documents of a set in a folder become a corpus of an organization made for the run, are ingested as uploads are
(their bytes are text already, so nothing is extracted), asked about with `retrieve`, and erased. Every configuration
is asked every question, first for the ten best chunks by themselves, then as an answer would be.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone

from accounts.models import Organization
from corpora.models import Corpus, Document
from corpora.scope import Scope
from retrieval.current import current_provider, embeddings_kept
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve
from workers import erasure, leases
from workers.evaluation_configurations import Configuration
from workers.evaluation_judge import Judge, Judged
from workers.evaluation_measures import Spans, means, of_context, of_ranking, of_spans
from workers.evaluation_sets import Query, QuestionSet
from workers.ingestion import pipeline
from workers.ingestion.extracted import Extracted

__all__ = ["Case", "Query", "QuestionSet", "Scores", "ask_all", "evaluate", "ingest", "temporary_corpus"]

DEFAULT = (Configuration(),)
PATIENCE = (0.5, 2.0, 10.0)  # seconds before a question is asked again of a model that did not answer

Report = Callable[[str, int, int], None]


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


def kept_in() -> Path:
    return Path(settings.DATA_DIR) / "evaluation"


def evaluate(
    questions: QuestionSet,
    report: Report,
    configurations: Sequence[Configuration] = DEFAULT,
    judge: Judge | None = None,
) -> list[Scores]:
    """Index a question set, ask all its questions in every configuration, and erase it.

    `report(what, done, total)` shows progress. Raises NotMeasured.
    """
    sizes = sorted({one.granularity for one in configurations})
    with embeddings_kept(kept_in()), temporary_corpus(questions.name) as corpus:
        ids: dict[str, UUID] = {}
        for done, line in enumerate(questions.documents, 1):
            ids[line["id"]] = ingest(corpus, line, sizes)
            report("index", done, len(questions.documents))
        scope = Scope(corpus.organization_id, uuid4(), frozenset([corpus.pk]))
        cases = [case_of(query, ids) for query in questions.queries]
        scores = []
        for one in configurations:
            measures = ask_all(cases, scope, one, partial(report, one.name))
            verdict = judge.judge_all([case.text for case in cases], scope, one.product) if judge else None
            chunks = corpus_chunks(corpus, one.granularity)
            space = current_provider().space.collection
            counts = (len(cases), len(ids), chunks)
            scores.append(Scores(questions.name, one.name, space, *counts, *with_verdict(measures, verdict)))
        return scores


def with_verdict(measures: dict[str, float], verdict: Judged | None) -> tuple[dict[str, float], dict[str, Any] | None]:
    return (measures | verdict.measures, verdict.bill) if verdict else (measures, None)


@contextmanager
def temporary_corpus(name: str) -> Iterator[Corpus]:
    organization = Organization.objects.create(name=f"evaluation {name}", slug=f"evaluation-{uuid4().hex[:12]}")
    corpus = Corpus.objects.create(organization=organization, corpus_type=Corpus.Type.GLOBAL, name=name)
    try:
        yield corpus
    finally:
        Document.objects.filter(corpus=corpus).update(deleted_at=timezone.now())
        for document_id in Document.objects.filter(corpus=corpus).values_list("pk", flat=True):
            erasure.erase(document_id)
        organization.delete()


def ingest(corpus: Corpus, line: dict[str, Any], sizes: Sequence[int] = ()) -> UUID:
    """One document of the set, through the pipeline's own stages from chunking on."""
    text = line["text"]
    document = Document.objects.create(
        corpus=corpus,
        filename=f"{line['id']}.txt",
        title=str(line.get("title", "")).replace("_", " ")[:255],
        media_type="text/plain",
        size=len(text.encode()),
        sha256=uuid4().hex,
    )
    lease = leases.claim(document.pk)
    assert lease is not None
    pipeline.index_extracted(lease, Extracted(text), sizes)
    return document.pk


def corpus_chunks(corpus: Corpus, granularity: int) -> int:
    return corpus.documents.filter(chunks__granularity=granularity).values("chunks").count()


def case_of(query: Query, ids: dict[str, UUID]) -> Case:
    relevant = frozenset(ids[one] for one in query.relevant if one in ids)
    spans, excerpts = (dict.fromkeys(relevant, known) if known else {} for known in (query.spans, query.excerpts))
    return Case(query.text, relevant, spans, excerpts)


def ask_all(
    cases: Sequence[Case], scope: Scope, configuration: Configuration, report: Callable[[int, int], None]
) -> dict[str, float]:
    """The means over all cases. Raises NotMeasured."""
    rows = []
    for done, case in enumerate(cases, 1):
        rows.append(asked(case, scope, configuration))
        report(done, len(cases))
    return means(rows)


def asked(case: Case, scope: Scope, configuration: Configuration) -> dict[str, float]:
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

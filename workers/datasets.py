"""A data set in a folder, measured: its documents become a corpus made for the run (API.md, `evaluate`).

They are ingested as uploads are (their bytes are text already, so nothing is extracted), asked about with `retrieve`,
and erased.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from accounts.models import Organization
from agents.scopes import scope_of_corpus
from corpora.models import Corpus, Document
from evaluation.configurations import Configuration
from evaluation.judge import Judge, Judged
from evaluation.measuring import Case, Scores, ask_all, kept_in
from evaluation.sets import Dataset, Query
from retrieval.spaces.current import current_provider, embeddings_kept
from workers import claims
from workers.ingestion import pipeline
from workers.ingestion.extract.extracted import Extracted
from workers.jobs import erase

DEFAULT = (Configuration(),)

Report = Callable[[str, int, int], None]


def evaluate(
    questions: Dataset,
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
        scope = scope_of_corpus(corpus)
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
            erase.erase(document_id)
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
    lease = claims.claim(document.pk)
    assert lease is not None
    pipeline.index_extracted(lease, Extracted(text), sizes)
    return document.pk


def corpus_chunks(corpus: Corpus, granularity: int) -> int:
    return corpus.documents.filter(chunks__granularity=granularity).values("chunks").count()


def case_of(query: Query, ids: dict[str, UUID]) -> Case:
    relevant = frozenset(ids[one] for one in query.relevant if one in ids)
    spans, excerpts = (dict.fromkeys(relevant, known) if known else {} for known in (query.spans, query.excerpts))
    return Case(query.text, relevant, spans, excerpts)

"""Retrieval quality on question sets, through the product's own ingestion and retrieval (API.md, `evaluate`).

A question set is a folder with `corpus.jsonl` (id, title, text, lang) and `queries.jsonl` (id, text, and either
`relevant` document ids, or `doc` with `references` as character spans). Its documents become a corpus of an
organization made for the run, are ingested as uploads are (their bytes are text already, so nothing is extracted),
asked about with `retrieve`, and erased.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from accounts.models import Organization
from corpora.models import Corpus, Document
from corpora.scope import Scope
from retrieval import metrics
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve
from workers import erasure, leases
from workers.ingestion import pipeline
from workers.ingestion.extracted import Extracted

DEPTH = 10
POLICY = RetrievalPolicy(top_k=DEPTH, threshold=0.0, budget_tokens=1_000_000)


@dataclass(frozen=True, slots=True)
class Query:
    """A question with its truth: documents, or spans in one document."""

    text: str
    relevant: frozenset[str]
    spans: tuple[metrics.Span, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    name: str
    documents: tuple[dict[str, Any], ...]
    queries: tuple[Query, ...]

    @classmethod
    def load(cls, folder: Path, limit: int | None = None) -> "QuestionSet":
        """Read a folder; ValueError says what is missing in it."""
        try:
            documents = read_lines(folder / "corpus.jsonl")
            queries = [query_of(line) for line in read_lines(folder / "queries.jsonl")]
        except (OSError, KeyError, json.JSONDecodeError) as error:
            raise ValueError(f"{folder} is not a question set: {error!r}") from error
        answerable = [query for query in queries if query.relevant]
        return cls(folder.name, tuple(documents), tuple(answerable[:limit]))


def read_lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def query_of(line: dict[str, Any]) -> Query:
    if "relevant" in line:
        return Query(line["text"], frozenset(line["relevant"]))
    spans = tuple((one["start"], one["end"]) for one in line["references"])
    return Query(line["text"], frozenset([line["doc"]]), spans)


@dataclass(slots=True)
class Scores:
    """Means over the questions; times in milliseconds."""

    name: str
    questions: int
    documents: int
    chunks: int
    measures: dict[str, float] = field(default_factory=dict)


def evaluate(questions: QuestionSet, report: Callable[[str, int, int], None]) -> Scores:
    """Index a question set, ask all its questions, and erase it. `report(what, done, total)` shows progress."""
    with temporary_corpus(questions.name) as corpus:
        ids = {}
        for done, line in enumerate(questions.documents, 1):
            ids[ingest(corpus, line)] = line["id"]
            report("index", done, len(questions.documents))
        scope = Scope(corpus.organization_id, uuid4(), frozenset([corpus.pk]))
        rows = []
        for done, query in enumerate(questions.queries, 1):
            rows.append(scored(query, ids, scope))
            report("ask", done, len(questions.queries))
        chunks = sum(Document.objects.filter(corpus=corpus).values_list("chunk_count", flat=True))
        return summary(questions, chunks, rows)


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


def ingest(corpus: Corpus, line: dict[str, Any]) -> UUID:
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
    pipeline.index_extracted(lease, Extracted(text))
    return document.pk


def scored(query: Query, ids: dict[UUID, str], scope: Scope) -> dict[str, float]:
    started = time.perf_counter()
    retrieval = retrieve(query.text, scope, POLICY)
    elapsed = (time.perf_counter() - started) * 1000
    ranked = list(dict.fromkeys(ids[one.document] for one in retrieval.chunks))
    row = {
        "hit@1": metrics.hit_at(ranked, query.relevant, 1),
        "hit@5": metrics.hit_at(ranked, query.relevant, 5),
        "recall@5": metrics.recall_at(ranked, query.relevant, 5),
        "recall@10": metrics.recall_at(ranked, query.relevant, 10),
        "mrr": metrics.reciprocal_rank(ranked, query.relevant),
        "ndcg@10": metrics.ndcg_at(ranked, query.relevant, 10),
        "sufficient": float(retrieval.sufficient),
        "ms": elapsed,
    }
    return row | (span_row(query, ids, retrieval) if query.spans else {})


def span_row(query: Query, ids: dict[UUID, str], retrieval: Retrieval) -> dict[str, float]:
    """Token-level measures over the first five passages; those of other documents count as fetched in vain."""
    best = retrieval.chunks[:5]
    own = [(one.start, one.end) for one in best if ids[one.document] in query.relevant]
    beyond = 10**9  # spans that no reference reaches
    foreign = [(beyond + one.start, beyond + one.end) for one in best if ids[one.document] not in query.relevant]
    found = metrics.span_scores(own + foreign, query.spans)
    return {"token_precision@5": found.precision, "token_recall@5": found.recall, "token_iou@5": found.iou}


def summary(questions: QuestionSet, chunks: int, rows: list[dict[str, float]]) -> Scores:
    names = dict.fromkeys(name for row in rows for name in row)  # questions with spans have more than the others
    measures = {name: round(mean(row[name] for row in rows if name in row), 4) for name in names}
    if rows:
        times = sorted(row["ms"] for row in rows)
        measures["ms"] = round(median(times), 2)
        measures["ms_p95"] = round(times[int(len(times) * 0.95)], 2)
    return Scores(questions.name, len(rows), len(questions.documents), chunks, measures)

"""A data set in a folder, measured: its documents become a corpus made for the run (API.md, `evaluate`).

They are ingested as uploads are (their bytes are text already, so nothing is extracted), asked about with `retrieve`,
and erased.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Organization
from agents.scopes import scope_of_corpus
from config.concurrency.clock import DatabaseNow, read_database_clock
from config.concurrency.heartbeat import LEASE
from config.faults import describe_error
from corpora.models import Corpus, Document, ErasureReceipt
from evaluation.configurations import Configuration
from evaluation.judge import Judge, Judged
from evaluation.measuring import Case, NotMeasured, Scores, ask_all, embeddings_folder
from evaluation.sets import Dataset, Query, unknown_among
from retrieval.spaces.opened import current_provider, embeddings_kept
from workers.erasure import tombstones
from workers.erasure.corpora import erase_deleted_corpora
from workers.ingestion import pipeline
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.failures import ExtractionError
from workers.jobs import erase
from workers.queue.claims import Lease

logger = logging.getLogger(__name__)

DEFAULT = (Configuration(),)
MOST_NAMED = 5
SLUG = "evaluation-"  # of the organizations that are made here; they have no members

Report = Callable[[str, int, int], None]
Notice = Callable[[str], None]


def evaluate_dataset(
    questions: Dataset,
    report: Report,
    configurations: Sequence[Configuration] = DEFAULT,
    judge: Judge | None = None,
    notice: Notice = lambda sentence: None,
) -> Iterator[Scores]:
    """Index a question set, ask all its questions in one configuration after another, and erase it.

    `report(what, done, total)` shows progress; `notice` is told what is left out. Raises NotMeasured.
    """
    sizes = sorted({one.granularity for one in configurations})
    with embeddings_kept(embeddings_folder()), temporary_corpus(questions.name) as corpus:
        ids: dict[str, UUID] = {}
        for done, line in enumerate(questions.documents, 1):
            if document := ingest_line(corpus, line, sizes):
                ids[line["id"]] = document
            report("index", done, len(questions.documents))
        scope = scope_of_corpus(corpus)
        asked = questions_left(questions, ids, notice)
        unknown = unknown_among([one.relevant for one in questions.queries], {one["id"] for one in questions.documents})
        cases = [case_from_query(query, ids) for query in asked]
        for one in configurations:
            measures = ask_all(cases, scope, one, partial(report, one.name))
            verdict = judge.judge_all([case.text for case in cases], scope, one.product) if judge else None
            chunks = corpus_chunks(corpus, one.granularity)
            space = current_provider().space.collection
            counts = (len(cases), len(ids), chunks)
            yield Scores(questions.name, one.name, space, *counts, *with_verdict(measures, verdict), unknown)


def questions_left(questions: Dataset, ids: dict[str, UUID], notice: Notice) -> list[Query]:
    """Those of which a document is there. Raises NotMeasured for none: no measure is no zero."""
    empty = {line["id"] for line in questions.documents} - ids.keys()
    there = [query for query in questions.queries if query.relevant & (ids.keys() | empty)]
    left = [query for query in there if query.relevant & ids.keys()]
    if empty:
        named = ", ".join(sorted(map(str, empty))[:MOST_NAMED]) + (", …" if len(empty) > MOST_NAMED else "")
        gone = len(there) - len(left)
        notice(f"{questions.name}: {len(empty)} documents without text are left out, and {gone} questions ({named}).")
    if not left:
        raise NotMeasured(f"{questions.name} has no question of which a document is there and has text")
    return left


def with_verdict(measures: dict[str, float], verdict: Judged | None) -> tuple[dict[str, float], dict[str, Any] | None]:
    return (measures | verdict.measures, verdict.bill) if verdict else (measures, None)


@contextmanager
def temporary_corpus(name: str) -> Iterator[Corpus]:
    with transaction.atomic():
        organization = Organization.objects.create(name=f"evaluation {name}", slug=f"{SLUG}{uuid4().hex[:12]}")
        corpus = Corpus.objects.create(organization=organization, corpus_type=Corpus.Type.GLOBAL, name=name)
    try:
        yield corpus
    finally:
        now = read_database_clock()
        Corpus.objects.filter(pk=corpus.pk).update(deleted_at=now, is_active=False)
        Document.objects.filter(corpus=corpus).update(deleted_at=now, lease_holder=None, lease_expires_at=None)
        erase_all(Document.objects.filter(corpus=corpus))
        remove_erased()


def erase_all(documents: QuerySet[Document]) -> None:
    """What cannot be erased now stays marked: the workers erase it when the index or the file store is back."""
    for document_id in list(documents.values_list("pk", flat=True)):
        try:
            erase.erase(document_id)
        except Exception as error:
            logger.warning("the erasure of document %s waits: %s", document_id, describe_error(error))


def remove_erased() -> int:
    """Remove what measurements made an organization for, once all its documents are erased: rows alone would go."""
    erase_deleted_corpora()
    made = Organization.objects.filter(slug__regex=rf"^{SLUG}[0-9a-f]{{12}}$")
    over = made.filter(memberships=None, corpora=None)
    tombstones.forget_receipts(
        ErasureReceipt.objects.filter(organization__in=over)
    )  # nobody asked, and nobody could ask
    return over.delete()[0]


def ingest_line(corpus: Corpus, line: dict[str, Any], sizes: Sequence[int] = ()) -> UUID | None:
    """One document of the set, through the pipeline's own stages from chunking on; None for one without text."""
    text, holder = line["text"], uuid4()
    document = Document.objects.create(
        corpus=corpus,
        filename=f"{line['id']}.txt",
        title=str(line.get("title", "")).replace("_", " ")[:255],
        media_type="text/plain",
        size=len(text.encode()),
        sha256=uuid4().hex,
        status=Document.Status.PROCESSING,  # from the start: it has no file that a worker could read
        lease_holder=holder,
        lease_expires_at=DatabaseNow(LEASE),
    )
    lease = Lease(document.pk, holder)
    try:
        with lease.kept_alive():
            pipeline.index_extracted(lease, Extracted(text), sizes)
    except ExtractionError as error:
        if error.code != "empty_document":
            raise
        document.delete()  # a worker would look for its file
        return None
    return document.pk


def corpus_chunks(corpus: Corpus, granularity: int) -> int:
    return corpus.documents.filter(chunks__granularity=granularity).values("chunks").count()


def case_from_query(query: Query, ids: dict[str, UUID]) -> Case:
    relevant = frozenset(ids[one] for one in query.relevant if one in ids)
    spans, excerpts = (dict.fromkeys(relevant, known) if known else {} for known in (query.spans, query.excerpts))
    return Case(query.text, relevant, spans, excerpts)

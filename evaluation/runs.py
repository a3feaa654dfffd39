"""Runs of a question set that admins made: rows that wait, workers that claim them, measures that stay.

    waiting ──▶ running (done of total) ──▶ done
       ▲           │                          or failed: the measures say why
       └───────────┴ interrupted: its worker fell silent, and another takes it up (three times at most)

A run asks the global corpora alone, whoever started it: what members keep for themselves is not measured.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import timedelta
from time import monotonic
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts import audit
from accounts.limits import reserving
from accounts.limits.size import organization_class
from accounts.models import Membership
from accounts.tenancy.scope import tenant_scope
from agents.llm.metering import Meter, metered
from agents.scopes import shared_scope
from config.concurrency.clock import DatabaseNow
from config.concurrency.heartbeat import HEARTBEAT_SECONDS, LEASE, beating
from config.faults import describe_error
from corpora.models import Chunk, Document
from corpora.scope import Scope
from evaluation.configurations import Configuration, configuration
from evaluation.judge import Judge, most_spent_by_judging
from evaluation.measuring import Case, NotMeasured, Scores, ask_all, embeddings_folder
from evaluation.models import EvaluationRun, QuestionSet
from evaluation.sets import Unknown, unknown_among
from evaluation.signals import runs_waiting
from retrieval.spaces.granularities import ready
from retrieval.spaces.opened import current_provider, embeddings_kept, one_space

logger = logging.getLogger(__name__)

REPORTED_EVERY = 10  # questions
RESERVED = timedelta(hours=12)  # for what a run may spend: it may have to wait for its turn
MAX_ATTEMPTS = 3
TRIED = 8  # runs of one look, of which others may take some first
INTERRUPTED = "its worker stopped three times before the end"
WAITING, RUNNING, DONE, FAILED = "waiting", "running", "done", "failed"
GIVEN_UP = {"state": FAILED, "reason": "given up by who started it"}

Progress = Callable[[int, int], None]


def unseen(done: int, total: int) -> None:
    """Progress that nobody watches."""


def start_runs(
    questions: QuestionSet,
    configurations: Sequence[Configuration],
    thresholds: dict[str, float],
    by: Membership,
    judge: str = "",
) -> list[EvaluationRun]:
    """A waiting run for each configuration, and a signal to the workers. `judge`: a model's name, or none.

    What judging may spend is reserved now, under the run's id, and settled when the run ends. Raises QuotaExceeded.
    """
    settings = {"thresholds": thresholds, "judge": judge, "started": timezone.now().isoformat()}
    most = most_spent_by_judging(questions.questions.count(), judge) if judge else reserving.FREE
    with transaction.atomic():
        runs = [create_waiting_run(questions, one, **settings) for one in configurations]
        for run in runs:
            reserving.reserve_here(by, most, run.pk, RESERVED)
        reserving.reserve_here(by, evaluations=len(configurations))
    audit.record(by, "evaluated", questions, configurations=[one.name for one in configurations])
    runs_waiting.send(QuestionSet, question_set_id=questions.pk)
    return runs


def create_waiting_run(questions: QuestionSet, asked: Configuration, **settings: Any) -> EvaluationRun:
    return EvaluationRun.objects.create(
        question_set=questions,
        configuration={"name": asked.name, **settings},
        measures={"state": WAITING},
        is_open=True,
    )


def run_next_evaluation() -> bool:
    """Do the run whose turn it is; False when none waits."""
    return any(run_evaluation(row) for row in due_runs()[:TRIED])


def due_runs() -> QuerySet[EvaluationRun]:
    """Runs that nobody works on: those of the organization with the least in work first, then the oldest."""
    at_work = EvaluationRun.objects.filter(
        is_open=True,
        lease_expires_at__gte=DatabaseNow(),
        question_set__organization=OuterRef("question_set__organization"),
    )
    counted = at_work.order_by().values("question_set__organization").annotate(runs=Count("pk")).values("runs")
    of_a_set = free_runs().filter(question_set__isnull=False).select_related("question_set")
    return of_a_set.annotate(at_work=Coalesce(Subquery(counted), 0)).order_by("at_work", "created_at", "pk")


def free_runs() -> QuerySet[EvaluationRun]:
    nobody = Q(lease_expires_at=None) | Q(lease_expires_at__lt=DatabaseNow())
    return EvaluationRun.objects.filter(nobody, is_open=True)


def run_evaluation(row: EvaluationRun) -> bool:
    """Do one run if nobody else has taken it; every way that it may end is a state of its row."""
    holder = claim_run(row)
    return holder is not None and carry_out_run(row, holder)


def claim_run(row: EvaluationRun) -> UUID | None:
    """The holder of its lease from now on; None when somebody else has it."""
    holder = uuid4()
    claimed = free_runs().filter(pk=row.pk).update(
        lease_holder=holder, lease_expires_at=DatabaseNow(LEASE), attempts=F("attempts") + 1,
        measures=running_state(0, 0),
    )  # fmt: skip
    return holder if claimed else None


def carry_out_run(row: EvaluationRun, holder: UUID, progress: Progress = unseen) -> bool:
    """Measure, settle what it spent, and note how it ended; False where another has taken it meanwhile."""
    held = EvaluationRun.objects.filter(pk=row.pk, lease_holder=holder)
    assert row.question_set is not None
    with (
        tenant_scope(row.question_set.organization_id),
        beating(lambda: held.update(lease_expires_at=DatabaseNow(LEASE)), HEARTBEAT_SECONDS),
        metered(Meter(organization_class=organization_class(row.question_set.organization_id))) as meter,
    ):
        ended = outcome(row, held, progress)
    reserving.settle(row.pk, reserving.Spending(meter.tokens, meter.microdollars))
    ended_now = {"is_open": False, "lease_holder": None, "lease_expires_at": None}
    return bool(held.update(configuration=row.configuration, measures=ended, **ended_now))


def outcome(row: EvaluationRun, held: QuerySet[EvaluationRun], progress: Progress) -> dict[str, Any]:
    """What there is to say at the end of a run, whatever the end was."""
    assert row.question_set is not None
    if row.attempts >= MAX_ATTEMPTS:  # as it was before this one
        return {"state": FAILED, "reason": INTERRUPTED}
    try:
        asked = configuration(row.configuration["name"])
        ended = {"state": DONE, **measure_set(row.question_set, asked, row, held, progress)}
    except KeyboardInterrupt:  # a command's: nobody waits for its measures any more
        held.update(is_open=False, lease_holder=None, lease_expires_at=None, measures=GIVEN_UP)
        raise
    except Exception as error:  # NotMeasured, an outage, a set whose documents are gone: a run never stays "running"
        expected = isinstance(error, NotMeasured | ValueError)
        logger.warning("evaluation %s failed: %s", row.pk, describe_error(error))
        return {"state": FAILED, "reason": str(error) if expected else type(error).__name__}
    return {**ended, "failed": [name for name, least in row.thresholds.items() if ended.get(name, 0.0) < least]}


def run_now(questions: QuestionSet, asked: Configuration, judge: str = "", progress: Progress = unseen) -> Scores:
    """A run in this process, kept with the others; `progress(done, total)` after each question. Raises NotMeasured."""
    with transaction.atomic():  # no worker sees it before it is taken
        row = create_waiting_run(questions, asked, judge=judge)
        holder = claim_run(row)
    assert holder is not None
    carry_out_run(row, holder, progress)
    row.refresh_from_db()
    if row.state != DONE:
        raise NotMeasured(row.measures.get("reason", row.state))
    scope = scope_of(questions)
    documents = Document.objects.in_scope(scope).count()
    chunks = Chunk.objects.in_scope(scope).filter(granularity=asked.granularity).count()
    measures = {name: value for name, value in row.measures.items() if isinstance(value, float)}
    space = row.configuration["space"]
    counts = (row.measures["questions"], documents, chunks)
    unknown = row.measures.get("unknown", {"ids": (), "questions": 0})
    return Scores(questions.name, asked.name, space, *counts, measures, row.measures.get("judged"), Unknown(**unknown))


def record_scores(scores: Sequence[Scores]) -> None:
    """Keep the measures of data sets from the command line; they belong to no organization."""
    EvaluationRun.objects.bulk_create(
        EvaluationRun(
            dataset=one.name,
            configuration={"name": one.configuration, "space": one.space},
            measures={"state": DONE, "questions": one.questions, **one.measures, **kept_unknown(one.unknown)},
        )
        for one in scores
    )


def kept_unknown(unknown: Unknown) -> dict[str, Any]:
    """As a run keeps it, where there is something to say."""
    return {"unknown": asdict(unknown)} if unknown.ids else {}


@one_space()
def measure_set(
    questions: QuestionSet,
    asked: Configuration,
    row: EvaluationRun,
    held: QuerySet[EvaluationRun],
    progress: Progress = unseen,
) -> dict[str, Any]:
    """The means over the set's answerable questions. Raises NotMeasured."""
    known, scope = cases(questions), scope_of(questions)
    if scope.is_empty or not known:
        raise NotMeasured("no question of the set has a relevant document in an active global corpus")
    if not ready(scope, asked.granularity):
        raise NotMeasured(lacking_size(asked.granularity))
    row.configuration = {**row.configuration, "space": current_provider().space.collection}

    began = monotonic()

    def report(done: int, total: int) -> None:
        progress(done, total)
        if done % REPORTED_EVERY == 0:
            held.update(measures=running_state(done, total, monotonic() - began))

    with embeddings_kept(embeddings_folder()):
        means = ask_all(known, scope, asked, report)
    measures = {"questions": len(known), **means, **kept_unknown(unknown_to(questions))}
    if not row.configuration.get("judge"):
        return measures
    verdict = Judge("", row.configuration["judge"]).judge_all([one.text for one in known], scope, asked.product)
    return {**measures, **verdict.measures, "judged": verdict.bill}


def lacking_size(granularity: int) -> str:
    """Measures of the documents that have the size alone would be of another corpus, or of none."""
    return (
        f"not every document has passages of {granularity} tokens: they are made for the corpora of adaptive agents. "
        "Make an agent that reads these corpora adaptive, and measure again when its documents are indexed anew"
    )


def running_state(done: int, total: int, seconds: float = 0.0) -> dict[str, Any]:
    """`seconds`: that those that are done took."""
    return {"state": RUNNING, "done": done, "total": total, "seconds": round(seconds, 1)}


def scope_of(questions: QuestionSet) -> Scope:
    """The set's corpus, or every global corpus of its organization, as far as they are active now."""
    return shared_scope(questions.organization_id, questions.corpus_id)


def cases(questions: QuestionSet) -> list[Case]:
    """The questions whose truth is still there: a document that is gone is no truth any more."""
    readable = readable_documents(questions)
    known = (case_of(one.text, one.relevant, one.spans, readable) for one in questions.questions.all())
    return [case for case in known if case.relevant]


def unknown_to(questions: QuestionSet) -> Unknown:
    """What its questions name and nobody reads any more, or ever did."""
    readable = {str(id) for id in readable_documents(questions)}
    return unknown_among((list(map(str, one.relevant)) for one in questions.questions.all()), readable)


def readable_documents(questions: QuestionSet) -> set[UUID]:
    return set(Document.objects.in_scope(scope_of(questions)).values_list("pk", flat=True))


def case_of(text: str, relevant: Sequence[str], spans: Sequence[Sequence[Any]], readable: set[UUID]) -> Case:
    documents = frozenset(map(UUID, relevant)) & readable
    by_document = {
        id: tuple((int(start), int(end)) for document, start, end in spans if UUID(document) == id) for id in documents
    }
    known = {id: found for id, found in by_document.items() if found}
    return Case(text, documents, known, known)

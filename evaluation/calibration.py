"""Measuring what a cosine means: the calibration of the embedding space in use (SPEC §4, "measured, not guessed").

Every question is asked twice: of the whole corpus, where the first passage that answers it shows what relevance looks
like, and without the documents that answer it, where the first passage shows what the best of the irrelevant looks
like. Half of the observations are relevant, so relevance 0.5 is even odds that a passage answers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import mean
from typing import Any

from corpora.models import Chunk
from corpora.scope import Scope
from evaluation.calibration_questions import Excerpt, Probe, probes
from retrieval.confidence import calibration as calibrations
from retrieval.confidence.coverage import coverages
from retrieval.confidence.fitting import Observation, area_under_curve, fit_calibration
from retrieval.confidence.gate import score, suffices
from retrieval.confirmation import PAGE, confirm_hits
from retrieval.embeddings.base import Calibration, EmbeddingSpace
from retrieval.filters import search_filter
from retrieval.index.bm25 import encode_query
from retrieval.ranking.fusion import Fused, fuse
from retrieval.ranking.relevance import COVERAGE_SHARE
from retrieval.results import RetrievalPolicy, RetrievedChunk
from retrieval.spaces.opened import current_index, current_provider, one_space
from retrieval.text.passages import indexed_text
from retrieval.text.terms import exact_terms

MEASURED_POLICY = RetrievalPolicy()
LEAST_ANSWERED = 30
LEAST_AREA = 0.6  # below it evidence says next to nothing, and a fit would be noise
SEED = 20
BY_TEXT = ("text_hash", "pk")  # an order that does not change with the ids

HitsFound = list[tuple[Fused, RetrievedChunk]]
ReportProgress = Callable[[int, int], None]


class NotMeasurable(ValueError):
    """Too little to measure on; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question's passages as retrieval orders them: of the whole corpus, and without what answers it."""

    whole: tuple[Observation, ...]
    without: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Separation:
    """How well a calibration tells questions with an answer from those without; shares of the questions."""

    area_under_curve: float
    answerable_sufficient: float
    unanswerable_sufficient: float


@dataclass(frozen=True, slots=True)
class Measurement:
    """A calibration with what it was measured on; `before` is the one in use, judged on the same questions."""

    space: EmbeddingSpace
    calibration: Calibration
    questions: int
    before: Separation
    after: Separation


def sample_probes(scope: Scope, amount: int) -> list[Probe]:
    """Questions about passages of the scope, drawn the same way every time, also when they were indexed anew. Raises
    NotMeasurable."""
    chunks = Chunk.objects.in_scope(scope).filter(granularity=MEASURED_POLICY.granularity).order_by(*BY_TEXT)
    ids = list(chunks.values_list("pk", flat=True))
    random = Random(SEED)  # noqa: S311 -- a sample, no secret
    drawn = random.sample(ids, min(2 * amount, len(ids)))  # not every passage has a sentence to ask about
    rows = Chunk.objects.in_scope(scope).filter(pk__in=drawn).order_by(*BY_TEXT)
    passages = [Excerpt(*row) for row in rows.values_list("document_id", "text", "start")]
    random.shuffle(passages)
    if len({passage.document for passage in passages}) < 2:
        raise NotMeasurable("a corpus measures itself from two documents on: each is asked about without the other")
    return probes(passages, random)[:amount]


@one_space()
def measure_calibration(
    asked_about: Sequence[Probe], scope: Scope, report: ReportProgress = lambda done, total: None
) -> Measurement:
    """Ask every question and fit the calibration. Raises NotMeasurable, and what retrieval's parts raise."""
    answers = []
    for done, one in enumerate(asked_about, start=1):
        answers.append(ask_probe(one, scope))
        report(done, len(asked_about))
    space = calibrations.with_measured_calibration(current_provider().space)
    observations = telling_observations(answers)
    usable = sum(one.is_relevant for one in observations)
    if min(usable, len(observations) - usable) < LEAST_ANSWERED:
        raise NotMeasurable(f"{usable} questions found their answer; {LEAST_ANSWERED} are needed")
    after = fit_calibration(observations, space.calibration)
    if area_under_curve(observations, after) < LEAST_AREA:
        raise NotMeasurable("this space does not tell relevant passages from irrelevant ones on this sample")
    before = separation(answers, observations, space.calibration)
    return Measurement(space, after, len(answers), before, separation(answers, observations, after))


def ask_probe(probe: Probe, scope: Scope) -> Asked:
    """The dense vector must be there: a calibration of words alone is not what is asked for. Raises EmbeddingError."""
    provider, where = current_provider(), search_filter(scope, MEASURED_POLICY.granularity)
    dense = provider.embed_query(probe.text)
    sparse = encode_query(probe.text) or None
    found_by = current_index().search(dense if dense.any() else None, sparse, where, MEASURED_POLICY.candidates)
    weights = provider.space.dense_weight, provider.space.bm25_weight
    hits = fuse(found_by, *weights, MEASURED_POLICY.candidates)
    found, _dropped = confirm_hits(hits, scope, len(hits))
    tail = found_by.dense[-1].score if found_by.dense else 0.0
    others = [(hit, chunk) for hit, chunk in found if chunk.document not in probe.documents]
    return Asked(observe(probe, found, tail), observe(probe, others, tail))


def observe(probe: Probe, found: HitsFound, tail: float) -> tuple[Observation, ...]:
    """What retrieval would look at, in its order."""
    page = found[:PAGE]
    texts = [indexed_text(chunk.title, chunk.heading_path, chunk.text) for _, chunk in page]
    covered = coverages(probe.text, texts, exact_terms(probe.text))
    rated = [
        (hit.score + COVERAGE_SHARE * coverage, observation(probe, hit, chunk, coverage, tail))
        for (hit, chunk), coverage in zip(page, covered, strict=True)
    ]
    return tuple(one for _, one in sorted(rated, key=lambda pair: -pair[0]))


def observation(probe: Probe, hit: Fused, chunk: RetrievedChunk, coverage: float, tail: float) -> Observation:
    cosine = hit.dense if hit.dense is not None else tail
    return Observation(cosine, coverage, tail, probe.is_answered_by(chunk.document, chunk.start, chunk.end))


def telling_observations(answers: Iterable[Asked]) -> list[Observation]:
    """The first passage that answers each question, and the first that remains without its documents."""
    chosen = []
    for one in answers:
        chosen += [passage for passage in one.whole if passage.is_relevant][:1]
        chosen += one.without[:1]
    return chosen


def separation(answers: Sequence[Asked], observations: Sequence[Observation], calibration: Calibration) -> Separation:
    return Separation(
        area_under_curve=area_under_curve(observations, calibration),
        answerable_sufficient=mean(is_sufficient(one.whole, calibration) for one in answers),
        unanswerable_sufficient=mean(is_sufficient(one.without, calibration) for one in answers),
    )


def is_sufficient(passages: Iterable[Observation], calibration: Calibration) -> bool:
    """Whether the relevance alone suffices, without near-duplicates and neighbours. It is what a calibration is fitted
    for, and one measure of those that retrieval judges by (`retrieval.confidence.evidence`); the others are of words,
    the same in every space, and would judge the questions made here, which are no sentences, for what they are not."""
    relevances = [calibration.relevance(one.cosine, one.coverage, one.tail) for one in passages]
    kept = [relevance for relevance in relevances if relevance >= MEASURED_POLICY.threshold][: MEASURED_POLICY.top_k]
    return suffices(score(kept))


def keep_calibration(measured: Measurement, sample: dict[str, Any]) -> None:
    """Use the calibration from now on; every process does within seconds."""
    calibrations.store_calibration(measured.space, measured.calibration, sample)

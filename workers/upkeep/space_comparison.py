"""Two embedding spaces compared by the question sets of the installation, before readers are switched.

Every set is asked in both; the measures are kept as runs, which name the space. The verdict pools all questions: a set
of five says nothing by itself.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from evaluation.configurations import Configuration
from evaluation.measuring import NotMeasured, Scores
from evaluation.models import EvaluationRun, QuestionSet
from evaluation.runs import cases, run_now
from retrieval.models import SpaceState
from retrieval.spaces.opened import one_space

logger = logging.getLogger(__name__)

JUDGED_BY = ("hit@1", "ndcg@10")
MOST_LOSS = 0.05
LEAST_QUESTIONS = 10  # with fewer one question more or less is a tenth
SETS = 20


@dataclass(frozen=True, slots=True)
class Compared:
    """One set's measures in the space in use and in the other."""

    before: Scores
    after: Scores

    def __str__(self) -> str:
        pairs = (f"{name} {self.before.measures[name]:.3f} → {self.after.measures[name]:.3f}" for name in JUDGED_BY)
        return f"{self.before.name} ({self.before.questions} questions): {', '.join(pairs)}"


def compare_spaces(before: SpaceState, after: SpaceState) -> list[Compared]:
    """Of every set whose truth is known, in both spaces. Empty without sets, or when a model does not answer."""
    pairs = []
    for questions in [one for one in QuestionSet.objects.order_by("created_at")[:SETS] if cases(one)]:
        try:
            pairs.append(Compared(measure_in(before, questions), measure_in(after, questions)))
        except NotMeasured as error:
            logger.warning("the spaces were not compared: %s", error)
            return []
    return pairs


def measure_in(space: SpaceState, questions: QuestionSet) -> Scores:
    with one_space(space):
        return run_now(questions, Configuration())


def loss(pairs: Sequence[Compared]) -> float:
    """By how much the other space is worse over all questions, in the measure that loses most; below 0 it is better."""
    total = sum(pair.before.questions for pair in pairs)
    if total < LEAST_QUESTIONS:
        return 0.0
    weights = [pair.before.questions for pair in pairs]
    return max(
        fmean([pair.before.measures[name] for pair in pairs], weights)
        - fmean([pair.after.measures[name] for pair in pairs], weights)
        for name in JUDGED_BY
    )


def is_held_back(before: SpaceState, after: SpaceState) -> bool:
    """Whether a change that goes by itself should wait for an operator: it lost more than MOST_LOSS.

    Measured once for each pair: what was found stands until somebody switches, or the space is begun anew.
    """
    known = EvaluationRun.objects.filter(
        configuration__held_back=after.collection, configuration__space=before.collection,
        created_at__gte=after.created_at,
    )  # fmt: skip
    if (found := known.first()) is not None:
        return bool(found.measures["loss"] > MOST_LOSS)
    pairs = compare_spaces(before, after)
    for pair in pairs:
        logger.info("%s → %s: %s", before.collection, after.collection, pair)
    worse = loss(pairs)
    if worse > MOST_LOSS:
        logger.error(
            "%s is complete but worse by %.3f on the question sets; `manage.py space switch` switches all the same",
            after.collection,
            worse,
        )
        verdict = {"name": "space", "space": before.collection, "held_back": after.collection}
        EvaluationRun.objects.create(dataset=after.collection, configuration=verdict, measures={"loss": worse})
    return worse > MOST_LOSS

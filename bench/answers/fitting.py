"""Fit the weights of `retrieval.confidence.evidence`.

    python -m bench.answers.fitting --samples FOLDER [--paragraphs FOLDER …] [--all]

A logistic regression (ridge, iteratively reweighted least squares) of "is answered" on the measures, for the questions
of `bench/questions` that may be tuned on and the tuning half of data sets of paragraphs (`bench.answers.paragraphs`).
Each set counts the same, and in it the answered as much as the unanswered. Prints the weights, how each set is judged
by what was fitted without its work (or a fifth of its questions), and the `USUAL` at which LET_THROUGH of the
unanswerable of the works pass then: the line is drawn on what a fit has not seen. Nothing of the questions that are
held out is read. The weights in use are of the questions that were written first; `--all` adds those that were judged
on before and those in other words than the text's (docs/answers.md has what came of that).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from math import log
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from bench.answers.library import Embeddings, opened_library
from bench.answers.papers import Paper, read_papers
from bench.answers.paragraphs import lay_out
from bench.answers.questions import COURSE, is_answered_elsewhere, left_out, questions
from bench.answers.separation import separation_of
from bench.processes import ROOT, Server
from retrieval.confidence.evidence import WEIGHTS

RIDGE, STEPS = 5.0, 50
EACH_SET = 400.0  # as many questions does a set count for
LINE = log(0.6 / 0.4)  # logits from which passages suffice
LET_THROUGH = 0.09  # of the unanswerable: a tenth may, less what a sample of so many errs by
FOLDS = 5  # of a set that is of no works
FIRST = ("answerable", "course", "nowhere")
LATER = (
    "judged_answerable",
    "judged_nowhere",
    "fresh_answerable",
    "fresh_nowhere",
    "asked_answerable",
    "asked_nowhere",
)


@dataclass(frozen=True)
class Case:
    """A question asked of some works, and whether they answer it."""

    text: str
    groups: tuple[str, ...]
    is_answered: bool
    fold: str  # what is judged without it


@dataclass(frozen=True)
class Observed:
    """(n, measures), (n,) and (n,): what was measured of each question, whether it is answered, and its fold."""

    measured: Any
    answered: Any
    folds: Any


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.answers.fitting", description=__doc__)
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--paragraphs", type=Path, action="append", default=[])
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    sets = {}
    if options.samples:
        papers = read_papers(options.samples)
        sets["works"] = observed(papers, list(of_works(papers, (*FIRST, *(LATER if options.all else ())))))
    for folder in options.paragraphs:
        with tempfile.TemporaryDirectory(prefix="acervo-bench-set-") as name:
            asked = [one for one in lay_out(folder, Path(name)) if not one.held_out]
            papers = read_papers(Path(name))
            groups = sorted({paper.group for paper in papers})
            cases = []
            for one in asked:
                fold = f"{folder.name} {crc32(one.text.encode()) % FOLDS}"
                cases.append(Case(one.text, tuple(groups), is_answered=True, fold=fold))
                if one.unanswered_without:
                    rest = tuple(group for group in groups if group != one.part)
                    cases.append(Case(one.text, rest, is_answered=False, fold=fold))
            sets[folder.name] = observed(papers, cases)
    report(sets)


def of_works(papers: Sequence[Paper], files: Sequence[str]) -> Iterator[Case]:
    works = sorted({paper.group for paper in papers})
    for name in files:
        has_answers = not name.endswith("nowhere")
        for one in questions(name, works, COURSE):
            yield Case(one.text, tuple(works), has_answers, fold=one.of)
            if has_answers and not is_answered_elsewhere(one, papers):
                rest = tuple(work for work in works if work not in left_out(one))
                yield Case(one.text, rest, is_answered=False, fold=one.of)


def observed(papers: Sequence[Paper], cases: Sequence[Case]) -> Observed:
    with tempfile.TemporaryDirectory(prefix="acervo-bench-fitting-") as name:
        with opened_library(papers, Embeddings(), Path(name)) as library:
            known = set(library.corpora)
        kept = [(case.text, [group for group in case.groups if group in known]) for case in cases]
        lines = "\n".join(json.dumps({"text": text, "groups": groups}) for text, groups in kept)
        done = subprocess.run(
            [sys.executable, "-m", "bench.answers.observing", name], cwd=ROOT, input=lines, check=True,
            capture_output=True, text=True, env=Server.environment({"DATA_DIR": name, "QUOTAS": "off"}),
        )  # fmt: skip
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    told = [row or dict.fromkeys(WEIGHTS, 0.0) for row in rows]
    return Observed(
        np.array([[row[measure] for measure in WEIGHTS] for row in told]),
        np.array([case.is_answered for case in cases], dtype=float),
        np.array([case.fold for case in cases]),
    )


def fit(measured: Any, answered: Any, weights: Any) -> Any:
    """(1 + measures,): the constant, and the weight of each measure."""
    mean, spread = measured.mean(0), measured.std(0) + 1e-9
    design = np.c_[np.ones(len(measured)), (measured - mean) / spread]
    penalty = np.diag([0.0, *[RIDGE] * measured.shape[1]])
    found = np.zeros(design.shape[1])
    for _step in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ found, -30.0, 30.0)))
        slope = design.T @ (weights * (answered - chance)) - penalty @ found
        curve = (design.T * (weights * chance * (1.0 - chance))) @ design + penalty
        found += np.linalg.solve(curve, slope)
    own = found[1:] / spread
    return np.array([found[0] - own @ mean, *own])


def report(sets: dict[str, Observed]) -> None:
    """The first set draws the line."""
    shares = np.concatenate([shares_of(one) for one in sets.values()])
    whole = Observed(
        *(np.concatenate([getattr(one, field.name) for one in sets.values()]) for field in fields(Observed))
    )
    fitted, unseen = fit(whole.measured, whole.answered, shares), unseen_logits(whole, shares)
    kinds = np.repeat(list(sets), [len(one.answered) for one in sets.values()])
    wrong = unseen[(kinds == kinds[0]) & (whole.answered == 0)]
    usual = LINE - float(np.quantile(wrong, 1.0 - LET_THROUGH))
    print(f"FITTED, USUAL = {fitted[0]:.2f}, {usual:.2f}")
    for name, weight in zip(WEIGHTS, fitted[1:], strict=True):
        print(f'    "{name}": {weight:.2f},')
    for name in sets:
        pairs = [
            [(one, one + usual >= LINE) for one in unseen[(kinds == name) & (whole.answered == said)]]
            for said in (1, 0)
        ]
        print(name, separation_of(*pairs))


def unseen_logits(whole: Observed, shares: Any) -> Any:
    """Of each question by what was fitted without its fold; nothing was found for some, and that never suffices."""
    logits = np.zeros(len(whole.measured))
    for fold in set(whole.folds):
        there = whole.folds == fold
        without = fit(whole.measured[~there], whole.answered[~there], shares[~there])
        logits[there] = without[0] + whole.measured[there] @ without[1:]
    return np.where(is_found(whole), logits, -30.0)


def shares_of(one: Observed) -> Any:
    """What each question counts for: as much in all for the answered as for the others."""
    counts = is_found(one) * np.where(one.answered == 1, 1.0, -1.0)
    return (
        np.where(counts > 0, 0.5 / (counts > 0).sum(), np.where(counts < 0, 0.5 / (counts < 0).sum(), 0.0)) * EACH_SET
    )


def is_found(one: Observed) -> Any:
    return one.measured[:, list(WEIGHTS).index("relevance")] > 0


if __name__ == "__main__":
    main()

"""Fit the weights of `retrieval.confidence.evidence`.

    python -m bench.answers.fitting --samples FOLDER [--paragraphs FOLDER …]

A logistic regression (ridge, iteratively reweighted least squares) of "is answered" on the measures, for the questions
of `bench/questions` that may be tuned on and the tuning half of data sets of paragraphs (`bench.answers.paragraphs`).
Each set counts the same, and in it the answered as much as the unanswered. Prints the weights, and what each set would
be judged with them; nothing of the questions that are judged on is read.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.answers.library import Embeddings, opened_library
from bench.answers.papers import Paper, read_papers
from bench.answers.paragraphs import lay_out
from bench.answers.questions import COURSE, is_answered_elsewhere, left_out, questions
from bench.answers.separation import separation_of
from bench.processes import ROOT, Server
from retrieval.confidence.evidence import USUAL, WEIGHTS

RIDGE, STEPS = 5.0, 50
EACH_SET = 400.0  # as many questions does a set count for
SUFFICIENT = 0.6


@dataclass(frozen=True)
class Case:
    """A question asked of some works, and whether they answer it."""

    text: str
    groups: tuple[str, ...]
    is_answered: bool


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.answers.fitting", description=__doc__)
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--paragraphs", type=Path, action="append", default=[])
    options = parser.parse_args()
    sets = {}
    if options.samples:
        papers = read_papers(options.samples)
        sets["works"] = observed(papers, list(of_works(papers)))
    for folder in options.paragraphs:
        with tempfile.TemporaryDirectory(prefix="acervo-bench-set-") as name:
            asked = [one for one in lay_out(folder, Path(name)) if not one.held_out]
            papers = read_papers(Path(name))
            groups = sorted({paper.group for paper in papers})
            cases = [Case(one.text, tuple(groups), is_answered=True) for one in asked]
            for one in asked:
                if one.unanswered_without:
                    rest = tuple(group for group in groups if group != one.part)
                    cases.append(Case(one.text, rest, is_answered=False))
            sets[folder.name] = observed(papers, cases)
    report(sets)


def of_works(papers: Sequence[Paper]) -> Iterator[Case]:
    works = sorted({paper.group for paper in papers})
    for one in (*questions("answerable", works), *questions("course", works, COURSE)):
        yield Case(one.text, tuple(works), is_answered=True)
        if not is_answered_elsewhere(one, papers):
            rest = tuple(work for work in works if work not in left_out(one))
            yield Case(one.text, rest, is_answered=False)
    for one in questions("nowhere", works):
        yield Case(one.text, tuple(works), is_answered=False)


def observed(papers: Sequence[Paper], cases: Sequence[Case]) -> tuple[Any, Any]:
    """(n, measures) and (n,): what was measured of each question, and whether it is answered."""
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
    told = [(row, case.is_answered) for row, case in zip(rows, cases, strict=True) if row]
    measured = np.array([[row[measure] for measure in WEIGHTS] for row, _is_answered in told])
    return measured, np.array([is_answered for _row, is_answered in told], dtype=float)


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


def report(sets: dict[str, tuple[Any, Any]]) -> None:
    shares = [np.where(said == 1, 0.5 / said.sum(), 0.5 / (1 - said).sum()) * EACH_SET for _rows, said in sets.values()]
    measured = np.vstack([rows for rows, _said in sets.values()])
    fitted = fit(measured, np.concatenate([said for _rows, said in sets.values()]), np.concatenate(shares))
    print(f"FITTED = {fitted[0]:.2f}")
    for name, weight in zip(WEIGHTS, fitted[1:], strict=True):
        print(f'    "{name}": {weight:.2f},')
    for name, (rows, said) in sets.items():
        chance = 1.0 / (1.0 + np.exp(-(fitted[0] + USUAL + rows @ fitted[1:])))
        pairs = [[(float(one), bool(one >= SUFFICIENT)) for one in chance[said == kind]] for kind in (1, 0)]
        print(name, separation_of(*pairs))


if __name__ == "__main__":
    main()

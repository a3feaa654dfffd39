"""`manage.py calibrate`: measure what a cosine means in the embedding space in use (SPEC §4)."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from accounts.models import Organization
from agents.scopes import scope_of_corpus, shared_scope
from corpora.models import Corpus
from corpora.scope import Scope
from evaluation import calibration
from evaluation.calibration import SEED, Measurement, NotMeasurable
from evaluation.calibration_questions import Probe
from evaluation.sets import Dataset, Query
from retrieval.confidence import calibration as calibrations
from retrieval.embeddings.base import EmbeddingError
from retrieval.management.base import IndexCommand
from retrieval.spaces.opened import current_provider
from workers import datasets
from workers.progress import ProgressBar

QUESTIONS = 200


class Command(IndexCommand):
    help = (
        "Measure the calibration of the embedding space in use, on question sets (folders, as for evaluate) or on "
        "questions made from a corpus or from an organization's global corpora, and use it from then on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("datasets", nargs="*", type=Path, metavar="DATASET")
        parser.add_argument("--corpus", metavar="ID")
        parser.add_argument("--organization", metavar="SLUG")
        parser.add_argument("--questions", type=int, default=QUESTIONS, metavar="N", help="ask at most N of each set")
        parser.add_argument("--json", action="store_true")
        parser.add_argument("--dry-run", action="store_true", help="show it, keep the calibration that is in use")
        parser.add_argument("--reset", action="store_true", help="go back to the built-in calibration")

    def needs_index(self, options: dict[str, Any]) -> bool:
        return not options["reset"]

    def work(self, options: dict[str, Any]) -> None:
        sources = [bool(options["datasets"]), bool(options["corpus"]), bool(options["organization"]), options["reset"]]
        if sum(sources) != 1:
            message = "Give question sets, or --corpus ID, or --organization SLUG, or --reset: one of them."
            raise CommandError(message, returncode=2)
        if options["reset"]:
            removed = calibrations.remove_calibration(current_provider().space)
            self.stdout.write("The built-in calibration is in use." if removed else "Nothing was measured here.")
            return
        try:
            measured, sample = self.measured(options)
        except (NotMeasurable, EmbeddingError) as error:
            raise CommandError(f"Not measured: {error}.") from error
        sample |= {"questions": measured.questions, "before": asdict(measured.before), "after": asdict(measured.after)}
        if not options["dry_run"]:
            calibration.keep_calibration(measured, sample)
        self.report(measured, sample, options)

    def measured(self, options: dict[str, Any]) -> tuple[Measurement, dict[str, Any]]:
        """The measurement, and what the sample was."""
        if options["datasets"]:
            return self.on_sets([self.folder / one for one in options["datasets"]], options["questions"])
        scope = corpus_scope(options["corpus"]) if options["corpus"] else organization_scope(options["organization"])
        asked = calibration.sample_probes(scope, options["questions"])
        name = "corpus" if options["corpus"] else "organization"
        return self.ask(asked, scope), {"kind": "sample", name: options[name]}

    def on_sets(self, folders: list[Path], amount: int) -> tuple[Measurement, dict[str, Any]]:
        """All sets in one temporary corpus, so that one calibration comes of them."""
        with datasets.temporary_corpus("calibration") as corpus:
            asked: list[Probe] = []
            for folder in folders:
                asked += probes_of(folder, corpus, amount)
            return self.ask(asked, scope_of_corpus(corpus)), {
                "kind": "question sets",
                "names": [folder.name for folder in folders],
            }

    def ask(self, asked: list[Probe], scope: Scope) -> Measurement:
        bar = ProgressBar(self.stderr, "ask", len(asked))
        measured = calibration.measure_calibration(asked, scope, lambda done, total: bar.step())
        bar.end()
        return measured

    def report(self, measured: Measurement, sample: dict[str, Any], options: dict[str, Any]) -> None:
        kept = not options["dry_run"]
        if options["json"]:
            body = {"space": measured.space.collection, "kept": kept, **asdict(measured.calibration), "sample": sample}
            self.stdout.write(json.dumps(body, indent=1))
            return
        self.stdout.write(f"{measured.space.collection}: {measured.questions} questions, each with and without answer")
        self.stdout.write(f"{'':<8}{'area under curve':>18}{'answerable':>12}{'unanswerable':>14}   judged sufficient")
        for name, one in (("before", measured.before), ("after", measured.after)):
            shares = f"{one.answerable_sufficient:>12.3f}{one.unanswerable_sufficient:>14.3f}"
            self.stdout.write(f"{name:<8}{one.area_under_curve:>18.3f}{shares}")
        self.stdout.write("In use from now on." if kept else "Not kept (--dry-run).")


def probes_of(folder: Path, corpus: Corpus, amount: int) -> list[Probe]:
    """A question set's questions, at most `amount` from all over it, its documents taken into the corpus."""
    try:
        questions = Dataset.load(folder)
    except ValueError as error:
        raise CommandError(str(error)) from error
    ids = {line["id"]: document for line in questions.documents if (document := datasets.ingest_line(corpus, line))}
    drawn = Random(SEED).sample(questions.queries, min(amount, len(questions.queries)))  # noqa: S311 -- no secret
    return [probe_of(query, ids) for query in drawn]


def probe_of(query: Query, ids: dict[str, Any]) -> Probe:
    """With spans, from the first one's begin to the last one's end."""
    span = (min(query.spans)[0], max(end for _start, end in query.spans)) if query.spans else None
    return Probe(query.text, frozenset(ids[one] for one in query.relevant if one in ids), span)


def corpus_scope(corpus_id: str) -> Scope:
    try:
        corpus = Corpus.objects.filter(pk=corpus_id, deleted_at=None, is_active=True).first()
    except ValidationError:
        corpus = None
    if corpus is None:
        raise CommandError(f"There is no active corpus {corpus_id}.")
    return scope_of_corpus(corpus)


def organization_scope(slug: str) -> Scope:
    organization = Organization.objects.filter(slug=slug).first()
    if organization is None:
        raise CommandError(f"There is no organization {slug!r}.")
    return shared_scope(organization.pk)

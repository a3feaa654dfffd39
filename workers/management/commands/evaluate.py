"""`manage.py evaluate DATASET…`: retrieval quality on question sets (API.md, "Commands"; docs/evaluation.md)."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from accounts.management.base import DatabaseCommand
from evaluation import configurations as evaluation_configurations
from evaluation import report, runs
from evaluation.configurations import GRAMMAR, STANDARD, Configuration
from evaluation.judge import MOST_QUESTIONS, Judge
from evaluation.measuring import NotMeasured, Scores
from evaluation.models import QuestionSet
from evaluation.report import Threshold
from evaluation.sets import Dataset
from workers import datasets, inline


class Command(DatabaseCommand):
    help = (
        "Measure retrieval through the product's own pipeline, on folders with corpus.jsonl and queries.jsonl "
        "(QUESTIONS@DOCUMENTS asks one set's questions of another's documents), or with --organization on question "
        "sets that its admins made."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("datasets", nargs="+", type=Path, metavar="DATASET")
        parser.add_argument("--organization", metavar="SLUG", help="DATASET names a question set of this organization")
        parser.add_argument(
            "--configurations", default="default", metavar="LIST", help=f"comma-separated, or standard. {GRAMMAR}"
        )
        parser.add_argument("--limit", type=int, metavar="N", help="ask only the first N questions")
        parser.add_argument(
            "--threshold", action="append", default=[], metavar="MEASURE=X",
            help="exit 1 when a set is below, as hit@1=0.92 or bm25:mrr=0.9; may be repeated",
        )  # fmt: skip
        parser.add_argument("--judge", metavar="MODEL", help="have answers rated by this model, one call each")
        parser.add_argument("--answer-model", default="", metavar="MODEL", help="who answers; by default CHAT_MODEL")
        parser.add_argument("--judge-questions", type=int, default=MOST_QUESTIONS, metavar="N")
        parser.add_argument("--price", metavar="IN/OUT", help="of the judge, in US dollars for a million tokens")
        parser.add_argument("--json", action="store_true")
        parser.add_argument("--markdown", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        configurations, thresholds = parse_options(options)
        inline.require_index()
        scores = [one for name in options["datasets"] for one in self.measured(name, configurations, options)]
        self.bills(scores)
        if options["json"]:
            self.stdout.write(json.dumps([asdict(one) for one in scores], indent=1))
        else:
            shown = report.markdown if options["markdown"] else report.table
            self.stdout.write("\n".join(shown(scores)))
        if below := [sentence for one in thresholds for sentence in one.failed_by(scores)]:
            raise CommandError("; ".join(below))

    def measured(self, name: Path, configurations: Sequence[Configuration], options: dict[str, Any]) -> list[Scores]:
        try:
            if options["organization"]:
                return evaluate_question_set(options["organization"], str(name), configurations, options["judge"] or "")
            questions = Dataset.load(name, options["limit"])
            scores = datasets.evaluate_dataset(questions, self.progress, configurations, judge_of(options))
        except (ValueError, NotMeasured) as error:
            raise CommandError(str(error)) from error
        runs.record_scores(scores)
        return scores

    def bills(self, scores: Sequence[Scores]) -> None:
        """What judging cost, beside the table."""
        for one in scores:
            if one.judged:
                for role in ("answering", "judging"):
                    self.stderr.write(f"{one.name} {one.configuration} {role}: {json.dumps(one.judged[role])}")

    def progress(self, what: str, done: int, total: int) -> None:
        if self.stderr.isatty() and (done % 20 == 0 or done == total):
            self.stderr.write(f"\r{what} {done}/{total}   ", ending="" if done < total else "\n")
            self.stderr.flush()


def parse_options(options: dict[str, Any]) -> tuple[tuple[Configuration, ...], list[Threshold]]:
    """Configurations and thresholds, before anything is measured."""
    asked = STANDARD if options["configurations"] == "standard" else options["configurations"]
    try:
        thresholds = [Threshold.parse(text) for text in options["threshold"]]
        return evaluation_configurations.parse_configurations(asked), thresholds
    except ValueError as error:
        raise CommandError(str(error), returncode=2) from error


def judge_of(options: dict[str, Any]) -> Judge | None:
    if not options["judge"]:
        return None
    price = None
    if options["price"]:
        prompt, _slash, completion = options["price"].partition("/")
        try:
            price = Decimal(prompt), Decimal(completion)
        except InvalidOperation as error:
            raise CommandError("Write --price as 0.15/0.60.", returncode=2) from error
    return Judge(options["answer_model"], options["judge"], options["judge_questions"], price)


def evaluate_question_set(slug: str, name: str, configurations: Sequence[Configuration], judge: str) -> list[Scores]:
    """A set that admins made, measured here and now and kept with its other runs. ValueError, NotMeasured."""
    questions = QuestionSet.objects.filter(organization__slug=slug, name=name).first()
    if questions is None:
        raise ValueError(f"{slug} has no question set {name!r}")
    return [runs.run_now(questions, one, judge) for one in configurations]

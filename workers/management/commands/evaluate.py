"""`manage.py evaluate DATASET…`: retrieval quality on question sets (API.md, "Commands"; docs/evaluation.md)."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from accounts.management.relay.hangup import stop_if_hung_up
from config.faults import describe_error
from evaluation import configurations as evaluation_configurations
from evaluation import report, runs
from evaluation.configurations import GRAMMAR, STANDARD, Configuration
from evaluation.judge import MOST_QUESTIONS, Judge
from evaluation.measuring import NotMeasured, Scores
from evaluation.models import QuestionSet
from evaluation.report import Threshold
from evaluation.sets import CROSSED, Dataset, pair_with_documents
from retrieval.embeddings.base import EmbeddingError
from retrieval.index.base import IndexUnavailable
from retrieval.management.base import IndexCommand
from workers import datasets
from workers.progress import TimeLeft


class Command(IndexCommand):
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

    def work(self, options: dict[str, Any]) -> None:
        configurations, thresholds = parse_options(options)
        scores: list[Scores] = []
        failed: list[str] = []
        for name in options["datasets"]:
            try:
                for one in self.measured(name, configurations, options):
                    scores.append(one)
            except CommandError:
                raise  # wrong usage
            except Exception as error:  # what the other sets say is not lost with it
                failed.append(f"{name}: {reason_of(error)}")
                self.stderr.write(f"{failed[-1]}; the run goes on.")
        self.bills(scores)
        for sentence in report.without_documents(scores):
            self.stderr.write(sentence)
        self.show(scores, options)
        below = [sentence for one in thresholds for sentence in one.failed_by(scores)] if scores else []
        if failed or below:
            raise CommandError("; ".join([*failed, *below]))

    def show(self, scores: Sequence[Scores], options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps([asdict(one) for one in scores], indent=1))
        elif scores:
            shown = report.markdown if options["markdown"] else report.table
            self.stdout.write("\n".join(shown(scores)))

    def measured(
        self, name: Path, configurations: Sequence[Configuration], options: dict[str, Any]
    ) -> Iterator[Scores]:
        """One configuration after another; what is measured is kept, whatever comes after."""
        if options["organization"]:
            questions = question_set_named(options["organization"], str(name))
            for one in configurations:
                yield runs.run_now(questions, one, options["judge"] or "", partial(self.progress, one.name))
            return
        loaded, judge = load_dataset(self.folder, name, options["limit"]), judge_of(options)
        for scores in datasets.evaluate_dataset(loaded, self.progress, configurations, judge, self.stderr.write):
            runs.record_scores([scores])
            yield scores

    def bills(self, scores: Sequence[Scores]) -> None:
        """What judging cost, beside the table."""
        for one in scores:
            if one.judged:
                for role in ("answering", "judging"):
                    self.stderr.write(f"{one.name} {one.configuration} {role}: {json.dumps(one.judged[role])}")

    def progress(self, what: str, done: int, total: int) -> None:
        stop_if_hung_up()
        if done == 1:
            self.clock = TimeLeft()
        if self.stderr.isatty() and (done % 20 == 0 or done == total):
            left = self.clock.after(done, total)
            told = f"\r{what} {done}/{total} {left:<16}"
            self.stderr.write(told, str, "" if done < total else "\n")  # no error, so not in red
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


def reason_of(error: Exception) -> str:
    """In a sentence where somebody wrote one for it, else where it came from, without the words of a document."""
    expected = isinstance(error, NotMeasured | ValueError | EmbeddingError | IndexUnavailable)
    return str(error) if expected else describe_error(error)


def load_dataset(folder: Path, name: Path, limit: int | None) -> Dataset:
    """As `Dataset.load`, relative paths from `folder` on. Raises ValueError."""
    questions, crossed, documents = str(name).partition(CROSSED)
    if crossed and not (folder / name).is_dir():
        return pair_with_documents(Dataset.load(folder / questions, limit), Dataset.load(folder / documents))
    return Dataset.load(folder / name, limit)


def question_set_named(slug: str, name: str) -> QuestionSet:
    """A set that admins made. Raises ValueError."""
    questions = QuestionSet.objects.filter(organization__slug=slug, name=name).first()
    if questions is None:
        raise ValueError(f"{slug} has no question set {name!r}")
    return questions

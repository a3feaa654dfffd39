"""`manage.py evaluate DATASET…`: retrieval quality on question sets (API.md, "Commands")."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from workers import evaluation, inline

COLUMNS = ("hit@1", "hit@5", "recall@5", "recall@10", "mrr", "ndcg@10", "token_recall@5", "sufficient", "ms", "ms_p95")


class Command(BaseCommand):
    help = "Measure retrieval on folders with corpus.jsonl and queries.jsonl, through the product's own pipeline."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("datasets", nargs="+", type=Path)
        parser.add_argument("--json", action="store_true")
        parser.add_argument("--limit", type=int, metavar="N", help="ask only the first N questions")
        parser.add_argument("--min-hit1", type=float, metavar="X", help="exit 1 when a set's hit@1 is below X")

    def handle(self, *args: Any, **options: Any) -> None:
        inline.require_index()
        results = []
        for folder in options["datasets"]:
            try:
                questions = evaluation.QuestionSet.load(folder, options["limit"])
            except ValueError as error:
                raise CommandError(str(error)) from error
            results.append(evaluation.evaluate(questions, self.progress))
        if options["json"]:
            self.stdout.write(json.dumps([asdict(one) for one in results], indent=1))
        else:
            self.table(results)
        least = options["min_hit1"]
        if least is not None and any(one.measures.get("hit@1", 0.0) < least for one in results):
            raise CommandError(f"A set's hit@1 is below {least}.")

    def progress(self, what: str, done: int, total: int) -> None:
        if self.stderr.isatty() and (done % 20 == 0 or done == total):
            self.stderr.write(f"\r{what} {done}/{total}   ", ending="" if done < total else "\n")
            self.stderr.flush()

    def table(self, results: list[evaluation.Scores]) -> None:
        columns = [name for name in COLUMNS if any(name in one.measures for one in results)]
        width = max(len(one.name) for one in results) + 2
        head = f"{'set':<{width}}{'questions':>10}{'chunks':>8}"
        self.stdout.write(head + "".join(f"{name:>16}" for name in columns))
        for one in results:
            cells = "".join(f"{one.measures[c]:>16.3f}" if c in one.measures else f"{'':>16}" for c in columns)
            self.stdout.write(f"{one.name:<{width}}{one.questions:>10}{one.chunks:>8}{cells}")

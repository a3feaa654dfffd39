"""`manage.py space …`: watch and steer the change to another embedding space (docs/embedding-spaces.md)."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone

from accounts.management.base import DatabaseCommand
from evaluation.sets import Dataset
from retrieval.embeddings.base import EmbeddingError
from retrieval.index.base import IndexLocked, IndexUnavailable
from retrieval.models import SpaceState
from retrieval.spaces import opened, registry
from retrieval.spaces.progress import space_progress
from workers import datasets, inline
from workers.progress import PacedReport
from workers.upkeep import space_change, space_comparison, space_filling

COMPARED = ("hit@1", "hit@5", "recall@5", "mrr", "ndcg@10")


class Command(DatabaseCommand):
    help = "Show the embedding spaces; fill, compare, switch to, or give up one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_subparsers(dest="action", required=True)
        what.add_parser("status", help="the spaces, how full they are, and which one the settings name")
        fill = what.add_parser("fill", help="embed what a space lacks, here and now, then switch to it")
        fill.add_argument("space", nargs="?", help="its collection; by default the one that the settings name")
        fill.add_argument("--rate", type=int, metavar="N", help="at most N chunks a second")
        fill.add_argument("--manual", action="store_true", help="do not switch; `space switch` does")
        compare = what.add_parser("compare", help="ask a question set in the space in use and in another")
        compare.add_argument("questions", type=Path, help="a folder with corpus.jsonl and queries.jsonl")
        compare.add_argument("space", nargs="?")
        compare.add_argument("--limit", type=int, metavar="N", help="ask only the first N questions")
        compare.add_argument("--max-loss", type=float, metavar="X", help="exit 1 if hit@1 or nDCG@10 falls by more")
        switch = what.add_parser("switch", help="make a complete space the one that readers see; also back again")
        switch.add_argument("space", nargs="?")
        retire = what.add_parser("retire", help="remove a space that is not in use now, instead of after its week")
        retire.add_argument("space")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, options["action"])(options)
        except (registry.UnknownSpace, space_change.Incomplete, EmbeddingError) as error:
            raise CommandError(str(error)) from error
        except IndexUnavailable as error:
            raise CommandError("The index does not answer; what was written stays. Try again later.") from error

    def status(self, options: dict[str, Any]) -> None:
        spaces, wanted = registry.spaces(fresh=True), registry.wanted_space().collection
        for space in spaces:
            named = "named by the settings" if space.collection == wanted else ""
            self.stdout.write(f"{space.collection:<40} {space.state:<8} {fill_level(space):<28} {named}".rstrip())
        if wanted not in {space.collection for space in spaces}:
            self.stdout.write(f"{wanted:<40} is named by the settings; the workers begin to fill it within a minute.")

    def fill(self, options: dict[str, Any]) -> None:
        inline.require_index()
        if options["space"] is None:
            opened.start_filling(registry.wanted_space())
        space = chosen_space(options)
        report = PacedReport(self.stderr, "filled", 1, "chunks")
        missing = space_filling.fill(space, report, rate=options["rate"] or 0)
        report.end()
        if missing.total:
            raise CommandError(f"{space.collection} still lacks {missing.total} chunks; run this again.")
        self.stdout.write(f"{space.collection} holds all {fill_level(space)}.")
        if not options["manual"] and space.state != SpaceState.State.ACTIVE:
            self.switch(options)

    def compare(self, options: dict[str, Any]) -> None:
        inline.require_index()
        try:
            questions = Dataset.load(options["questions"], options["limit"])
        except ValueError as error:
            raise CommandError(str(error)) from error
        before, after = registry.active_space(), chosen_space(options)
        measured = [measures_in(space, questions) for space in (before, after)]
        self.stdout.write(f"{'':<12}{before.collection:>36}{after.collection:>36}")
        for name in COMPARED:
            self.stdout.write(f"{name:<12}{measured[0][name]:>36.3f}{measured[1][name]:>36.3f}")
        worst = max(measured[0][name] - measured[1][name] for name in ("hit@1", "ndcg@10"))
        if options["max_loss"] is not None and worst > options["max_loss"]:
            raise CommandError(f"{after.collection} is worse by {worst:.3f}.")

    def switch(self, options: dict[str, Any]) -> None:
        inline.require_index()
        space = chosen_space(options)
        self.warn(space)
        space_change.switch_space(space)
        self.stdout.write(f"{space.collection} is in use. The former space is kept for {registry.KEPT.days} days.")
        if space.collection != registry.wanted_space().collection:
            self.stdout.write("The settings name another: set EMBEDDING_MODEL and EMBEDDING_DIMENSIONS to this one.")

    def warn(self, space: SpaceState) -> None:
        """What the question sets say of both spaces; who asks for a switch gets it."""
        pairs = (
            space_comparison.compare_spaces(registry.active_space(), space)
            if space.state != SpaceState.State.ACTIVE
            else []
        )
        for pair in pairs:
            self.stdout.write(str(pair))
        if (worse := space_comparison.loss(pairs) if pairs else 0.0) > space_comparison.MOST_LOSS:
            self.stderr.write(f"{space.collection} is worse by {worse:.3f} on the question sets.")

    def retire(self, options: dict[str, Any]) -> None:
        inline.require_index()
        registry.give_up_space(options["space"])
        if settings.EMBEDDED:  # else other processes may write to it for a moment
            space_change.remove_expired(timezone.now() + registry.SETTLING)
            self.stdout.write(f"{options['space']} is removed.")
        else:
            self.stdout.write(f"The workers remove {options['space']} within two minutes.")


def chosen_space(options: dict[str, Any]) -> SpaceState:
    return registry.space_named(options["space"] or registry.wanted_space().collection)


def fill_level(space: SpaceState) -> str:
    """As counted in the index, if this process may open it."""
    try:
        found = space_progress(space)
    except (IndexLocked, IndexUnavailable):
        return "? (a running server knows)"
    return f"{found.points} of {found.chunks} chunks"


def measures_in(space: SpaceState, questions: Dataset) -> dict[str, float]:
    """Of the questions asked in one space. The set's documents are written to every space, as all documents are."""
    with opened.one_space(space):
        (scores,) = datasets.evaluate_dataset(questions, lambda what, done, total: None)
        return scores.measures

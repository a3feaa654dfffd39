"""`manage.py erase`: finish deletions now, erase one thing by its id, or erase again what a restore brought back."""

import sys
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from accounts.problems import Problem
from corpora.models import ErasureReceipt
from retrieval.management.base import IndexCommand
from workers.erasure import commanded
from workers.erasure.tombstones import kept_tombstones, read_tombstones, tombstone_of


class Command(IndexCommand):
    help = (
        "Remove every trace of what is deleted now, instead of waiting for the workers. What lies in the trash stays "
        "there. With --document, --corpus, --user or --organization: erase that, wherever it is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        one = parser.add_mutually_exclusive_group()
        one.add_argument("--document", metavar="ID", type=UUID)
        one.add_argument("--corpus", metavar="ID", type=UUID)
        one.add_argument("--user", metavar="EMAIL")
        one.add_argument("--organization", metavar="SLUG")
        one.add_argument("--replay", nargs="?", const="", metavar="FILE", help="erase again what receipts name")
        one.add_argument(
            "--receipts", action="store_true", help="print the receipts, a line of JSON each, for --replay"
        )
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def needs_index(self, options: dict[str, Any]) -> bool:
        return not options["receipts"]

    def arguments_to_send(self, typed: tuple[str, ...], options: dict[str, Any]) -> tuple[str, ...]:
        """The question is asked at this terminal: a server has none."""
        for kind in ErasureReceipt.Kind.values:
            if options[kind]:
                self.ask_first(f"{kind} {options[kind]}", options)
                return (*typed, "--yes")
        return typed

    def work(self, options: dict[str, Any]) -> None:
        if options["receipts"]:
            self.print_receipts()
            return
        if options["replay"] is None:
            self.mark_one(options)
        if options["replay"] is not None:
            self.replay(options["replay"])
        self.finish()

    def print_receipts(self) -> None:
        for receipt in ErasureReceipt.objects.order_by("created_at").iterator():
            self.stdout.write(tombstone_of(receipt).line)

    def mark_one(self, options: dict[str, Any]) -> None:
        for kind in ErasureReceipt.Kind.values:
            if name := options[kind]:
                subject = commanded.find_subject(kind, name)
                if subject is None:
                    raise CommandError(f"There is no {kind} {name}.")
                self.ask_first(f"{kind} {name}", options)
                try:
                    commanded.mark_subject(subject)
                except Problem as problem:
                    raise CommandError(str(problem.detail)) from None

    def ask_first(self, what: str, options: dict[str, Any]) -> None:
        if options["yes"]:
            return
        if not sys.stdin.isatty():
            raise CommandError(f"To erase {what} for good, add --yes.")
        if input(f"Erase {what} for good, with all that belongs to it? Type yes: ").strip() != "yes":
            raise CommandError("Nothing was erased.")

    def replay(self, file: str) -> None:
        """Those of the file store, and those of a file that was kept elsewhere."""
        try:
            lines = (self.folder / file).read_text(encoding="utf-8").splitlines() if file else []
            stones = {(one.kind, one.id): one for one in (*kept_tombstones(), *read_tombstones(lines))}
        except (OSError, ValueError) as error:
            raise CommandError(f"The receipts cannot be read: {error}") from None
        found = sum(commanded.mark_again(stone) for stone in stones.values())
        self.stdout.write(f"{len(stones)} receipts; {found} of what they name had come back and is erased again.")

    def finish(self) -> None:
        done = commanded.finish_erasures()
        for receipt in done.receipts:
            self.stdout.write(f"{receipt.kind} {receipt.subject_id}: {receipt.removed}")
        self.stdout.write(f"{done.documents} documents erased, {done.held} still held by a worker.")
        if done.open:
            raise CommandError(f"{done.open} erasures are not finished; the workers go on with them.")

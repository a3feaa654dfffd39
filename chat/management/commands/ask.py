"""`manage.py ask AGENT "question" --user EMAIL`: an answer in the terminal, then its sources (API.md)."""

from argparse import ArgumentParser
from contextlib import aclosing
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from accounts.limits.amounts import unlimited
from accounts.management.commands.apikey import membership_for
from accounts.management.full_disk import advice_of_code, disk_advice
from accounts.management.relay.hangup import run_while_connected
from accounts.models import Membership
from accounts.problems import NotFound, Problem, database_problem
from chat.answering import answers
from chat.answering.admission import Asking
from chat.answering.questions import ChatQuestion
from chat.stream.collected import Whole, apply_event, only_the_last_attempt
from chat.stream.events import AnySource, Done, Error, Sources, TableSource, Token
from chat.stream.log import Cursor
from retrieval.index.base import IndexDiskFault, IndexUnavailable
from retrieval.management.base import IndexCommand
from retrieval.spaces import opened


class Command(IndexCommand):
    help = "Ask an agent a question as one of its users."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("agent", help="slug or id")
        parser.add_argument("question")
        parser.add_argument("--user", required=True, metavar="EMAIL")
        parser.add_argument("--organization", metavar="SLUG", help="needed when the user is in several")

    def work(self, options: dict[str, Any]) -> None:
        """With the index away the answer does without context and says so; why, where it is for want of room."""
        self.tell_full_disk()
        membership = membership_for(options["user"], options["organization"])
        asking = Asking(membership, options["agent"], ChatQuestion(options["question"]))
        try:
            with unlimited():
                run_while_connected(self.tell(asking))
        except NotFound:
            known = known_agents(membership)
            raise CommandError(f"There is no agent {options['agent']!r} for this user. Known: {known}.") from None
        except Problem as problem:
            raise CommandError(advice_of_code(problem.code) or str(problem.detail)) from None
        except (DatabaseError, InterfaceError) as error:
            raise CommandError(disk_advice(error) or str(database_problem(error).detail)) from None

    def tell_full_disk(self) -> None:
        """The answer speaks to a reader, who cannot make room."""
        try:
            opened.current_index()
        except IndexDiskFault as error:
            self.stderr.write(str(error))
        except IndexUnavailable:
            pass

    async def tell(self, asking: Asking) -> None:
        admission, reader = await answers.ask(asking, goes_on=False)
        batches = reader.batches(Cursor())
        whole = Whole()
        async with aclosing(only_the_last_attempt(batches) if admission.is_told_anew else batches) as told:
            async for batch in told:
                for _, event in batch:
                    apply_event(whole, event)
                    if isinstance(event, Token):
                        self.stdout.write(event.token, ending="")
                        self.stdout.flush()
        if isinstance(whole.ending, Error):
            raise CommandError(advice_of_code(whole.ending.code) or whole.ending.detail)
        if whole.sources is not None and whole.ending is not None:
            self.sources(whole.sources, whole.ending)

    def sources(self, found: Sources, done: Done) -> None:
        self.stdout.write(f"\n\nconfidence: {found.confidence}")
        for source in found.sources:
            mark = "*" if source.n in done.cited else " "
            self.stdout.write(f"{mark}[{source.n}] {source.title}{place_of_source(source)}")


def place_of_source(source: AnySource) -> str:
    """Of a passage its page and how relevant it is, of a table how many rows there are."""
    if isinstance(source, TableSource):
        return f", {source.row_count} rows"
    page = f", p. {source.page}" if source.page else ""
    return f"{page}  ({source.relevance:.2f})"


def known_agents(membership: Membership) -> str:
    from agents.models import Agent

    return ", ".join(Agent.objects.usable_by(membership).values_list("slug", flat=True)) or "none yet"

"""`manage.py ask AGENT "question" --user EMAIL`: an answer in the terminal, then its sources (API.md)."""

import asyncio
from argparse import ArgumentParser
from contextlib import aclosing
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.management.commands.apikey import membership_for
from accounts.models import Membership
from accounts.problems import Problem
from chat.answering import adaptive, answers
from chat.answering.attempts import Answer
from chat.answering.questions import Question
from chat.stream.events import Done, Error, Sources, Token
from retrieval.index.base import IndexLocked, IndexUnavailable
from retrieval.spaces import current


class Command(BaseCommand):
    help = "Ask an agent a question as one of its users."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("agent", help="slug or id")
        parser.add_argument("question")
        parser.add_argument("--user", required=True, metavar="EMAIL")
        parser.add_argument("--organization", metavar="SLUG", help="needed when the user is in several")

    def handle(self, *args: Any, **options: Any) -> None:
        membership = membership_for(options["user"], options["organization"])
        try:
            current.current_index()
        except IndexLocked:
            raise CommandError(
                "A running server owns the embedded index. Ask through it (its page, or POST "
                "/api/agents/{slug}/chat/ with an API key), stop it, or set QDRANT_URL to share the index."
            ) from None
        except IndexUnavailable:
            pass  # the answer does without context and says so
        try:
            answer = answers.begin(membership, options["agent"], Question(options["question"]))
        except Problem as problem:
            raise CommandError(f"{problem.detail} Agents: {known_agents(membership)}.") from None
        asyncio.run(self.tell(answer))

    async def tell(self, answer: Answer) -> None:
        found = Sources(answer.conversation, answer.message, 1, "none", False, ())
        told = answers.events(answer)
        async with aclosing(adaptive.decided(told) if answer.again else told) as events:
            async for event in events:
                if isinstance(event, Sources):
                    found = event
                elif isinstance(event, Token):
                    self.stdout.write(event.token, ending="")
                    self.stdout.flush()
                elif isinstance(event, Error):
                    raise CommandError(event.detail)
                elif isinstance(event, Done):
                    self.sources(found, event)

    def sources(self, found: Sources, done: Done) -> None:
        self.stdout.write(f"\n\nconfidence: {found.confidence}")
        for source in found.sources:
            mark = "*" if source.n in done.cited else " "
            page = f", p. {source.page}" if source.page else ""
            self.stdout.write(f"{mark}[{source.n}] {source.title}{page}  ({source.relevance:.2f})")


def known_agents(membership: Membership) -> str:
    from agents.models import Agent

    return ", ".join(Agent.objects.usable_by(membership).values_list("slug", flat=True))

"""`manage.py apikey EMAIL`: a new API key, shown once (API.md)."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import CommandError

from accounts import keys
from accounts.limits.amounts import unlimited
from accounts.management.base import DatabaseCommand
from accounts.models import Membership


class Command(DatabaseCommand):
    help = "Make an API key for a user and print it. It is shown only this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--organization", metavar="SLUG", help="needed when the user is in several")
        parser.add_argument(
            "--expires", metavar="DAYS", type=positive, help="how many days it works; else until revoked"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        membership = membership_for(options["email"], options["organization"])
        with unlimited():
            _key, secret = keys.issue_key(membership, "manage.py apikey", options["expires"])
        self.stdout.write(secret)


def positive(text: str) -> int:
    days = int(text) if text.isdecimal() and len(text) < 6 else 0
    if not days:
        raise ArgumentTypeError("give a number of days, for example 90")
    return days


def membership_for(email: str, slug: str | None = None) -> Membership:
    """A user's membership by email and, when there are several, organization; CommandError says what to do."""
    mine = Membership.objects.active().filter(user__email=email.lower()).select_related("user", "organization")
    if slug:
        mine = mine.filter(organization__slug=slug)
    found = list(mine[:2])
    if not found:
        where = f" of the organization {slug!r}" if slug else ""
        raise CommandError(f"{email!r} is no active member{where or ' of any organization'}.")
    if len(found) > 1:
        raise CommandError(f"{email} is in several organizations: name one with --organization SLUG.")
    return found[0]

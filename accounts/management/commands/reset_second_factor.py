"""`manage.py reset_second_factor EMAIL`: for somebody who has lost theirs and the recovery codes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts.identity.second_factor import reset_second_factor, tell_of_reset
from accounts.management.base import DatabaseCommand
from accounts.models import User


class Command(DatabaseCommand):
    help = "Remove a user's second factors and recovery codes and end their sessions. Make sure first that it is them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].lower()
        user = User.objects.filter(email=email).first()
        if user is None:
            raise CommandError(f"There is no user {email!r}.")
        if not reset_second_factor(user, None):
            raise CommandError(f"{email} has no second factor; nothing was changed.")
        tell_of_reset(user)
        self.stdout.write(f"{email} signs in with the password alone until a second factor is set up again.")

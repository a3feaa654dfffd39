"""`manage.py sign_on SLUG [--passwords]`: for an operator, when an organization's provider has locked everybody out."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts.management.base import DatabaseCommand
from accounts.models import Organization
from sign_on.enforcing import lift_enforcement
from sign_on.models import IdentityProvider


class Command(DatabaseCommand):
    help = "Say how an organization's people sign in; with --passwords, let their passwords open it again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--passwords", action="store_true", help="switch enforcement off")

    def handle(self, *args: Any, **options: Any) -> None:
        organization = Organization.objects.filter(slug=options["slug"]).first()
        if organization is None:
            raise CommandError(f"There is no organization {options['slug']!r}.")
        if options["passwords"]:
            if not lift_enforcement(organization, None):
                raise CommandError("Single sign-on is not enforced there; nothing was changed.")
            self.stdout.write("Passwords open the organization again.")
            return
        provider = IdentityProvider.objects.filter(organization=organization).first()
        if provider is None:
            self.stdout.write("No provider: people sign in with passwords.")
            return
        state = (
            "enforced for " + ", ".join(organization.sign_on_domains) if organization.sign_on_domains else "a choice"
        )
        self.stdout.write(f"{provider}: {state if provider.is_active else 'switched off'}")

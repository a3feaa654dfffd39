"""`manage.py organization NAME --admin EMAIL`: a new organization with its first admin (API.md, "Commands")."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email, validate_slug

from accounts import organizations
from accounts.management.base import DatabaseCommand
from accounts.models import Organization

WRONG_USAGE = 2


class Command(DatabaseCommand):
    help = "Make an organization and its first admin; print how the admin gets in. It is shown only this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--slug", default="", help="in addresses and commands; made from the name by default")
        parser.add_argument("--admin", metavar="EMAIL", required=True, help="who has no account yet gets one")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        name, email = options["name"].strip(), options["admin"].strip().lower()
        slug = options["slug"] or organizations.slug_of(name)
        refuse_unusable(name, slug, email)
        try:
            made = organizations.create_organization(name, slug, email)
        except organizations.OrganizationExists:
            raise CommandError(
                f"There is an organization {slug!r} already; nothing was changed. Choose another slug with --slug, "
                f"or invite {email} on its members page."
            ) from None
        except organizations.Deactivated:
            raise CommandError(
                f"{email} is deactivated; nothing was changed. Activate the user in the admin, or name somebody else."
            ) from None
        self.stdout.write(json.dumps(organization_as_json(made)) if options["json"] else organization_as_text(made))


def refuse_unusable(name: str, slug: str, email: str) -> None:
    """CommandError, as for wrong options, that says what would be right."""
    longest = Organization._meta.get_field("name").max_length or 0
    if not 0 < len(name) <= longest:
        raise CommandError(f"The name has 1 to {longest} characters.", returncode=WRONG_USAGE)
    try:
        validate_slug(slug)
        usable = len(slug) <= organizations.MAX_SLUG
    except ValidationError:
        usable = False
    if not usable:
        advice = f"Give a slug with --slug: up to {organizations.MAX_SLUG} letters, digits, hyphens and underscores."
        raise CommandError(advice, returncode=WRONG_USAGE)
    try:
        validate_email(email)
    except ValidationError:
        raise CommandError(f"{email!r} is no email address.", returncode=WRONG_USAGE) from None


def organization_as_json(made: organizations.Beginning) -> dict[str, Any]:
    organization, user = made.admin.organization, made.admin.user
    return {
        "organization": {"slug": organization.slug, "name": organization.name},
        "admin": {"email": user.email, "password": made.password, "api_key": made.api_key},
    }


def organization_as_text(made: organizations.Beginning) -> str:
    organization = made.admin.organization
    password = made.password or "as before: the account existed"
    return "\n".join(
        (
            f"Organization: {organization.name} ({organization.slug})",
            f"  admin     {made.admin.user.email}",
            f"  password  {password}",
            f"  key       {made.api_key}",
        )
    )

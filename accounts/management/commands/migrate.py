"""`manage.py migrate`, as the owner of the tables (DATABASE_OWNER_URL)."""

from typing import Any

from django.core.management.commands import migrate

from accounts.tenancy.owner import as_owner
from accounts.tenancy.scope import system_scope


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Migrations change rows of every tenant, and owners are under the rules as well."""
        with as_owner(), system_scope():
            super().handle(*args, **options)

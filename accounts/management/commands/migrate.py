"""`manage.py migrate`, as the owner of the tables (DATABASE_OWNER_URL), beside people who use them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import DatabaseError
from django.db.migrations.executor import MigrationExecutor
from psycopg.errors import InsufficientPrivilege, UndefinedObject

from accounts.tenancy.owner import as_owner
from accounts.tenancy.postgresql.giving_way import until_it_passes
from accounts.tenancy.scope import system_scope

MAKERS = 'Who owns the tables makes them: set DATABASE_OWNER_URL to that role\'s address (docs/deploy.md, "Two roles").'
READERS = "Look whether the user of DATABASE_URL is a role of this server: what is made is granted to it."


class GivingWayExecutor(MigrationExecutor):
    """Django's executor, which begins a migration again that gave way; one without a transaction is not taken back."""

    def apply_migration(self, state: Any, migration: Any, fake: bool = False, fake_initial: bool = False) -> Any:
        def apply(state: Any) -> Any:
            return super(GivingWayExecutor, self).apply_migration(state, migration, fake, fake_initial)

        if self.connection.vendor != "postgresql" or not migration.atomic:
            return apply(state)
        return until_it_passes(self.connection, str(migration), lambda: apply(state.clone()))

    def unapply_migration(self, state: Any, migration: Any, fake: bool = False) -> Any:
        def unapply() -> Any:
            return super(GivingWayExecutor, self).unapply_migration(state, migration, fake)

        if self.connection.vendor != "postgresql" or not migration.atomic:
            return unapply()
        return until_it_passes(self.connection, str(migration), unapply)


vars(migrate)["MigrationExecutor"] = GivingWayExecutor  # Django has no other door for it


@contextmanager
def told_of_roles() -> Iterator[None]:
    """CommandError, in PostgreSQL's words and with what to set, where a role may not do it or is not there."""
    try:
        yield
    except DatabaseError as error:
        refusal: BaseException | None = error
        while refusal is not None:
            said = str(refusal).partition("\n")[0]
            if isinstance(refusal.__cause__, InsufficientPrivilege):
                raise CommandError(f"PostgreSQL says: {said}. {MAKERS}") from error
            if isinstance(refusal.__cause__, UndefinedObject) and said.startswith("role "):
                raise CommandError(f"PostgreSQL says: {said}. {READERS}") from error
            refusal = refusal.__context__
        raise


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Migrations change rows of every tenant, and owners are under the rules as well."""
        with told_of_roles(), as_owner(), system_scope():
            super().handle(*args, **options)

"""`manage.py migrate`, as the owner of the tables (DATABASE_OWNER_URL), beside people who use them."""

from typing import Any

from django.core.management.commands import migrate
from django.db.migrations.executor import MigrationExecutor

from accounts.tenancy.owner import as_owner
from accounts.tenancy.postgresql.giving_way import until_it_passes
from accounts.tenancy.scope import system_scope


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


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Migrations change rows of every tenant, and owners are under the rules as well."""
        with as_owner(), system_scope():
            super().handle(*args, **options)

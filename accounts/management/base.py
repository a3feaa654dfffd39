"""Commands that need the database as this version of Acervo knows it."""

from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


class DatabaseCommand(BaseCommand):
    """A command that says in one line that `migrate` has something to do, and does nothing until it is done."""

    requires_migrations_checks = True

    def check_migrations(self) -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError("The database is not up to date. Run `python manage.py migrate` first.")

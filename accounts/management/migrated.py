"""What a command says of a database that `migrate` has not made, or not brought up to date."""

from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def require_migrations() -> None:
    """CommandError while there is something for `migrate` to do."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise CommandError("The database is not up to date. Run `python manage.py migrate` first.")

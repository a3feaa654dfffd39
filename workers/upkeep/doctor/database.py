"""The database: its version and connections, the application's role and rights, row-level security, migrations,
triggers."""

from collections.abc import Iterator
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import NotSupportedError

from accounts.tenancy.rules import RULES
from accounts.tenancy.scope import request_scope
from config.observability.disk import database_disk
from corpora.rows.counting.triggers import has_triggers
from workers.upkeep.doctor.findings import DoctorWishes, Found, doubtful, fine, wrong

TWO_ROLES = 'See docs/deploy.md, "Two roles": DATABASE_URL needs a role that owns nothing.'
MAKE_ROOM = "Make room on the disk of PostgreSQL's data directory: what waits goes on by itself then."
MIGRATE = "Run: python manage.py migrate"
MOST_SHARE = 0.8  # of the connections that PostgreSQL takes
WAYS = "SELECT, INSERT, UPDATE, DELETE"


def fetched_rows(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters or None)
        return list(cursor.fetchall())


def examine_database(_: DoctorWishes) -> Found:
    connection.ensure_connection()
    vendor = connection.display_name
    try:
        connection.check_database_version_supported()
    except NotSupportedError as error:
        return wrong(str(error), f"Upgrade {vendor}.")
    if connection.vendor != "postgresql":
        return fine(f"{vendor}, in DATA_DIR")
    version = fetched_rows("SHOW server_version")[0][0]
    most = int(fetched_rows("SHOW max_connections")[0][0])
    used = int(fetched_rows("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")[0][0])
    said = f"PostgreSQL {version}, {used} of {most} connections in use"
    if has_no_room():
        return wrong(f"{said}; its disk is full: nothing is taken in or answered", MAKE_ROOM)
    advice = 'Raise max_connections, or put PgBouncer between (docs/deploy.md, "Connections").'
    return doubtful(said, advice) if used > MOST_SHARE * most else fine(said)


def has_no_room() -> bool:
    """Whether PostgreSQL finds none for a megabyte: a table of this connection alone, gone at once."""
    probe = "CREATE TEMPORARY TABLE doctor_probe ON COMMIT DROP AS SELECT n FROM generate_series(1, 30000) AS n"
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(probe)
    except DatabaseError as error:  # a role that may make none has not been asked anything
        return database_disk(error.__cause__) == "full"
    return False


def examine_migrations(_: DoctorWishes) -> Found:
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        return wrong(f"{len(waiting)} migrations wait, the first is {waiting[0][0]}", MIGRATE)
    known = executor.loader.disk_migrations.keys()
    newer = sorted(".".join(one) for one in executor.loader.applied_migrations if one not in known and is_ours(one[0]))
    if newer:
        advice = "Run the version of Acervo that made them, or restore the backup of before the upgrade."
        return wrong(f"the database is of a newer version: {', '.join(newer[:3])}", advice)
    return fine("up to date")


def is_ours(app: str) -> bool:
    return app in ("accounts", "agents", "chat", "corpora", "evaluation", "retrieval", "workers")


def examine_role(_: DoctorWishes) -> Iterator[Found]:
    """Row-level security binds neither a superuser nor BYPASSRLS, and an owner can take it away."""
    if connection.vendor != "postgresql":
        yield fine("no roles in SQLite: whoever reads the file reads everything")
        return
    role, is_super, bypasses = fetched_rows(
        "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
    )[0]
    owned = [row[0] for row in fetched_rows("SELECT tablename FROM pg_tables WHERE tableowner = current_user")]
    held = [table for table in owned if table in RULES]
    denied = [table for table in existing(RULES) if not has_privileges(table)]
    if is_super:
        yield wrong(f"{role} is a superuser: row-level security does nothing", TWO_ROLES)
    elif bypasses:
        yield wrong(f"{role} has BYPASSRLS: row-level security does nothing", TWO_ROLES)
    if held:
        yield doubtful(f"{role} owns {len(held)} tables, so it could take their row-level security away", TWO_ROLES)
    if denied:
        advice = "Run: python manage.py migrate, with DATABASE_OWNER_URL; it grants what the role needs."
        yield wrong(f"{role} may not read and write {', '.join(denied[:5])}", advice)
    if not (is_super or bypasses or held or denied):
        yield fine(f"{role} owns nothing and may do what it needs")


def existing(tables: Any) -> list[str]:
    there = {row[0] for row in fetched_rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    return sorted(there.intersection(tables))


def has_privileges(table: str) -> bool:
    each = (f"has_table_privilege(%s, '{way}')" for way in WAYS.split(", "))
    return bool(fetched_rows(f"SELECT {' AND '.join(each)}", *[table] * 4)[0][0])


def examine_row_security(_: DoctorWishes) -> Found:
    """On and forced for each table that has a rule; and tried: nobody reads an organization."""
    if connection.vendor != "postgresql":
        return fine("querysets alone keep tenants apart in SQLite")
    forced = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relrowsecurity AND relforcerowsecurity"
    policed = "SELECT DISTINCT tablename FROM pg_policies WHERE schemaname = 'public'"
    bound = {row[0] for row in fetched_rows(forced)} & {row[0] for row in fetched_rows(policed)}
    loose = [table for table in existing(RULES) if table not in bound]
    advice = "Run: python manage.py migrate (it makes every rule anew)."
    if loose:
        return wrong(f"not on, not forced or without a policy: {', '.join(loose[:5])}", advice)
    with request_scope():
        seen = fetched_rows("SELECT count(*) FROM accounts_organization")[0][0]
    if seen:
        return wrong("a request that is nobody's reads organizations", f"{advice} Then look at the role, above.")
    return fine(f"forced on {len(bound & set(RULES))} tables, and nobody reads an organization")


def examine_triggers(_: DoctorWishes) -> Found:
    if has_triggers(connection):
        return fine("the triggers of kept counts are there")
    return wrong("the triggers of kept counts are missing: lists would show old numbers", f"{MIGRATE}, then reconcile")

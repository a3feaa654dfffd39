"""The rules as PostgreSQL's policies: made by a migration, kept in step after every `migrate`, removed on its way back.

A policy's comment is the digest of what it was made from, so that an unchanged table is not locked again. The facts of
a statement's party stand in the policies as they are: under a sub-select each they were asked once for a statement and
not for each row, but planned again with each statement, which costs more than it saves (ADR 0016).
"""

import hashlib
from collections.abc import Iterator
from functools import partial
from typing import Any

from django.db import transaction

from accounts.tenancy.postgresql.giving_way import until_it_passes
from accounts.tenancy.rules import LOOKED_UP, RULES, Rule

POLICY, SHOWN, APPENDED, KEPT = "acervo", "acervo_shown", "acervo_appended", "acervo_kept"
_PART = "split_part(current_setting('acervo.scope', true), '/', {})"
FACTS = {
    "organization": f"nullif({_PART.format(1)}, '')::uuid",
    "user": f"nullif({_PART.format(2)}, '')::uuid",
    "admin": f"({_PART.format(3)} = 'admin')",
}
IS_SYSTEM = "current_setting('acervo.scope', true) = '//system'"


def create_functions(connection: Any) -> None:
    """What rules look up, in the name of whoever's statement asks."""
    with connection.cursor() as cursor:
        for name, asked in LOOKED_UP.items():
            cursor.execute(
                f"CREATE OR REPLACE FUNCTION {name}(wanted uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS "
                f"$$ BEGIN RETURN EXISTS ({asked.format(**FACTS)}); END $$"
            )


def drop_functions(connection: Any) -> None:
    with connection.cursor() as cursor:
        for name in LOOKED_UP:
            cursor.execute(f"DROP FUNCTION IF EXISTS {name}(uuid)")


def has_functions(connection: Any) -> bool:
    """Whether the migration that makes them is applied."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_proc WHERE proname = ANY(%s)", [list(LOOKED_UP)])
        return bool(cursor.fetchone()[0] == len(LOOKED_UP))


def apply_rules(connection: Any) -> list[str]:
    """Put every table that is there under its rule; the names of those whose policies were not as they are now."""
    changed = []
    with connection.cursor() as cursor:
        there, kept = set(connection.introspection.table_names(cursor)), digests(cursor)
    for table, rule in RULES.items():
        statements = list(statements_for(table, rule))
        digest = hashlib.sha256("\n".join(statements).encode()).hexdigest()[:16]
        if table in there and kept.get(table) != digest:
            statements.append(f"COMMENT ON POLICY {POLICY} ON {table} IS '{digest}'")
            until_it_passes(connection, table, partial(_execute, connection, statements))
            changed.append(table)
    return changed


def _execute(connection: Any, statements: list[str]) -> None:
    """In one transaction, which holds no other table meanwhile."""
    with connection.schema_editor() as editor:
        for statement in statements:
            editor.execute(statement, None)


def remove_rules(connection: Any) -> None:
    """As if there had never been any."""
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        for table in digests(cursor):
            for statement in (*dropped(table), *switched(table, "NO FORCE", "DISABLE")):
                cursor.execute(statement)


def digests(cursor: Any) -> dict[str, str]:
    """By table that has our policies: what they were made from."""
    cursor.execute(
        "SELECT c.relname, coalesce(obj_description(p.oid, 'pg_policy'), '') FROM pg_policy p "
        "JOIN pg_class c ON c.oid = p.polrelid AND c.relnamespace = current_schema()::regnamespace "
        "WHERE p.polname = %s",
        [POLICY],
    )
    return dict(cursor.fetchall())


def statements_for(table: str, rule: Rule) -> Iterator[str]:
    """What puts a table under its rule, whatever was there before; read from top to bottom as the table's law."""
    read, write = (f"({text.format(table=table, **FACTS)})" for text in (rule.read, rule.write or rule.read))
    yield from switched(table, "ENABLE", "FORCE")
    yield from dropped(table)
    if rule.appended:
        yield f"CREATE POLICY {POLICY} ON {table} USING ({IS_SYSTEM}) WITH CHECK ({IS_SYSTEM})"
        yield f"CREATE POLICY {SHOWN} ON {table} FOR SELECT USING ({read})"
        yield f"CREATE POLICY {APPENDED} ON {table} FOR INSERT WITH CHECK ({write})"
    else:  # in one and in this order: of two, PostgreSQL would ask the longer one first
        yield f"CREATE POLICY {POLICY} ON {table} USING ({IS_SYSTEM} OR {read}) WITH CHECK ({IS_SYSTEM} OR {write})"
        if rule.write:  # of DELETE alone: one of UPDATE would also hide a row from `SELECT … FOR UPDATE`
            yield f"CREATE POLICY {KEPT} ON {table} AS RESTRICTIVE FOR DELETE USING ({IS_SYSTEM} OR {write})"


def switched(table: str, *ways: str) -> list[str]:
    return [f"ALTER TABLE {table} {way} ROW LEVEL SECURITY" for way in ways]


def dropped(table: str) -> list[str]:
    return [f"DROP POLICY IF EXISTS {name} ON {table}" for name in (POLICY, SHOWN, APPENDED, KEPT)]

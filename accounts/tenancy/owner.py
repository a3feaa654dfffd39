"""Two roles: the owner of the tables, who migrates, and the application's, who owns nothing and works under the rules.

With DATABASE_OWNER_URL `migrate` connects as the owner and grants what it made. Without it the application's role owns
its tables: the rules are forced on owners too, but such a role could take them away again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from accounts.tenancy import policies

PLACE = ("USER", "PASSWORD", "HOST", "PORT")


@contextmanager
def as_owner() -> Iterator[None]:
    """The default connection is the owner's inside the block. For commands: it is so in every thread."""
    connection: Any = connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "postgresql" or not settings.DATABASE_OWNER or connection.settings_dict.get("SERVES"):
        yield
        return
    application = {name: connection.settings_dict[name] for name in PLACE}
    _connect_as(connection, {name: settings.DATABASE_OWNER[name] for name in PLACE} | {"SERVES": application["USER"]})
    try:
        yield
    finally:
        _connect_as(connection, {**application, "SERVES": ""})


def _connect_as(connection: Any, place: dict[str, str]) -> None:
    connection.close()
    connection.close_pool()
    connection.settings_dict.update(place)


def keep_rules(using: str, **kwargs: Any) -> None:
    """After every `migrate`: new tables are under their rules, and the application may use them."""
    connection: Any = connections[using]
    if connection.vendor == "postgresql" and policies.has_functions(connection):
        policies.create_functions(connection)
        policies.apply_rules(connection)
        if role := connection.settings_dict.get("SERVES"):
            grant(connection, role)


def grant(connection: Any, role: str) -> None:
    """What the application does with rows, and nothing that changes tables; on tables to come as well."""
    name = connection.ops.quote_name(role)
    tables, sequences = "SELECT, INSERT, UPDATE, DELETE ON", "USAGE, SELECT, UPDATE ON"
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT USAGE ON SCHEMA public TO {name}")
        cursor.execute(f"GRANT {tables} ALL TABLES IN SCHEMA public TO {name}")
        cursor.execute(f"GRANT {sequences} ALL SEQUENCES IN SCHEMA public TO {name}")
        for kind, what in (("TABLES", tables), ("SEQUENCES", sequences)):
            cursor.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT {what} {kind} TO {name}")

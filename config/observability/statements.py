"""A span for each statement that a traced piece of work sends to the database: what it does to which table, no more."""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.apps import apps
from django.db.backends.signals import connection_created

from config.observability.tracing import present_span, span, start_tracing

OPERATIONS = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "SAVEPOINT", "RELEASE", "ROLLBACK"})


def begin_tracing() -> bool:
    """`start_tracing`, statements included: of connections that are opened from now on."""
    if not start_tracing():
        return False
    connection_created.connect(_wrap_connection, dispatch_uid="acervo.statements")
    return True


def _wrap_connection(connection: Any, **kwargs: Any) -> None:
    """A Django connection connects many times, to a pool's connections."""
    if _in_span not in connection.execute_wrappers:
        connection.execute_wrappers.append(_in_span)


def _in_span(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Nothing of its own begins here: who polls a queue each second would fill a store with it."""
    if not present_span()[0]:
        return execute(sql, params, many, context)
    operation, table = said_by(str(sql))
    system = context["connection"].vendor
    with span(f"{operation} {table}".strip(), "CLIENT", db__system__name=system, db__operation__name=operation):
        return execute(sql, params, many, context)


def said_by(sql: str) -> tuple[str, str]:
    """The statement's first word and the first table of ours that it names; of neither what somebody wrote."""
    first = sql.lstrip(" (\n").partition(" ")[0].upper().strip()
    names = (piece for piece in sql[:2_000].split('"')[1::2] if piece in _tables())
    return first if first in OPERATIONS else "OTHER", next(names, "")


@cache
def _tables() -> frozenset[str]:
    return frozenset(model._meta.db_table for model in apps.get_models(include_auto_created=True))

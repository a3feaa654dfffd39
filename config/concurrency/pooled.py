"""A process has few connections to PostgreSQL: who waits for something else gives its own back meanwhile."""

from django.db import connection


def give_back_connection() -> None:
    """Before a long wait outside of a transaction; the next query takes one again, from the pool in microseconds.

    Nothing where connections are not pooled: there a thread's own is held by nobody else's need, and costs to open.
    """
    if connection.settings_dict["OPTIONS"].get("pool") and not connection.in_atomic_block:
        connection.close()

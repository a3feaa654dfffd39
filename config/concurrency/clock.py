"""The clock of what several machines compare: the database's (ADR 0002), so that a machine's own may be wrong.

A lease, a sign of life or a postponement is written by one process and judged by another. Neither brings a time along:
both say `DatabaseNow` in the statement that they send anyway. SQLite's clock is its one machine's.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, Expression
from django.utils import timezone

AT_ONCE = timedelta()


class DatabaseNow(Expression):
    """The moment at which the statement reaches the database, or so much `later`: a value, or one side of a condition.

    `not_before=DatabaseNow(RETRY_AFTER)`, `lease_expires_at__lt=DatabaseNow()`. It is each statement's own moment, also
    in a transaction, and stays the same throughout the statement, so that indexes serve it.
    """

    output_field = DateTimeField()

    def __init__(self, later: timedelta = AT_ONCE) -> None:
        super().__init__()
        self.later = later

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return present_in_sql(connection.vendor), (present_parameter(connection, self.later),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.later!r})"


def present_in_sql(vendor: str, place: str = "%s") -> str:
    """`DatabaseNow` for a statement that is written by hand. `place`: of its one parameter, `present_parameter`."""
    return f"(STATEMENT_TIMESTAMP() + {place})" if vendor == "postgresql" else place


def present_parameter(database: Any, later: timedelta = AT_ONCE) -> Any:
    """How much later where the server has a clock, else the moment itself."""
    return later if database.vendor == "postgresql" else database.ops.adapt_datetimefield_value(timezone.now() + later)


def read_database_clock() -> datetime:
    """For a moment that several statements share, or that is compared here. On PostgreSQL it costs one."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT STATEMENT_TIMESTAMP()")
        moment: datetime = cursor.fetchone()[0]
    return moment

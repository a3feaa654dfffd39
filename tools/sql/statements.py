"""What goes into the reading of SQL and what comes out: tables that may be read, a statement, why one is refused."""

from collections.abc import Sequence
from dataclasses import dataclass

from config.faults import Refusal

Scalar = str | int | float | bool | None
MAIN = "main"  # the schema of engines that have no other


@dataclass(frozen=True, slots=True)
class ReadableColumn:
    """`masked`: its place is there, and never what stands in it."""

    name: str
    is_masked: bool = False


@dataclass(frozen=True, slots=True)
class ReadableTable:
    """A table with those of its columns that somebody may read."""

    name: str
    columns: tuple[ReadableColumn, ...]
    schema: str = MAIN


@dataclass(frozen=True, slots=True)
class ReadableStatement:
    """`sql` was made from the tree and has none of the text that came in. `values` are bound, in this order.

    `fingerprint` is of the statement's shape: the same for other constants and other values. `tables`: those that it
    reads, of those that may be read.
    """

    sql: str
    values: tuple[Scalar, ...]
    fingerprint: str
    tables: tuple[ReadableTable, ...] = ()


class SqlRefused(Refusal):
    """A statement is not run. Its text says why, to whoever wrote it: a model corrects itself by it."""


Tables = Sequence[ReadableTable]

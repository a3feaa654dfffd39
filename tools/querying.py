"""One statement over the tables that somebody may read: read, answered from the cache or by the source."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache

from accounts.models import Membership
from tools.asking import ask_source
from tools.engines.running import MOST_ROWS
from tools.models import SERVICES, DataSource, SourceTable
from tools.problems import SqlNotAllowed, told_refusal
from tools.sealing import SealLost, seal_json, unseal_json
from tools.sql.gate import read_sql
from tools.sql.statements import ReadableColumn, ReadableTable, Scalar, SqlRefused

CACHED_SECONDS = 300
DIALECTS = {
    DataSource.Kind.POSTGRESQL: "postgres",
    DataSource.Kind.MYSQL: "mysql",
    DataSource.Kind.SQLITE: "sqlite",
    DataSource.Kind.DUCKDB: "duckdb",
}


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """`columns`: name and type; `rows` in their order; `truncated`: there are more, or longer cells, than are here."""

    columns: list[dict[str, str]]
    rows: list[list[Any]]
    truncated: bool
    fingerprint: str


def run_query(
    by: Membership, source: DataSource, tables: Iterable[SourceTable], sql: str, values: Mapping[str, Scalar]
) -> QueryAnswer:
    """`tables` with their columns at hand. Raises SqlNotAllowed and what `ask_source` raises."""
    readable = [readable_table(one) for one in tables]
    try:
        statement = read_sql(sql, sql_dialect(source), readable, values, MOST_ROWS)
    except SqlRefused as refusal:
        raise SqlNotAllowed(reason=told_refusal(refusal)) from None
    key = answer_key(by, source, readable, [statement.sql, statement.values])
    found = kept_answer(key)
    if found is None:
        reading = _reading(statement.tables)
        found = ask_source(source, "query", sql=statement.sql, values=list(statement.values), reading=reading)
        keep_answer(key, found)
    return QueryAnswer(found["columns"], found["rows"], found["truncated"], statement.fingerprint)


def sql_dialect(source: DataSource) -> str:
    """Raises SqlRefused for one that has no SQL."""
    if source.kind in SERVICES:
        raise SqlRefused("This source has no SQL: ask it by the tools query_crm and get_entity.")
    return DIALECTS[source.engine]


def readable_table(table: SourceTable) -> ReadableTable:
    columns = tuple(ReadableColumn(one.name, one.is_masked) for one in table.columns.all())
    return ReadableTable(table.name, columns, table.schema)


def _reading(tables: Iterable[ReadableTable]) -> dict[str, dict[str, list[str]]]:
    """What a statement reads and may be read in the open: the engines know of no other table and column."""
    reading: dict[str, dict[str, list[str]]] = {}
    for table in tables:
        open_columns = [one.name for one in table.columns if not one.is_masked]
        reading.setdefault(table.schema, {})[table.name] = open_columns
    return reading


def kept_answer(key: str) -> Any:
    """An answer of the last minutes, which lies sealed in the cache."""
    try:
        return unseal_json(found) if (found := cache.get(key)) else None
    except SealLost:
        return None


def keep_answer(key: str, found: Any) -> None:
    cache.set(key, seal_json(found), CACHED_SECONDS)


def answer_key(by: Membership, source: DataSource, tables: list[ReadableTable], question: list[Any]) -> str:
    """Of who asks, what they may read now, and what is asked: a right that is taken away takes its answers along."""
    told = [str(by.pk), str(source.pk), source.updated_at.isoformat(), repr(sorted(map(repr, tables)))]
    asked = json.dumps([*told, *question])
    return f"tools:query:{hashlib.sha256(asked.encode()).hexdigest()}"

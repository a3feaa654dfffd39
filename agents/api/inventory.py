"""What an agent reads of data sources, in words for the model that writes statements over it; bounded.

`tables`: all that it reads (`agents.granting.reachable_tables`), fetched once for every tool.
"""

from collections.abc import Sequence
from itertools import groupby

from agents.granting import entities_among
from tools.models import DataSource, SourceTable
from tools.services.records import is_asked_by_id, rest_entity

MOST_CHARACTERS = 12_000  # some 4,000 tokens
LONGEST_DESCRIPTION = 200
SQL_OF = {
    DataSource.Kind.POSTGRESQL: "PostgreSQL's SQL",
    DataSource.Kind.MYSQL: "MySQL's SQL",
    DataSource.Kind.SQLITE: "SQLite's SQL",
    DataSource.Kind.DUCKDB: "DuckDB's SQL",
}


def tables_in_words(tables: Sequence[SourceTable]) -> str:
    """Sources with tables and columns, or "" where the agent was given none. Masked columns are not named: there is
    nothing to ask of them."""
    lines: list[str] = []
    asked_by_sql = [one for one in tables if not one.source.is_service]
    for source, of_source in groupby(asked_by_sql, key=lambda one: one.source):
        lines.append(f'Source "{on_one_line(source.name)}" ({SQL_OF[source.engine]}):')
        lines += [_table_in_words(one) for one in of_source]
    return bounded(lines)


def entities_in_words(tables: Sequence[SourceTable]) -> str:
    """The same of services, with what their fields can be filtered by."""
    lines: list[str] = []
    for source, of_source in groupby(entities_among(tables), key=lambda one: one.source):
        lines.append(f'Source "{on_one_line(source.name)}" ({source.get_kind_display()}):')
        lines += [f"{_table_in_words(one)}{_filters_in_words(one)}" for one in of_source]
    return bounded(lines)


def _filters_in_words(table: SourceTable) -> str:
    if table.source.kind != DataSource.Kind.REST:
        return ""
    readable = {one.name for one in table.columns.all() if not one.is_masked}
    filters = rest_entity(table).get("filters", {})
    told = "; ".join(
        f"{on_one_line(one)} by {', '.join(sorted(by))}" for one, by in sorted(filters.items()) if one in readable
    )
    return f" | filters: {told or 'none'}"


def entity_names(tables: Sequence[SourceTable]) -> str:
    """Of those whose records can be asked for by an id; what they are, `entities_in_words` tells beside it."""
    known = [one for one in entities_among(tables) if is_asked_by_id(one)]
    return bounded([f'- entity "{on_one_line(one.name)}" of source "{on_one_line(one.source.name)}"' for one in known])


def _table_in_words(table: SourceTable) -> str:
    schema = "" if table.schema == "main" else f"{on_one_line(table.schema)}."
    columns = [
        f"{on_one_line(one.name)} {on_one_line(one.type)}{in_brackets(one.description)}"
        for one in table.columns.all()
        if not one.is_masked
    ]
    return f"- {schema}{on_one_line(table.name)}{in_brackets(table.description)}: {'; '.join(columns)}"


def in_brackets(text: str) -> str:
    return f" ({on_one_line(text)[:LONGEST_DESCRIPTION]})" if text.strip() else ""


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def bounded(lines: list[str]) -> str:
    """Whole lines, as many as there is room for, and how many are left out."""
    kept: list[str] = []
    room = MOST_CHARACTERS
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return "\n".join([*kept, f"(and {len(lines) - len(kept)} more that there is no room to name)"])
        kept.append(line)
    return "\n".join(kept)

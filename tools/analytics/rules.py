"""What a metric and a dimension may be: of open columns alone, and such that their source can be asked for them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from accounts import matching
from tools.models import Dimension, Metric, SourceTable
from tools.problems import told_refusal
from tools.querying import readable_table, sql_dialect
from tools.sql.gate import read_sql
from tools.sql.measuring import Measure, Split, columns_of_expression, write_measure
from tools.sql.statements import SqlRefused

MOST_SYNONYMS, LONGEST_NAME = 10, 60
Faults = dict[str, str]


def open_columns(table: SourceTable) -> set[str]:
    """Those that are read in the open, by their exact names."""
    return {one.name for one in table.columns.all() if not one.is_masked}


def measure_of(metric: Metric) -> Measure:
    return Measure(
        metric.table.schema, metric.table.name, metric.aggregate, metric.column, metric.expression, metric.time_column
    )


def is_usable(metric: Metric) -> bool:
    """Whether all that it reads is there and open: columns may have been masked, or not chosen again, since."""
    return not set(_faults_of_columns(metric))


def is_open(dimension: Dimension) -> bool:
    return dimension.column in open_columns(dimension.table)


def faults_of_metric(metric: Metric) -> Faults:
    """What is wrong with it, by field; `table` is set. Its source is not asked."""
    faults = _faults_of_columns(metric)
    named = bool(metric.column) + bool(metric.expression)
    if named > 1:
        faults["expression"] = _("A metric has a column or an expression, not both.")
    elif not named and metric.aggregate != Metric.Aggregate.COUNT:
        faults["column"] = _("This aggregate needs a column or an expression.")
    return faults or _faults_of_statement(metric)


def faults_of_dimension(dimension: Dimension) -> Faults:
    return {} if is_open(dimension) else {"column": _closed()}


def _closed() -> str:
    return _("The table has no column of this name that may be read.")


def _faults_of_columns(metric: Metric) -> Faults:
    readable = open_columns(metric.table)
    faults = {
        field: _closed()
        for field in ("column", "time_column")
        if (name := getattr(metric, field)) and name not in readable
    }
    if metric.expression:
        try:
            read = columns_of_expression(metric.expression, sql_dialect(metric.table.source))
        except SqlRefused as refusal:
            return {**faults, "expression": told_refusal(refusal)}
        if not {one.lower() for one in read} <= {one.lower() for one in readable}:
            faults["expression"] = _closed()
    return faults


def _faults_of_statement(metric: Metric) -> Faults:
    """The statement that it makes is read as it will be."""
    split = Split(period="month") if metric.time_column else Split()
    try:
        dialect = sql_dialect(metric.table.source)
        sql, values = write_measure(dialect, measure_of(metric), split, 1)
        read_sql(sql, dialect, [readable_table(metric.table)], values)
    except SqlRefused as refusal:
        return {"expression" if metric.expression else "aggregate": told_refusal(refusal)}
    return {}


def folded_name(name: str) -> str:
    """As names are compared: "Región " is "region"."""
    return " ".join(matching.folded(name).split())


def fault_of_name(name: str) -> str | None:
    return None if name.isprintable() and folded_name(name) else _("A name has characters that can be seen.")


def named_twice(said: Iterable[Mapping[str, Any]], *by: str) -> set[int]:
    """Which of these have a name that one before them has, among those that are alike in the fields `by`."""
    seen: set[tuple[str, ...]] = set()
    twice = set()
    for place, one in enumerate(said):
        key = (*(str(one[field]) for field in by), folded_name(one["name"]))
        if key in seen:
            twice.add(place)
        seen.add(key)
    return twice

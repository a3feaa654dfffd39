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
OF_NUMBERS = frozenset((Metric.Aggregate.SUM, Metric.Aggregate.AVERAGE, Metric.Aggregate.MEDIAN))
STRICT = ("postgres", "duckdb")  # the others take a text for a number, and make of it what they can
# By what the names of types begin with, in capitals or not; of others nothing is known.
NEITHER = ("uuid", "json", "blob", "bytea", "array", "struct", "map", "xml")
NO_NUMBERS = (*NEITHER, "bool", "char", "varchar", "bpchar", "text", "enum", "user-defined", "date", "time")
NO_TIMES = (
    *NEITHER, "bool", "int", "tinyint", "smallint", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint",
    "uhugeint", "dec", "num", "real", "double", "float", "money",
)  # fmt: skip
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
    return faults or _faults_of_statement(metric) or _faults_of_types(metric)


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


def _faults_of_types(metric: Metric) -> Faults:
    """By the types that the source has said, where it holds to them."""
    dialect = sql_dialect(metric.table.source)
    kinds = {one.name: one.type.lower() for one in metric.table.columns.all() if dialect in STRICT}
    number, moment = kinds.get(metric.column, ""), kinds.get(metric.time_column, "")
    faults = {}
    is_sum_of_flags = metric.aggregate == Metric.Aggregate.SUM and number.startswith("bool") and dialect == "duckdb"
    if metric.aggregate in OF_NUMBERS and _is_no_number(number) and not is_sum_of_flags:
        faults["column"] = _("This aggregate needs numbers, and the column has none: its type is %(type)s.")
    is_text = dialect == "duckdb" and moment.startswith("varchar")  # which was looked at for days when it was read
    if is_text or _is_no_time(moment):
        faults["time_column"] = _("A time column has days, and this one has none: its type is %(type)s.")
    said = {"column": number, "time_column": moment}
    return {field: fault % {"type": said[field]} for field, fault in faults.items()}


def _is_no_number(kind: str) -> bool:
    return kind.startswith(NO_NUMBERS) or kind.endswith("[]")


def _is_no_time(kind: str) -> bool:
    is_time_alone = kind.startswith("time") and not kind.startswith("timestamp")
    return is_time_alone or kind.startswith(NO_TIMES) or kind.endswith("[]")


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

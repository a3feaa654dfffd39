"""A metric's question as one SELECT in the source's dialect: written here, and read by the gate as anybody's is.

Every value is bound. Every name is quoted, and belongs to the one table. Results have names of ours, which no column of
a source is called by: whoever asks gives them theirs.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache

from sqlglot import exp

from tools.sql.conditions import place_value, write_condition
from tools.sql.gate import parse_query
from tools.sql.size import check_size
from tools.sql.statements import Scalar, SqlRefused

PERIODS = ("day", "week", "month", "quarter", "year")
LONGEST_EXPRESSION = 500
TABLE, RESULT = "measured", "acervo_"
WITHOUT_MEDIAN = {"sqlite": "SQLite", "mysql": "MySQL"}
NOT_IN_EXPRESSIONS = (exp.Query, exp.AggFunc, exp.Window, exp.Placeholder, exp.Star, exp.Parameter)


@dataclass(frozen=True, slots=True)
class Measure:
    """`aggregate` of `column`, or of `expression`, or (a count) of the rows, of a table."""

    schema: str
    table: str
    aggregate: str
    column: str = ""
    expression: str = ""
    time_column: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """By which columns, where which columns have one of these values (null is one), from and until which days (both
    inclusive), in which periods. `types`: of columns, as the source calls them, where they are known."""

    columns: tuple[str, ...] = ()
    conditions: tuple[tuple[str, tuple[Scalar, ...]], ...] = ()
    since: date | None = None
    until: date | None = None
    period: str = ""
    types: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=1_000)
def columns_of_expression(text: str, dialect: str) -> frozenset[str]:
    """What an expression reads, by the names that it is written with. Raises SqlRefused for what is none."""
    return frozenset(one.name for one in _read_expression(text, dialect).find_all(exp.Column))


def write_measure(dialect: str, measure: Measure, split: Split, most_rows: int) -> tuple[str, dict[str, Scalar]]:
    """The statement and its values. Its columns: the period, if one is wanted; those of `split`; the number. Raises
    SqlRefused for what this dialect cannot do."""
    values: dict[str, Scalar] = {}
    parts: list[exp.Expr] = [_quoted_column(one) for one in split.columns]
    if split.period:
        parts.insert(0, _period_of(dialect, measure.time_column, split.period))
    number = _number(dialect, measure)
    named = [exp.alias_(one, f"{RESULT}{n}", quoted=True) for n, one in enumerate([*parts, number], 1)]
    table = exp.Table(
        this=exp.to_identifier(measure.table, quoted=True), db=exp.to_identifier(measure.schema, quoted=True)
    )
    query = exp.select(*named).from_(exp.alias_(table, TABLE, table=True))
    conditions = [*_days(dialect, measure.time_column, split, values), *_conditions(dialect, split, values)]
    if split.period:
        known = (
            parts[0].copy() if dialect == "mysql" else _moment(dialect, measure.time_column)
        )  # 2025-00-00 is of none
        conditions.append(exp.Not(this=exp.Is(this=known, expression=exp.Null())))
    query = query.where(*conditions) if conditions else query
    query = query.group_by(*(one.copy() for one in parts)) if parts else query
    query = query.order_by(*_order(dialect, split, len(parts))).limit(most_rows + 1)
    return query.sql(dialect=dialect), values


def _order(dialect: str, split: Split, parts: int) -> Iterator[exp.Expr]:
    """In time; without periods the largest first: what is cut off is the least."""
    names = [exp.column(exp.to_identifier(f"{RESULT}{n}", quoted=True)) for n in range(1, parts + 2)]
    number = exp.Ordered(this=names[-1], desc=True, nulls_first=False)
    first = [] if split.period else [number]
    nulls_first = dialect == "mysql"  # as it sorts them: to have them last takes an expression that is not grouped by
    yield from (*first, *(exp.Ordered(this=one, desc=False, nulls_first=nulls_first) for one in names[:-1]))


def _number(dialect: str, measure: Measure) -> exp.Expr:
    if measure.aggregate == "median" and dialect in WITHOUT_MEDIAN:
        raise SqlRefused("%(engine)s has no median.", engine=WITHOUT_MEDIAN[dialect])
    measured = _read_expression(measure.expression, dialect) if measure.expression else None
    if measured is None and measure.column:
        measured = _quoted_column(measure.column)
    if measured is None and measure.aggregate != "count":
        raise SqlRefused("This aggregate needs a column or an expression.")
    if measured is None:
        return exp.Count(this=exp.Star())
    made: dict[str, Callable[[exp.Expr], exp.Expr]] = {
        "count": lambda one: exp.Count(this=one),
        "count_distinct": lambda one: exp.Count(this=exp.Distinct(expressions=[one])),
        "sum": lambda one: exp.Sum(this=one),
        "average": lambda one: exp.Avg(this=one),
        "minimum": lambda one: exp.Min(this=one),
        "maximum": lambda one: exp.Max(this=one),
        "median": lambda one: exp.Anonymous(this="MEDIAN", expressions=[one]),  # the gate knows it in every dialect
    }
    return made[measure.aggregate](measured)


def _read_expression(text: str, dialect: str) -> exp.Expr:
    """By the gate's own reading, of the columns of one table. Raises SqlRefused."""
    if len(text) > LONGEST_EXPRESSION:
        raise SqlRefused("The expression has more than %(most)d characters.", most=LONGEST_EXPRESSION)
    query = parse_query(f"SELECT {text}", dialect)
    check_size(query)
    used = {name for name, part in query.args.items() if part not in (None, False, [], "")}
    if used != {"expressions"} or len(query.expressions) != 1 or isinstance(query.expressions[0], exp.Alias):
        raise SqlRefused("Write one expression over the table's columns and nothing else.")
    (found,) = query.expressions
    if isinstance(found, exp.Column) or any(isinstance(one, NOT_IN_EXPRESSIONS) for one in found.walk()):
        raise SqlRefused("An expression has columns, numbers, texts and functions of single rows alone.")
    for column in found.find_all(exp.Column):
        if column.table:
            raise SqlRefused("An expression names its table's columns alone, without a table.")
        column.set("table", exp.to_identifier(TABLE, quoted=True))
    return exp.paren(found.copy(), copy=False)


def _quoted_column(name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(TABLE, quoted=True))


def _conditions(dialect: str, split: Split, values: dict[str, Scalar]) -> Iterator[exp.Expr]:
    for column, wanted in split.conditions:
        yield write_condition(dialect, _quoted_column(column), split.types.get(column, ""), wanted, values)


def _days(dialect: str, column: str, split: Split, values: dict[str, Scalar]) -> Iterator[exp.Expr]:
    """From the first moment of the first day to the last of the last."""
    if split.since:
        yield exp.GTE(this=_moment(dialect, column), expression=_day(dialect, values, split.since))
    if split.until:
        end = split.until + timedelta(days=1)
        yield exp.LT(this=_moment(dialect, column), expression=_day(dialect, values, end))


def _moment(dialect: str, column: str) -> exp.Expr:
    if dialect == "sqlite":  # times are texts, and compare as such once they are written in one way
        return _strftime("%Y-%m-%d", _quoted_column(column))
    return exp.cast(_quoted_column(column), "timestamp")


def _day(dialect: str, values: dict[str, Scalar], day: date) -> exp.Expr:
    place = place_value(values, day.isoformat())
    return place if dialect == "sqlite" else exp.cast(place, "timestamp")


def _period_of(dialect: str, column: str, period: str) -> exp.Expr:
    """The first day of the period that a moment lies in; weeks begin on Mondays, as ISO 8601 has them."""
    if dialect == "mysql":
        return exp.cast(_first_day_in_mysql(_moment(dialect, column), period), "date")
    if dialect != "sqlite":
        unit = exp.Literal.string(period)
        return exp.cast(exp.Anonymous(this="DATE_TRUNC", expressions=[unit, _moment(dialect, column)]), "date")
    moment = _quoted_column(column)
    if period == "week":
        day, weekday = exp.cast(_strftime("%J", moment), "double"), exp.cast(_strftime("%w", moment.copy()), "int")
        since_monday = exp.paren(weekday + 6) % 7
        return _strftime("%Y-%m-%d", exp.Sub(this=day, expression=since_monday))
    if period != "quarter":
        return _strftime({"day": "%Y-%m-%d", "month": "%Y-%m-01", "year": "%Y-01-01"}[period], moment)
    month = _strftime("%m", moment)
    first = exp.Case(default=exp.Literal.string("10-01"))
    for last, start in (("03", "01-01"), ("06", "04-01"), ("09", "07-01")):
        first = first.when(exp.LTE(this=month.copy(), expression=exp.Literal.string(last)), exp.Literal.string(start))
    return exp.DPipe(this=_strftime("%Y-", moment.copy()), expression=first)


def _first_day_in_mysql(moment: exp.Expr, period: str) -> exp.Expr:
    if period == "week":
        weekday = exp.cast(_date_format("%w", moment.copy()), "bigint")
        return exp.DateSub(this=exp.cast(moment, "date"), expression=exp.paren(weekday + 6) % 7, unit=exp.var("DAY"))
    if period != "quarter":
        return _date_format({"day": "%Y-%m-%d", "month": "%Y-%m-01", "year": "%Y-01-01"}[period], moment)
    year, quarter = _date_format("%Y-", moment.copy()), exp.Quarter(this=moment)
    first = exp.Case(default=exp.Literal.string("10-01"))
    for number, start in ((1, "01-01"), (2, "04-01"), (3, "07-01")):
        first = first.when(
            exp.EQ(this=quarter.copy(), expression=exp.Literal.number(number)), exp.Literal.string(start)
        )
    return exp.Concat(expressions=[year, first])


def _date_format(pattern: str, moment: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="DATE_FORMAT", expressions=[moment, exp.Literal.string(pattern)])


def _strftime(pattern: str, moment: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(pattern), moment])

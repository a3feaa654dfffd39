"""Metrics of the tables that an agent was given, found by name and asked for in a caller's name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from django.db.models import prefetch_related_objects
from django.utils.translation import gettext as _

from accounts.models import Membership
from accounts.problems import NotFound
from agents.granting import query_with_agent, reachable_tables, tables_of_source
from agents.models import Agent
from tools.analytics.rules import folded_name, is_open, is_usable, measure_of
from tools.engines.running import MOST_ROWS
from tools.models import Defined, Dimension, Metric, SourceTable
from tools.problems import MetricUnusable, UnknownName, told_refusal
from tools.querying import QueryAnswer, sql_dialect
from tools.sql.measuring import Split, write_measure
from tools.sql.statements import Scalar, SqlRefused

MOST_NAMED = 60  # in a sentence on what there is

Named = TypeVar("Named", bound=Defined)


@dataclass(frozen=True, slots=True)
class MetricQuestion:
    """What of a metric is asked for, by names as a caller wrote them."""

    dimensions: Sequence[str] = ()
    filters: Mapping[str, Scalar | list[Scalar]] = field(default_factory=dict)
    split: Split = field(default_factory=Split)


def measured_tables(agent: Agent) -> list[SourceTable]:
    """The tables that the agent reads now, with what is named in them."""
    return with_metrics(reachable_tables(agent))


def with_metrics(tables: list[SourceTable]) -> list[SourceTable]:
    """The same rows, with what is named in them, which is fetched once."""
    prefetch_related_objects(tables, "metrics", "dimensions")
    return tables


def usable_metrics(tables: Iterable[SourceTable]) -> list[Metric]:
    return [one for table in tables for one in table.metrics.all() if is_usable(_within(one, table))]


def usable_dimensions(table: SourceTable) -> list[Dimension]:
    return [one for one in table.dimensions.all() if is_open(_within(one, table))]


def _within(one: Any, table: SourceTable) -> Any:
    """The same row, with the table at hand that it was reached from, and so with its columns."""
    one.table = table
    return one


def find_metric(agent: Agent, name: str, source: str = "") -> Metric:
    """Of one source where it is said (its id, or its name). Raises UnknownName, which tells those that there are, and
    NotFound for an agent that was given none."""
    if not agent.is_active:
        raise NotFound
    metrics = usable_metrics(tables_of_source(measured_tables(agent), source))
    if not metrics:
        raise NotFound
    found = _named(name, metrics)
    if len({one.table.source_id for one in found}) > 1:
        names = ", ".join(sorted({one.table.source.name for one in found}))
        raise UnknownName(reason=_("More than one source has it; say which in `source`: %(names)s.") % {"names": names})
    if not found:
        raise UnknownName(
            reason=_("There is no metric of this name. There are: %(names)s.") % {"names": _list(metrics)}
        )
    return _only(found)


def find_dimension(metric: Metric, name: str) -> Dimension:
    """Raises UnknownName, which tells those that there are."""
    known = usable_dimensions(metric.table)
    if found := _named(name, known):
        return _only(found)
    said = _("The metric %(metric)s has no dimension.")
    if known:
        said = _("The metric %(metric)s has no dimension of this name. There are: %(names)s.")
    raise UnknownName(reason=said % {"metric": metric.name, "names": _list(known)})


def _named(name: str, known: Sequence[Named]) -> list[Named]:
    """As it is written; else however it is written; else by a synonym."""
    ways: tuple[Callable[[Named], bool], ...] = (
        lambda one: one.name == name,
        lambda one: folded_name(one.name) == folded_name(name),
        lambda one: folded_name(name) in map(folded_name, one.synonyms),
    )
    return next((found for way in ways if (found := [one for one in known if way(one)])), [])


def _only(found: Sequence[Named]) -> Named:
    """Raises UnknownName for a name that several of one source have: which is meant, nobody guesses."""
    if len(found) > 1:
        raise UnknownName(
            reason=_("More than one is called so. Ask for one by its own name: %(names)s.") % {"names": _list(found)}
        )
    return found[0]


def _list(known: Sequence[Defined]) -> str:
    return ", ".join(one.name for one in known[:MOST_NAMED])


def ask_metric(agent: Agent, metric: Metric, asked: MetricQuestion, by: Membership) -> QueryAnswer:
    """Columns have the names of the dimensions and of the metric, that of time its period's. Raises UnknownName,
    MetricUnusable and what `query_with_agent` raises."""
    dimensions = [find_dimension(metric, one) for one in asked.dimensions]
    conditions = [
        (find_dimension(metric, name).column, tuple(wanted) if isinstance(wanted, list) else (wanted,))
        for name, wanted in asked.filters.items()
    ]
    types = {one.name: one.type for one in metric.table.columns.all()}
    split = replace(
        asked.split, columns=tuple(one.column for one in dimensions), conditions=tuple(conditions), types=types
    )
    if (split.period or split.since or split.until) and not metric.time_column:
        raise MetricUnusable(
            reason=_("The metric %(metric)s has no time: ask without a date range and a period.")
            % {"metric": metric.name}
        )
    source = metric.table.source
    try:
        sql, values = write_measure(sql_dialect(source), measure_of(metric), split, MOST_ROWS)
    except SqlRefused as refusal:
        raise MetricUnusable(reason=told_refusal(refusal)) from None
    answer = query_with_agent(agent, str(source.pk), sql, values, by)
    names = [*([split.period] if split.period else []), *(one.name for one in dimensions), metric.name]
    columns = [{**column, "name": name} for column, name in zip(answer.columns, names, strict=True)]
    if split.period:
        columns[0]["type"] = "date"
    return replace(answer, columns=columns)

"""Which metrics an agent has, in words for the model that asks for them; bounded as the tables are."""

from itertools import groupby

from agents.api.analytics.measuring import usable_dimensions, usable_metrics, with_metrics
from agents.api.inventory import bounded, in_brackets, on_one_line
from tools.models import Defined, Metric, SourceTable


def metrics_in_words(tables: list[SourceTable]) -> str:
    """By table the metrics and the dimensions of all of them, or "" where the agent has none."""
    by_table = groupby(usable_metrics(with_metrics(tables)), key=lambda one: one.table)
    return bounded([line for table, metrics in by_table for line in _table_in_words(table, list(metrics))])


def timed_metrics(tables: list[SourceTable]) -> str:
    """The names of those that have a time; what they are `metrics_in_words` tells beside it."""
    named = [one for one in usable_metrics(with_metrics(tables)) if one.time_column]
    return bounded(
        [f'- metric "{on_one_line(one.name)}" of source "{on_one_line(one.table.source.name)}"' for one in named]
    )


def _table_in_words(table: SourceTable, metrics: list[Metric]) -> list[str]:
    dimensions = "; ".join(_in_words(one) for one in usable_dimensions(table)) or "none"
    told = [
        f"- metric {_in_words(one)}, {one.aggregate}, {'over time' if one.time_column else 'without time'}"
        for one in metrics
    ]
    return [f'Source "{on_one_line(table.source.name)}", dimensions: {dimensions}', *told]


def _in_words(one: Defined) -> str:
    also = f", also called {', '.join(map(on_one_line, one.synonyms))}" if one.synonyms else ""
    return f'"{on_one_line(one.name)}"{in_brackets(one.description)}{also}'

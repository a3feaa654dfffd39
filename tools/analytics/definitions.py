"""The metrics and dimensions of a source, kept as a whole by its admins."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Model

from accounts import audit
from accounts.models import Membership
from accounts.problems import NotFound
from tools.models import DataSource, Dimension, Metric, SourceTable

MOST_METRICS, MOST_DIMENSIONS = 100, 200  # of a source
METRIC_FIELDS = ("name", "description", "synonyms", "aggregate", "column", "expression", "time_column")
DIMENSION_FIELDS = ("name", "description", "synonyms", "column")
Definitions = dict[str, list[dict[str, Any]]]


def tables_with_definitions(source: DataSource) -> list[SourceTable]:
    return list(source.tables.select_related("source").prefetch_related("columns", "metrics", "dimensions"))


def told_definitions(tables: Iterable[SourceTable]) -> Definitions:
    """As they are shown, taken and written."""
    known = list(tables)
    return {
        "metrics": [_told(one, table, METRIC_FIELDS) for table in known for one in table.metrics.all()],
        "dimensions": [_told(one, table, DIMENSION_FIELDS) for table in known for one in table.dimensions.all()],
    }


def _told(row: Model, table: SourceTable, fields: Iterable[str]) -> dict[str, Any]:
    return {"schema": table.schema, "table": table.name, **{name: getattr(row, name) for name in fields}}


def keep_definitions(
    by: Membership, source: DataSource, metrics: Sequence[Metric], dimensions: Sequence[Dimension]
) -> None:
    """These and no others; each has its table, of this source, and nothing wrong with it. Raises NotFound where one of
    the tables is no longer chosen."""
    with transaction.atomic():
        DataSource.objects.in_organization_of(by).select_for_update().get(pk=source.pk)
        tables = tables_with_definitions(source)
        meant = {one.table_id for one in metrics} | {one.table_id for one in dimensions}
        if meant - {table.pk for table in tables}:
            raise NotFound
        for table in tables:
            table.metrics.all().delete()
            table.dimensions.all().delete()
        Metric.objects.bulk_create(metrics)
        Dimension.objects.bulk_create(dimensions)
        note_definitions(by, source)


def note_definitions(by: Membership, source: DataSource) -> None:
    """What is meant by a name has changed."""
    source.save(update_fields=["updated_at"])
    audit.record(by, "changed", source, fields=["metrics"])


def metric_from(table: SourceTable, said: Mapping[str, Any]) -> Metric:
    return Metric(table=table, **{name: said[name] for name in METRIC_FIELDS})


def dimension_from(table: SourceTable, said: Mapping[str, Any]) -> Dimension:
    return Dimension(table=table, **{name: said[name] for name in DIMENSION_FIELDS})

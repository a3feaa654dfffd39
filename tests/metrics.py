"""What an admin has named in the shop's tables (tests.shops): sales over time, by region of a file of their own."""

from accounts.models import Organization
from tools.models import DataSource, Dimension, Metric, SourceColumn, SourceFile, SourceTable

SALES = """day,region,amount,email
2025-01-03,norte,10,a@x
2025-01-20,sur,20,b@x
2025-02-05,norte,5,c@x
2025-12-31,,7,d@x
"""


def name_metrics(source: DataSource) -> Metric:
    """How many orders there are, by customer."""
    orders = source.tables.get(name="orders")
    Dimension.objects.create(table=orders, name="cliente", column="customer_id")
    metric: Metric = Metric.objects.create(table=orders, name="pedidos", aggregate=Metric.Aggregate.COUNT)
    return metric


def count_customers(source: DataSource) -> None:
    """How many customers there are, by region."""
    customers = source.tables.get(name="customers")
    Dimension.objects.create(table=customers, name="zona", column="region")
    Metric.objects.create(table=customers, name="clientes", aggregate=Metric.Aggregate.COUNT)


def sales(organization: Organization, name: str = "Ventas", rows: str = SALES) -> SourceTable:
    """A source with one table, whose metrics have a time."""
    source = DataSource.objects.create(organization=organization, name=name, kind=DataSource.Kind.DUCKDB)
    SourceFile.objects.create(source=source, table="sales", format="csv", content=rows.encode(), size=len(rows))
    table: SourceTable = SourceTable.objects.create(source=source, schema="main", name="sales")
    SourceColumn.objects.bulk_create(
        SourceColumn(table=table, name=column, type=kind, is_masked=column == "email")
        for column, kind in (("day", "date"), ("region", "text"), ("amount", "integer"), ("email", "text"))
    )
    Dimension.objects.create(table=table, name="región", column="region", synonyms=["zona"])
    Metric.objects.create(
        table=table, name="ventas", synonyms=["ingresos"], aggregate="sum", column="amount", time_column="day",
        description="Lo facturado",
    )  # fmt: skip
    return table

"""A data source of files with tables, as an admin sets it up: customers, whose email is masked, and orders."""

from accounts.models import Organization
from agents.models import Agent, ReachableTable
from tools.models import DataSource, SourceColumn, SourceFile, SourceTable

EMAIL = "canary@hidden.example"
CUSTOMERS = f"id,region,email,password\n1,north,{EMAIL},hushword\n2,south,{EMAIL},hushword\n"
ORDERS = "id,customer_id,total,placed\n1,1,10.5,2025-01-03\n2,1,20,2025-02-04\n3,2,5,2025-02-05\n"
CHOSEN = {
    "customers": (("id", "integer", False), ("region", "text", False), ("email", "text", True)),
    "orders": (("id", "integer", False), ("customer_id", "integer", False), ("total", "number", False)),
}


def shop(organization: Organization, name: str = "Shop", customers: str = CUSTOMERS, described: str = "") -> DataSource:
    source = DataSource.objects.create(organization=organization, name=name, kind=DataSource.Kind.DUCKDB)
    for table, text in (("customers", customers), ("orders", ORDERS)):
        content = text.encode()
        SourceFile.objects.create(source=source, table=table, format="csv", content=content, size=len(content))
    for table, columns in CHOSEN.items():
        chosen = SourceTable.objects.create(source=source, schema="main", name=table, description=described)
        SourceColumn.objects.bulk_create(
            SourceColumn(table=chosen, name=column, type=kind, is_masked=is_masked, place=place)
            for place, (column, kind, is_masked) in enumerate(columns)
        )
    return source


def crm(organization: Organization, name: str = "CRM") -> DataSource:
    """One that nobody can reach: what is asked of it is refused before."""
    source = DataSource.objects.create(organization=organization, name=name, kind="hubspot", host="crm.invalid")
    contacts = SourceTable.objects.create(source=source, schema="main", name="contacts")
    SourceColumn.objects.create(table=contacts, name="firstname", type="text")
    SourceColumn.objects.create(table=contacts, name="hs_object_id", type="decimal", is_masked=True)
    return source


def grant(agent: Agent, *tables: SourceTable) -> None:
    for table in tables:
        ReachableTable.objects.create(agent=agent, table=table)

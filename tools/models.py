"""What is asked elsewhere: data sources, their files, and what of their tables agents may be given."""

from typing import Any, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Membership, Organization
from tools import sealing
from tools.sql.statements import MAIN


class DataSourceQuerySet(models.QuerySet["DataSource"]):
    def in_organization_of(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id)


class DataSource(Identified):
    """A database, files with tables, or a service of records (a CRM, a REST API), of an organization. Its admins keep
    it; agents read what they are given of it. The entities of a service are its tables, their fields the columns.

    Credentials are sealed (`tools.sealing`) and told to nobody again but the child that connects.
    """

    class Kind(models.TextChoices):
        POSTGRESQL = "postgresql", "PostgreSQL"
        MYSQL = "mysql", "MySQL, MariaDB"
        SQLITE = "sqlite", "SQLite"
        DUCKDB = "duckdb", _("files with tables (CSV, Parquet, XLSX)")
        BUCKET = "bucket", _("files with tables in a bucket (S3)")
        HUBSPOT = "hubspot", "HubSpot"
        SALESFORCE = "salesforce", "Salesforce"
        REST = "rest", _("REST service (OpenAPI)")

    class Encryption(models.TextChoices):
        """As PostgreSQL calls it (sslmode); MySQL and MariaDB are asked in the same words."""

        VERIFIED = "verify-full", _("encrypted, the server proved")
        REQUIRED = "require", _("encrypted")
        PREFERRED = "prefer", _("encrypted where the server can")

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="data_sources")
    name = models.CharField(_("name"), max_length=150)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind)
    host = models.CharField(_("host"), max_length=253, blank=True)
    port = models.PositiveIntegerField(_("port"), null=True, blank=True)
    database = models.CharField(_("database"), max_length=200, blank=True)
    encryption = models.CharField(_("encryption"), max_length=20, choices=Encryption, default=Encryption.REQUIRED)
    service = models.JSONField(
        default=dict, db_default=models.Value({}, models.JSONField()), blank=True, editable=False,
        help_text="of REST: tools.services.described",
    )  # fmt: skip
    sealed_credentials = models.TextField(blank=True, editable=False)
    is_active = models.BooleanField(_("active"), default=True)
    checked_at = models.DateTimeField(_("last checked"), null=True, editable=False)
    check_outcome = models.CharField(_("outcome of the last check"), max_length=40, blank=True, editable=False)
    brought_at = models.DateTimeField(
        null=True, editable=False, help_text="when the files of a bucket were last looked for"
    )
    left_out = models.JSONField(
        _("left out"), default=list, db_default=models.Value([], models.JSONField()), blank=True, editable=False,
        help_text="of a bucket's files: key, version and reason",
    )  # fmt: skip
    updated_at = models.DateTimeField(auto_now=True)
    objects = DataSourceQuerySet.as_manager()

    class Meta:
        verbose_name = _("data source")
        verbose_name_plural = _("data sources")
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=("organization", "name"), name="data_source_name_once"),)

    def __str__(self) -> str:
        return self.name

    @property
    def engine(self) -> Kind:
        """By which it is asked: files that were brought from a bucket are files."""
        return self.Kind.DUCKDB if self.kind == self.Kind.BUCKET else self.Kind(self.kind)

    @property
    def is_server(self) -> bool:
        """Whether it is asked over the network: not so a bucket's files, which were brought."""
        return self.kind in (*SERVERS, *SERVICES)

    @property
    def is_service(self) -> bool:
        """Whether it has records, which are asked for by conditions, and no SQL."""
        return self.kind in SERVICES

    @property
    def has_credentials(self) -> bool:
        return bool(self.sealed_credentials)

    def keep_credentials(self, username: str, password: str) -> None:
        self.sealed_credentials = sealing.seal_json({"username": username, "password": password})

    def open_credentials(self) -> dict[str, Any]:
        """For the child that connects, and for nobody else."""
        return sealing.unseal_json(self.sealed_credentials) if self.sealed_credentials else {}


SERVERS = (DataSource.Kind.POSTGRESQL, DataSource.Kind.MYSQL)
SERVICES = (DataSource.Kind.HUBSPOT, DataSource.Kind.SALESFORCE, DataSource.Kind.REST)


class SourceFile(Identified):
    """A file of a source, in its row: it is small, and goes with the source, the organization and every backup."""

    class Format(models.TextChoices):
        CSV = "csv", "CSV"
        PARQUET = "parquet", "Parquet"
        SQLITE = "sqlite", "SQLite"

    source = models.ForeignKey(DataSource, models.CASCADE, related_name="files")
    table = models.CharField(_("table"), max_length=60)
    format = models.CharField(_("format"), max_length=10, choices=Format)
    content = models.BinaryField()
    size = models.PositiveIntegerField(_("bytes"))
    key = models.CharField(_("in the bucket"), max_length=1024, blank=True, default="", db_default="", editable=False)
    version = models.CharField(max_length=200, blank=True, default="", db_default="", editable=False)

    class Meta:
        verbose_name = _("file of a data source")
        verbose_name_plural = _("files of data sources")
        ordering = ("table", "pk")
        constraints = (models.UniqueConstraint(fields=("source", "table"), name="source_file_table_once"),)

    def __str__(self) -> str:
        return self.table


class SourceTable(Identified):
    """A table that agents may be given; what is not chosen is not there for them."""

    source = models.ForeignKey(DataSource, models.CASCADE, related_name="tables", verbose_name=_("data source"))
    schema = models.CharField(_("schema"), max_length=100)
    name = models.CharField(_("name"), max_length=200)
    description = models.CharField(_("description"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("table")
        verbose_name_plural = _("tables")
        ordering = ("schema", "name")
        constraints = (models.UniqueConstraint(fields=("source", "schema", "name"), name="source_table_once"),)

    def __str__(self) -> str:
        return self.name

    @property
    def full_name(self) -> str:
        """With its schema, where its source has several."""
        return self.name if self.schema == MAIN else f"{self.schema}.{self.name}"


class SourceColumn(Identified):
    """A column of a chosen table. A masked one is there and is never read: personal data."""

    table = models.ForeignKey(SourceTable, models.CASCADE, related_name="columns")
    name = models.CharField(_("name"), max_length=200)
    type = models.CharField(_("type"), max_length=60, blank=True)
    description = models.CharField(_("description"), max_length=500, blank=True)
    is_masked = models.BooleanField(_("masked"), default=False)
    place = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name = _("column")
        verbose_name_plural = _("columns")
        ordering = ("place", "name")
        constraints = (models.UniqueConstraint(fields=("table", "name"), name="source_column_once"),)

    def __str__(self) -> str:
        return self.name


class Defined(Identified):
    """What an admin has named in a table. Its columns are kept by name: choosing a table's columns anew leaves it."""

    name = models.CharField(_("name"), max_length=60)
    description = models.CharField(_("description"), max_length=500, blank=True)
    synonyms = models.JSONField(_("synonyms"), default=list, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    @property
    def names(self) -> tuple[str, ...]:
        """As it may be called: its name, then its synonyms."""
        return (self.name, *self.synonyms)


class Metric(Defined):
    """A number of a table's rows: an aggregate of a column, of an expression over its columns, or of the rows."""

    class Aggregate(models.TextChoices):
        COUNT = "count", _("how many rows")
        COUNT_DISTINCT = "count_distinct", _("how many different values")
        SUM = "sum", _("sum")
        AVERAGE = "average", _("average")
        MINIMUM = "minimum", _("minimum")
        MAXIMUM = "maximum", _("maximum")
        MEDIAN = "median", _("median")

    table = models.ForeignKey(SourceTable, models.CASCADE, related_name="metrics", verbose_name=_("table"))
    aggregate = models.CharField(_("aggregate"), max_length=20, choices=Aggregate)
    column = models.CharField(_("column"), max_length=200, blank=True)
    expression = models.CharField(_("expression"), max_length=500, blank=True)
    time_column = models.CharField(_("time column"), max_length=200, blank=True)

    class Meta(Defined.Meta):
        verbose_name = _("metric")
        verbose_name_plural = _("metrics")
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=("table", "name"), name="metric_once"),)


class Dimension(Defined):
    """A column by which metrics of its table are divided and filtered."""

    table = models.ForeignKey(SourceTable, models.CASCADE, related_name="dimensions", verbose_name=_("table"))
    column = models.CharField(_("column"), max_length=200)

    class Meta(Defined.Meta):
        verbose_name = _("dimension")
        verbose_name_plural = _("dimensions")
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=("table", "name"), name="dimension_once"),)

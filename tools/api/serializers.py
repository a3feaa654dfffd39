"""What the API shows of data sources, and what it takes. Credentials are taken and never shown."""

import re
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework import serializers

from tools.api import services
from tools.files.keeping import TABLE_NAME, table_named
from tools.hosts import is_allowed_name
from tools.models import SERVERS, SERVICES, DataSource, SourceColumn, SourceFile, SourceTable
from tools.sealing import SealLost
from tools.services.described import MOST_CHARACTERS
from tools.sources import MOST_COLUMNS, MOST_TABLES
from tools.sql.readings import fold_ascii

HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?")
OF_A_SERVER = ("host", "database", "username", "password")
BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9](/[^\x00-\x1f\x7f]*)?", re.ASCII)


class LeftOutSerializer(serializers.Serializer[Any]):
    """A file of a bucket that is not read: `reason` is an error's code."""

    key = serializers.CharField()
    reason = serializers.CharField()


class DataSourceSerializer(serializers.ModelSerializer[DataSource]):
    left_out = LeftOutSerializer(many=True)

    class Meta:
        model = DataSource
        fields = (
            "id", "name", "kind", "host", "port", "database", "encryption", "is_active", "has_credentials",
            "checked_at", "check_outcome", "left_out", "created_at",
        )  # fmt: skip
        read_only_fields = fields


class SourceEditSerializer(serializers.ModelSerializer[DataSource]):
    username = serializers.CharField(max_length=200, write_only=True, required=False)
    password = serializers.CharField(max_length=1_000, write_only=True, required=False, trim_whitespace=False)
    port = serializers.IntegerField(min_value=1, max_value=65_535, required=False, allow_null=True)
    openapi = serializers.CharField(max_length=MOST_CHARACTERS, write_only=True, required=False)
    mapping = services.MappingField(write_only=True, required=False)

    class Meta:
        model = DataSource
        fields = (
            "name", "kind", "host", "port", "database", "encryption", "is_active", "username", "password", "openapi",
            "mapping",
        )  # fmt: skip

    def validate_kind(self, kind: str) -> str:
        if self.instance and self.instance.kind != kind:
            raise serializers.ValidationError(_("The kind of a data source cannot be changed. Make another one."))
        return kind

    def validate_host(self, host: str) -> str:
        if host and not HOST.fullmatch(host):
            raise serializers.ValidationError(
                _("Write the name of the host alone, without https:// and without a path.")
            )
        if host and not is_allowed_name(host, settings.DATA_SOURCE_HOSTS):
            said = _(
                "This host is not among those that the installation allows. Whoever runs it can allow it "
                "(DATA_SOURCE_HOSTS)."
            )
            raise serializers.ValidationError(said)
        return host

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        kind = attrs.get("kind") or (self.instance and self.instance.kind)
        if kind in SERVICES:
            attrs = services.read_fields(self.instance, DataSource.Kind(kind), attrs, self.validate_host)
        else:
            services.refuse_description(attrs)
        is_bucket = kind == DataSource.Kind.BUCKET
        is_server, is_of_files = kind in SERVERS or is_bucket, kind not in (*SERVERS, *SERVICES, DataSource.Kind.BUCKET)
        if is_server and not self.instance and (missing := [one for one in OF_A_SERVER if not attrs.get(one)]):
            raise serializers.ValidationError({one: _("A data source of this kind needs this.") for one in missing})
        if is_server and (emptied := [one for one in OF_A_SERVER if attrs.get(one) == ""]):
            raise serializers.ValidationError({one: _("A data source of this kind needs this.") for one in emptied})
        if is_bucket:
            attrs = _of_bucket(attrs, is_new=not self.instance)
        if is_of_files and (surplus := [one for one in OF_A_SERVER if attrs.get(one)]):
            raise serializers.ValidationError({one: _("A data source of files has no server.") for one in surplus})
        return self._with_credentials(attrs)

    def _with_credentials(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Both of them or none: a password alone is of the name that is kept, at the server that has it."""
        if self.instance and self._leads_elsewhere(attrs):
            if not attrs.get("password"):
                said = _("Write the password too: it is not sent to another server than the one it was written for.")
                raise serializers.ValidationError({"password": said})
        elif "password" in attrs and (kept := self._kept_username()):
            attrs = {"username": kept, **attrs}
        if ("username" in attrs) != ("password" in attrs):
            raise serializers.ValidationError({"password": _("Write the user name and the password together.")})
        return attrs

    def _kept_username(self) -> str:
        """ "" where none is kept, or none that can be read."""
        try:
            return str(self.instance.open_credentials().get("username", "")) if self.instance else ""
        except SealLost:
            return ""

    def _leads_elsewhere(self, attrs: dict[str, Any]) -> bool:
        """Otherwise whoever may change a source could have its password sent to a server of their own."""
        weaker = attrs.get("encryption") not in (None, getattr(self.instance, "encryption", None))
        moved = any(one in attrs and attrs[one] != getattr(self.instance, one) for one in ("host", "port"))
        return bool(self.instance and self.instance.has_credentials and (moved or weaker))


def _of_bucket(attrs: dict[str, Any], *, is_new: bool) -> dict[str, Any]:
    """It is always asked encrypted, and proved. Raises ValidationError."""
    if "database" in attrs and not BUCKET.fullmatch(attrs["database"]):
        said = _("Write the bucket's name; after a slash, what the names of its files begin with: reports/2025/.")
        raise serializers.ValidationError({"database": said})
    kept = {name: value for name, value in attrs.items() if name != "encryption"}
    return {**kept, "encryption": DataSource.Encryption.VERIFIED} if is_new else kept


class SourceFileSerializer(serializers.ModelSerializer[SourceFile]):
    class Meta:
        model = SourceFile
        fields = ("id", "table", "format", "size", "key", "created_at")
        read_only_fields = fields


class SourceFileUploadSerializer(serializers.Serializer[Any]):
    """A table's name is written in statements: letters of ASCII, digits and underscores. Without one, the file's."""

    file = serializers.FileField(allow_empty_file=True)
    table = serializers.CharField(max_length=60, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        table = attrs.get("table") or table_named(attrs["file"].name)
        if not TABLE_NAME.fullmatch(table):
            said = _("A table is called by letters without accents, digits and underscores, up to 60.")
            raise serializers.ValidationError({"table": said})
        return {**attrs, "table": table}


class SourceColumnSerializer(serializers.ModelSerializer[SourceColumn]):
    name = serializers.CharField(max_length=200, trim_whitespace=False)
    type = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")
    description = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")
    masked = serializers.BooleanField(source="is_masked", required=False, default=False)

    class Meta:
        model = SourceColumn
        fields = ("name", "type", "description", "masked")


class SourceTableSerializer(serializers.ModelSerializer[SourceTable]):
    schema = serializers.CharField(max_length=100, required=False, default="main")
    name = serializers.CharField(max_length=200, trim_whitespace=False)
    description = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")
    columns = SourceColumnSerializer(many=True, max_length=MOST_COLUMNS, allow_empty=False)  # type: ignore[call-arg]  # of the list

    class Meta:
        model = SourceTable
        fields = ("id", "schema", "name", "description", "columns")
        validators: tuple[Any, ...] = ()

    def validate_columns(self, columns: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if len({fold_ascii(one["name"]) for one in columns}) < len(columns):
            raise serializers.ValidationError(_("Two columns have the same name."))
        return columns


class ChosenTablesSerializer(serializers.Serializer[Any]):
    tables = SourceTableSerializer(many=True, max_length=MOST_TABLES)  # type: ignore[call-arg]  # of the list

    def validate_tables(self, tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if len({(one["schema"].lower(), one["name"].lower()) for one in tables}) < len(tables):
            raise serializers.ValidationError(_("Two tables have the same name."))
        return tables

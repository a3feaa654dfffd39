"""What a CRM or a REST service is set up with."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tools.models import DataSource
from tools.problems import told_refusal
from tools.services.described import read_service
from tools.services.openapi import DescriptionRefused

OF_REST = ("openapi", "mapping")
NEEDED = {
    DataSource.Kind.HUBSPOT: ("password",),
    DataSource.Kind.SALESFORCE: ("host", "username", "password"),
    DataSource.Kind.REST: OF_REST,
}
HUBSPOT_HOST = "api.hubapi.com"
WITH_USER_NAME = (DataSource.Kind.SALESFORCE,)
Fields = dict[str, Any]
CheckHost = Callable[[str], str]


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "object", "additionalProperties": {}}]})
class MappingField(serializers.Field[Any, Any, Any, Any]):
    """JSON, or the same written as YAML."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str | dict):
            raise serializers.ValidationError(_("Send an object, or a text of YAML."))
        return data

    def to_representation(self, value: Any) -> Any:
        return value


def read_fields(source: DataSource | None, kind: DataSource.Kind, said: Fields, check_host: CheckHost) -> Fields:
    """What is kept of what was said of a service; it is always proved. `source` is None for a new one. Raises
    ValidationError."""
    fields = {name: value for name, value in said.items() if name != "encryption"}
    needed = NEEDED[kind]
    lacking = [one for one in needed if (fields.get(one) == "" if source else not fields.get(one))]
    _refuse(lacking, _("A service of this kind needs this."))
    _refuse(["database"] if fields.get("database") else [], _("A service has no database."))
    if kind not in WITH_USER_NAME and "password" in fields:
        fields.setdefault("username", "")
    fields = _of_rest(source, fields, check_host) if kind == DataSource.Kind.REST else _of_a_crm(fields)
    if source is None:
        fields["encryption"] = DataSource.Encryption.VERIFIED
    if kind == DataSource.Kind.HUBSPOT and (source is None or "host" in fields):
        fields["host"] = fields.get("host") or _checked(check_host, HUBSPOT_HOST, "host")
    return fields


def _checked(check_host: CheckHost, host: str, field: str) -> str:
    """`field`: what is to blame."""
    try:
        return check_host(host)
    except serializers.ValidationError as error:
        raise serializers.ValidationError({field: error.detail}) from None


def _of_a_crm(fields: Fields) -> Fields:
    refuse_description(fields)
    return fields


def refuse_description(fields: Fields) -> None:
    """Takes what is empty of it away."""
    _refuse([one for one in OF_REST if fields.pop(one, None)], _("Only a REST service is described so."))


def _of_rest(source: DataSource | None, fields: Fields, check_host: CheckHost) -> Fields:
    """Its server is the one of its description."""
    known = {"host": source.host, "port": source.port} if source else {"host": "", "port": None}
    moved = [one for one, value in known.items() if (fields.pop(one, value) or None) != (value or None)]
    _refuse(moved, _("The description says this."))
    openapi, mapping = fields.pop("openapi", None), fields.pop("mapping", None)
    if not openapi and not mapping:
        return fields
    _refuse([] if openapi and mapping else ["openapi"], _("Write the description and the mapping together."))
    try:
        described = read_service(openapi, mapping)
    except DescriptionRefused as refusal:
        raise serializers.ValidationError({refusal.field: told_refusal(refusal)}) from None
    host = _checked(check_host, described.host, "openapi")
    return {**fields, "host": host, "port": described.port, "service": described.service}


def _refuse(names: list[str], sentence: str) -> None:
    if names:
        raise serializers.ValidationError(dict.fromkeys(names, sentence))

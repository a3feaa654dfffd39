"""What admins name in the tables of a source: metrics and dimensions, taken and shown as a whole."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.http.fields import CountedListField
from tools.analytics import definitions, rules
from tools.api.sources import SourceView
from tools.engines.cells import visible
from tools.models import DataSource, Dimension, Metric, SourceTable
from tools.sql.measuring import LONGEST_EXPRESSION

LONGEST_REPEATED, MOST_REPEATED = 50, 10  # of names that there are not


class KnownFieldsSerializer(serializers.Serializer[Any]):
    """What it does not know is refused by its name: left out in silence, a metric would be another than was meant."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = [str(name) for name in data if name not in self.fields] if isinstance(data, Mapping) else []
        if unknown:
            said = _("There is no field of this name. There are: %(names)s.") % {"names": ", ".join(self.fields)}
            raise serializers.ValidationError(
                {visible(name)[:LONGEST_REPEATED]: [said] for name in unknown[:MOST_REPEATED]}
            )
        return super().to_internal_value(data)


class DefinedSerializer(KnownFieldsSerializer):
    schema = serializers.CharField(max_length=100, required=False, default="main")
    table = serializers.CharField(max_length=200, trim_whitespace=False)
    name = serializers.CharField(max_length=rules.LONGEST_NAME)
    description = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")
    synonyms = CountedListField(
        child=serializers.CharField(max_length=rules.LONGEST_NAME),
        max_length=rules.MOST_SYNONYMS,
        required=False,
        default=list,
    )

    def validate_name(self, name: str) -> str:
        if fault := rules.fault_of_name(name):
            raise serializers.ValidationError(fault)
        return name

    def validate_synonyms(self, synonyms: list[str]) -> list[str]:
        return [self.validate_name(one) for one in synonyms]


class MetricSerializer(DefinedSerializer):
    aggregate = serializers.ChoiceField(choices=Metric.Aggregate.choices)
    column = serializers.CharField(max_length=200, required=False, allow_blank=True, default="", trim_whitespace=False)
    expression = serializers.CharField(max_length=LONGEST_EXPRESSION, required=False, allow_blank=True, default="")
    time_column = serializers.CharField(
        max_length=200, required=False, allow_blank=True, default="", trim_whitespace=False
    )


class DimensionSerializer(DefinedSerializer):
    column = serializers.CharField(max_length=200, trim_whitespace=False)


class DefinitionsSerializer(KnownFieldsSerializer):
    """Of the source in its context. What is wrong is told by the place in its list: "metrics.2.column"."""

    metrics = MetricSerializer(many=True, max_length=definitions.MOST_METRICS)  # type: ignore[call-arg]  # of the list
    dimensions = DimensionSerializer(  # type: ignore[call-arg]  # of the list
        many=True, max_length=definitions.MOST_DIMENSIONS, required=False, default=list
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        known = {(one.schema, one.name): one for one in definitions.tables_with_definitions(self.context["source"])}
        metrics, dimensions = _Reading(known), _Reading(known)
        metrics.twice = rules.named_twice(attrs["metrics"])
        dimensions.twice = rules.named_twice(attrs["dimensions"], "schema", "table")
        made = {
            "metrics": [metrics.metric(place, one) for place, one in enumerate(attrs["metrics"])],
            "dimensions": [dimensions.dimension(place, one) for place, one in enumerate(attrs["dimensions"])],
        }
        faults = {"metrics": metrics.faults, "dimensions": dimensions.faults}
        if found := {name: of_list for name, of_list in faults.items() if of_list}:
            raise serializers.ValidationError(found)
        return made


class _Reading:
    """One of the two lists, read against the tables that are chosen."""

    def __init__(self, known: Mapping[tuple[str, str], SourceTable]) -> None:
        self.known = known
        self.twice: set[int] = set()
        self.faults: dict[str, dict[str, list[str]]] = {}

    def metric(self, place: int, said: Mapping[str, Any]) -> Metric | None:
        table = self._table(place, said)
        made = definitions.metric_from(table, said) if table else None
        self._note(place, rules.faults_of_metric(made) if made else {})
        return made

    def dimension(self, place: int, said: Mapping[str, Any]) -> Dimension | None:
        table = self._table(place, said)
        made = definitions.dimension_from(table, said) if table else None
        self._note(place, rules.faults_of_dimension(made) if made else {})
        return made

    def _table(self, place: int, said: Mapping[str, Any]) -> SourceTable | None:
        table = self.known.get((said["schema"], said["table"]))
        self._note(place, {"name": _("Another one has this name.")} if place in self.twice else {})
        self._note(place, {} if table else {"table": _("This table is not chosen.")})
        return table

    def _note(self, place: int, faults: Mapping[str, str]) -> None:
        for field, said in faults.items():
            self.faults.setdefault(str(place), {}).setdefault(field, []).append(said)


class SourceMetrics(SourceView):
    @extend_schema(responses=DefinitionsSerializer)
    def get(self, request: Request, source_id: UUID) -> Response:
        _admin, source = self.kept(request, source_id)
        return Response(shown_definitions(source))

    @extend_schema(request=DefinitionsSerializer, responses=DefinitionsSerializer)
    def put(self, request: Request, source_id: UUID) -> Response:
        """The metrics and dimensions of the source's chosen tables, as a whole."""
        admin, source = self.kept(request, source_id)
        form = DefinitionsSerializer(data=request.data, context={"source": source})
        form.is_valid(raise_exception=True)
        definitions.keep_definitions(admin, source, **form.validated_data)
        return Response(shown_definitions(source))


def shown_definitions(source: DataSource) -> definitions.Definitions:
    return definitions.told_definitions(definitions.tables_with_definitions(source))

"""The tools over metrics, with arguments that a model wrote: counted before they are looked at, also wrong ones."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.http.fields import CountedListField
from accounts.limits import reserving
from accounts.models import Membership
from agents.api.analytics.measuring import MetricQuestion, ask_metric, find_metric
from agents.lookup import agent_for
from tools.models import Metric
from tools.sql.binding import LONGEST_VALUE
from tools.sql.measuring import PERIODS, Split

LONGEST_NAME, LONGEST_SOURCE, LONGEST_AGENT = 60, 150, 100
MOST_DIMENSIONS, MOST_FILTERS, MOST_FILTERED = 4, 8, 50
FIRST_DAY, LAST_DAY = date(1, 1, 1), date(9998, 12, 31)


class ScalarField(serializers.Field[Any, Any, Any, Any]):
    """A text, a number, true, false or null."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_null=True, **kwargs)

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, bool | int | float) or (isinstance(data, str) and len(data) <= LONGEST_VALUE):
            return data
        said = _("Send a text of at most %(most)d characters, a number or null.")
        raise serializers.ValidationError(said % {"most": LONGEST_VALUE})

    def to_representation(self, value: Any) -> Any:
        return value


class DimensionFilterField(ScalarField):
    """Or a list of such."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, list):
            return super().to_internal_value(data)
        if not 0 < len(data) <= MOST_FILTERED:
            raise serializers.ValidationError(_("Send 1 to %(most)d values.") % {"most": MOST_FILTERED})
        return [None if one is None else super(DimensionFilterField, self).to_internal_value(one) for one in data]


class DimensionFiltersField(serializers.DictField):
    child = DimensionFilterField()

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and len(data) > MOST_FILTERS:
            raise serializers.ValidationError(_("Send at most %(most)d filters.") % {"most": MOST_FILTERS})
        if isinstance(data, dict) and any(len(name) > LONGEST_NAME for name in data):
            said = _("A dimension's name has at most %(most)d characters.")
            raise serializers.ValidationError(said % {"most": LONGEST_NAME})
        return super().to_internal_value(data)


class DayField(serializers.DateField):
    """A day that every source's calendar has, and its next one too."""

    def to_internal_value(self, value: Any) -> date:
        day: date = super().to_internal_value(value)
        if not FIRST_DAY <= day <= LAST_DAY:
            said = _("Send a day from %(first)s to %(last)s.")
            raise serializers.ValidationError(said % {"first": FIRST_DAY, "last": LAST_DAY})
        return day


class DateRangeSerializer(serializers.Serializer[Any]):
    """Both days belong to it."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {"from": DayField(required=False), "to": DayField(required=False)}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Of no day there would be a number too, and it would be zero."""
        if attrs.get("from", FIRST_DAY) > attrs.get("to", LAST_DAY):
            raise serializers.ValidationError({"to": _("Send a last day that is not before the first.")})
        return attrs


class AskedMetricSerializer(serializers.Serializer[Any]):
    agent = serializers.CharField(max_length=LONGEST_AGENT)
    source = serializers.CharField(max_length=LONGEST_SOURCE, required=False, default="")  # type: ignore[assignment]  # a field of this name
    metric = serializers.CharField(max_length=LONGEST_NAME)
    filters = DimensionFiltersField(required=False, default=dict)


class AnalyticsSerializer(AskedMetricSerializer):
    dimensions = CountedListField(
        child=serializers.CharField(max_length=LONGEST_NAME), max_length=MOST_DIMENSIONS, required=False, default=list
    )
    date_range = DateRangeSerializer(required=False)
    group_by = serializers.ChoiceField(choices=PERIODS, required=False, default="")


def query_analytics(by: Membership, arguments: Mapping[str, Any]) -> dict[str, Any]:
    reserving.reserve(by, searches=1)
    form = AnalyticsSerializer(data=arguments)
    form.is_valid(raise_exception=True)
    asked = form.validated_data
    days = asked.get("date_range", {})
    split = Split(since=days.get("from"), until=days.get("to"), period=asked["group_by"])
    agent = agent_for(by, asked["agent"])
    metric = find_metric(agent, asked["metric"], asked["source"])
    answer = ask_metric(agent, metric, MetricQuestion(asked["dimensions"], asked["filters"], split), by)
    return {
        **told_metric(metric),
        "columns": answer.columns,
        "rows": answer.rows,
        "row_count": len(answer.rows),
        "truncated": answer.truncated,
    }


def told_metric(metric: Metric) -> dict[str, Any]:
    return {"metric": metric.name, "source": metric.table.source.name, "table": metric.table.name}

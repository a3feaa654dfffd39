"""The tools over an agent's data as forms: what a person fills in becomes the arguments that a program would send."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from agents.api.analytics.trends import MOST_HORIZON
from tools.analytics.rules import folded_name
from tools.models import DataSource, Dimension, Metric, SourceTable
from tools.services import filters
from tools.sql.binding import LONGEST_VALUE
from tools.sql.gate import MOST_CHARACTERS

PERIODS = (
    ("day", _("days")),
    ("week", _("weeks")),
    ("month", _("months")),
    ("quarter", _("quarters")),
    ("year", _("years")),
)
COMPARISONS = (
    ("eq", _("is")), ("ne", _("is not")), ("contains", _("contains")), ("gt", ">"), ("gte", "≥"), ("lt", "<"),
    ("lte", "≤"),
)  # fmt: skip
LONGEST_FIELD, LONGEST_TOLD = 200, 60
WHERE, DIVIDED = "where_", "dimensions_shown"
DAY = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})


class OfMetricForm(forms.Form):
    """Of one metric; each of its dimensions can be held to one value."""

    def __init__(self, *args: Any, metric: Metric, dimensions: Sequence[Dimension]) -> None:
        super().__init__(*args)
        self.metric, self.dimensions = metric, dimensions
        for place, one in enumerate(dimensions):
            label = _("Only where %(dimension)s is") % {"dimension": one.name}
            self.fields[f"{WHERE}{place}"] = forms.CharField(label=label, required=False, max_length=LONGEST_VALUE)

    @property
    def places(self) -> dict[str, str]:
        """Its fields by what they are of: those of dimensions by the name of theirs, however it is written."""
        named = {f"{WHERE}{place}": WHERE + folded_name(one.name) for place, one in enumerate(self.dimensions)}
        return {named.get(name, name): name for name in self.fields}

    @property
    def arguments(self) -> dict[str, Any]:
        told = {name: self.cleaned_data.get(f"{WHERE}{place}") for place, name in enumerate(map(str, self.dimensions))}
        filters = {name: value for name, value in told.items() if value}
        return {"metric": self.metric.name, "source": str(self.metric.table.source_id), "filters": filters}


def carry_over(sent: QueryDict, before: OfMetricForm, after: OfMetricForm) -> tuple[QueryDict, list[str]]:
    """What was filled in for one metric as it would be for another; and in words, what that one has no place for."""
    carried, left = QueryDict(mutable=True), []
    dimensions = {folded_name(one.name): one.name for one in after.dimensions}
    for meaning, name in before.places.items():
        filled = [one for one in sent.getlist(name) if one]
        there = filled if meaning in after.places else []
        if name == DIVIDED:
            there = [one for one in filled if folded_name(one) in dimensions]
            carried.setlist(name, [dimensions[folded_name(one)] for one in there])
        elif there:
            carried.setlist(after.places[meaning], there)
        left += [_in_words(before.fields[name], one) for one in filled if one not in there]
    return carried, left


def _in_words(field: forms.Field, value: str) -> str:
    called = dict(PERIODS).get(value) or Truncator(value).chars(LONGEST_TOLD)
    return _("%(field)s “%(value)s”") % {"field": field.label, "value": called}


def fill_in(form: OfMetricForm, sent: QueryDict) -> None:
    """For somebody who goes on filling it in: nothing is looked at yet."""
    form.initial = {name: sent.getlist(name) if name == DIVIDED else sent[name] for name in form.fields if name in sent}


class NumbersForm(OfMetricForm):
    """`query_analytics`."""

    dimensions_shown = forms.MultipleChoiceField(
        label=_("Divided by"), required=False, widget=forms.CheckboxSelectMultiple
    )
    group_by = forms.ChoiceField(label=_("In periods of"), required=False, choices=(("", "–"), *PERIODS))
    since = forms.DateField(label=_("From (this day too)"), required=False, widget=DAY)
    until = forms.DateField(label=_("Until (this day too)"), required=False, widget=DAY)

    def __init__(self, *args: Any, metric: Metric, dimensions: Sequence[Dimension]) -> None:
        super().__init__(*args, metric=metric, dimensions=dimensions)
        offered = self.fields[DIVIDED]
        assert isinstance(offered, forms.MultipleChoiceField)
        offered.choices = [(one.name, one.name) for one in dimensions]
        unused = () if dimensions else (DIVIDED,)
        for name in unused if metric.time_column else (*unused, "group_by", "since", "until"):
            del self.fields[name]

    @property
    def arguments(self) -> dict[str, Any]:
        period = self.cleaned_data.get("group_by", "")
        days = {"from": self.cleaned_data.get("since"), "to": self.cleaned_data.get("until")}
        return {
            **super().arguments,
            "dimensions": self.cleaned_data.get(DIVIDED, []),
            **({"group_by": period} if period else {}),
            "date_range": {name: day.isoformat() for name, day in days.items() if day},
        }


class TrendForm(OfMetricForm):
    """`get_trends`."""

    period = forms.ChoiceField(label=_("In periods of"), choices=PERIODS, initial="month")

    @property
    def arguments(self) -> dict[str, Any]:
        named = super().arguments
        entity = named.pop("metric")
        return {**named, "entity": entity, "period": self.cleaned_data["period"]}


class ForecastForm(OfMetricForm):
    """`forecast`."""

    period = forms.ChoiceField(label=_("In periods of"), choices=PERIODS, initial="month")
    horizon = forms.IntegerField(label=_("Periods to come"), min_value=1, max_value=MOST_HORIZON, initial=6)

    @property
    def arguments(self) -> dict[str, Any]:
        said = {name: self.cleaned_data[name] for name in ("period", "horizon")}
        return {**super().arguments, **said}


class StatementForm(forms.Form):
    """`query`."""

    source = forms.ChoiceField(label=_("Data source"))
    sql = forms.CharField(
        label=_("One SELECT over its tables"),
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "code"}),
    )

    def __init__(self, *args: Any, sources: Sequence[DataSource]) -> None:
        super().__init__(*args)
        offered = self.fields["source"]
        assert isinstance(offered, forms.ChoiceField)
        offered.choices = [(str(one.pk), one.name) for one in sources]

    @property
    def arguments(self) -> dict[str, Any]:
        return {"source": self.cleaned_data["source"], "sql": self.cleaned_data["sql"]}


class RecordsForm(forms.Form):
    """`query_crm`, with one condition at most."""

    entity = forms.ChoiceField(label=_("Entity"))
    field = forms.CharField(label=_("Only where this field"), required=False, max_length=LONGEST_FIELD)
    operator = forms.ChoiceField(label=_("compared so"), choices=COMPARISONS, required=False)
    value = forms.CharField(label=_("has this value"), required=False, max_length=filters.LONGEST_VALUE)

    def __init__(self, *args: Any, entities: Sequence[SourceTable]) -> None:
        super().__init__(*args)
        offered = self.fields["entity"]
        assert isinstance(offered, forms.ChoiceField)
        self.entities = {str(one.pk): one for one in entities}
        offered.choices = [(pk, f"{one.source.name}: {one.name}") for pk, one in self.entities.items()]

    @property
    def arguments(self) -> dict[str, Any]:
        table = self.entities[self.cleaned_data["entity"]]
        field, operator = self.cleaned_data.get("field"), self.cleaned_data.get("operator") or "eq"
        condition = {field: {operator: self.cleaned_data.get("value", "")}} if field else {}
        return {"source": str(table.source_id), "entity": table.name, "filter": condition}


FORMS: Mapping[str, tuple[Promise, type[OfMetricForm]]] = {
    "query_analytics": (_("Numbers"), NumbersForm),
    "get_trends": (_("Trend"), TrendForm),
    "forecast": (_("Forecast"), ForecastForm),
}

"""What is named in a table, on the table's page; and all of a source's at once, as YAML."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from accounts.admin.rows import RowForm
from accounts.admin.scope import OrganizationInline
from accounts.models import Membership
from accounts.problems import faults_in
from tools.analytics import definitions, rules
from tools.analytics.written import read_yaml, write_yaml
from tools.api.metrics import DefinitionsSerializer, shown_definitions
from tools.models import DataSource, Dimension, Metric, SourceTable
from tools.problems import told_refusal
from tools.services.plain import YamlRefused

COLUMNS = ("column", "time_column")


class SynonymsFormField(forms.CharField):
    """A JSON list of names, written with commas between them."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        words = value if isinstance(value, list) else (value or "").split(",")
        return list(dict.fromkeys(word.strip() for word in words if word.strip()))

    def validate(self, value: Any) -> None:
        if len(value) > rules.MOST_SYNONYMS or any(len(word) > rules.LONGEST_NAME for word in value):
            raise forms.ValidationError(
                gettext_lazy("At most %(count)d names of up to %(length)d characters each."),
                params={"count": rules.MOST_SYNONYMS, "length": rules.LONGEST_NAME},
            )

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data) != (initial or []))


class DefinedForm(RowForm):
    """What is wrong with it, the API's own rules say."""

    synonyms = SynonymsFormField(label=gettext_lazy("synonyms"), required=False, widget=UnfoldAdminTextInputWidget)

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]  # django-stubs leaves Django's private hook out
        if self.errors or not self.has_changed():
            return
        for field, said in self.faults().items():
            self.add_error(field, said)

    def faults(self) -> rules.Faults:
        names = [rules.fault_of_name(one) for one in self.instance.names]
        return {"name": fault} if (fault := next(filter(None, names), None)) else {}


class MetricForm(DefinedForm):
    class Meta:
        model = Metric
        fields = ("name", "aggregate", "column", "expression", "time_column", "synonyms", "description")

    def faults(self) -> rules.Faults:
        others = definitions.tables_with_definitions(self.instance.table.source)
        taken = {
            rules.folded_name(one.name) for table in others for one in table.metrics.all() if one.pk != self.instance.pk
        }
        if rules.folded_name(self.instance.name) in taken:
            return {"name": _("Another one has this name.")}
        return super().faults() or rules.faults_of_metric(self.instance)


class DimensionForm(DefinedForm):
    class Meta:
        model = Dimension
        fields = ("name", "column", "synonyms", "description")

    def faults(self) -> rules.Faults:
        return super().faults() or rules.faults_of_dimension(self.instance)


class DefinedInline(OrganizationInline):
    writes = frozenset({"add", "change", "delete"})
    hide_title = True

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Columns are chosen among those that may be read."""
        formset = super().get_formset(request, obj, **kwargs)
        for name in COLUMNS:
            if name in formset.form.base_fields:
                formset.form.base_fields[name] = column_field(obj, formset.form.base_fields[name])
        return formset


class MetricInline(DefinedInline):
    model = Metric
    form = MetricForm
    verbose_name_plural = gettext_lazy("metrics")
    fields = MetricForm.Meta.fields


class DimensionInline(DefinedInline):
    model = Dimension
    form = DimensionForm
    verbose_name_plural = gettext_lazy("dimensions")
    fields = DimensionForm.Meta.fields


def column_field(table: SourceTable | None, field: Any) -> forms.ChoiceField:
    names = sorted(rules.open_columns(table)) if table else []
    choices = [("", "–"), *((one, one) for one in names)]
    named = UnfoldAdminSelectWidget(attrs={"aria-label": field.label})
    return forms.ChoiceField(choices=choices, required=field.required, label=field.label, widget=named)


def metrics_page(
    page: ModelAdmin[DataSource], request: HttpRequest, source: DataSource, by: Membership
) -> HttpResponse:
    """GET: all of a source's, as YAML. POST: those of the text and no others, or what is wrong with it."""
    text, faults = write_yaml(shown_definitions(source)), list[str]()
    if request.method == "POST":
        text = request.POST.get("definitions", "")
        faults = take_yaml(text, source, by)
        if not faults:
            page.message_user(request, _("The metrics and dimensions are kept."), messages.SUCCESS)
            return redirect(request.path)
    context = {
        **page.admin_site.each_context(request),
        "opts": page.opts,
        "title": _("Metrics of %(name)s") % {"name": source},
        "source": source,
        "definitions": text,
        "faults": faults,
    }
    return TemplateResponse(request, "admin/tools/metrics.html", context, status=400 if faults else 200)


def take_yaml(text: str, source: DataSource, by: Membership) -> list[str]:
    """What is wrong, by line or by field; nothing once it is kept."""
    try:
        found = read_yaml(text)
    except YamlRefused as refusal:
        return [told_refusal(refusal)]
    form = DefinitionsSerializer(data=found, context={"source": source})
    if not form.is_valid():
        return [f"{path}: {said}" for path, said in faults_in(form.errors)]
    definitions.keep_definitions(by, source, **form.validated_data)
    return []

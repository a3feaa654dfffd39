"""On an agent's page: the tables of data sources that it reads."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget

from accounts.admin.rows import RowForm, related_text
from accounts.admin.scope import OrganizationInline
from accounts.models import Membership
from agents import granting
from agents.models import Agent, ReachableTable


class NamedTables(forms.ModelChoiceField):  # type: ignore[type-arg]  # at run time it takes no parameters
    """Tables with their sources: two sources may have one of the same name."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.source} › {obj.full_name}"


class ReachableTableForm(RowForm):
    class Meta:
        model = ReachableTable
        fields = ("table",)

    def _post_clean(self) -> None:
        """The model's rule compares agent and table; without a valid table there is nothing to compare."""
        if self.cleaned_data.get("table"):
            super()._post_clean()  # type: ignore[misc]  # django-stubs leaves Django's private hook out


class TableInline(OrganizationInline):
    model = ReachableTable
    form = ReachableTableForm
    writes = frozenset({"add", "delete"})
    verbose_name = _("table of a data source")
    verbose_name_plural = _("tables of data sources that it reads")
    fields = ("table", "given_by", "created_at")
    readonly_fields = ("given_by", "created_at")
    hide_title = True
    given_by = related_text("created_by", _("given by"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("table__source", "agent", "created_by")

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "table":
            kwargs |= {"form_class": NamedTables, "widget": UnfoldAdminSelectWidget}
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Offers tables of the agent's own organization, also to operators, who see all of them."""
        formset = super().get_formset(request, obj, **kwargs)
        field: Any = formset.form.base_fields.get("table")
        if obj and field:
            field.queryset = field.queryset.filter(source__organization_id=obj.organization_id)
        return formset


def save_tables(agent: Agent, formset: Any, by: Membership) -> None:
    for gone in formset.deleted_objects:
        granting.take_table(agent, gone.table, by)
    for new in formset.new_objects:
        granting.give_table(agent, new.table, by)

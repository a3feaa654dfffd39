"""Admin of a chosen table: what it and its columns are, in words, and which columns are masked."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.rows import RowForm
from accounts.admin.scope import OrganizationAdmin, OrganizationInline
from tools import sources
from tools.admin.metrics import DimensionInline, MetricInline
from tools.models import SourceColumn, SourceTable
from tools.sql.statements import MAIN


def _table_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    return SourceTable.objects.filter(pk__in=ids, source__organization__in=homes).values_list("pk", "name")


name_for_audit("sourcetable", _table_names)


class TableForm(RowForm):
    class Meta:
        model = SourceTable
        fields = ("description",)


class SourceColumnInline(OrganizationInline):
    """A column that is not masked is read by every agent that is given the table."""

    model = SourceColumn
    writes = frozenset({"change"})
    fields = ("name", "type", "description", "is_masked")
    readonly_fields = ("name", "type")
    hide_title = True
    verbose_name_plural = _("columns")


@admin.register(SourceTable)
class TableAdmin(OrganizationAdmin):
    """Tables come in through their source; here they are described, or taken from all agents."""

    organization_path = "source__organization"
    form = TableForm
    writes = frozenset({"change", "delete"})
    inlines = (SourceColumnInline, MetricInline, DimensionInline)

    def get_inlines(self, request: HttpRequest, obj: SourceTable | None) -> Any:
        """What has no SQL has no metrics."""
        return (SourceColumnInline,) if obj and obj.source.is_service else self.inlines

    list_display = ("name", "schema_shown", "source", "column_count", "agent_count")
    list_filter = (("source", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("source__organization",)
    search_fields = ("name__matches", "description__matches")
    readonly_fields = ("source", "schema_shown", "name")
    fieldsets = ((None, {"fields": (("source", "schema_shown", "name"), "description")}),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        counted: QuerySet[Any] = (
            super()
            .get_queryset(request)
            .select_related("source__organization")
            .annotate(columns_chosen=Count("columns", distinct=True), agents_given=Count("reached_by", distinct=True))
        )
        return counted

    @admin.display(description=_("schema"), ordering="schema")
    def schema_shown(self, obj: SourceTable) -> str:
        """Files have none."""
        return "–" if obj.schema == MAIN else obj.schema

    @admin.display(description=_("columns"), ordering="columns_chosen")
    def column_count(self, obj: Any) -> int:
        return int(obj.columns_chosen)

    @admin.display(description=_("agents"), ordering="agents_given")
    def agent_count(self, obj: Any) -> int:
        return int(obj.agents_given)

    def save_model(self, request: HttpRequest, obj: SourceTable, form: Any, change: bool) -> None:
        obj.save(update_fields=["description"])

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        fields = {*form.changed_data, *(name for one in formsets[0].forms for name in one.changed_data)}
        if any(one.has_changed() for one in formsets[1:]):
            fields.add("metrics")
        if fields:
            sources.note_table(self.by(request, form.instance), form.instance, "changed", *fields)

    def delete_model(self, request: HttpRequest, obj: SourceTable) -> None:
        sources.drop_table(self.by(request, obj), obj)

"""On an agent's page: the tools of other services that it may call."""

from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget

from accounts.admin.rows import RowForm, related_text
from accounts.admin.scope import OrganizationInline
from accounts.models import Membership
from agents import granting
from agents.models import Agent, ReachableTool
from foreign.models import ForeignTool


class NamedTools(forms.ModelChoiceField):  # type: ignore[type-arg]  # at run time it takes no parameters
    """Tools with their servers: two servers may have one of the same name."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.server} › {obj.name}"


class ReachableToolForm(RowForm):
    class Meta:
        model = ReachableTool
        fields = ("tool",)

    def _post_clean(self) -> None:
        """The model's rule compares agent and tool; without a valid tool there is nothing to compare."""
        if self.cleaned_data.get("tool"):
            super()._post_clean()  # type: ignore[misc]  # django-stubs leaves Django's private hook out


class LentToolInline(OrganizationInline):
    model = ReachableTool
    form = ReachableToolForm
    writes = frozenset({"add", "delete"})
    verbose_name = _("tool of another service")
    verbose_name_plural = _("tools of other services that it calls")
    fields = ("tool", "is_offered", "given_by", "created_at")
    readonly_fields = ("is_offered", "given_by", "created_at")
    hide_title = True
    given_by = related_text("created_by", _("given by"))

    def is_offered(self, obj: ReachableTool) -> bool:
        return obj.tool.is_offered and obj.tool.server.is_active

    is_offered.boolean = True  # type: ignore[attr-defined]  # Django's way to say how it is shown
    is_offered.short_description = _("offered now")  # type: ignore[attr-defined]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("tool__server", "agent", "created_by")

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "tool":
            none = ForeignTool.objects.none()
            kwargs |= {"form_class": NamedTools, "widget": UnfoldAdminSelectWidget, "queryset": none}
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Offers chosen tools of the agent's own organization, also to operators, who see all of them."""
        formset = super().get_formset(request, obj, **kwargs)
        field: Any = formset.form.base_fields.get("tool")
        if obj and field:
            own = ForeignTool.objects.filter(server__organization_id=obj.organization_id)
            field.queryset = own.filter(
                Q(pk__in=own.offered().values("pk")) | Q(pk__in=obj.reachable_tools.values("tool"))
            ).select_related("server")
        return formset


def save_tools(agent: Agent, formset: Any, by: Membership) -> None:
    for gone in formset.deleted_objects:
        granting.take_tool(agent, gone.tool, by)
    for new in formset.new_objects:
        granting.lend_tool(agent, new.tool, by)

"""Admin of what a directory keeps: its users and groups are shown, and which groups make admins is chosen here."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.rows import label_display, moment_display
from accounts.admin.scope import OrganizationAdmin
from accounts.members import lock_members
from provisioning.groups import map_to_admins
from provisioning.models import DirectoryGroup, DirectoryUser

name_for_audit(
    "directoryuser",
    lambda ids, homes: DirectoryUser.objects.filter(pk__in=ids, organization__in=homes).values_list("pk", "user_name"),
)
name_for_audit(
    "directorygroup",
    lambda ids, homes: DirectoryGroup.objects.filter(pk__in=ids, organization__in=homes).values_list(
        "pk", "display_name"
    ),
)


@admin.register(DirectoryUser)
class DirectoryUserAdmin(OrganizationAdmin):
    """Read-only: a member is removed and switched off where members are."""

    list_display = ("user_name", "display_name", "email", "state", "is_claimed", "changed_at")
    list_filter = ("is_active", "is_claimed")
    list_select_related = ("membership", "organization")
    search_fields = ("user_name__matches", "display_name__matches", "email")
    fields = ("user_name", "display_name", "email", "external_id", "state", "is_claimed", "created_at", "changed_at")
    readonly_fields = fields

    @moment_display(_("last changed"), ordering="updated_at")
    def changed_at(self, obj: DirectoryUser) -> datetime:
        return obj.updated_at

    @label_display(
        _("state"), {"member": "success", "invited": "info", "off": "warning"}, ordering="membership__is_active"
    )
    def state(self, obj: DirectoryUser) -> tuple[str, str]:
        if not obj.opens:
            return "off", str(_("off"))
        return ("member", str(_("member"))) if obj.membership else ("invited", str(_("invited")))


@admin.register(DirectoryGroup)
class DirectoryGroupAdmin(OrganizationAdmin):
    writes = frozenset({"change"})
    list_display = ("display_name", "user_count", "makes_admins", "changed_at")
    list_filter = ("makes_admins",)
    list_select_related = ("organization",)
    search_fields = ("display_name__matches", "external_id")
    fields = ("display_name", "external_id", "user_count", "makes_admins", "created_at", "changed_at")
    readonly_fields = ("display_name", "external_id", "user_count", "created_at", "changed_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        groups: QuerySet[Any] = super().get_queryset(request)
        counted: QuerySet[Any] = groups.annotate(user_count=Count("users"))
        return counted

    @moment_display(_("last changed"), ordering="updated_at")
    def changed_at(self, obj: DirectoryGroup) -> datetime:
        return obj.updated_at

    @admin.display(description=_("users"), ordering="user_count")
    def user_count(self, obj: Any) -> int:
        return int(obj.user_count)

    def save_model(self, request: HttpRequest, obj: DirectoryGroup, form: Any, change: bool) -> None:
        if "makes_admins" in form.changed_data:
            by = self.by(request, obj)
            lock_members(by)
            map_to_admins(by, obj, obj.makes_admins)

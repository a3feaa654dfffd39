"""The page of the audit log: sentences with their time, filtered by who, what and when; the row itself folded away."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import named_in
from accounts.admin.auditing.sentences import FAMILIES, family_choices, sentence
from accounts.admin.csv_export import csv_response
from accounts.admin.rows import related_text
from accounts.admin.scope import OrganizationAdmin
from accounts.models import AuditEvent
from config.concurrency.threads import in_thread

AUDIT_BATCH = 2_000  # events of an export read at once


class FamilyFilter(admin.SimpleListFilter):
    title = _("what")
    parameter_name = "about"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return family_choices()

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        family = FAMILIES.get(self.value() or "")
        return queryset.filter(object_type__in=family[1]) if family else queryset


@admin.register(AuditEvent)
class AuditEventAdmin(OrganizationAdmin):
    """Who changed what; append-only (RELIABILITY R27)."""

    list_display = ("said", "when")
    list_filter = (FamilyFilter, ("actor", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("actor", "organization")
    list_per_page = 50
    date_hierarchy = "created_at"
    search_fields = ("object_id", "actor__email", "actor__name__matches")
    fieldsets = (
        (None, {"fields": ("said", "when")}),
        (
            _("Technical details"),
            {"classes": ("collapse",), "fields": ("created_at", "who", "verb", "kind", "key", "kept")},
        ),
    )
    readonly_fields = ("said", "when", "created_at", "who", "verb", "kind", "key", "kept")
    who = related_text("actor", _("who"))
    verb = related_text("action", _("action"))
    kind = related_text("object_type", _("object type"))
    key = related_text("object_id", _("object id"))
    actions = ("export_csv",)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Names are looked up for the page as a whole."""
        page = super().get_changelist_instance(request)
        page.result_list = list(page.result_list)
        names = named_in(page.result_list)
        for event in page.result_list:
            event.sentence = sentence(event, names)
        return page

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Under its own heading: the row's name is made of words of the code."""
        named = {"title": _("An entry of the audit log"), "subtitle": None}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **named})

    @admin.display(description=_("what happened"))
    def said(self, obj: Any) -> str:
        return str(getattr(obj, "sentence", None) or sentence(obj, named_in([obj])))

    @admin.display(description=_("when"), ordering="created_at")
    def when(self, obj: AuditEvent) -> str:
        return moment(obj)

    @admin.display(description=_("changes"))
    def kept(self, obj: AuditEvent) -> str:
        return json.dumps(obj.changes, ensure_ascii=False)

    @admin.action(description=_("Export as CSV"), permissions=["view"])
    def export_csv(self, request: HttpRequest, queryset: QuerySet[AuditEvent]) -> StreamingHttpResponse:
        header = ("time", "actor", "action", "object_type", "object_id", "changes")
        return csv_response("audit.csv", header, audit_rows(queryset))


def moment(event: AuditEvent) -> str:
    """`yesterday 14:02`; of earlier days their date."""
    at, today = timezone.localtime(event.created_at), timezone.localdate()
    near = {today: gettext("today"), today - timedelta(days=1): gettext("yesterday")}
    return f"{near.get(at.date()) or date_format(at, 'DATE_FORMAT')} {at:%H:%M}"


async def audit_rows(events: QuerySet[AuditEvent]) -> AsyncIterator[list[tuple[Any, ...]]]:
    """Oldest first, AUDIT_BATCH at a time, each batch from where the last one ended: nothing comes twice."""
    all_of_them = events.select_related("actor").order_by("created_at", "pk")
    rest = all_of_them
    while batch := await in_thread(list[AuditEvent], rest[:AUDIT_BATCH]):
        yield [
            (one.created_at.isoformat(), one.actor and one.actor.email, one.action, one.object_type, one.object_id,
             one.changes)
            for one in batch
        ]  # fmt: skip
        last = batch[-1]
        rest = all_of_them.filter(Q(created_at__gt=last.created_at) | Q(created_at=last.created_at, pk__gt=last.pk))

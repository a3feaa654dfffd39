"""The log: what webhooks were told, each with its attempts, and sent again where that is wanted."""

import json
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _

from accounts.admin.rows import label_display, moment_display, related_text
from accounts.admin.scope import OrganizationAdmin, OrganizationInline
from accounts.limits import reserving
from webhooks import keeping
from webhooks.models import Delivery, DeliveryAttempt
from webhooks.outcomes import reason_in_words

STATE_COLOURS = {"waiting": "info", "sent": "success", "failed": "danger"}


class AttemptInline(OrganizationInline):
    model = DeliveryAttempt
    fields = ("created_at", "said", "status", "milliseconds", "answer")
    readonly_fields = fields
    hide_title = True
    verbose_name_plural = _("attempts")

    @admin.display(description=_("outcome"))
    def said(self, obj: DeliveryAttempt) -> str:
        return reason_in_words(obj.reason)


@admin.register(Delivery)
class DeliveryAdmin(OrganizationAdmin):
    organization_path = "webhook__organization"
    inlines = (AttemptInline,)
    list_display = ("created_at", "event", "shown_state", "attempts", "last_outcome", "hook")
    list_filter = (("webhook", admin.RelatedOnlyFieldListFilter), "status", "event")
    list_select_related = ("webhook__organization",)
    list_per_page = 50
    fieldsets = (
        (None, {"fields": ("hook", "event", "shown_state", "attempts", "next_attempt")}),
        (_("Technical details"), {"classes": ("collapse",), "fields": ("message_id", "told")}),
    )
    readonly_fields = ("hook", "event", "shown_state", "attempts", "next_attempt", "message_id", "told")
    change_form_outer_before_template = "admin/webhooks/_delivery.html"
    hook = related_text("webhook", _("webhook"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        latest = DeliveryAttempt.objects.filter(delivery=OuterRef("pk")).order_by("-created_at", "-pk")
        rows = super().get_queryset(request).select_related("webhook__organization")
        annotated: QuerySet[Any] = rows.annotate(last_reason=Subquery(latest.values("reason")[:1]))
        return annotated

    def get_urls(self) -> list[URLPattern]:
        again = self.admin_site.admin_view(self.again)
        return [path("<uuid:pk>/again/", again, name="webhooks_again"), *super().get_urls()]

    def again(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """POST alone. For everybody but its organization's admins there is no such delivery."""
        delivery = self.get_queryset(request).filter(pk=pk).first()
        if delivery is None or request.method != "POST":
            raise Http404
        self.shown(request, self.send_again, delivery)
        return redirect(reverse("admin:webhooks_delivery_change", args=[delivery.pk]))

    def send_again(self, request: HttpRequest, delivery: Delivery) -> HttpResponse:
        by = self.by(request, delivery)
        reserving.reserve(by, writes=1)
        keeping.send_again(by, delivery.webhook, delivery)
        self.message_user(request, _("It is on its way. Reload this page in a few seconds."), messages.SUCCESS)
        return HttpResponse()

    @label_display(_("state"), STATE_COLOURS, ordering="status")
    def shown_state(self, obj: Delivery) -> tuple[str, str]:
        return obj.status, obj.get_status_display()

    @admin.display(description=_("last outcome"))
    def last_outcome(self, obj: Any) -> str:
        return reason_in_words(obj.last_reason) if obj.last_reason else "–"

    @moment_display(_("next attempt"))
    def next_attempt(self, obj: Delivery) -> datetime | None:
        return obj.not_before if obj.status == Delivery.Status.WAITING else None

    @admin.display(description="webhook-id")
    def message_id(self, obj: Delivery) -> str:
        return obj.message_id

    @admin.display(description=_("what is told"))
    def told(self, obj: Delivery) -> str:
        return json.dumps(obj.data, ensure_ascii=False)

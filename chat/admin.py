"""Admin of operations: traces and usage, numbers only. Conversations are their users' and not here."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from accounts.admin_rows import labelled
from accounts.admin_scope import OrganizationAdmin, admin_membership, is_operator
from chat.models import Trace
from chat.usage import DAYS, usage

CONFIDENCE_COLOURS = {"high": "success", "medium": "info", "low": "warning", "none": "danger"}


@admin.register(Trace)
class TraceAdmin(OrganizationAdmin):
    """One retrieval and its answer as numbers: no text, no passage, and not whose question it was."""

    organization_path = "agent__organization"
    list_display = (
        "created_at", "agent", "confidence_shown", "score_shown", "granularity", "scope_size", "kept",
        "dropped_shown", "degraded", "timings_shown",
    )  # fmt: skip
    list_filter = ("confidence", "degraded", ("agent", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("agent__organization",)
    list_before_template = "admin/chat/_usage_link.html"
    list_per_page = 50
    date_hierarchy = "created_at"
    fields = (
        "created_at", "agent", "confidence", "score_shown", "granularity", "scope_size", "kept",
        "dropped_shown", "degraded", "timings_shown",
    )  # fmt: skip
    readonly_fields = fields

    def get_urls(self) -> list[URLPattern]:
        page = self.admin_site.admin_view(self.usage_view)
        return [path("usage/", page, name="chat_usage"), *super().get_urls()]

    def usage_view(self, request: HttpRequest) -> TemplateResponse:
        """The last days of the admin's organization; for operators, of all of them."""
        if not self.has_view_permission(request):
            raise Http404
        membership = None if is_operator(request) else admin_membership(request)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Usage"),
            "organization": membership.organization if membership else None,
            "days": DAYS,
            "usage": usage(membership.organization_id if membership else None),
        }
        return TemplateResponse(request, "admin/chat/usage.html", context)

    @labelled(_("confidence"), CONFIDENCE_COLOURS, ordering="confidence")
    def confidence_shown(self, obj: Trace) -> tuple[str, str]:
        return obj.confidence.lower(), obj.confidence

    @admin.display(description=_("score"), ordering="score")
    def score_shown(self, obj: Trace) -> str:
        return f"{obj.score:.2f}"

    @admin.display(description=_("passages"))
    def kept(self, obj: Trace) -> int:
        return len(obj.candidates)

    @admin.display(description=_("dropped"))
    def dropped_shown(self, obj: Trace) -> str:
        return numbers(obj.dropped) or "–"

    @admin.display(description=_("timings (ms)"))
    def timings_shown(self, obj: Trace) -> str:
        return numbers(obj.timings) or "–"


def numbers(values: Mapping[str, Any]) -> str:
    """`embed 3 · search 12`; what is not a number is left out."""
    return " · ".join(f"{name} {round(value)}" for name, value in values.items() if isinstance(value, int | float))

"""Admin of operations: traces, usage and the retrieval playground. Conversations are their users' and not here."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.admin.rows import label_display, related_text
from accounts.admin.scope import OrganizationAdmin, admin_membership, is_operator
from accounts.http.principal import membership_of_session
from accounts.limits import reserving
from accounts.problems import QuotaExceeded
from agents.models import Agent
from chat.admin import playground, trace
from chat.admin.filters import ConfidenceFilter, GateFilter, RatingFilter, SlowFilter, StateFilter, WithoutFilter
from chat.admin.usage import DAYS, adaptive_usage, usage
from chat.answering.state import LABELS, State
from chat.models import Trace
from chat.rendering.codes import code_spoken, code_text

CONFIDENCE_COLOURS = {"high": "success", "medium": "info", "low": "warning", "none": "danger"}


@admin.register(Trace)
class TraceAdmin(OrganizationAdmin):
    """One answer's record: what was asked, searched, scored, tried and spent. No passage, and not whose it was; nor
    what was asked where somebody's own documents were in reach."""

    organization_path = "agent__organization"
    list_display = (
        "created_at", "question", "agent", "confidence_shown", "score_shown", "gate_shown", "state_shown",
        "tries", "degradation", "total_shown",
    )  # fmt: skip
    list_filter = (
        ConfidenceFilter,
        GateFilter,
        WithoutFilter,
        StateFilter,
        RatingFilter,
        SlowFilter,
        ("agent", admin.RelatedOnlyFieldListFilter),
    )
    search_fields = ("query__matches", "request_id__exact")
    list_select_related = ("agent__organization", "message")
    list_before_template = "admin/chat/_usage_link.html"
    list_per_page = 50
    date_hierarchy = "created_at"
    fieldsets = (
        (None, {"fields": ("created_at", "asked", "searched_for", "asked_of", "answered_by", "asked_by")}),
        (
            _("Retrieval"),
            {"fields": (
                ("level", "score_shown"), ("gate_shown", "state_shown"), ("corpora", "size"), "degradation",
                "dropped_shown", "cost_shown",
            )},
        ),
        (None, {"fields": ("details",)}),
    )  # fmt: skip
    readonly_fields = (
        "created_at", "asked", "searched_for", "asked_of", "answered_by", "asked_by", "level", "score_shown",
        "gate_shown", "state_shown", "corpora", "size", "degradation", "dropped_shown", "cost_shown", "details",
    )  # fmt: skip
    asked_of = related_text("agent", _("agent"))
    answered_by = related_text("model", _("model"))
    asked_by = related_text("request_id", _("request (X-Request-ID)"))
    level = code_text("confidence", _("confidence"))
    gate_shown = code_text("gate", _("gate"))
    corpora = related_text("scope_size", _("corpora in scope"))
    size = related_text("granularity", _("size of passages (tokens)"))
    degradation = code_text("degraded", _("without"))

    def get_urls(self) -> list[URLPattern]:
        usage_page = self.admin_site.admin_view(self.usage_view)
        playground_page = self.admin_site.admin_view(self.playground_view)
        return [
            path("usage/", usage_page, name="chat_usage"),
            path("playground/", playground_page, name="chat_playground"),
            *super().get_urls(),
        ]

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> Any:
        """Under what it is: a trace has no name but its id."""
        named = {"title": _("Trace of an answer"), "subtitle": None}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **named})

    def usage_view(self, request: HttpRequest) -> TemplateResponse:
        """The last days of the admin's organization; for operators, of all of them."""
        if not self.has_view_permission(request):
            raise Http404
        membership = None if is_operator(request) else admin_membership(request)
        organization_id = membership.organization_id if membership else None
        context = {
            **self.admin_site.each_context(request),
            "title": _("Usage"),
            "organization": membership.organization if membership else None,
            "days": DAYS,
            "usage": usage(organization_id),
            "adaptive": adaptive_usage(organization_id),
        }
        return TemplateResponse(request, "admin/chat/usage.html", context)

    def playground_view(self, request: HttpRequest) -> HttpResponse:
        """One question under two settings, in the admin's own scope (`chat.admin.playground`)."""
        membership = membership_of_session(request)
        if not self.has_view_permission(request):
            raise Http404
        if membership is None:  # an operator's menu has it too
            self.message_user(
                request, _("The playground searches as a member of an organization, and you belong to none."),
                messages.INFO,
            )  # fmt: skip
            return redirect("admin:index")
        asked = playground.settings_asked(request.GET) if "q" in request.GET else None
        question = playground.QuestionForm(Agent.objects.of_organization(membership), asked)
        sides = [playground.Side(name, playground.side_form(asked, name)) for name in playground.SIDES]
        refused = None
        if asked is not None and all([question.is_valid(), *(side.form.is_valid() for side in sides)]):
            agent, query = question.cleaned_data["agent"], question.cleaned_data["q"]
            try:
                reserving.reserve(membership, searches=len(sides))
                sides = list(playground.compare_sides(
                    [(one.name, one.form, playground.search_side(agent, membership, query, one.form)) for one in sides]
                ))  # fmt: skip
            except QuotaExceeded as problem:
                self.message_user(request, str(problem.detail), messages.ERROR)
                refused = problem
        context = {
            **self.admin_site.each_context(request),
            "title": _("Retrieval playground"),
            "question": question,
            "sides": sides,
        }
        status, headers = (refused.status_code, refused.headers) if refused else (200, {})
        return TemplateResponse(request, "admin/chat/playground.html", context, status=status, headers=headers)

    @label_display(_("confidence"), CONFIDENCE_COLOURS, ordering="confidence")
    def confidence_shown(self, obj: Trace) -> tuple[str, str]:
        return obj.confidence.lower(), code_spoken(obj.confidence)

    @admin.display(description=_("score"), ordering="score")
    def score_shown(self, obj: Trace) -> str:
        return f"{obj.score:.2f}"

    @admin.display(description=_("state"), ordering="message__state")
    def state_shown(self, obj: Trace) -> str:
        """How far the answer rests on documents; of a program's search, and before an answer has ended, nothing."""
        state = obj.message.state if obj.message else ""
        return str(LABELS[State(state)]) if state else "–"

    @admin.display(description=_("question"), ordering="query")
    def question(self, obj: Trace) -> str:
        return Truncator(self.asked(obj)).chars(80)

    @admin.display(description=_("question"))
    def asked(self, obj: Trace) -> str:
        return gettext("not kept: personal documents were in reach") if obj.is_personal else obj.query or "–"

    @admin.display(description=_("searched for"))
    def searched_for(self, obj: Trace) -> str:
        return "–" if obj.is_personal else obj.condensed_query or gettext("the question as it was asked")

    @admin.display(description=_("attempts"))
    def tries(self, obj: Trace) -> int:
        return len(obj.attempts) or 1

    @admin.display(description=_("cost (US dollars)"))
    def cost_shown(self, obj: Trace) -> str:
        return "–" if obj.cost is None else f"{obj.cost:.6f}"

    @admin.display(description=_("time (ms)"))
    def total_shown(self, obj: Trace) -> str:
        total = obj.timings.get("total")
        return f"{total:.0f}" if isinstance(total, int | float) else "–"

    @admin.display(description=_("details"))
    def details(self, obj: Trace) -> SafeString:
        context = {
            "trace": obj,
            "replay": obj.condensed_query or obj.query,
            "attempts": obj.attempts,
            "calls": trace.calls_made(obj),
            "candidates": trace.candidates(obj),
            "more": max(0, len(obj.candidates) - trace.SHOWN),
            "stages": trace.stages(obj.timings),
            "usage": obj.usage,
        }
        return render_to_string("admin/chat/_trace.html", context)

    @admin.display(description=_("dropped"))
    def dropped_shown(self, obj: Trace) -> str:
        named = {code_spoken("dropped_rank" if one == "rank" else one): n for one, n in obj.dropped.items()}
        return numbers_as_text(named) or "–"


def numbers_as_text(values: Mapping[str, Any]) -> str:
    """`embed 3 · search 12`; what is not a number is left out."""
    return " · ".join(f"{name} {round(value)}" for name, value in values.items() if isinstance(value, int | float))

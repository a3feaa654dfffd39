"""Admin of agents: who they are, what answers, how they retrieve, and which global corpora they read."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.rows import RowForm, related_text
from accounts.admin.scope import OrganizationAdmin, OrganizationInline
from accounts.problems import Problem
from accounts.tenancy.scope import system_scope
from agents import assignments
from agents.admin.forms import AgentForm
from agents.admin.lent import LentToolInline, save_tools
from agents.admin.matrix import matrix_page
from agents.admin.reachable import TableInline, save_tables
from agents.admin.steps import FIELDSETS, may_try
from agents.models import AUDITED_FLAGS, Agent, Assignment, ReachableTable, ReachableTool
from agents.presets import PRESETS
from corpora.models import Corpus


class AssignmentForm(RowForm):
    class Meta:
        model = Assignment
        fields = ("corpus",)

    def _post_clean(self) -> None:
        """The model's rules compare agent and corpus; without a valid corpus there is nothing to compare."""
        if self.cleaned_data.get("corpus"):
            super()._post_clean()  # type: ignore[misc]  # django-stubs leaves Django's private hook out


class AssignmentInline(OrganizationInline):
    """Global corpora only: which of their own corpora users assign is theirs alone to see."""

    model = Assignment
    form = AssignmentForm
    writes = frozenset({"add", "delete"})
    verbose_name = _("global corpus")
    verbose_name_plural = _("global corpora that it reads")
    fields = ("corpus", "assigned_by", "created_at")
    readonly_fields = ("assigned_by", "created_at")
    hide_title = True
    assigned_by = related_text("created_by", _("assigned by"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        shared = {"corpus__corpus_type": Corpus.Type.GLOBAL, "corpus__deleted_at": None}
        return super().get_queryset(request).filter(**shared).select_related("corpus", "agent", "created_by")

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        """Offers corpora of the agent's own organization, also to operators, who see all of them."""
        formset = super().get_formset(request, obj, **kwargs)
        field: Any = formset.form.base_fields.get("corpus")
        if obj and field:
            field.queryset = field.queryset.filter(organization_id=obj.organization_id)
        return formset


def personal_count(agent: Agent) -> int:
    """How many of their own corpora members have given the agent; which, is theirs alone to see."""
    with system_scope():
        return agent.assignments.filter(corpus__corpus_type=Corpus.Type.PERSONAL, corpus__deleted_at=None).count()


def _agent_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    return Agent.objects.filter(pk__in=ids, organization__in=homes).values_list("pk", "name")


name_for_audit("agent", _agent_names)


@admin.register(Agent)
class AgentAdmin(OrganizationAdmin):
    form = AgentForm
    writes = frozenset({"add", "change", "delete"})
    audited_flags = AUDITED_FLAGS
    inlines = (AssignmentInline, TableInline, LentToolInline)
    list_display = (
        "name", "slug", "is_active", "model", "grounding", "uses_rag", "adaptive", "allows_personal_corpus",
        "global_corpora",
    )  # fmt: skip
    list_filter = ("is_active", "grounding", "uses_rag", "adaptive", "allows_personal_corpus")
    list_select_related = ("organization",)
    list_before_template = "admin/agents/_matrix_link.html"
    search_fields = ("name__matches", "slug", "description__matches")
    prepopulated_fields = {"slug": ("name",)}
    change_form_outer_before_template = "admin/agents/_before.html"
    readonly_fields = ("personal_assignments",)
    fieldsets = FIELDSETS

    class Media:
        js = ("acervo/admin/try.js",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        shared = Q(assignments__corpus__deleted_at=None, assignments__corpus__corpus_type=Corpus.Type.GLOBAL)
        counted: QuerySet[Any] = (
            super().get_queryset(request).annotate(assigned_global=Count("assignments", filter=shared))
        )
        return counted

    def get_urls(self) -> list[URLPattern]:
        matrix = self.admin_site.admin_view(self.matrix_view)
        return [path("matrix/", matrix, name="agents_matrix"), *super().get_urls()]

    def matrix_view(self, request: HttpRequest) -> HttpResponseBase:
        if not self.has_change_permission(request):
            raise Http404
        return self.shown(request, partial(matrix_page, self))

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """The slug follows the name of a new agent only: it is part of URLs."""
        return {} if obj else super().get_prepopulated_fields(request, obj)

    @admin.display(description=_("global corpora"), ordering="assigned_global")
    def global_corpora(self, obj: Any) -> int:
        return int(obj.assigned_global)

    @admin.display(description=_("personal corpora assigned by users"))
    def personal_assignments(self, obj: Any) -> str:
        count = personal_count(obj)
        if not count:
            return str(_("none"))
        advice = _("If the agent no longer allows personal corpora, these are not read from the next question on.")
        return f"{count}. {advice}" if obj.allows_personal_corpus else f"{count} · {_('not read now')}"

    def get_changeform_initial_data(self, request: HttpRequest) -> Any:
        """`?preset=slug` starts a new agent from a preset's settings."""
        preset = PRESETS.get(request.GET.get("preset", ""))
        if preset is None:
            return super().get_changeform_initial_data(request)
        return {name: value for name, value in asdict(preset).items() if name != "language"}

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        more = {
            "presets": PRESETS.values(),
            "preset": request.GET.get("preset", ""),
            "may_try": bool(object_id) and may_try(request, self.get_object(request, str(object_id))),
        }
        return super().changeform_view(request, object_id, form_url, {**(extra_context or {}), **more})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        forbidden = change and "allows_personal_corpus" in form.changed_data and not obj.allows_personal_corpus
        if forbidden and (count := personal_count(obj)):
            message = _("Personal corpora that this agent no longer reads: %(count)d.") % {"count": count}
            self.message_user(request, message, messages.WARNING)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Assignments and tables are given and taken back by their services, with their locks and their audit."""
        by = self.by(request, form.instance)
        formset.save(commit=False)
        if formset.model is ReachableTable:
            save_tables(form.instance, formset, by)
            return
        if formset.model is ReachableTool:
            save_tools(form.instance, formset, by)
            return
        for gone in formset.deleted_objects:
            assignments.unassign_corpus(form.instance, gone.corpus_id, by)
        for new in formset.new_objects:
            try:
                assignments.assign_corpus(form.instance, new.corpus_id, by)
            except Problem as problem:
                message = _("%(corpus)s was not assigned: %(reason)s")
                self.message_user(request, message % {"corpus": new.corpus, "reason": problem.detail}, messages.ERROR)

    def goes_with(self, chosen: Sequence[Agent]) -> dict[str, int]:
        with system_scope():  # counts
            conversations = sum(agent.conversations.count() for agent in chosen)
            corpora = Assignment.objects.filter(agent__in=[agent.pk for agent in chosen]).count()
        return {str(_("conversations of users")): conversations, str(_("assignments")): corpora}

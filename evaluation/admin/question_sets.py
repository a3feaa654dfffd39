"""Admin of evaluation: question sets, their questions, and runs."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.admin.auditing.names import name_for_audit
from accounts.admin.rows import OrganizationForm, label_display, related_text
from accounts.admin.scope import OrganizationAdmin, OrganizationInline
from accounts.models import Membership
from evaluation.admin import pages as evaluation_views
from evaluation.admin.forms import TruthForm
from evaluation.models import EvaluationRun, Question, QuestionSet

STATES = {
    "waiting": ("info", _("waiting")),
    "running": ("warning", _("running")),
    "interrupted": ("danger", _("interrupted")),
    "done": ("success", _("done")),
    "failed": ("danger", _("failed")),
    "below": ("danger", _("below its threshold")),
}
SetPage = Callable[["QuestionSetAdmin", HttpRequest, QuestionSet, Membership], HttpResponse]


def link(address: str, text: str) -> SafeString:
    return format_html('<a class="text-primary-600 underline dark:text-primary-500" href="{}">{}</a>', address, text)


class QuestionSetForm(OrganizationForm):
    class Meta:
        model = QuestionSet
        fields = ("name", "corpus")


class QuestionInline(OrganizationInline):
    """The questions as they are; each has a page of its own."""

    model = Question
    fields = ("asked", "truth", "origin")
    readonly_fields = fields
    hide_title = True
    verbose_name_plural = _("questions")

    @admin.display(description=_("question"))
    def asked(self, obj: Question) -> SafeString:
        return link(reverse("admin:evaluation_question_change", args=[obj.pk]), obj.text)

    @admin.display(description=_("documents that answer"))
    def truth(self, obj: Question) -> str:
        return str(len(obj.relevant)) if obj.relevant else str(_("not known yet"))

    @admin.display(description=_("origin"))
    def origin(self, obj: Question) -> str:
        return str(_("feedback")) if obj.message_id else "–"


def _set_names(ids: set[str], homes: set[UUID]) -> Iterable[tuple[Any, str]]:
    return QuestionSet.objects.filter(pk__in=ids, organization__in=homes).values_list("pk", "name")


name_for_audit("questionset", _set_names)


@admin.register(QuestionSet)
class QuestionSetAdmin(OrganizationAdmin):
    form = QuestionSetForm
    writes = frozenset({"add", "change", "delete"})
    list_display = ("name", "of_corpus", "question_count", "unknown_count", "runs_link", "created_at")
    list_select_related = ("corpus", "organization")
    search_fields = ("name__matches",)
    fieldsets = ((None, {"fields": ("name", "corpus")}),)
    inlines = (QuestionInline,)
    change_form_outer_before_template = "admin/evaluation/_set_actions.html"
    of_corpus = related_text("corpus", _("corpus"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        unknown = Count("questions", filter=Q(questions__relevant=[]))
        counted: QuerySet[Any] = super().get_queryset(request).annotate(asked=Count("questions"), unknown=unknown)
        return counted

    def get_urls(self) -> list[URLPattern]:
        pages: dict[str, SetPage] = {
            "runs": evaluation_views.runs_page,
            "feedback": evaluation_views.feedback_page,
            "sample": evaluation_views.sample_page,
        }
        own = [
            path(
                f"<uuid:pk>/{name}/",
                self.admin_site.admin_view(partial(self.page, show)),
                name=f"evaluation_set_{name}",
            )
            for name, show in pages.items()
        ]
        return [*own, *super().get_urls()]

    def page(self, show: SetPage, request: HttpRequest, pk: UUID) -> HttpResponseBase:
        """A page of one set of the admin's organization; for everybody else it does not exist."""

        def view(request: HttpRequest) -> HttpResponse:
            questions = self.get_queryset(request).filter(pk=pk).first()
            if questions is None or not self.has_change_permission(request, questions):
                raise Http404
            return show(self, request, questions, self.by(request, questions))

        return self.shown(request, view)

    @admin.display(description=_("questions"), ordering="asked")
    def question_count(self, obj: Any) -> int:
        return int(obj.asked)

    @admin.display(description=_("without known answer"), ordering="unknown")
    def unknown_count(self, obj: Any) -> str:
        return str(obj.unknown or "–")

    @admin.display(description=_("runs"))
    def runs_link(self, obj: Any) -> SafeString:
        return link(reverse("admin:evaluation_set_runs", args=[obj.pk]), str(_("compare")))

    def goes_with(self, chosen: Any) -> dict[str, int]:
        ids = [one.pk for one in chosen]
        return {
            str(Question._meta.verbose_name_plural): Question.objects.filter(question_set__in=ids).count(),
            str(EvaluationRun._meta.verbose_name_plural): EvaluationRun.objects.filter(question_set__in=ids).count(),
        }


@admin.register(Question)
class QuestionAdmin(OrganizationAdmin):
    """A question and its truth, chosen among what admins may see: documents of global corpora."""

    organization_path = "question_set__organization"
    form = TruthForm
    writes = frozenset({"add", "change", "delete"})
    list_display = ("text", "of_set", "created_at")
    list_filter = (("question_set", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("question_set__organization",)
    search_fields = ("text__matches",)
    of_set = related_text("question_set", _("question set"))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The set is chosen first, for its corpora decide which documents may answer."""
        truth = ("text", "documents", "quotes", "note") if obj else ("question_set", "text", "note")
        return [(None, {"fields": truth})]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ()

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        """On to the page where its truth is chosen."""
        return redirect(reverse("admin:evaluation_question_change", args=[obj.pk]))

    def save_model(self, request: HttpRequest, obj: Question, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and {"documents", "quotes"} & set(form.changed_data):
            obj.save(update_fields=["relevant", "spans"])


@admin.register(EvaluationRun)
class EvaluationRunAdmin(OrganizationAdmin):
    """What was measured, when and how; runs of the command line belong to no organization: operators see them."""

    organization_path = "question_set__organization"
    writes = frozenset({"delete"})
    list_display = ("created_at", "subject", "configuration_shown", "state_shown", "hit", "ndcg")
    list_filter = (("question_set", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("question_set__organization",)
    date_hierarchy = "created_at"
    fields = ("created_at", "subject", "configuration_shown", "space", "state_shown", "all_measures")
    readonly_fields = fields

    def organization_id_of(self, obj: EvaluationRun) -> Any:
        return obj.question_set and obj.question_set.organization_id

    @admin.display(description=_("question set"), ordering="question_set__name")
    def subject(self, obj: EvaluationRun) -> str:
        return str(obj.question_set or obj.dataset)

    @admin.display(description=_("configuration"))
    def configuration_shown(self, obj: EvaluationRun) -> str:
        return str(obj.configuration.get("name", ""))

    @admin.display(description=_("embedding space"))
    def space(self, obj: EvaluationRun) -> str:
        return str(obj.configuration.get("space", ""))

    @label_display(_("state"), {name: colour for name, (colour, _text) in STATES.items()}, ordering="created_at")
    def state_shown(self, obj: EvaluationRun) -> tuple[str, Any]:
        state = "below" if obj.measures.get("failed") else obj.state
        return state, STATES[state][1]

    @admin.display(description="hit@1")
    def hit(self, obj: EvaluationRun) -> str:
        return measure_text(obj, "hit@1")

    @admin.display(description="nDCG@10")
    def ndcg(self, obj: EvaluationRun) -> str:
        return measure_text(obj, "ndcg@10")

    @admin.display(description=_("measures"))
    def all_measures(self, obj: EvaluationRun) -> str:
        return " · ".join(f"{name} {value}" for name, value in obj.measures.items())


def measure_text(run: EvaluationRun, name: str) -> str:
    return f"{run.measures[name]:.3f}" if name in run.measures else "–"

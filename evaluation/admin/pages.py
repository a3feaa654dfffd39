"""Pages of a question set in the admin: its runs compared and plotted, and feedback to make cases of."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import Membership
from evaluation import cases
from evaluation import runs as evaluation_runs
from evaluation.admin.forms import RunForm
from evaluation.admin.plots import Measured, plot
from evaluation.admin.presets import MEASURED, compared_name
from evaluation.calibration import NotMeasurable
from evaluation.models import EvaluationRun, QuestionSet
from evaluation.report import COLUMNS

Admin = ModelAdmin[QuestionSet]

RUNS_SHOWN = 60  # runs on the page, the latest
SAMPLED = 30


def runs_page(admin: Admin, request: HttpRequest, questions: QuestionSet, by: Membership) -> HttpResponse:
    """GET: table and plot of one measure. POST: start runs."""
    form = RunForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        asked, judge = form.cleaned_data["configurations"], form.cleaned_data["judge"]
        started = evaluation_runs.start_runs(questions, asked, form.thresholds, by, judge)
        admin.message_user(request, _("Runs started: %(count)d.") % {"count": len(started)}, messages.SUCCESS)
        return redirect(request.path)
    runs = list(questions.runs.order_by("-created_at", "-pk")[:RUNS_SHOWN])
    measures = [name for name in COLUMNS if any(name in run.measures for run in runs)] or ["hit@1"]
    chosen = request.GET.get("measure", "")
    chosen = chosen if chosen in measures else measures[0]
    context = {
        "title": _("Runs of %(name)s") % {"name": questions},
        "runs": [run_row(run, measures) for run in runs],
        "measures": measures,
        "measure": chosen,
        "measured": MEASURED.get(chosen, ""),
        "plot": plot(values(runs, chosen)),
        "form": form,
        "busy": any(run.state in ("waiting", "running") for run in runs),
    }
    return page(admin, request, questions, "admin/evaluation/runs.html", context)


def values(runs: list[EvaluationRun], measure: str) -> list[Measured]:
    return [
        Measured(compared_name(run.configuration.get("name", "")), run.started_at, float(run.measures[measure]))
        for run in reversed(runs)
        if measure in run.measures
    ]


def run_row(run: EvaluationRun, measures: list[str]) -> dict[str, Any]:
    cells = [f"{run.measures[name]:.3f}" if name in run.measures else "" for name in measures]
    name = compared_name(run.configuration.get("name", ""))
    return {"run": run, "cells": cells, "name": name, "failed": run.measures.get("failed")}


def feedback_page(admin: Admin, request: HttpRequest, questions: QuestionSet, by: Membership) -> HttpResponse:
    """GET: rated answers that may be seen. POST: the chosen ones become cases."""
    if request.method == "POST":
        count = cases.take_feedback(questions, uuids(request.POST.getlist("answer")), by)
        admin.message_user(request, _("Cases added: %(count)d.") % {"count": count}, messages.SUCCESS)
        return redirect(reverse("admin:evaluation_questionset_change", args=[questions.pk]))
    context = {
        "title": _("Feedback for %(name)s") % {"name": questions},
        "feedback": cases.feedback(questions),
    }
    return page(admin, request, questions, "admin/evaluation/feedback.html", context)


def sample_page(admin: Admin, request: HttpRequest, questions: QuestionSet, by: Membership) -> HttpResponse:
    """POST: questions made from the corpus itself."""
    if request.method != "POST":
        raise Http404
    try:
        count = cases.sample(questions, SAMPLED, by)
    except NotMeasurable:
        admin.message_user(request, _("Questions are made from two indexed documents on."), messages.ERROR)
    else:
        admin.message_user(request, _("Cases added: %(count)d.") % {"count": count}, messages.SUCCESS)
    return redirect(reverse("admin:evaluation_questionset_change", args=[questions.pk]))


def uuids(texts: list[str]) -> list[UUID]:
    """Those that are ids at all."""
    found = []
    for text in texts:
        try:
            found.append(UUID(text))
        except ValueError:
            continue
    return found


def page(
    admin: Admin, request: HttpRequest, questions: QuestionSet, template: str, context: dict[str, Any]
) -> TemplateResponse:
    shared = {**admin.admin_site.each_context(request), "opts": admin.opts, "questions": questions}
    return TemplateResponse(request, template, {**shared, **context})

"""An agent's data for people: what its model asks tools for, as forms, with or without a model.

A question is made by the tool itself, with the rights, limits and records of a call over the API; it is kept nowhere.
"""

import time
from itertools import groupby
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.audit import witnessed_calls
from accounts.models import Membership
from accounts.pages.access import member_page
from accounts.problems import Problem, problem_for, told_faults
from agents.api.analytics.measuring import measured_tables, usable_dimensions, usable_metrics
from agents.api.toolbox import TOOLS
from agents.models import Agent
from chat.answering.calling.making import step_of, table_row
from chat.answering.calling.toolkit import AGENT, sources_of_tables
from chat.citing.rows import AnswerTable
from chat.pages.data_forms import FORMS, RecordsForm, StatementForm, carry_over, fill_in
from chat.pages.tables import shown_table
from tools.admin.outcomes import told_problem
from tools.models import Metric, SourceTable

STATEMENT, RECORDS = "query", "query_crm"
CHOOSE = "choose"  # the button that shows a metric's form and asks for nothing


@require_http_methods(["GET", "POST"])
@member_page
def agent_data(request: HttpRequest, membership: Membership, slug: str) -> HttpResponse:
    """GET: what the agent reads, and the form of `?tool=` for `?metric=`. POST: the same, of the metric that the form
    says, and what it found; with `choose` the form alone."""
    agent = get_object_or_404(Agent.objects.usable_by(membership), slug=slug)
    tables = measured_tables(agent)
    if not tables:
        raise Http404
    metrics = usable_metrics(tables)
    tools = offered_forms(tables, metrics)
    tool = request.GET.get("tool") or next(iter(tools))
    before = chosen(metrics, request.GET.get("metric", ""))
    metric = chosen(metrics, request.POST.get("metric", ""), request.GET.get("metric", ""))
    form, left = form_as_sent(request, tool, tables, before, metric)
    context: dict[str, Any] = {
        "agent": agent, "tool": tool, "metric": metric, "metrics": metrics, "form": form, "left": left,
        "tools": list(tools.items()), "by_metric": tool in FORMS,
        "sources": [(source, list(ones)) for source, ones in groupby(tables, key=lambda one: one.source)],
    }  # fmt: skip
    if form is not None and form.is_valid():
        called = metric.name if tool in FORMS and metric else ""
        try:
            context |= shown_table(ask_by_hand(agent, tables, membership, tool, form.arguments), called)
        except Exception as error:
            if (problem := problem_for(error)) is None:
                raise
            form.add_error(None, in_words(problem))
    return render(request, "chat/data.html", context, status=400 if form is not None and form.errors else 200)


def offered_forms(tables: list[SourceTable], metrics: list[Metric]) -> dict[str, Any]:
    """What can be asked of what the agent was given, by the tool's name."""
    has_records = {one.source.is_service for one in tables}
    return {
        **({name: label for name, (label, _form) in FORMS.items()} if metrics else {}),
        **({STATEMENT: "SQL"} if False in has_records else {}),
        **({RECORDS: _("Records")} if True in has_records else {}),
    }


def chosen(metrics: list[Metric], *asked: str) -> Metric | None:
    """The first that there is of those that are asked for, else the first of all."""
    by_id = {str(one.pk): one for one in metrics}
    return next((by_id[one] for one in asked if one in by_id), metrics[0] if metrics else None)


def form_as_sent(
    request: HttpRequest, tool: str, tables: list[SourceTable], before: Metric | None, metric: Metric | None
) -> tuple[Any, list[str]]:
    """The form for `metric` with what was filled in, which was that of `before`; and what was left out of it."""
    sent: QueryDict = request.POST
    form, left = form_for(tool, metric, tables, None), list[str]()
    if form is None or request.method != "POST":
        return form, left
    if before != metric:
        was = form_for(tool, before, tables, None)
        if was is None:  # there was nothing to fill in
            return form, left
        sent, left = carry_over(sent, was, form)
    if CHOOSE in request.POST:
        fill_in(form, sent)
        return form, left
    return form_for(tool, metric, tables, sent), left


def form_for(tool: str, metric: Metric | None, tables: list[SourceTable], sent: Any) -> Any:
    """None where there is nothing to fill in: a metric without time has no trend."""
    if tool in (STATEMENT, RECORDS):
        asked = [one for one in tables if one.source.is_service == (tool == RECORDS)]
        if not asked:
            raise Http404
        if tool == RECORDS:
            return RecordsForm(sent, entities=asked)
        return StatementForm(sent, sources=list(dict.fromkeys(one.source for one in asked)))
    if tool not in FORMS or metric is None:
        raise Http404
    if tool != "query_analytics" and not metric.time_column:
        return None
    return FORMS[tool][1](sent, metric=metric, dimensions=usable_dimensions(metric.table))


def ask_by_hand(
    agent: Agent, tables: list[SourceTable], by: Membership, tool: str, arguments: dict[str, Any]
) -> AnswerTable:
    """The result as it is shown, kept by nobody. Raises what the tool raises."""
    began = time.monotonic()
    with witnessed_calls() as calls:
        result = TOOLS[tool].call(by, {**arguments, AGENT: str(agent.pk)})
    table = table_row(sources_of_tables(tables), tool, arguments, result, step_of(tool, calls, began))
    table.created_at = timezone.now()
    return table


def in_words(problem: Problem) -> str:
    why = str(problem.extra.get("reason") or "")
    told = told_problem(problem)
    more = [why] if why and told == str(problem.detail) else []
    return " ".join([told, *more, *told_faults(problem)]) or _("It could not be asked.")

"""The page on which tables of a source are chosen: what the source says it has, with a box each."""

import json
from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.limits import reserving
from accounts.models import Membership
from accounts.problems import Problem
from tools import sources
from tools.admin.outcomes import told_problem
from tools.models import DataSource


def tables_page(page: ModelAdmin[DataSource], request: HttpRequest, source: DataSource, by: Membership) -> HttpResponse:
    """GET: every table of the source. POST: choose those that are ticked, all their columns masked."""
    try:
        reserving.reserve(by, searches=1)
        found = sources.described_tables(source)
    except Problem as problem:
        page.message_user(request, told_problem(problem), messages.ERROR)
        return redirect(reverse("admin:tools_datasource_change", args=[source.pk]))
    if request.method == "POST":
        ticked = set(request.POST.getlist("table"))
        sources.add_tables(by, source, [one for one in found if value_of(one) in ticked])
        said = _("Chosen. All columns are masked at first: open those that may be read.")
        page.message_user(request, said, messages.SUCCESS)
        return redirect(request.path)
    chosen = {(one.schema, one.name): one.pk for one in source.tables.all()}
    shown = [{**one, "value": value_of(one), "chosen": chosen.get((one["schema"], one["name"]))} for one in found]
    context = {
        **page.admin_site.each_context(request),
        "opts": page.opts,
        "title": _("Tables of %(name)s") % {"name": source},
        "source": source,
        "tables": shown,
    }
    return TemplateResponse(request, "admin/tools/tables.html", context)


def value_of(table: dict[str, Any]) -> str:
    return json.dumps([table["schema"], table["name"]])

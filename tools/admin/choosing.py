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
from tools.models import DataSource, SourceTable
from tools.sources import keepable_columns

LONGEST_LIST = 500  # characters


def tables_page(page: ModelAdmin[DataSource], request: HttpRequest, source: DataSource, by: Membership) -> HttpResponse:
    """GET: every table of the source, and those that were chosen and are gone. POST: choose those that are ticked, all
    their columns masked; of those that are chosen already, take over which columns there are."""
    try:
        reserving.reserve(by, searches=1)
        found = sources.described_tables(source)
    except Problem as problem:
        page.message_user(request, told_problem(problem, source), messages.ERROR)
        return redirect(reverse("admin:tools_datasource_change", args=[source.pk]))
    if request.method == "POST":
        ticked = set(request.POST.getlist("table"))
        wanted = [one for one in found if value_of(one) in ticked]
        sources.add_tables(by, source, wanted)
        if wide := [one["name"] for one in wanted if len(one["columns"]) > sources.MOST_COLUMNS]:
            said = _("Only the first %(most)d columns of %(names)s were taken.")
            told = {"most": sources.MOST_COLUMNS, "names": ", ".join(wide)[:LONGEST_LIST]}
            page.message_user(request, said % told, messages.WARNING)
        said = _("Chosen. New columns are masked at first: open those that may be read.")
        page.message_user(request, said, messages.SUCCESS)
        return redirect(request.path)
    chosen = {(one.schema, one.name): one for one in source.tables.prefetch_related("columns")}
    shown = [_shown(one, chosen.pop((one["schema"], one["name"]), None)) for one in found]
    context = {
        **page.admin_site.each_context(request),
        "opts": page.opts,
        "title": _("Tables of %(name)s") % {"name": source},
        "source": source,
        "tables": shown,
        "gone": list(chosen.values()),
    }
    return TemplateResponse(request, "admin/tools/tables.html", context)


def _shown(told: dict[str, Any], chosen: SourceTable | None) -> dict[str, Any]:
    """With what has changed in its columns since it was chosen."""
    there = {one["name"]: one["type"] for one in keepable_columns(told["columns"])}
    known = {one.name: one.type for one in chosen.columns.all()} if chosen else there
    retyped = [one for one in there if known.get(one, there[one]) != there[one]]
    changes = {
        "new": [one for one in there if one not in known],
        "gone": [one for one in known if one not in there],
        "retyped": [f"{one} ({known[one] or '–'} → {there[one]})" for one in retyped],
    }
    row = {"value": value_of(told), "chosen": chosen and chosen.pk, "is_changed": any(changes.values())}
    return {**told, **changes, **row}


def value_of(table: dict[str, Any]) -> str:
    return json.dumps([table["schema"], table["name"]])

"""A table that an answer cites, as its reader opens it: beside the conversation, or on a page of its own."""

from typing import Any, NamedTuple
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from accounts.models import Membership
from accounts.pages.access import member_page
from chat.models import AnswerTable, Message
from tools.plots import draw

NUMBERS = frozenset({"integer", "decimal", "number"})  # types of columns that are set as numbers


NAMES = {  # of the numbers that tools compute (agents.api.analytics.trends)
    "direction": _("direction"),
    "change": _("change"),
    "change_percent": _("change (%)"),
    "per_period": _("change for each period"),
    "noise": _("noise"),
    "strength_of_season": _("strength of the season (0 to 1)"),
    "strength_of_trend": _("strength of the trend (0 to 1)"),
    "unusual": _("unusual periods"),
    "periods": _("periods"),
    "filled": _("periods without rows"),
    "left_out": _("left out: not over yet"),
    "first": _("first period"),
    "last": _("last period"),
    "model": _("form"),
    "mase": _("backtest's error (MASE; 1: as repeating the last season)"),
    "smape": _("backtest's error (sMAPE, %)"),
    "horizon": _("periods to come"),
}
WORDS = {
    "up": _("up"),
    "down": _("down"),
    "flat": _("no change beyond noise and season"),
    "level": _("a level"),
    "trend": _("a trend"),
    "damped trend": _("a trend that fades"),
    "last season": _("the last season once more"),
    "season": _("a season"),
    "trend and season": _("a trend and a season"),
    "damped trend and season": _("a trend that fades, and a season"),
}


class ShownCell(NamedTuple):
    text: str
    is_number: bool


@require_GET
@member_page
def answer_table(request: HttpRequest, membership: Membership, pk: UUID, n: int) -> HttpResponse:
    """By htmx's header a fragment; else a page."""
    mine = Message.objects.owned_by(membership).select_related("conversation")
    message = get_object_or_404(mine, pk=pk)
    table = get_object_or_404(message.tables, n=n)
    template = "chat/_table.html" if "HX-Request" in request.headers else "chat/table.html"
    head = [ShownCell(one["name"], is_number) for one, is_number in zip(table.columns, numeric(table), strict=True)]
    context = {"table": table, "head": head, "rows": shown_cells(table), "conversation": message.conversation}
    context |= {"plot": draw(table.title, table.columns, table.rows), "numbers": shown_numbers(table)}
    return render(request, template, context)


def shown_numbers(table: AnswerTable) -> list[tuple[Promise, Any]]:
    """Those that say something to people, in this order, with what there is nothing of left out."""
    numbers = table.numbers or {}
    known = ((label, numbers.get(name)) for name, label in NAMES.items())
    return [(label, WORDS.get(str(value), value)) for label, value in known if value not in (None, "")]


def numeric(table: AnswerTable) -> list[bool]:
    return [one.get("type") in NUMBERS for one in table.columns]


def shown_cells(table: AnswerTable) -> list[list[ShownCell]]:
    rows = [zip(row, numeric(table), strict=False) for row in table.rows]
    return [[ShownCell("" if one is None else str(one), is_number) for one, is_number in row] for row in rows]

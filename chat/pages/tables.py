"""A table that an answer cites, as its reader opens it: beside the conversation, or on a page of its own."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from accounts.models import Membership
from accounts.pages.access import member_page
from chat.citing.analyses import FORECASTS, told_numbers
from chat.models import AnswerTable, Message
from tools.analytics.plots import draw

VALUE = 1  # the column of a forecast that has what was known
NUMBERS = frozenset({"integer", "decimal", "number"})  # types of columns that are set as numbers


class ShownCell(NamedTuple):
    """`label`: its column's, where that is not seen (on a phone)."""

    text: str
    is_number: bool
    label: str = ""


class ShownPart(NamedTuple):
    """Rows under a head, which are called something where there are others."""

    caption: str
    head: list[ShownCell]
    rows: list[list[ShownCell]]


@require_GET
@member_page
def answer_table(request: HttpRequest, membership: Membership, pk: UUID, n: int) -> HttpResponse:
    """By htmx's header a fragment; else a page."""
    mine = Message.objects.owned_by(membership).select_related("conversation")
    message = get_object_or_404(mine, pk=pk)
    table = get_object_or_404(message.tables, n=n)
    template = "chat/_table.html" if "HX-Request" in request.headers else "chat/table.html"
    return render(request, template, shown_table(table) | {"conversation": message.conversation})


def shown_table(table: AnswerTable, called: str = "") -> dict[str, Any]:
    """For `chat/_table.html`. `called`: what else it is called than by its tables."""
    labels, title = table.column_labels, called or table.title
    return {
        "table": table,
        "title": title,
        "count": count_in_words(table),
        **shown_parts(table),
        "plot": draw(title, table.columns, table.rows, labels),
        "numbers": told_numbers(table.numbers),
    }


def count_in_words(table: AnswerTable) -> str:
    """How many rows there are, and of which these are: "or more" where nobody has counted on."""
    shown = len(table.rows)
    if table.truncated:
        said = ngettext(
            "%(count)s rows or more were read; the first is shown.",
            "%(count)s rows or more were read; the first %(shown)s are shown.",
            shown,
        )
    elif shown == table.row_count:
        said = ngettext("%(count)s row", "%(count)s rows", shown)
    elif table.numbers is not None:
        said = _("%(count)s rows; the last %(shown)s are shown.")
    else:
        said = ngettext("%(count)s rows; the first is shown.", "%(count)s rows; the first %(shown)s are shown.", shown)
    return said % {"count": table.row_count, "shown": shown}


def numeric(table: AnswerTable) -> list[bool]:
    return [one.get("type") in NUMBERS for one in table.columns]


def shown_parts(table: AnswerTable) -> dict[str, ShownPart | None]:
    """All that there is below the picture; of a forecast what is to come above it, and what was known below."""
    every = range(len(table.columns))
    if table.tool != FORECASTS or table.is_foreign or table.is_gone:
        return {"ahead": None, "below": shown_part(table, "", table.rows, every)}
    to_come = [row for row in table.rows if row[VALUE] is None]
    known = [row for row in table.rows if row[VALUE] is not None]
    foreseen = [place for place in every if place != VALUE]
    return {
        "ahead": shown_part(table, _("Periods to come"), to_come, foreseen),
        "below": shown_part(table, _("Known periods"), known, range(VALUE + 1)),
    }


def shown_part(table: AnswerTable, caption: str, rows: Sequence[Sequence[Any]], places: Sequence[int]) -> ShownPart:
    """These columns of these rows."""
    labels, are_numbers = table.column_labels, numeric(table)
    head = [ShownCell(labels[place], are_numbers[place]) for place in places]
    return ShownPart(caption, head, [_shown_cells(row, places, head) for row in rows])


def _shown_cells(row: Sequence[Any], places: Sequence[int], head: Sequence[ShownCell]) -> list[ShownCell]:
    there = [(row[place], column) for place, column in zip(places, head, strict=True) if place < len(row)]
    return [ShownCell("" if one is None else str(one), column.is_number, column.text) for one, column in there]

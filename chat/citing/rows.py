"""What an answer may cite besides passages: tables of rows that its model has fetched."""

from collections.abc import Collection, Iterable, Sized
from typing import Any
from uuid import UUID

from django.db import models
from django.db.models.signals import post_delete

from accounts.models import Identified
from accounts.tenancy.scope import system_scope
from chat.citing.analyses import FORECASTS, TRENDS, column_label, told_numbers
from foreign.models import ToolServer
from tools.models import DataSource


class AnswerTable(Identified):
    """The result of a tool's call as it was shown, numbered among the sources of an answer; goes with its message. What
    another service said is a column of lines.

    `truncated`: nobody knows whether there are more rows than `row_count`, or the ends of long cells are missing.

    Its rows are those that its asker was told at that time: a right that is taken away later does not change what was
    said. They go when the data source is deleted. `quotes`: of each `[n]` the row that supports it, or null.
    """

    message = models.ForeignKey("chat.Message", models.CASCADE, related_name="tables")
    n = models.PositiveSmallIntegerField()
    tool = models.CharField(max_length=64)
    is_foreign = models.BooleanField(default=False, db_default=False, help_text="another service said it")
    source_id = models.UUIDField(null=True)
    source_name = models.CharField(max_length=150, blank=True)
    table_names = models.JSONField(default=list)
    columns = models.JSONField(default=list, help_text='[{"name", "type"}]')
    rows = models.JSONField(default=list, help_text="the first of them")
    numbers = models.JSONField(null=True, help_text="by name, what was computed of all rows")
    row_count = models.PositiveIntegerField(default=0)
    truncated = models.BooleanField(default=False)
    statement = models.TextField(blank=True)
    params = models.JSONField(default=dict)
    cited = models.BooleanField(default=False)
    quotes = models.JSONField(null=True)

    class Meta:
        app_label = "chat"
        ordering = ("n",)
        constraints = (models.UniqueConstraint(fields=("message", "n"), name="answer_table_once"),)

    def __str__(self) -> str:
        return f"[{self.n}]"

    @property
    def title(self) -> str:
        """The source, and which of its tables were asked; of another service its name and its tool's."""
        return f"{self.source_name}: {', '.join(self.table_names)}" if self.table_names else self.source_name

    @property
    def is_gone(self) -> bool:
        """Its data source or tool server was deleted, and nothing is left of what it said."""
        return not self.columns

    @property
    def is_cut(self) -> bool:
        """There are, or may be, more rows or longer cells than are kept."""
        return self.has_more_than(self.rows)

    def has_more_than(self, rows: Sized) -> bool:
        return self.truncated or len(rows) < self.row_count

    @property
    def snippet(self) -> str:
        """What a trend says, the first row that a forecast foresees, and of any other table the first row, in words."""
        if self.tool == TRENDS and self.numbers:
            return self.numbers_in_words()
        to_come = (place for place, row in enumerate(self.rows) if self.tool == FORECASTS and row[1] is None)
        return self.row_in_words(next(to_come, 0)) if self.rows else ""

    @property
    def column_labels(self) -> list[str]:
        return [column_label(self.tool, one["name"]) for one in self.columns]

    def row_in_words(self, place: int) -> str:
        """ "region: north · total: 30.5", cut where it is long."""
        if self.is_foreign:
            return _cut(str(self.rows[place][0]))
        return _in_words(zip(self.column_labels, self.rows[place], strict=False))

    def numbers_in_words(self) -> str:
        """ "direction: up · change: 30.5", as a row is told."""
        return _in_words(told_numbers(self.numbers))


def _in_words(told: Iterable[tuple[object, object]]) -> str:
    return _cut(" · ".join(f"{name}: {'—' if cell is None else cell}" for name, cell in told))


def _cut(said: str) -> str:
    return said if len(said) <= LONGEST_ROW else said[: LONGEST_ROW - 1] + "…"


LONGEST_ROW = 300  # characters


def connect_sources() -> None:
    post_delete.connect(_forget_rows, sender=DataSource, dispatch_uid="rows of a data source that is deleted")
    post_delete.connect(_forget_rows, sender=ToolServer, dispatch_uid="words of a tool server that is deleted")


def _forget_rows(instance: DataSource | ToolServer, **_signal: Any) -> None:
    """In the system's name: whoever deletes a source cannot see the conversations that it was asked in."""
    with system_scope():
        forget_rows_of(instance.pk)


def forget_rows_of(source_id: UUID) -> int:
    """What answers keep of a data source or a tool server that is deleted; how many."""
    return AnswerTable.objects.filter(source_id=source_id).update(**nothing_left())


def forget_deleted(tables: Collection[AnswerTable]) -> None:
    """The same of tables that are about to be stored, whose source was deleted since it was asked. In a transaction:
    until its end no other source is deleted."""
    there: set[UUID] = set()
    for model, is_foreign in ((DataSource, False), (ToolServer, True)):
        if wanted := {one.source_id for one in tables if one.is_foreign is is_foreign}:
            asked = model._default_manager.filter(pk__in=wanted).select_for_update(no_key=True)
            there.update(asked.order_by("pk").values_list("pk", flat=True))
    for table in tables:
        if table.source_id is not None and table.source_id not in there:
            for name, value in nothing_left().items():
                setattr(table, name, value)


def nothing_left() -> dict[str, Any]:
    lists: dict[str, Any] = {name: [] for name in ("table_names", "columns", "rows")}
    return {**lists, "source_name": "", "row_count": 0, "statement": "", "params": {}, "quotes": None, "numbers": None}

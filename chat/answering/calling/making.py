"""One call that a model asks for: looked at, made with the asker's rights, and told to it as rows or as a refusal.

Nothing that a model writes is trusted: neither which tool it names nor its arguments. What goes wrong is told to the
model in words, so that it can correct itself, and is never the end of an answer.
"""

import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from accounts.audit import witnessed_calls
from accounts.models import Membership, ToolCall
from accounts.problems import NotFound, problem_for, told_faults
from agents.llm.base import ToolWish
from chat.answering.calling.toolkit import AGENT, NamedSource, Tool, Toolkit
from chat.citing.rows import AnswerTable
from chat.prompting.build import neutralise
from chat.prompting.results import delimited, result_text, table_of
from config.faults import describe_error
from foreign.problems import ToolFailed
from tools.problems import StatementFailed
from tools.sql.gate import read_sql
from tools.sql.statements import SqlRefused

logger = logging.getLogger(__name__)

LONGEST_REFUSAL = 1_000  # characters
MOST_ROWS, MOST_SHOWN = 50, 64_000  # rows, and characters of them, that an answer keeps of a result
LONGEST_ESCAPE = 12  # characters of JSON that one character becomes at most, and what stands between cells
MOST_PERIODS = 120  # of a series, which is drawn
LONGEST_STATEMENT = 10_000
UNKNOWN_TOOL = "There is no such tool here. Use one of those that you were offered, or answer."
NO_ARGUMENTS = "The arguments are no JSON object. Send one that meets the tool's schema."
NO_MORE_CALLS = "No more calls can be made in this answer. Answer now with what you have."
NO_MORE_TIME = "There is no time for calls any more. Answer now with what you have."
NO_ANSWER = "The tool could not be used. Answer without it, and say so."
UNKNOWN_SOURCE = NamedSource("")
# Nothing could be asked, or nothing came, whatever a model might write otherwise.
OUTAGES = frozenset({
    "source_unavailable", "source_unusable", "tool_server_unavailable", "tool_server_unusable", "tool_changed",
    "query_timeout", "busy", "no_time_left", "internal_error",
})  # fmt: skip
SAID_BY_OTHERS = (StatementFailed, ToolFailed)  # their reason is what a database or another's server says


@dataclass(frozen=True, slots=True)
class Step:
    """What the trace keeps of a call: neither a statement nor a row nor a model's word. `refused`: a code."""

    tool: str
    source: UUID | None = None
    fingerprint: str = ""
    rows: int = 0
    milliseconds: int = 0
    refused: str = ""

    @property
    def entry(self) -> dict[str, Any]:
        entry = {name: getattr(self, name) for name in self.__slots__}
        return {**entry, "source": str(self.source) if self.source else None}


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """`text` is what the model is told; `table` the numbered source that came of it, not saved yet."""

    text: str
    step: Step
    table: AnswerTable | None = None


def refused(tool: str, code: str, sentence: str, began: float | None = None, said: str = "") -> CallOutcome:
    """`said`: by who failed, which is no sentence of ours."""
    milliseconds = 0 if began is None else round(1000 * (time.monotonic() - began))
    text = neutralise(f"Refused ({code}): {sentence}"[:LONGEST_REFUSAL])
    text = f"{text}\n{delimited(said[:LONGEST_REFUSAL])}" if said else text
    return CallOutcome(text, Step(tool, refused=code, milliseconds=milliseconds))


def source_named(kit: Toolkit, wish: ToolWish) -> NamedSource:
    """The agent's own that a wish names; of any other not even the name is repeated. Of a foreign tool its server."""
    tool = kit.tools.get(wish.name)
    if tool is not None and tool.server:
        return NamedSource(tool.server)
    named = (arguments_of(wish) or {}).get("source")
    return kit.sources.get(named, UNKNOWN_SOURCE) if isinstance(named, str) else UNKNOWN_SOURCE


def source_of_step(kit: Toolkit, wish: ToolWish, step: Step) -> str:
    """What the source of a call is called; "" where that is not known."""
    return source_named(kit, wish).name or kit.sources.get(str(step.source), UNKNOWN_SOURCE).name


def arguments_of(wish: ToolWish) -> dict[str, Any] | None:
    """None for what is no JSON object."""
    try:
        read = json.loads(wish.arguments or "{}")
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def make_call(kit: Toolkit, wish: ToolWish, message: UUID, n: int) -> CallOutcome:
    """In a thread that may wait. `n`: the number that its result gets as a source of the message."""
    tool = kit.tools.get(wish.name)
    if tool is None:
        return refused("", "unknown_tool", UNKNOWN_TOOL)
    asked = arguments_of(wish)
    if asked is None:
        return refused(tool.name, "invalid_arguments", NO_ARGUMENTS)
    began = time.monotonic()
    calls: list[ToolCall] = []
    try:
        check_still_member(kit.asker)
        with witnessed_calls() as calls:
            result = tool.call(kit.asker, asked if tool.server else {**asked, AGENT: kit.agent})
    except Exception as error:
        outcome = failed(tool.name, error, began)
        source = calls[-1].source_id if calls else None  # where it came so far
        return replace(outcome, step=replace(outcome.step, source=source))
    step = step_of(tool.name, calls, began)
    table = (
        foreign_row(tool, asked, result, step)
        if tool.server
        else table_row(kit.sources, tool.name, asked, result, step)
    )
    table.message_id, table.n = message, n
    columns, rows = table_of(result)
    text = result_text(n, table.title, columns, rows, truncated=table.has_more_than(rows), numbers=table.numbers)
    return CallOutcome(text, step, table)


def step_of(tool: str, calls: list[ToolCall], began: float) -> Step:
    """By the record that the call has left, as it would over the API."""
    milliseconds = round(1000 * (time.monotonic() - began))
    if not calls:
        return Step(tool, milliseconds=milliseconds)
    record = calls[-1]
    return Step(tool, record.source_id, record.fingerprint or "", record.items, milliseconds)


def table_row(
    sources: Mapping[str, NamedSource], tool: str, asked: dict[str, Any], result: dict[str, Any], step: Step
) -> AnswerTable:
    """What an answer keeps: the first rows, and what was asked, in its own words."""
    columns, rows = table_of(result)
    source = sources.get(str(step.source), UNKNOWN_SOURCE)  # as it was recorded: a metric's wish names none
    statement = str(asked.get("sql") or json.dumps({k: v for k, v in asked.items() if k != AGENT}, ensure_ascii=False))
    numbers = result["numbers"] if isinstance(result.get("numbers"), dict) else None
    shown = first_rows(rows, MOST_ROWS if numbers is None else MOST_PERIODS)
    count = int(result.get("row_count", len(rows)))  # of a series more than come
    return AnswerTable(
        tool=tool,
        source_id=step.source,
        source_name=source.name,
        table_names=tables_read(source, asked, result),
        columns=columns,
        rows=shown,
        numbers=numbers,
        row_count=count,
        truncated=(bool(result.get("truncated")) and count == len(rows)) or shown != rows[: len(shown)],
        statement=statement[:LONGEST_STATEMENT],
        params=asked["params"] if isinstance(asked.get("params"), dict) else {},
    )


def tables_read(source: NamedSource, asked: Mapping[str, Any], result: Mapping[str, Any]) -> list[str]:
    """The names of those that the rows came from: as the result says, else as the statement is read."""
    if said := result.get("table") or result.get("entity"):
        return [one.name for one in source.tables if one.name == said][:1]
    try:
        read = read_sql(str(asked.get("sql") or ""), source.dialect, source.tables, asked.get("params") or {}).tables
    except SqlRefused:  # what the agent reads has changed since
        return []
    return list(dict.fromkeys(one.name for one in read))


def foreign_row(tool: Tool, asked: dict[str, Any], result: dict[str, Any], step: Step) -> AnswerTable:
    """What an answer keeps of what another service said: its lines, all of them, and the arguments."""
    columns, rows = table_of(result)
    return AnswerTable(
        tool=tool.name,
        is_foreign=True,
        source_id=step.source,
        source_name=tool.title,
        columns=columns,
        rows=rows,
        row_count=len(rows),
        truncated=bool(result.get("truncated")),
        statement=json.dumps(asked, ensure_ascii=False)[:LONGEST_STATEMENT],
    )


def first_rows(rows: list[list[Any]], most: int) -> list[list[Any]]:
    """As many as there is room for: of a single one that is longer, the beginnings of its texts."""
    shown: list[list[Any]] = []
    room = MOST_SHOWN
    for row in rows[:most]:
        room -= len(json.dumps(row, default=str))
        if room < 0:
            break
        shown.append(row)
    return shown or [_shortened(row) for row in rows[:1]]


def _shortened(row: list[Any]) -> list[Any]:
    longest = MOST_SHOWN // (LONGEST_ESCAPE * len(row))
    return [cell[:longest] if isinstance(cell, str) else cell for cell in row]


def check_still_member(asker: Membership) -> None:
    """Whoever was taken out of the organization since the question was asked reads nothing more of it."""
    if not Membership.objects.in_organization_of(asker).active().filter(pk=asker.pk).exists():
        raise NotFound


def failed(tool: str, error: Exception, began: float) -> CallOutcome:
    problem = problem_for(error)
    if problem is None:
        logger.error("a model's call of %s failed: %s", tool, describe_error(error))
        return refused(tool, "internal_error", NO_ANSWER, began)
    reason = str(problem.extra.get("reason") or "")
    if isinstance(problem, SAID_BY_OTHERS):
        return refused(tool, problem.code, str(problem.detail), began, reason)
    why = [str(problem.detail), reason, *told_faults(problem)]
    return refused(tool, problem.code, " ".join(filter(None, why)), began)

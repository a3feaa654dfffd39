"""What admins give to an agent of elsewhere: tables of data sources and tools of other services; and one statement over
the tables, or one call of a tool, in a caller's name."""

import time
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts import audit
from accounts.limits.amounts import are_counted
from accounts.limits.declared import Per, Window
from accounts.limits.refusing import written
from accounts.limits.uses import Addition, add_up
from accounts.limits.windows import seconds_left
from accounts.models import Membership, ToolCall
from accounts.problems import NotFound, QuotaExceeded
from agents.llm.metering import text_tokens
from agents.models import Agent, ReachableTable, ReachableTool
from config.metrics.limiting import REFUSED
from config.prepared import Prepared
from foreign.calling import ForeignAnswer, call_foreign_tool
from foreign.models import ForeignTool
from tools.analytics.rules import folded_name
from tools.models import DataSource, SourceTable
from tools.problems import RecordsRefused
from tools.querying import QueryAnswer, run_query
from tools.sources import source_for
from tools.sql.statements import Scalar

MOST_NAMED = 60  # in a sentence on what there is
MOST_LENT = 32  # tools of other services that a model is offered
LIMIT, PER = "searches", "agent"


def _reached_by(agent: UUID, organization: UUID) -> QuerySet[SourceTable]:
    """Of active sources of its own organization."""
    return SourceTable.objects.filter(
        reached_by__agent=agent, source__is_active=True, source__organization_id=organization
    )


_ids_reached = Prepared(lambda **of: _reached_by(**of).order_by().values_list("pk")[:1])


def reaches_tables(agent: Agent) -> bool:
    """Whether it reads any now: asked for each question, at a tenth of the cost of `reachable_tables`."""
    return bool(_ids_reached(agent=agent.pk, organization=agent.organization_id))


def reachable_tables(agent: Agent) -> list[SourceTable]:
    """What the agent reads now, with columns and sources: of active sources of its own organization."""
    return list(
        _reached_by(agent.pk, agent.organization_id)
        .select_related("source")
        .defer("source__left_out")
        .prefetch_related("columns")
        .order_by("source__name", "schema", "name")
    )


def tables_of_source(tables: Sequence[SourceTable], source: str) -> list[SourceTable]:
    """Of those that an agent reads, those of one source: by its id, its name, or its name whatever its capitals. All
    for "". Raises NotFound, which names the sources that there are, or those that are called so."""
    ways: tuple[Callable[[DataSource], bool], ...] = (
        lambda one: source in ("", str(one.pk)),
        lambda one: one.name == source,
        lambda one: folded_name(one.name) == folded_name(source),
    )
    found = next((some for is_meant in ways if (some := [one for one in tables if is_meant(one.source)])), [])
    if source and len(called := {one.source.name for one in found}) > 1:
        said = _("More than one is called so. Ask for one by its own name: %(names)s.")
        raise NotFound(reason=said % {"names": ", ".join(sorted(called))})
    if tables and not found:
        names = ", ".join(sorted({one.source.name for one in tables})[:MOST_NAMED])
        raise NotFound(reason=_("There is no data source of this name. There are: %(names)s.") % {"names": names})
    return found


def sources_read_by(agent: Agent) -> list[dict[str, Any]]:
    """The same by name, for people: each source with the names of its tables."""
    by_source = groupby(reachable_tables(agent), key=lambda one: one.source)
    return [{"name": source.name, "tables": [one.name for one in tables]} for source, tables in by_source]


def grant_tables(agent: Agent, source_id: UUID, tables: Sequence[UUID], by: Membership) -> list[SourceTable]:
    """Let the agent read these tables of a source and no others of it. Raises NotFound for one of another source."""
    source = source_for(by, source_id)
    with transaction.atomic():
        # Held, for none may go before its grant is there.
        wanted = list(source.tables.select_for_update(no_key=True).filter(pk__in=tables).order_by("pk"))
        if len(wanted) < len(set(tables)):
            raise NotFound
        held = ReachableTable.objects.filter(agent=agent, table__source=source)
        held.exclude(table__in=wanted).delete()
        ReachableTable.objects.bulk_create(
            (ReachableTable(agent=agent, table=table, created_by=by.user) for table in wanted), ignore_conflicts=True
        )
        audit.record(by, "granted", source, agent=str(agent.pk), tables=len(wanted))
    return [one for one in reachable_tables(agent) if one.source_id == source.pk]


def give_table(agent: Agent, table: SourceTable, by: Membership) -> None:
    """One more, of the organization's own. What is given already stays so. Raises NotFound."""
    if table.source.organization_id != agent.organization_id:
        raise NotFound
    with transaction.atomic():
        if not SourceTable.objects.select_for_update(no_key=True).filter(pk=table.pk):
            raise NotFound
        ReachableTable.objects.get_or_create(agent=agent, table=table, defaults={"created_by": by.user})
        audit.record(by, "granted", table.source, agent=str(agent.pk))


def take_table(agent: Agent, table: SourceTable, by: Membership) -> None:
    with transaction.atomic():
        ReachableTable.objects.filter(agent=agent, table=table).delete()
        audit.record(by, "granted", table.source, agent=str(agent.pk))


def query_with_agent(agent: Agent, source: str, sql: str, values: Mapping[str, Scalar], by: Membership) -> QueryAnswer:
    """Through an agent that the caller may use, over what it was given of one source (its id, or its name). Recorded
    without its words. Raises NotFound, QuotaExceeded and what `run_query` raises."""
    tables = tables_of_source(reachable_tables(agent), source) if agent.is_active and source else []
    if not tables:
        raise NotFound
    asked: DataSource = tables[0].source
    return _recorded(agent, asked, by, lambda: run_query(by, asked, tables, sql, values))


def records_with_agent(
    agent: Agent, entity: str, source: str, by: Membership, ask: Callable[[SourceTable], QueryAnswer]
) -> tuple[SourceTable, QueryAnswer]:
    """The same of a service's records: of the entity of this name, of one source where it is said. Raises NotFound,
    RecordsRefused where it is not clear which one is meant, QuotaExceeded and what `ask` raises."""
    table = _entity_named(entities_among(reachable_tables(agent)), entity, source) if agent.is_active else None
    if table is None:
        raise NotFound
    return table, _recorded(agent, table.source, by, lambda: ask(table))


def entities_among(tables: Sequence[SourceTable]) -> list[SourceTable]:
    """Those that are of services."""
    return [one for one in tables if one.source.is_service]


def _entity_named(entities: Sequence[SourceTable], name: str, source: str) -> SourceTable | None:
    """Without a name the only one; None where the agent was given none."""
    known = tables_of_source(entities, source)
    found = [one for one in known if one.name == name] or [one for one in known if one.name.lower() == name.lower()]
    found = found if name else known
    if not known or len(found) == 1:
        return found[0] if found else None
    there = ", ".join(f"{one.name} ({one.source.name})" for one in known[:MOST_NAMED])
    raise RecordsRefused(
        reason=_("Say which entity of which source is meant. There are: %(names)s.") % {"names": there}
    )


def _recorded(agent: Agent, source: DataSource, by: Membership, ask: Callable[[], QueryAnswer]) -> QueryAnswer:
    began = time.monotonic()
    count_call(agent, by)
    answer = ask()
    audit.record_tool_call(
        by,
        ToolCall.Kind.QUERY,
        began,
        agent=agent.pk,
        source=source.pk,
        fingerprint=answer.fingerprint,
        items=len(answer.rows),
        tokens=0,
        is_personal=False,
    )
    return answer


def count_call(agent: Agent, by: Membership) -> None:
    """What one agent does must not take a database away. Raises QuotaExceeded beyond the agent's own limit, else the
    installation's; what is refused is not counted. The counter is a row of its own, of the limit whose calls these are.
    """
    allowed = agent.calls_per_minute or settings.AGENT_CALLS_PER_MINUTE
    if not allowed or not are_counted(by):
        return
    with transaction.atomic():
        used = add_up(agent.organization_id, agent.pk, [Addition(LIMIT, Per.USER, 1)])
        if used[LIMIT, Per.USER] > allowed:
            raise _refusal(agent, allowed)


def _refusal(agent: Agent, allowed: int) -> QuotaExceeded:
    REFUSED.labels(LIMIT, PER).inc()
    seconds = seconds_left(Window.MINUTE)
    said = _(
        "The limit of the agent %(name)s is reached: %(amount)s questions to its data a minute. "
        "Try again in %(seconds)s seconds."
    )
    told = said % {"name": agent.name, "amount": written(Decimal(allowed)), "seconds": seconds}
    return QuotaExceeded(told, headers={"Retry-After": str(seconds)}, limit=LIMIT, per=PER)


def _lent_to(agent: UUID, organization: UUID) -> QuerySet[ForeignTool]:
    """Chosen as they are, of its own organization's active servers."""
    lent = ForeignTool.objects.offered().filter(reached_by__agent=agent, server__organization_id=organization)
    return lent.select_related("server").order_by("server__name", "name", "pk")


_first_lent = Prepared(lambda **to: _lent_to(**to)[:MOST_LENT])


def lent_tools(agent: Agent) -> list[ForeignTool]:
    """What the agent may call now, with their servers: as many as a model is offered. Asked for each question."""
    return _first_lent(agent=agent.pk, organization=agent.organization_id)


def call_tool_with_agent(agent_id: UUID, tool_id: UUID, arguments: Mapping[str, Any], by: Membership) -> ForeignAnswer:
    """Through an agent that the caller may use, if it has the tool still. Recorded without its arguments, also when it
    fails. Raises NotFound, QuotaExceeded and what `call_foreign_tool` raises."""
    began = time.monotonic()
    agent = Agent.objects.usable_by(by).filter(pk=agent_id).first()
    tool = _lent_to(agent.pk, agent.organization_id).filter(pk=tool_id).first() if agent else None
    if agent is None or tool is None:
        raise NotFound
    count_call(agent, by)
    lines: list[str] = []
    try:
        answer = call_foreign_tool(tool, arguments)
        lines = answer.lines
    finally:
        audit.record_tool_call(
            by,
            ToolCall.Kind.FOREIGN,
            began,
            agent=agent.pk,
            source=tool.server_id,
            tool=tool.pk,
            items=len(lines),
            tokens=text_tokens("\n".join(lines)),
            is_personal=False,
        )
    return answer


def lend_tool(agent: Agent, tool: ForeignTool, by: Membership) -> None:
    """One more, of the organization's own. What is lent already stays so. Raises NotFound."""
    if tool.server.organization_id != agent.organization_id:
        raise NotFound
    with transaction.atomic():
        if not ForeignTool.objects.select_for_update(no_key=True).filter(pk=tool.pk):
            raise NotFound
        ReachableTool.objects.get_or_create(agent=agent, tool=tool, defaults={"created_by": by.user})
        audit.record(by, "granted", tool.server, agent=str(agent.pk))


def take_tool(agent: Agent, tool: ForeignTool, by: Membership) -> None:
    with transaction.atomic():
        ReachableTool.objects.filter(agent=agent, tool=tool).delete()
        audit.record(by, "granted", tool.server, agent=str(agent.pk))

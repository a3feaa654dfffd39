"""Tools of other services lent to an agent by admins, and one call of them in a caller's name."""

import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accounts import audit
from accounts.models import Membership, ToolCall
from accounts.problems import NotFound
from agents.granting import count_call
from agents.llm.metering import text_tokens
from agents.models import Agent, ReachableTool
from foreign.calling import ForeignAnswer, call_tool
from foreign.models import ForeignTool


def lent_tools(agent: Agent) -> QuerySet[ForeignTool]:
    """What the agent may call now, with their servers: chosen as they are, of its own organization's active servers."""
    lent = ForeignTool.objects.offered().filter(reached_by__agent=agent, server__organization_id=agent.organization_id)
    return lent.select_related("server").order_by("server__name", "name", "pk")


def call_with_agent(agent_id: UUID, tool_id: UUID, arguments: Mapping[str, Any], by: Membership) -> ForeignAnswer:
    """Through an agent that the caller may use, if it has the tool still. Recorded without its arguments, also when it
    fails. Raises NotFound, QuotaExceeded and what `call_tool` raises."""
    began = time.monotonic()
    agent = Agent.objects.usable_by(by).filter(pk=agent_id).first()
    tool = lent_tools(agent).filter(pk=tool_id).first() if agent else None
    if agent is None or tool is None:
        raise NotFound
    count_call(agent, by)
    lines: list[str] = []
    try:
        answer = call_tool(tool, arguments)
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

"""Which tools a model is offered in an answer: those that only read, and that its agent was given something for; and
those of other services that were lent to it."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from accounts.models import Membership
from agents.api.toolbox import TOOLS, foreign_tools
from agents.api.toolbox import Tool as Tool
from agents.granting import reachable_tables, reaches_tables
from agents.llm import EXTRACTIVE, resolve
from agents.llm.base import ToolOffer
from agents.models import Agent
from tools.models import DataSource, SourceTable
from tools.querying import readable_table, sql_dialect
from tools.sql.statements import ReadableTable

AGENT = "agent"  # the argument that is not the model's to choose


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A data source of the agent's, by the name that people gave to it; its tables, and whose SQL it has, if any."""

    name: str
    tables: tuple[ReadableTable, ...] = ()
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class Toolkit:
    """Calls are made in the name of `asker`, whoever made the agent; `sources` by name and by id."""

    asker: Membership
    agent: str
    tools: Mapping[str, Tool]
    offers: tuple[ToolOffer, ...]
    sources: Mapping[str, NamedSource]


def toolkit_for(asker: Membership, agent: Agent) -> Toolkit | None:
    """None where there is nothing to offer, or nobody to offer it to."""
    if settings.CHAT_TOOL_CALLS <= 0 or resolve(agent.model)[0] == EXTRACTIVE:
        return None
    tables = reachable_tables(agent) if reaches_tables(agent) else []
    told = {name: tool.inventory(tables) for name, tool in TOOLS.items() if tables and tool.inventory is not None}
    tools = {name: TOOLS[name] for name, inventory in told.items() if inventory}
    foreign = foreign_tools(agent)
    if not tools and not foreign:
        return None
    offers = tuple(offer_of(tool, told[name]) for name, tool in tools.items())
    offers += tuple(ToolOffer(one.name, one.description, dict(one.input_schema), True) for one in foreign.values())
    return Toolkit(asker, str(agent.pk), {**foreign, **tools}, offers, sources_of_tables(tables))


def offer_of(tool: Tool, inventory: str) -> ToolOffer:
    """The tool as a model sees it: its agent is the one that it answers for."""
    schema: dict[str, Any] = deepcopy(dict(tool.input_schema))
    schema["properties"].pop(AGENT, None)
    schema["required"] = [name for name in schema.get("required", ()) if name != AGENT]
    return ToolOffer(tool.name, f"{tool.description}\n\n{inventory}", schema)


def sources_of_tables(tables: Sequence[SourceTable]) -> dict[str, NamedSource]:
    by_source: dict[DataSource, list[ReadableTable]] = {}
    for one in tables:
        by_source.setdefault(one.source, []).append(readable_table(one))
    by_id = {
        str(source.pk): NamedSource(source.name, tuple(of_source), "" if source.is_service else sql_dialect(source))
        for source, of_source in by_source.items()
    }
    return {one.name: one for one in by_id.values()} | by_id

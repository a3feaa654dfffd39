"""What a program that was given the address alone can ask for: agents, corpora that take knowledge, data by agent."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from mcp_types import Tool, ToolAnnotations

from accounts.models import Membership
from accounts.problems import NotFound
from agents.api.analytics.inventory import metrics_in_words
from agents.api.inventory import entities_in_words, tables_in_words
from agents.api.json_schema import answered, text
from agents.api.tool import check_names
from agents.granting import reachable_tables
from agents.lookup import agent_for
from agents.models import Agent
from corpora.models import Corpus

MOST_TOLD = 200  # agents, and corpora
ONLY_READS = ToolAnnotations(read_only_hint=True)
LISTED = {"type": "array", "items": {"type": "object"}}
LIST_AGENTS = Tool(
    name="list_agents",
    description=(
        "Which agents you may ask, by the name that the other tools call `agent`, and what each is for; and the "
        "corpora in which you may keep knowledge (`upsert_knowledge`). Begin with it."
    ),
    input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    output_schema=answered(agents=LISTED, corpora=LISTED, truncated={"type": "boolean"}),
    annotations=ONLY_READS,
)
LIST_DATA = Tool(
    name="list_data",
    description=(
        "Which data an agent reads: its sources with tables and columns (`query`), metrics with dimensions "
        "(`query_analytics`, `get_trends`, `forecast`) and records of services (`query_crm`, `get_entity`)."
    ),
    input_schema={
        "type": "object",
        "properties": {"agent": text(100, "Slug or id of the agent.")},
        "required": ["agent"],
        "additionalProperties": False,
    },
    output_schema=answered(tables={"type": "string"}, metrics={"type": "string"}, records={"type": "string"}),
    annotations=ONLY_READS,
)


def list_agents(by: Membership, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The first of each, by name."""
    check_names(LIST_AGENTS.input_schema, arguments)
    agents = list(Agent.objects.usable_by(by).order_by("name", "pk")[: MOST_TOLD + 1])
    corpora = list(Corpus.objects.writable_by(by).order_by("name", "pk")[: MOST_TOLD + 1])
    return {
        "agents": [{"agent": one.slug, "name": one.name, "description": one.description} for one in agents[:MOST_TOLD]],
        "corpora": [{"corpus": str(one.pk), "name": one.name, "type": one.corpus_type} for one in corpora[:MOST_TOLD]],
        "truncated": max(len(agents), len(corpora)) > MOST_TOLD,
    }


def list_data(by: Membership, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """As the chat's models are told it. Raises NotFound."""
    check_names(LIST_DATA.input_schema, arguments)
    tables = reachable_tables(agent_for(by, str(arguments["agent"])))
    told = {"tables": tables_in_words, "metrics": metrics_in_words, "records": entities_in_words}
    return {name: in_words(tables) for name, in_words in told.items()}


def agents_instead(by: Membership, reference: str) -> str:
    """The names of those that there are, for whoever named one that there is not."""
    with suppress(NotFound):
        agent_for(by, reference)
        return ""
    return ", ".join(Agent.objects.usable_by(by).order_by("slug").values_list("slug", flat=True)[:MOST_TOLD])

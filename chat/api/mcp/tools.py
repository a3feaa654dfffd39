"""The tools: those of `/api/tools/`, and `ask`, which has an agent answer (docs/mcp.md)."""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from rest_framework.exceptions import ValidationError

from accounts.models import Membership
from accounts.problems import NotFound
from agents.api.json_schema import answered, text
from agents.api.tool import check_names
from agents.api.toolbox import TOOLS
from chat.answering import answers
from chat.answering.admission import Asking
from chat.api.mcp.asking import Context, failed_call, member_of
from chat.api.mcp.knowing import LIST_AGENTS, LIST_DATA, agents_instead, list_agents, list_data
from chat.api.questions import question_from
from chat.stream.collected import collect
from chat.stream.log import Cursor
from chat.stream.view import whole_body
from config.concurrency.threads import in_thread, waiting

CHANGING = {"upsert_knowledge"}  # which also replaces what was kept under the same key
KNOWING: dict[str, tuple[Tool, Callable[[Membership, Mapping[str, Any]], dict[str, Any]]]] = {
    LIST_AGENTS.name: (LIST_AGENTS, list_agents),
    LIST_DATA.name: (LIST_DATA, list_data),
}
LONGEST_REFERENCE = 100
ASK = Tool(
    name="ask",
    description=(
        "Have an agent of the organization answer a question from the documents that it and the caller have, with "
        "numbered sources and the sentence behind each [n]. `state` says honestly how well the answer is supported."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "agent": text(LONGEST_REFERENCE, "Slug or id of the agent."),
            "question": {"minLength": 1, **text(8000, "The question.")},
            "conversation": {
                "type": "string",
                "format": "uuid",
                "description": "An earlier answer's conversation, to go on with it; without it a new one begins.",
            },
        },
        "required": ["agent", "question"],
        "additionalProperties": False,
    },
    output_schema=answered(
        message={"type": "string", "format": "uuid"},
        conversation={"type": ["string", "null"], "format": "uuid"},
        content={"type": "string"},
        sources={"type": "array", "items": {"type": "object"}},
        citations={"type": "array", "items": {"type": "object"}},
        state={"type": "string"},
        confidence={"type": "string"},
        sufficient={"type": "boolean"},
        usage={"type": "object"},
    ),
    annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False),  # it leaves a conversation
)


async def list_tools(context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
    offered = [
        Tool(
            name=one.name,
            description=one.description,
            input_schema=dict(one.input_schema),
            output_schema=dict(one.output_schema),
            annotations=ToolAnnotations(read_only_hint=one.name not in CHANGING, destructive_hint=one.name in CHANGING),
        )
        for one in TOOLS.values()
    ]
    return ListToolsResult(tools=[*(tool for tool, _told in KNOWING.values()), ASK, *offered])


async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
    """A tool that fails says so in its result, for the model; one that is not there is the protocol's error."""
    by, arguments = member_of(context), params.arguments or {}
    if params.name not in (ASK.name, *KNOWING, *TOOLS):
        raise MCPError(INVALID_PARAMS, f"There is no tool of this name: {params.name[:LONGEST_REFERENCE]}")
    try:
        result = await (ask_agent(by, arguments) if params.name == ASK.name else run_tool(by, params.name, arguments))
    except NotFound as error:
        there = await in_thread(agents_instead, by, str(arguments["agent"])) if "agent" in arguments else ""
        return failed_call(error, f"agent: {there}" if there else "")
    except Exception as error:
        return failed_call(error)
    written = orjson.dumps(result, default=str)
    return CallToolResult(content=[TextContent(text=written.decode())], structured_content=orjson.loads(written))


async def run_tool(by: Membership, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """On a thread: it waits for the index, a model of embeddings or a data source."""
    execute = KNOWING[name][1] if name in KNOWING else TOOLS[name].call
    return await waiting.run(by.organization_id, execute, by, arguments)


async def ask_agent(by: Membership, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer that the API gives with `stream: false`. Raises Problems and what is wrong with the question."""
    check_names(ASK.input_schema, arguments)
    asked = {
        "messages": [{"role": "user", "content": arguments.get("question", "")}],
        "conversation": arguments.get("conversation"),
        "stream": False,
    }
    try:
        question = await in_thread(question_from, asked)
    except ValidationError as error:
        raise ValidationError(_as_asked(error.detail)) from None
    _admission, reader = await answers.ask(Asking(by, str(arguments.get("agent", "")), question), goes_on=False)
    return whole_body(await collect(reader.batches(Cursor())))


def _as_asked(faults: Any) -> dict[str, Any]:
    """By the names that this tool has for what the API calls otherwise."""
    return {"question" if name == "messages" else name: said for name, said in faults.items()}

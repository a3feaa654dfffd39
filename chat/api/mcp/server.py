"""The server of the official SDK, with a room for each thing that the protocol has."""

from typing import Any

from mcp.server.lowlevel.server import Server

from chat.api.mcp.prompts import get_prompt, list_prompts
from chat.api.mcp.resources import list_resources, list_templates, read_resource
from chat.api.mcp.tools import call_tool, list_tools

SERVER: Server[Any] = Server(
    "acervo",
    version="1",  # of the API
    title="Acervo",
    instructions=(
        "An organization's documents, its agents that answer from them with citations, and its data sources, all as "
        "the member whom you ask for may read them; `list_agents` says where to begin. Say so when `sufficient` is "
        "false or `state` is not `supported`."
    ),
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_list_resource_templates=list_templates,
    on_read_resource=read_resource,
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
)

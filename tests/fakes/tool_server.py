"""A tool server of the official SDK, in a process of its own: what external servers are like.

    python -m tests.fakes.tool_server --port 0        prints its port, then serves until it is terminated

`--json`: answers as JSON in the place of an event stream; `--token`: lets in who has it alone.
"""

import argparse
import socket
from typing import Annotated, Any, Literal

import uvicorn
from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

READS = ToolAnnotations(read_only_hint=True)
PIXEL = bytes.fromhex("89504e470d0a1a0a")
server = MCPServer("weather")


class Place(BaseModel):
    city: str
    country: str | None = None


@server.tool(annotations=READS)
def forecast(
    city: Annotated[str, Field(description="Where", max_length=50)],
    days: Annotated[int, Field(ge=1, le=7)] = 1,
    unit: Literal["celsius", "fahrenheit"] = "celsius",
) -> str:
    """The weather of a city."""
    if city == "Nowhere":
        raise ToolError("There is no such city.")
    return f"In {city} it rains for {days} days.\nThe high is 31 {unit}."


@server.tool(annotations=READS)
def compare(first: Place, second: Place) -> dict[str, Any]:
    """Two places."""
    return {"warmer": first.city, "by": 4}


@server.tool(annotations=READS, structured_output=False)
def picture() -> list[Any]:
    """The sky."""
    return ["Clouds.", Image(data=PIXEL, format="png")]


@server.tool()
def wipe(city: str) -> str:
    """Forget a city."""
    return "gone"


def let_in(app: ASGIApp, token: str) -> ASGIApp:
    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and dict(scope["headers"]).get(b"authorization") != f"Bearer {token}".encode():
            await PlainTextResponse("no", 401)(scope, receive, send)
            return
        await app(scope, receive, send)

    return asked


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--token", default="")
    told = parser.parse_args()
    with socket.create_server(("127.0.0.1", told.port)) as listening:
        print(listening.getsockname()[1], flush=True)  # noqa: T201 - for whoever started it
        app: ASGIApp = server.streamable_http_app(json_response=told.json)
        app = let_in(app, told.token) if told.token else app
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    main()

"""A server of the official SDK in a process of its own: read, chosen, called."""

from collections.abc import Iterator

import pytest

from foreign import keeping
from foreign.calling import call_foreign_tool
from foreign.models import ForeignTool, ToolServer
from foreign.problems import ArgumentsRefused, ServerUnusable, ToolFailed
from tests.people import People
from tests.tool_servers import running_server, server_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module", params=["stream", "json"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    with running_server("--token", "zurribanda", *(["--json"] if request.param == "json" else [])) as address:
        yield address


@pytest.fixture
def server(people: People, url: str) -> ToolServer:
    made = server_of(people.ada.organization, url)
    keeping.save_server(people.ada, made, credential="zurribanda")
    keeping.read_tools(people.ada, made)
    return made


def tool(server: ToolServer, name: str) -> ForeignTool:
    return ForeignTool.objects.select_related("server").get(server=server, name=name)


def test_its_tools_are_read_and_those_that_may_change_something_cannot_be_chosen(
    people: People, server: ToolServer
) -> None:
    every = {(str(one.pk), one.digest) for one in server.tools.all()}
    assert [one.name for one in server.tools.all()] == ["compare", "forecast", "picture", "wipe"]
    assert keeping.choose_tools(people.ada, server, every) == 3
    assert {one.name for one in server.tools.offered()} == {"compare", "forecast", "picture"}
    server.refresh_from_db()
    assert (server.check_outcome, server.protocol_version) == ("ok", "2025-06-18")
    schema = tool(server, "forecast").input_schema
    assert schema["properties"]["city"] == {"type": "string", "description": "Where", "maxLength": 50}
    assert schema["properties"]["unit"] == {"type": "string", "enum": ["celsius", "fahrenheit"]}
    inlined = tool(server, "compare").input_schema["properties"]["first"]
    assert inlined["properties"]["country"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}


def test_a_call_answers_lines_of_text(server: ToolServer) -> None:
    answer = call_foreign_tool(tool(server, "forecast"), {"city": "Lima", "days": 2})
    assert (answer.lines, answer.truncated) == (["In Lima it rains for 2 days.", "The high is 31 celsius."], False)
    data = call_foreign_tool(
        tool(server, "compare"), {"first": {"city": "Lima"}, "second": {"city": "Quito", "country": None}}
    )
    assert '"warmer": "Lima"' in " ".join(data.lines)


def test_a_picture_is_named_and_not_shown(server: ToolServer) -> None:
    assert call_foreign_tool(tool(server, "picture"), {}).lines == ["Clouds.", "(an image came too, and is not shown)"]


def test_a_tool_that_fails_says_why(server: ToolServer) -> None:
    with pytest.raises(ToolFailed) as failed:
        call_foreign_tool(tool(server, "forecast"), {"city": "Nowhere"})
    assert "There is no such city." in str(failed.value.extra["reason"])


def test_arguments_are_checked_before_they_are_sent(server: ToolServer) -> None:
    for wrong in (
        {},
        {"city": 5},
        {"city": "Lima", "days": 9},
        {"city": "Lima", "unit": "K"},
        {"city": "x", "me": "Ana"},
    ):
        with pytest.raises(ArgumentsRefused):
            call_foreign_tool(tool(server, "forecast"), wrong)


def test_without_its_credential_nobody_is_let_in(people: People, server: ToolServer) -> None:
    keeping.save_server(people.ada, server, credential="another")
    with pytest.raises(ServerUnusable) as refused:
        keeping.read_tools(people.ada, server)
    assert refused.value.extra["reason"] == "unauthorized"

"""Tool servers in the admin: added, read, their tools chosen and lent to agents."""

from typing import Any

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from foreign.conversing import Session, use_server
from foreign.models import ToolServer
from foreign.problems import ServerUnavailable, ServerUnusable
from tests.people import People, signed_in
from tests.tool_servers import FORECAST, ToolHost, server_of, tool_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_this_thread")]
SAID = {"name": "Weather", "header": "Authorization", "credential": "zurribanda", "is_active": "on"}


def page(name: str, *args: Any) -> str:
    return reverse(f"admin:foreign_{name}", args=args)


def errors_of(answer: Any) -> dict[str, Any]:
    return dict(answer.context["adminform"].errors)


def test_a_server_is_added_read_and_its_tools_are_chosen(people: People, host: ToolHost) -> None:
    ada = signed_in(people.ada)
    host.tools = [FORECAST, {**FORECAST, "name": "wipe", "annotations": {}}]
    assert ada.post(page("toolserver_add"), {**SAID, "url": host.url}).status_code == 302
    server = ToolServer.objects.get()
    assert (server.organization, server.headers) == (
        people.ada.organization, {"Authorization": "Bearer zurribanda"},
    )  # fmt: skip
    assert ada.post(page("server_read", server.pk)).url == page("server_tools", server.pk)
    tools = {one.name: one for one in server.tools.all()}
    shown = ada.get(page("server_tools", server.pk)).content.decode()
    assert FORECAST["description"] in shown
    assert f"{tools['forecast'].pk}:" in shown
    assert f"{tools['wipe'].pk}:" not in shown
    ticked = [f"{one.pk}:{one.digest}" for one in tools.values()]
    assert ada.post(page("server_tools", server.pk), {"tool": [*ticked, "x", ":", "é:1"]}).status_code == 302
    assert [one.name for one in server.tools.offered()] == ["forecast"]
    events = AuditEvent.objects.filter(object_type="toolserver").order_by("created_at")
    assert [one.action for one in events] == ["created", "checked", "changed"]
    assert "zurribanda" not in repr([one.changes for one in events])
    for place in ("toolserver_change", "toolserver_history", "toolserver_delete"):
        answer = ada.get(page(place, server.pk))
        assert answer.status_code == 200
        assert "zurribanda" not in answer.content.decode()
    assert ada.get(page("toolserver_changelist")).status_code == 200


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"url": "https://elsewhere.example/"}, "url"),
        ({"url": "file:///etc/passwd"}, "url"),
        ({"url": "https://10.1.2.3/mcp"}, "url"),
        ({"url": "https://ok.example@evil.example/"}, "url"),
        ({"header": "Host"}, "header"),
        ({"header": "A: b\r\nC"}, "header"),
        ({"credential": "a\r\nX: y"}, "credential"),
        ({"credential": "é"}, "credential"),
        ({"name": ""}, "name"),
        ({"name": "a\u202eb"}, "name"),
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, str], field: str, people: People, settings: Any) -> None:
    settings.TOOL_SERVER_HOSTS = ["ok.example", "10.1.2.3"]
    said = {**SAID, "url": "https://ok.example/mcp"} | wrong
    answer = signed_in(people.ada).post(page("toolserver_add"), said)
    assert field in errors_of(answer)
    assert not ToolServer.objects.exists()


def test_a_credential_goes_to_no_other_server(people: People, host: ToolHost) -> None:
    ada = signed_in(people.ada)
    ada.post(page("toolserver_add"), {**SAID, "url": host.url})
    server = ToolServer.objects.get()
    tool_of(server)
    moved = {**SAID, "url": "https://other.example/mcp", "credential": ""}
    assert "credential" in errors_of(ada.post(page("toolserver_change", server.pk), moved))
    same = {**SAID, "name": "Renamed", "url": host.url, "credential": ""}
    assert ada.post(page("toolserver_change", server.pk), same).status_code == 302
    server.refresh_from_db()
    assert (server.name, server.headers["Authorization"]) == ("Renamed", "Bearer zurribanda")
    assert server.tools.offered().exists()
    assert ada.post(page("toolserver_change", server.pk), {**moved, "credential": "new"}).status_code == 302
    assert not server.tools.offered().exists()  # what was chosen was another server's


def test_a_reading_that_fails_is_said_and_noted(people: People, host: ToolHost) -> None:
    host.said["initialize"] = lambda _: b"HTTP/1.1 302 Over\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n"
    server = server_of(people.ada.organization, host.url)
    answer = signed_in(people.ada).post(page("server_read", server.pk), follow=True)
    assert "lleva a otra dirección" in answer.content.decode()
    server.refresh_from_db()
    assert (server.check_outcome, server.checked_at is not None) == ("redirect", True)


def test_a_server_is_nobody_elses(people: People, host: ToolHost) -> None:
    server = server_of(people.ada.organization, host.url)
    for stranger in (people.zoe, people.alice):
        client = signed_in(stranger)
        for place in ("toolserver_change", "server_tools", "toolserver_delete"):
            assert client.get(page(place, server.pk)).status_code in (302, 404)
        assert client.post(page("server_read", server.pk)).status_code in (302, 404)
    assert not host.asked


def test_an_admin_who_reads_is_told_the_cause_although_the_server_rests(people: People, host: ToolHost) -> None:
    host.said["initialize"] = lambda _: b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"
    server = server_of(people.ada.organization, host.url)
    ada = signed_in(people.ada)
    for _each in range(4):
        told = ada.post(page("server_read", server.pk), follow=True).content.decode()
    server.refresh_from_db()
    assert server.check_outcome == "status"
    assert "No se puede preguntar al servidor de herramientas: respondió con un error." in told
    with pytest.raises(ServerUnavailable) as refused:
        use_server(server, Session.list_tools)
    assert refused.value.extra["reason"] == "resting"
    del host.said["initialize"]
    ada.post(page("server_read", server.pk))
    use_server(server, Session.list_tools)


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("/mcp/v2", "/mcp/v2"),
        ("https://other.example/mcp", "https://other.example/mcp"),
        ("javascript:alert(1)", ""),
        ("https://other.example/" + "x" * 300, ""),
        ("https://[other/", ""),
    ],
)
def test_where_a_redirect_leads_is_shown_to_its_admin_alone(
    location: str, shown: str, people: People, host: ToolHost
) -> None:
    head = f"HTTP/1.1 307 Over\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
    host.said["initialize"] = lambda _: head.encode()
    server = server_of(people.ada.organization, host.url)
    told = signed_in(people.ada).post(page("server_read", server.pk), follow=True).content.decode()
    assert "lleva a otra dirección" in told
    assert ("Lleva a:" in told) == bool(shown)
    assert shown in told
    with pytest.raises(ServerUnusable) as refused:
        use_server(server, Session.list_tools)
    assert refused.value.extra == {"reason": "redirect"}


def test_a_tool_that_is_gone_is_said_to_be_gone_and_counts_as_waiting(people: People, host: ToolHost) -> None:
    server = server_of(people.ada.organization, host.url, name="aWeather")
    gone = [tool_of(server, {**FORECAST, "name": name}) for name in ("kept", "changed", "gone")][-1]
    host.tools = [{**FORECAST, "name": "kept"}, {**FORECAST, "name": "changed", "description": "Other."}]
    ada = signed_in(people.ada)
    assert ada.post(page("server_read", server.pk)).status_code == 302
    assert [one.name for one in server.tools.offered()] == ["kept"]
    assert "1 (han cambiado o ya no están: 2)" in ada.get(page("toolserver_changelist")).content.decode()
    shown = ada.get(page("server_tools", server.pk)).content.decode()
    main = shown[shown.index("<main") :]
    assert "Herramientas de aWeather" in main
    assert "AWeather" not in main, "a name is written as it is"
    assert (main.count("Ha cambiado desde que se eligió"), main.count("ya no la tiene")) == (1, 1)
    gone.refresh_from_db()
    gone.digest = "other"  # a call found out that it had changed, and a later one that it was gone
    gone.save()
    shown = ada.get(page("server_tools", server.pk)).content.decode()
    assert (shown.count("Ha cambiado desde que se eligió"), shown.count("ya no la tiene")) == (1, 1)

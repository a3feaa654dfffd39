"""Tools of other services on an agent's page: lent by an admin, and taken back."""

from typing import Any

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from agents.api import foreign
from agents.api.foreign import foreign_tools
from agents.models import ReachableTool
from agents.tests.test_admin import fields
from tests.factories import AgentFactory
from tests.people import People, signed_in
from tests.tool_servers import FORECAST, server_of, tool_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_this_thread")]


def lend(by: Any, agent: Any, tool: Any, taken: Any = None) -> Any:
    said = fields(name=agent.name, slug=agent.slug, **{"reachable_tools-TOTAL_FORMS": "1"})
    said |= {"reachable_tools-INITIAL_FORMS": "1" if taken else "0"}
    said |= {"reachable_tools-0-agent": agent.pk, "reachable_tools-0-tool": tool.pk}
    if taken:
        said |= {"reachable_tools-0-id": taken.pk, "reachable_tools-0-DELETE": "on"}
    return signed_in(by).post(reverse("admin:agents_agent_change", args=[agent.pk]), said)


def test_a_chosen_tool_is_lent_to_an_agent_and_taken_back(people: People) -> None:
    agent = AgentFactory(organization=people.ada.organization)
    tool = tool_of(server_of(people.ada.organization))
    assert lend(people.ada, agent, tool).status_code == 302
    lent = agent.reachable_tools.get()
    assert (lent.tool, lent.created_by) == (tool, people.ada.user)
    assert (
        "Weather › forecast"
        in signed_in(people.ada).get(reverse("admin:agents_agent_change", args=[agent.pk])).content.decode()
    )
    assert lend(people.ada, agent, tool, taken=lent).status_code == 302
    assert not agent.reachable_tools.exists()
    assert AuditEvent.objects.filter(action="granted", object_type="toolserver").count() == 2


def test_no_tool_is_lent_that_was_not_chosen_or_is_another_organizations(people: People) -> None:
    agent = AgentFactory(organization=people.ada.organization)
    unchosen = tool_of(server_of(people.ada.organization), chosen=False)
    foreign = tool_of(server_of(people.zoe.organization))
    for tool in (unchosen, foreign):
        assert lend(people.ada, agent, tool).status_code == 200
    assert not ReachableTool.objects.exists()


def test_a_wordy_tool_leaves_its_room_to_those_behind_it(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = AgentFactory(organization=people.ada.organization)
    server = server_of(people.ada.organization)
    for name, description in (("a", "Words. " * 200), ("b", "The weather of a city."), ("c", "Its rain.")):
        tool = tool_of(server, {**FORECAST, "name": name, "description": description})
        ReachableTool.objects.create(agent=agent, tool=tool, created_by=people.ada.user)
    monkeypatch.setattr(foreign, "MOST_CHARACTERS", 1_000)
    assert [*foreign_tools(agent)] == ["weather__b", "weather__c"]

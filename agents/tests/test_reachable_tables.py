"""On an agent's page admins give it tables of data sources, of their own organization alone."""

from typing import Any

import pytest
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.problems import NotFound
from agents.granting import give_table
from agents.models import Agent, ReachableTable
from agents.tests.test_admin import fields
from tests.factories import AgentFactory
from tests.people import People, signed_in
from tests.shops import shop
from tools.models import SourceTable

pytestmark = pytest.mark.django_db


def give(by: Any, agent: Agent, table: SourceTable, taken: ReachableTable | None = None) -> Any:
    said = fields(name=agent.name, slug=agent.slug, **{"reachable_tables-TOTAL_FORMS": "1"})
    said |= {"reachable_tables-INITIAL_FORMS": "1" if taken else "0"}
    said |= {"reachable_tables-0-agent": agent.pk, "reachable_tables-0-table": table.pk}
    if taken:
        said |= {"reachable_tables-0-id": taken.pk, "reachable_tables-0-DELETE": "on"}
    return signed_in(by).post(reverse("admin:agents_agent_change", args=[agent.pk]), said)


def test_a_table_is_given_and_taken_away(people: People) -> None:
    agent = AgentFactory(organization=people.ada.organization)
    table = shop(people.ada.organization).tables.get(name="orders")
    assert give(people.ada, agent, table).status_code == 302
    reached = agent.reachable_tables.get()
    assert (reached.table, reached.created_by) == (table, people.ada.user)
    shown = signed_in(people.ada).get(reverse("admin:agents_agent_change", args=[agent.pk])).content.decode()
    assert "Shop › customers" in shown
    assert give(people.ada, agent, table, taken=reached).status_code == 302
    assert not agent.reachable_tables.exists()
    events = AuditEvent.objects.filter(action="granted", object_type="datasource", object_id=str(table.source_id))
    assert events.count() == 2


def test_a_table_of_another_organization_is_neither_offered_nor_given(people: People) -> None:
    table = shop(people.ada.organization).tables.get(name="orders")
    agent = AgentFactory(organization=people.zoe.organization)
    shown = signed_in(people.zoe).get(reverse("admin:agents_agent_change", args=[agent.pk])).content.decode()
    assert "Shop ›" not in shown
    assert give(people.zoe, agent, table).status_code == 200
    assert not agent.reachable_tables.exists()


def test_a_table_that_was_deleted_meanwhile_is_not_found(people: People) -> None:
    agent = AgentFactory(organization=people.ada.organization)
    table = shop(people.ada.organization).tables.get(name="orders")
    SourceTable.objects.filter(pk=table.pk).delete()
    with pytest.raises(NotFound):
        give_table(agent, table, people.ada)
    assert not ReachableTable.objects.exists()

"""An agent's required and preferred metadata: checked by the model, the API and the admin's form."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from agents.models import Agent
from tests.factories import AgentFactory, MembershipFactory
from tests.people import People, signed_in

pytestmark = pytest.mark.django_db

SENT = {
    "name": "Tutor", "slug": "tutor", "is_active": "on", "temperature": "0.3", "max_tokens": "1024", "uses_rag": "on",
    "grounding": "open", "candidates": "50", "min_relevance": "0.3", "context_tokens": "2000", "diversity": "0",
    "assignments-TOTAL_FORMS": "0", "assignments-INITIAL_FORMS": "0",
    "reachable_tables-TOTAL_FORMS": "0", "reachable_tables-INITIAL_FORMS": "0",
    "reachable_tools-TOTAL_FORMS": "0", "reachable_tools-INITIAL_FORMS": "0",
}  # fmt: skip
UNIT, TAGS, CONTENT_TYPE = "filters_unit", "preferences_tags", "filters_content_type"


@pytest.mark.parametrize("name", ["filters", "preferences"])
def test_the_model_takes_values_by_metadata_field(name: str) -> None:
    agent = Agent(**{name: {"unit": "3", "tags": [" a ", "b", "a"], "difficulty": ["basico"]}})
    agent.clean()
    assert getattr(agent, name) == {"unit": ["3"], "tags": ["a", "b"], "difficulty": ["basico"]}


@pytest.mark.parametrize(
    "wrong",
    [
        ["unit"], "unit", 3, {"owner": ["x"]}, {"organization_id": ["x"]}, {"unit": []}, {"unit": [""]},
        {"unit": [3]}, {"unit": {"a": 1}}, {"unit": ["x" * 101]}, {"tags": [str(n) for n in range(21)]},
        {"content_type": ["teoría"]}, {"difficulty": ["easy"]},
    ],
)  # fmt: skip
def test_the_model_refuses_anything_else_and_names_the_field(wrong: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        Agent(filters=wrong, preferences=wrong).clean()
    assert set(refused.value.message_dict) == {"filters", "preferences"}


def test_the_admin_s_form_has_a_field_for_each_key(people: People) -> None:
    agent: Agent = AgentFactory(organization=people.ada.organization, slug="tutor", filters={"unit": ["1", "2"]})
    client, page = signed_in(people.ada), reverse("admin:agents_agent_change", args=[agent.pk])
    form = client.get(page).content.decode()
    assert 'name="filters_unit"' in form
    assert 'value="1, 2"' in form
    client.post(page, SENT | {UNIT: "3, 4 ,", TAGS: "2026", "min_confidence": "0.75", "recency_half_life_days": "30"})
    agent.refresh_from_db()
    assert (agent.filters, agent.preferences) == ({"unit": ["3", "4"]}, {"tags": ["2026"]})
    assert (agent.min_confidence, agent.recency_half_life_days, agent.condense) == (0.75, 30, False)
    client.post(page, SENT | {UNIT: "", TAGS: ""})
    agent.refresh_from_db()
    assert (agent.filters, agent.preferences, agent.min_confidence) == ({}, {}, None)


def test_the_admin_s_form_refuses_what_no_document_has(people: People) -> None:
    agent: Agent = AgentFactory(organization=people.ada.organization, slug="tutor")
    page = reverse("admin:agents_agent_change", args=[agent.pk])
    answer = signed_in(people.ada).post(page, SENT | {CONTENT_TYPE: "teoría"}, headers={"Accept-Language": "en"})
    assert answer.status_code == 200
    assert "is none of teoria, ejemplo" in answer.content.decode()
    agent.refresh_from_db()
    assert agent.filters == {}


def test_an_untouched_form_changes_no_condition(people: People) -> None:
    kept = {"unit": ["1", "2"]}
    agent: Agent = AgentFactory(organization=people.ada.organization, slug="tutor", filters=kept)
    page = reverse("admin:agents_agent_change", args=[agent.pk])
    signed_in(people.ada).post(page, SENT | {UNIT: "1, 2", "name": "Renamed"})
    agent.refresh_from_db()
    assert (agent.name, agent.filters) == ("Renamed", kept)


def test_the_form_names_the_installation_s_defaults(people: People) -> None:
    page = signed_in(people.ada).get(reverse("admin:agents_agent_add"), headers={"Accept-Language": "en"})
    assert "The default here is 0.6." in page.content.decode()
    assert "The default here is 10." in page.content.decode()


def test_the_api_sets_them_and_shows_agents_as_before() -> None:
    admin = MembershipFactory(role="admin")
    client: Client = signed_in(admin)
    body = {"name": "Tutor", "filters": {"unit": "3"}, "preferences": {"tags": ["a"]}, "min_confidence": 0.7}
    made = client.post("/api/agents/", body, content_type="application/json")
    assert made.status_code == 201
    assert set(made.json()) == {
        "id", "slug", "name", "description", "allows_personal_corpus", "uses_rag", "grounding", "adaptive", "model",
    }  # fmt: skip
    agent = Agent.objects.get(organization=admin.organization)
    assert (agent.filters, agent.preferences) == ({"unit": ["3"]}, {"tags": ["a"]})
    wrong = client.patch(f"/api/agents/{agent.pk}/", {"filters": {"owner": "x"}}, content_type="application/json")
    assert (wrong.status_code, list(wrong.json()["errors"])) == (400, ["filters"])


def test_names_of_one_s_own_are_conditions_as_pairs(people: People) -> None:
    agent: Agent = AgentFactory(
        organization=people.ada.organization, slug="tutor", filters={"meta.edition": ["1", "2"]}
    )
    client, page = signed_in(people.ada), reverse("admin:agents_agent_change", args=[agent.pk])
    assert 'value="edition=1, edition=2"' in client.get(page).content.decode()
    client.post(page, SENT | {"filters_meta": "edition=3, author=Ana"})
    agent.refresh_from_db()
    assert agent.filters == {"meta.edition": ["3"], "meta.author": ["Ana"]}

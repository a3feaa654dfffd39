"""The agent's form in steps, with a test chat for what is saved."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from agents.admin.steps import FIELDSETS
from agents.models import Agent
from tests.factories import AgentFactory, MembershipFactory, UserFactory
from tests.people import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(people: People) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(people.ada.user)
    return client


@pytest.fixture
def tutor(people: People) -> Agent:
    made: Agent = AgentFactory(organization=people.ada.organization, name="Tutor", slug="tutor")
    return made


def page_of(client: Client, agent: Any) -> str:
    return client.get(reverse("admin:agents_agent_change", args=[agent.pk])).content.decode()


def named(fields: Any) -> list[str]:
    return [name for one in fields for name in ([one] if isinstance(one, str) else one)]


def test_the_steps_hold_every_field_once_and_experts_fields_are_folded() -> None:
    steps = [(str(title), options) for title, options in FIELDSETS]
    fields = [name for _title, options in steps for name in named(options["fields"])]
    columns = {one.name for one in Agent._meta.concrete_fields} - {"id", "organization", "created_at", "updated_at"}
    assert sorted(fields) == sorted(columns | {"personal_assignments"})
    open_fields = [
        name for _t, one in steps if "collapse" not in one.get("classes", ()) for name in named(one["fields"])
    ]
    assert len(open_fields) <= 14, "forty-two fields at once are no form"


def test_the_steps_stand_in_order_and_the_rest_is_folded(ada: Client, tutor: Agent) -> None:
    with override("en"):
        text = page_of(ada, tutor)
    places = [text.index(title) for title in ("1. Who it is", "2. What it reads", "3. How it answers", "4. Limits")]
    assert places == sorted(places)
    assert places[-1] < text.index("<details><summary>", places[-1]) < text.index('name="temperature"')


def test_an_error_in_a_folded_field_opens_it_and_keeps_what_was_typed(ada: Client, tutor: Agent) -> None:
    form = {"name": "Renamed", "slug": "tutor", "grounding": "open", "temperature": "9", "max_tokens": "77"}
    inline = {f"assignments-{name}_FORMS": "0" for name in ("TOTAL", "INITIAL", "MIN_NUM", "MAX_NUM")}
    answer = ada.post(reverse("admin:agents_agent_change", args=[tutor.pk]), form | inline)
    text = answer.content.decode()
    assert 'value="Renamed"' in text
    assert 'value="77"' in text
    assert text.count("<details><summary>") == 1, "the one with the error stands open"


def test_a_saved_agent_can_be_asked_on_its_page_and_a_new_one_says_to_save_first(ada: Client, tutor: Agent) -> None:
    assert f'data-try="{reverse("api-chat", args=["tutor"])}"' in page_of(ada, tutor)
    new = ada.get(reverse("admin:agents_agent_add")).content.decode()
    assert "data-try" not in new
    assert "Save the agent first" in new


def test_who_cannot_ask_it_is_told_so(people: People, tutor: Agent, ada: Client) -> None:
    tutor.is_active = False
    tutor.save()
    assert "data-try" not in page_of(ada, tutor)
    operator = Client()
    operator.force_login(UserFactory(is_superuser=True))
    assert "data-try" not in page_of(operator, AgentFactory(organization=MembershipFactory().organization))

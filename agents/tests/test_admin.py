"""The admin of agents: presets, flags and their audit, assignments of global corpora, nothing of anybody's own."""

import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, Membership, Organization, User
from agents.admin.agents import personal_count
from agents.models import Agent, Assignment
from agents.presets import PRESETS
from corpora.models import Corpus

pytestmark = pytest.mark.django_db
CANARY = "CANARY-in-a-prompt"


@pytest.fixture
def alice() -> Membership:
    organization = Organization.objects.create(name="Library", slug="library")
    user = User.objects.create(email="alice@example.org")
    return Membership.objects.create(user=user, organization=organization, role="admin")


@pytest.fixture
def client(alice: Membership) -> Client:
    client = Client()
    client.force_login(alice.user)
    return client


@pytest.fixture
def agent(alice: Membership) -> Agent:
    return Agent.objects.create(
        organization=alice.organization, name="Tutor", slug="tutor", allows_personal_corpus=True
    )


@pytest.fixture
def corpus(alice: Membership) -> Corpus:
    return Corpus.objects.create(organization=alice.organization, corpus_type="global", name="Rules")


def personal_assignment(agent: Agent, name: str = "Secret diary") -> Assignment:
    owner = User.objects.create(email="carol@example.org")
    Membership.objects.create(user=owner, organization=agent.organization)
    corpus = Corpus.objects.create(organization=agent.organization, corpus_type="personal", owner=owner, name=name)
    return Assignment.objects.create(agent=agent, corpus=corpus)


def fields(*new: Corpus, removed: Assignment | None = None, **changed: Any) -> dict[str, Any]:
    """The form of an agent with its inline, as a browser sends it; a field set to None is left out."""
    sent: dict[str, Any] = {
        "name": "Tutor", "slug": "tutor", "description": "", "is_active": "on", "system_prompt": "",
        "instructions": "", "context_template": "", "model": "", "temperature": "0.3", "max_tokens": "1024",
        "uses_rag": "on", "grounding": "open", "allows_personal_corpus": "on", "top_k": "", "candidates": "50",
        "min_relevance": "0.3", "context_tokens": "2000", "condense": "on", "diversity": "0", "compress": "on",
        "assignments-TOTAL_FORMS": str(len(new) + bool(removed)),
        "assignments-INITIAL_FORMS": str(int(bool(removed))),
        "reachable_tables-TOTAL_FORMS": "0",
        "reachable_tables-INITIAL_FORMS": "0",
        "reachable_tools-TOTAL_FORMS": "0",
        "reachable_tools-INITIAL_FORMS": "0",
    }  # fmt: skip
    if removed:
        sent |= {
            "assignments-0-id": str(removed.pk),
            "assignments-0-agent": str(removed.agent_id),
            "assignments-0-DELETE": "on",
        }
    for n, one in enumerate(new, start=int(bool(removed))):
        sent[f"assignments-{n}-corpus"] = str(one.pk)
    return {name: value for name, value in (sent | changed).items() if value is not None}


def change(client: Client, agent: Agent, sent: dict[str, Any]) -> Any:
    return client.post(reverse("admin:agents_agent_change", args=[agent.pk]), sent)


def told(response: Any) -> str:
    return " ".join(str(message) for message in get_messages(response.wsgi_request))


@pytest.mark.parametrize("slug", PRESETS)
def test_a_new_agent_starts_from_a_preset(client: Client, slug: str) -> None:
    page = client.get(reverse("admin:agents_agent_add"), {"preset": slug})
    form = page.context["adminform"].form
    preset = PRESETS[slug]
    for name in ("name", "slug", "system_prompt", "grounding", "temperature", "top_k", "candidates", "uses_rag"):
        assert form.initial[name] == getattr(preset, name)
    assert all(f"?preset={other}" in page.content.decode() for other in PRESETS)


def test_an_unknown_preset_starts_an_empty_agent(client: Client) -> None:
    page = client.get(reverse("admin:agents_agent_add"), {"preset": "nothing"})
    assert "system_prompt" not in page.context["adminform"].form.initial


def test_a_new_agent_belongs_to_the_own_organization_and_comes_with_its_corpora(
    client: Client, alice: Membership, corpus: Corpus
) -> None:
    elsewhere = Organization.objects.create(name="Elsewhere", slug="elsewhere")
    client.post(reverse("admin:agents_agent_add"), fields(corpus, organization=str(elsewhere.pk)))
    agent = Agent.objects.get()
    assert agent.organization == alice.organization
    assert agent.assignments.get().corpus == corpus
    assert agent.assignments.get().created_by == alice.user


def test_a_taken_slug_is_an_error_of_the_form(client: Client, agent: Agent) -> None:
    response = client.post(reverse("admin:agents_agent_add"), fields(name="Other"))
    assert response.status_code == 200
    assert response.context["adminform"].form.errors
    assert Agent.objects.count() == 1


def test_a_template_without_its_place_for_documents_is_refused(client: Client, agent: Agent) -> None:
    response = change(client, agent, fields(context_template="Context"))
    assert "context_template" in response.context["adminform"].form.errors


def test_a_change_is_audited_with_names_and_flags_and_without_text(client: Client, agent: Agent) -> None:
    change(client, agent, fields(system_prompt=CANARY, description=CANARY, grounding="strict", uses_rag=None))
    event = AuditEvent.objects.get(object_type="agent")
    assert event.action == "changed"
    assert event.changes == {
        "fields": ["description", "grounding", "system_prompt", "uses_rag"],
        "grounding": "strict",
        "uses_rag": False,
    }
    assert CANARY not in json.dumps(list(AuditEvent.objects.values()), default=str)


def test_a_text_that_nobody_touched_has_not_changed(client: Client, agent: Agent) -> None:
    """Browsers end its lines with CR LF."""
    Agent.objects.update(system_prompt="One.\nTwo.")
    change(client, agent, fields(system_prompt="One.\r\nTwo.", description="Other"))
    agent.refresh_from_db()
    assert (agent.system_prompt, agent.description) == ("One.\nTwo.", "Other")
    assert AuditEvent.objects.get(action="changed").changes["fields"] == ["description"]
    change(client, agent, fields(system_prompt="One.\r\nThree.", description="Other"))
    agent.refresh_from_db()
    assert agent.system_prompt == "One.\nThree."


def test_global_corpora_are_assigned_and_taken_back_by_their_service(
    client: Client, agent: Agent, corpus: Corpus
) -> None:
    change(client, agent, fields(corpus))
    assignment = agent.assignments.get()
    change(client, agent, fields(removed=assignment))
    assert not agent.assignments.exists()
    actions = AuditEvent.objects.filter(object_type="assignment").values_list("action", flat=True)
    assert set(actions) == {"assigned", "unassigned"}


def test_the_history_of_an_agent_names_no_corpus(client: Client, agent: Agent, corpus: Corpus) -> None:
    """It would outlive the corpus, and nobody would find it when that is erased."""
    change(client, agent, fields(corpus, name="Another"))
    change(client, agent, fields(removed=agent.assignments.get()))
    said = [str(entry.get_change_message()) for entry in LogEntry.objects.filter(object_id=str(agent.pk))]
    assert len(said) == 2
    assert all("«…»" in one for one in said)
    assert not any(corpus.name in one for one in said)


def test_a_corpus_is_assigned_once(client: Client, agent: Agent, corpus: Corpus) -> None:
    Assignment.objects.create(agent=agent, corpus=corpus)
    response = change(client, agent, fields(corpus))
    assert response.status_code in (200, 302)
    assert agent.assignments.count() == 1


def test_corpora_of_another_organization_and_personal_ones_are_no_choice(client: Client, agent: Agent) -> None:
    elsewhere = Organization.objects.create(name="Elsewhere", slug="elsewhere")
    foreign = Corpus.objects.create(organization=elsewhere, corpus_type="global", name="Foreign rules")
    own = personal_assignment(agent).corpus
    for other in (foreign, own):
        response = change(client, agent, fields(other))
        assert response.status_code == 200
        assert response.context["inline_admin_formsets"][0].formset.errors
        assert other.name.encode() not in response.content
    assert agent.assignments.count() == 1


def test_an_operator_assigns_corpora_of_the_agents_own_organization_only(agent: Agent, corpus: Corpus) -> None:
    operator = Client()
    operator.force_login(User.objects.create(email="operator@example.org", is_superuser=True))
    elsewhere = Organization.objects.create(name="Elsewhere", slug="elsewhere")
    foreign = Corpus.objects.create(organization=elsewhere, corpus_type="global", name="Foreign rules")
    page = change(operator, agent, fields(foreign))
    assert page.status_code == 200
    assert foreign.name.encode() not in page.content
    assert change(operator, agent, fields(corpus)).status_code == 302
    assert agent.assignments.get().corpus == corpus


def test_personal_assignments_are_counted_and_not_shown(client: Client, agent: Agent) -> None:
    personal_assignment(agent)
    page = client.get(reverse("admin:agents_agent_change", args=[agent.pk]))
    assert personal_count(page.context["original"]) == 1
    assert b"Secret diary" not in page.content
    assert b"carol" not in page.content


def test_turning_personal_corpora_off_says_how_many_are_no_longer_read(client: Client, agent: Agent) -> None:
    assignment = personal_assignment(agent)
    response = change(client, agent, fields(allows_personal_corpus=None))
    agent.refresh_from_db()
    assert not agent.allows_personal_corpus
    assert "1" in told(response)
    carol = Membership.objects.get(user=assignment.corpus.owner)
    assert agent.scope_for(carol).is_empty


def test_deleting_an_agent_counts_conversations_and_names_none(client: Client, agent: Agent, alice: Membership) -> None:
    personal_assignment(agent)
    path = reverse("admin:agents_agent_delete", args=[agent.pk])
    page = client.get(path)
    assert b"Secret diary" not in page.content
    assert sorted(dict(page.context["model_count"]).values()) == [0, 1, 1]
    client.post(path, {"post": "yes"})
    assert not Agent.objects.exists()
    assert AuditEvent.objects.get(action="deleted").object_id == str(agent.pk)


def test_the_help_of_the_model_names_the_default_and_no_key(client: Client, agent: Agent, settings: Any) -> None:
    settings.OPENAI_API_KEY = "sk-canary"
    page = client.get(reverse("admin:agents_agent_change", args=[agent.pk])).content.decode()
    assert "openai:gpt-4o-mini" in page
    assert "sk-canary" not in page

"""Agents and retrieval over HTTP, to the letter of API.md."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from accounts.models import AuditEvent
from agents.models import Agent
from corpora.models import Corpus
from corpora.tests.sending import problem
from tests.factories import AgentFactory, AssignmentFactory, CorpusFactory, DocumentFactory
from tests.people import People, signed_in, with_key

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

AGENT = {
    *("id", "slug", "name", "description", "allows_personal_corpus", "uses_rag", "grounding", "adaptive", "model"),
}
RETRIEVAL = {"confidence", "score", "sufficient", "chunks", "timings"}
CHUNK = {
    *("chunk", "document", "title", "corpus", "corpus_type", "page", "heading_path", "text", "relevance"),
    *("dense", "bm25"),
}


@pytest.fixture
def agent(people: People) -> Agent:
    return AgentFactory(organization=people.alice.organization, allows_personal_corpus=True, slug="tutor")


@pytest.fixture
def alice(people: People) -> Client:
    return with_key(people.alice)


@pytest.fixture
def ada(people: People) -> Client:
    return with_key(people.ada)


def post(client: Client, path: str, body: Any) -> Any:
    return client.post(path, body, content_type="application/json")


def patch(client: Client, path: str, body: Any) -> Any:
    return client.patch(path, body, content_type="application/json")


# Reading


def test_an_agent_is_shown_by_id_and_by_slug_with_exactly_the_contracts_fields(alice: Client, agent: Agent) -> None:
    by_id, by_slug = alice.get(f"/api/agents/{agent.pk}/"), alice.get("/api/agents/tutor/")
    assert by_id.json() == by_slug.json()
    assert set(by_id.json()) == AGENT, "no prompt, no instructions"


def test_the_same_slug_in_two_organizations_is_two_agents(people: People, agent: Agent) -> None:
    theirs = AgentFactory(organization=people.charlie.organization, slug="tutor")
    assert with_key(people.charlie).get("/api/agents/tutor/").json()["id"] == str(theirs.pk)
    assert with_key(people.alice).get("/api/agents/tutor/").json()["id"] == str(agent.pk)


def test_an_agent_that_is_switched_off_is_seen_by_admins_alone(alice: Client, ada: Client, agent: Agent) -> None:
    patch(ada, "/api/agents/tutor/", {"is_active": False})
    assert problem(alice.get("/api/agents/tutor/")) == (404, "not_found")
    assert alice.get("/api/agents/").json()["results"] == []
    assert ada.get("/api/agents/tutor/").status_code == 200


@pytest.mark.parametrize(
    "reference", ["nobody", "%00", "tutor%00", "00000000-0000-4000-8000-000000000000", "a" * 500, "{}", "..%2F"]
)
def test_a_reference_to_no_agent_is_not_found(reference: str, alice: Client, agent: Agent) -> None:
    assert alice.get(f"/api/agents/{reference}/").status_code == 404


# Changing


def test_an_admin_makes_an_agent_and_its_slug_comes_from_the_name(ada: Client, people: People) -> None:
    answer = post(ada, "/api/agents/", {"name": "Tutor de Redes", "allows_personal_corpus": True})
    assert (answer.status_code, answer.json()["slug"]) == (201, "tutor-de-redes")
    made = Agent.objects.get()
    assert made.organization == people.ada.organization
    assert AuditEvent.objects.filter(object_id=str(made.pk), action="created", actor=people.ada.user).exists()


def test_a_name_without_a_latin_letter_still_gets_a_slug(ada: Client) -> None:
    first, second = (post(ada, "/api/agents/", {"name": "教师"}).json()["slug"] for _ in range(2))
    assert first
    assert second
    assert first != second


def test_a_slug_is_taken_once_in_an_organization(ada: Client, agent: Agent, people: People) -> None:
    assert problem(post(ada, "/api/agents/", {"name": "Tutor"})) == (409, "slug_taken")
    assert problem(post(ada, "/api/agents/", {"name": "Other", "slug": "tutor"})) == (409, "slug_taken")
    assert post(with_key(people.zoe), "/api/agents/", {"name": "Tutor"}).status_code == 201


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("slug", "with space"),
        ("temperature", 2.1),
        ("temperature", "NaN"),
        ("max_tokens", 0),
        ("max_tokens", 32_001),
        ("grounding", "loose"),
        ("top_k", 51),
        ("candidates", 201),
        ("min_relevance", 1.1),
        ("context_tokens", 99),
        ("context_template", "no place for the passages"),
        ("system_prompt", "p" * 20_001),
        ("filters", {"colour": "red"}),
        ("filters", "unit"),
        ("filters", {"document": "6f3b1c9a-8a5e-4a43-9d0c-2f7d1c1b7a11"}),
        ("preferences", {"unit": [""]}),
    ],
)
def test_a_setting_that_is_not_valid_is_named(field: str, value: Any, ada: Client, agent: Agent) -> None:
    answer = patch(ada, "/api/agents/tutor/", {field: value})
    assert problem(answer) == (400, "invalid_input")
    assert list(answer.json()["errors"]) == [field]


def test_organization_and_id_of_an_agent_stay(ada: Client, agent: Agent, people: People) -> None:
    forged = {"id": str(uuid4()), "organization": str(people.zoe.organization_id), "name": "Renamed"}
    assert patch(ada, "/api/agents/tutor/", forged).json()["id"] == str(agent.pk)
    assert Agent.objects.get().organization == people.ada.organization


def test_turning_personal_corpora_off_is_audited_and_obeyed_at_once(
    ada: Client, alice: Client, agent: Agent, people: People
) -> None:
    AssignmentFactory(agent=agent, corpus=CorpusFactory(personal_of=people.alice))
    assert agent.scope_for(people.alice).personal_ids
    patch(ada, "/api/agents/tutor/", {"allows_personal_corpus": False})
    assert not Agent.objects.get().scope_for(people.alice).personal_ids
    event = AuditEvent.objects.get(object_id=str(agent.pk), action="changed")
    assert event.changes["allows_personal_corpus"] is False


# Retrieving


@pytest.fixture
def library(people: People, agent: Agent, worker: Callable[[], int]) -> dict[str, Corpus]:
    """What the agent may read: Alice's notes and the handbook; Bob's notes are his."""
    corpora = {
        "alices": CorpusFactory(personal_of=people.alice),
        "bobs": CorpusFactory(personal_of=people.bob),
        "shared": CorpusFactory(shared_in=people.alice.organization),
    }
    for name, corpus in corpora.items():
        AssignmentFactory(agent=agent, corpus=corpus)
        text = f"A loan from the {name} shelf lasts twenty-one days."
        DocumentFactory(corpus=corpus, title=f"{name} rules", text=text, status="pending", content_type="faq")
    worker()
    return corpora


def retrieve(client: Client, **body: Any) -> Any:
    return post(client, "/api/agents/tutor/retrieve/", {"query": "How long does a loan last?", **body})


def test_a_retrieval_has_the_contracts_shape(alice: Client, library: dict[str, Corpus]) -> None:
    body = retrieve(alice).json()
    assert set(body) >= RETRIEVAL
    assert body["confidence"] in ("high", "medium", "low", "none")
    assert all(set(chunk) >= CHUNK for chunk in body["chunks"])
    assert {chunk["corpus"]: chunk["corpus_type"] for chunk in body["chunks"]} == {
        str(library["alices"].pk): "personal",
        str(library["shared"].pk): "global",
    }


def test_each_member_finds_the_own_and_the_global_passages(people: People, library: dict[str, Corpus]) -> None:
    for member, own in ((people.alice, "alices"), (people.bob, "bobs"), (people.ada, "")):
        found = {chunk["title"].removesuffix(" rules") for chunk in retrieve(with_key(member)).json()["chunks"]}
        assert found == {"shared", own} - {""}


def test_top_k_and_filters_narrow_a_retrieval(alice: Client, library: dict[str, Corpus]) -> None:
    assert len(retrieve(alice, top_k=1).json()["chunks"]) == 1
    assert len(retrieve(alice, filters={"content_type": "faq"}).json()["chunks"]) == 2
    assert retrieve(alice, filters={"content_type": ["teoria"]}).json()["chunks"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": "q" * 8_001}, "query"),
        ({"query": None}, "query"),
        ({"query": "a\x00b"}, "query"),
        ({"top_k": 0}, "top_k"),
        ({"top_k": 51}, "top_k"),
        ({"granularity": 300}, "granularity"),
        ({"filters": {"corpus_id": "x"}}, "filters"),
        ({"filters": {"organization_id": ["x"]}}, "filters"),
        ({"filters": {"unit": []}}, "filters"),
        ({"filters": {"unit": [{"$ne": 1}]}}, "filters"),
        ({"filters": []}, "filters"),
    ],
)
def test_a_retrieval_that_is_not_valid_names_the_field(
    body: Any, field: str, alice: Client, library: dict[str, Corpus]
) -> None:
    answer = retrieve(alice, **body)
    assert problem(answer) == (400, "invalid_input")
    assert list(answer.json()["errors"]) == [field]


@pytest.mark.parametrize("forged", ["scope", "corpora", "collection", "user_id", "organization", "points"])
def test_no_collection_filter_or_id_of_the_index_is_taken_from_a_client(
    forged: str, alice: Client, people: People, library: dict[str, Corpus]
) -> None:
    """R1: what the request does not know is ignored, and opens nothing."""
    answer = retrieve(alice, **{forged: [str(library["bobs"].pk)]})
    assert str(library["bobs"].pk) not in answer.content.decode()


@pytest.mark.parametrize("body", [b"{", b"", b"\xff", b"[]", b'"query"'])
def test_a_body_that_is_no_object_is_a_problem(body: bytes, alice: Client, agent: Agent) -> None:
    path = "/api/agents/tutor/retrieve/"
    assert problem(alice.generic("POST", path, body, content_type="application/json"))[0] == 400


def test_an_agent_with_nothing_to_read_answers_nothing(alice: Client, agent: Agent) -> None:
    body = retrieve(alice).json()
    assert (body["chunks"], body["confidence"], body["sufficient"], body["score"]) == ([], "none", False, 0.0)


def test_retrieving_needs_the_csrf_token_of_a_session(people: People, agent: Agent) -> None:
    client = signed_in(people.alice, checks_csrf=True)
    assert problem(retrieve(client)) == (403, "csrf_failed")


def test_the_database_down_is_503_and_nothing_is_retrieved(
    alice: Client, library: dict[str, Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db import OperationalError

    def down(*args: Any) -> Any:
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(Agent, "scope_for", down)
    assert problem(retrieve(alice)) == (503, "database_unavailable")

"""Conversations, feedback and projects by API: Alicia's are Alicia's (API.md, "Chat"; R2, R3)."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts import keys
from accounts.models import Membership
from accounts.problems import NotFound
from chat.answering import records
from chat.api.views import ConversationDetail
from chat.models import Conversation, Message, Project
from corpora.scope import Scope
from tests import factories

pytestmark = pytest.mark.django_db


def api(membership: Membership) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {keys.issue_key(membership)[1]}")
    return client


@pytest.fixture
def alicia() -> Membership:
    return factories.MembershipFactory()


@pytest.fixture
def strangers(alicia: Membership) -> list[Membership]:
    """A colleague, an admin of the same organization, and Alicia herself in another organization."""
    return [
        factories.MembershipFactory(organization=alicia.organization),
        factories.MembershipFactory(organization=alicia.organization, role="admin"),
        factories.MembershipFactory(user=alicia.user),
    ]


@pytest.fixture
def answered(alicia: Membership) -> Conversation:
    conversation = factories.ConversationFactory(of=alicia, title="Préstamos")
    document = factories.DocumentFactory(corpus__personal_of=alicia)
    factories.MessageFactory(conversation=conversation, content="¿Cuánto dura?")
    factories.MessageFactory(
        conversation=conversation, role="assistant", content="Veintiún días [1].", sources=[document.chunks.first()]
    )
    return conversation


def test_a_question_in_a_conversation_that_was_deleted_meanwhile_finds_nothing(
    alicia: Membership, answered: Conversation
) -> None:
    Conversation.objects.filter(pk=answered.pk).delete()
    with pytest.raises(NotFound), transaction.atomic():
        records.open_answer(answered, "¿Y después?", uuid4())
    assert not Message.objects.exists()


def test_a_conversation_comes_with_its_messages_and_their_sources(alicia: Membership, answered: Conversation) -> None:
    body = api(alicia).get(f"/api/conversations/{answered.pk}/").json()
    assert {"id", "title", "agent", "project", "context", "created_at", "updated_at", "messages"} == set(body)
    question, answer = body["messages"]
    assert (question["role"], question["sources"]) == ("user", [])
    source = answer["sources"][0]
    assert (source["n"], source["cited"]) == (1, True)
    assert {"chunk", "document", "title", "corpus", "corpus_type", "page", "heading_path", "snippet"} < set(source)


def test_a_long_conversation_comes_in_parts(
    alicia: Membership, strangers: list[Membership], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ConversationDetail, "MESSAGES", 3)
    conversation, foreign = factories.ConversationFactory(of=alicia), factories.ConversationFactory(of=strangers[0])
    for number in range(7):
        factories.MessageFactory(conversation=conversation, content=str(number))
    url, parts = f"/api/conversations/{conversation.pk}/", []
    while url:
        answer = api(alicia).get(url)
        parts.append([one["content"] for one in answer.json()["messages"]])
        url = answer.headers.get("Link", "").partition("<")[2].partition(">")[0]
    assert parts == [["4", "5", "6"], ["1", "2", "3"], ["0"]]
    for before in ("no-uuid", uuid4(), factories.MessageFactory(conversation=foreign).pk):
        assert api(alicia).get(f"/api/conversations/{conversation.pk}/?before={before}").status_code == 404


def test_the_list_has_the_callers_own_latest_first(alicia: Membership, strangers: list[Membership]) -> None:
    older, newer = (factories.ConversationFactory(of=alicia) for _ in range(2))
    factories.ConversationFactory(of=strangers[0])
    body = api(alicia).get("/api/conversations/").json()
    assert set(body) == {"results", "next"}
    assert [one["id"] for one in body["results"]] == [str(newer.pk), str(older.pk)]
    assert "messages" not in body["results"][0]


def test_the_list_goes_on_where_a_page_ends(alicia: Membership) -> None:
    made = {str(factories.ConversationFactory(of=alicia).pk) for _ in range(5)}
    url, seen = "/api/conversations/?page_size=2", []
    while url:
        body = api(alicia).get(url).json()
        seen += [one["id"] for one in body["results"]]
        url = body["next"]
    assert len(seen) == 5
    assert set(seen) == made


def test_the_list_of_a_project(alicia: Membership, strangers: list[Membership]) -> None:
    project = factories.ProjectFactory(of=alicia)
    inside = factories.ConversationFactory(of=alicia, project=project)
    factories.ConversationFactory(of=alicia)
    found = api(alicia).get(f"/api/conversations/?project={project.pk}").json()["results"]
    assert [one["id"] for one in found] == [str(inside.pk)]
    foreign = factories.ProjectFactory(of=strangers[0])
    for wanted in (foreign.pk, uuid4(), "no-uuid"):
        assert api(alicia).get(f"/api/conversations/?project={wanted}").status_code == 404


def test_a_conversation_is_renamed_moved_and_deleted(alicia: Membership, answered: Conversation) -> None:
    client, url = api(alicia), f"/api/conversations/{answered.pk}/"
    project = factories.ProjectFactory(of=alicia)
    assert client.patch(url, {"title": "Otro", "project": str(project.pk)}).status_code == 200
    answered.refresh_from_db()
    assert (answered.title, answered.project) == ("Otro", project)
    assert client.patch(url, {"project": None}).status_code == 200
    assert client.put(url, {"title": "x"}).status_code == 405
    assert client.delete(url).status_code == 204
    assert client.get(url).status_code == 404
    assert not Message.objects.exists()


def test_what_is_not_the_callers_to_change_stays(alicia: Membership, answered: Conversation) -> None:
    other = factories.AgentFactory(organization=alicia.organization)
    body = {"agent": str(other.pk), "owner": str(uuid4()), "organization": str(uuid4()), "id": str(uuid4())}
    assert api(alicia).patch(f"/api/conversations/{answered.pk}/", body).status_code == 200
    kept = Conversation.objects.get()
    assert (kept.pk, kept.agent_id, kept.owner_id) == (answered.pk, answered.agent_id, alicia.user_id)


def calls(conversation: Conversation) -> list[tuple[str, str, Any]]:
    message = conversation.messages.get(role="assistant")
    return [
        ("get", f"/api/conversations/{conversation.pk}/", None),
        ("patch", f"/api/conversations/{conversation.pk}/", {"title": "robado"}),
        ("delete", f"/api/conversations/{conversation.pk}/", None),
        ("post", f"/api/messages/{message.pk}/feedback/", {"rating": 1}),
        ("post", f"/api/messages/{message.pk}/stop/", None),
    ]


def test_to_everybody_else_it_does_not_exist(answered: Conversation, strangers: list[Membership]) -> None:
    nothing = api(strangers[0]).get(f"/api/conversations/{uuid4()}/").json()
    for stranger in strangers:
        for method, url, body in calls(answered):
            answer = getattr(api(stranger), method)(url, body)
            assert (answer.status_code, answer.json()) == (404, nothing), (method, url)
    for method, url, body in calls(answered):
        assert getattr(APIClient(), method)(url, body).status_code == 401
    answered.refresh_from_db()
    assert answered.title == "Préstamos"


def test_a_conversation_is_not_moved_into_a_strangers_project(
    alicia: Membership, answered: Conversation, strangers: list[Membership]
) -> None:
    foreign = factories.ProjectFactory(of=strangers[0])
    answer = api(alicia).patch(f"/api/conversations/{answered.pk}/", {"project": str(foreign.pk)})
    assert answer.status_code == 404
    answered.refresh_from_db()
    assert answered.project is None


def test_feedback_is_a_thumb_and_a_word(alicia: Membership, answered: Conversation) -> None:
    message = answered.messages.get(role="assistant")
    url = f"/api/messages/{message.pk}/feedback/"
    assert api(alicia).post(url, {"rating": -1, "comment": "Falta la renovación"}).status_code == 200
    message.refresh_from_db()
    assert (message.rating, message.comment) == (-1, "Falta la renovación")
    assert api(alicia).post(url, {"rating": 1}).status_code == 200
    for body in ({}, {"rating": 0}, {"rating": 2}, {"rating": 1, "comment": "x" * 2_001}):
        assert api(alicia).post(url, body).status_code == 400
    question = answered.messages.get(role="user")
    assert api(alicia).post(f"/api/messages/{question.pk}/feedback/", {"rating": 1}).status_code == 404


def test_a_project_is_made_changed_and_deleted_and_its_conversations_stay(alicia: Membership) -> None:
    notes = factories.CorpusFactory(personal_of=alicia)
    client = api(alicia)
    made = client.post("/api/projects/", {"name": "Novela", "corpora": [str(notes.pk)]})
    assert made.status_code == 201
    assert set(made.json()) == {"id", "name", "corpora", "created_at"}
    url = f"/api/projects/{made.json()['id']}/"
    conversation = factories.ConversationFactory(of=alicia, project_id=made.json()["id"])
    assert client.get("/api/projects/").json()["results"][0]["corpora"] == [str(notes.pk)]
    assert client.patch(url, {"name": "Cuento", "corpora": []}).json()["corpora"] == []
    assert client.get(url).json()["name"] == "Cuento"
    assert client.delete(url).status_code == 204
    conversation.refresh_from_db()
    assert conversation.project is None


def test_a_project_narrows_only_to_personal_corpora_of_its_owner(
    alicia: Membership, strangers: list[Membership]
) -> None:
    foreign = factories.CorpusFactory(personal_of=strangers[0])
    shared = factories.CorpusFactory(shared_in=alicia.organization)
    for corpus in (foreign.pk, shared.pk, uuid4(), "no-uuid"):
        answer = api(alicia).post("/api/projects/", {"name": "Novela", "corpora": [str(corpus)]})
        assert answer.status_code == 404, corpus
    assert not Project.objects.exists()


def test_many_corpora_of_a_project_are_looked_up_at_once(
    alicia: Membership, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    ids = [str(factories.CorpusFactory(personal_of=alicia).pk) for _ in range(30)]
    client = api(alicia)
    with django_assert_max_num_queries(20):
        made = client.post("/api/projects/", {"name": "Novela", "corpora": ids})
    assert (made.status_code, set(made.json()["corpora"])) == (201, set(ids))
    assert client.post("/api/projects/", {"name": "Novela", "corpora": ids * 10}).status_code == 400


def test_only_its_owner_opens_a_project_again_whose_corpora_are_gone(alicia: Membership) -> None:
    notes, others = (factories.CorpusFactory(personal_of=alicia) for _ in range(2))
    client = api(alicia)
    made = client.post("/api/projects/", {"name": "Novela", "corpora": [str(notes.pk)]}).json()
    project = Project.objects.get(pk=made["id"])
    conversation = factories.ConversationFactory(of=alicia, project=project)
    tiers = Scope(alicia.organization_id, alicia.user_id, personal_ids=frozenset([notes.pk, others.pk]))
    notes.delete()
    client.patch(f"/api/projects/{project.pk}/", {"name": "Cuento"})
    assert records.narrowed(tiers, Conversation.objects.get(pk=conversation.pk)).personal_ids == frozenset()
    client.patch(f"/api/projects/{project.pk}/", {"corpora": []})
    assert records.narrowed(tiers, Conversation.objects.get(pk=conversation.pk)) == tiers


def test_a_strangers_project_does_not_exist(alicia: Membership, strangers: list[Membership]) -> None:
    url = f"/api/projects/{factories.ProjectFactory(of=alicia).pk}/"
    for stranger in strangers:
        for method in ("get", "patch", "delete"):
            assert getattr(api(stranger), method)(url, {"name": "x"}).status_code == 404
        assert api(stranger).get("/api/projects/").json()["results"] == []
    assert Project.objects.get().name != "x"

"""What holds for a conversation, and what flags change of its next answer."""

from typing import Any

import pytest
from django.test import Client

from agents.models import Agent
from chat.answering.questions import ChatQuestion
from chat.api.questions import question_from
from chat.models import Conversation
from retrieval.models import Flags
from tests.asking import Found, search_for
from tests.factories import ConversationFactory, CorpusFactory, DocumentFactory
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, ABOUT_NOVEL, Library
from tests.people import signed_in

pytestmark = pytest.mark.django_db(transaction=True)
UNSURE = "¿Se puede renovar un disco?"  # the rule is of books


def ask(library: Library, text: str = ABOUT_LOANS, agent: str = "writer", **options: Any) -> Found:
    return search_for(library.alicia, agent, ChatQuestion(text, **options))


def titles(answer: Found) -> set[str]:
    return {one.title for one in answer.retrieval.chunks}


@pytest.fixture
def conversation(library: Library) -> Conversation:
    made: Conversation = ConversationFactory(of=library.alicia, agent=library.writer)
    return made


@pytest.fixture
def client(library: Library) -> Client:
    return signed_in(library.alicia)


def patch(client: Client, conversation: Conversation, context: Any) -> Any:
    path = f"/api/conversations/{conversation.pk}/"
    return client.patch(path, {"context": context}, content_type="application/json")


def test_a_context_holds_for_every_question_of_its_conversation(
    library: Library, client: Client, conversation: Conversation
) -> None:
    answer = patch(client, conversation, {"filters": {"tags": "novela"}, "preferences": {"unit": ["3"]}})
    assert answer.status_code == 200
    assert answer.json()["context"] == {"filters": {"tags": ["novela"]}, "preferences": {"unit": ["3"]}}
    assert titles(ask(library, conversation=conversation.pk)) <= {"Personajes"}
    assert titles(ask(library)) >= {"Préstamos"}


def test_a_request_s_own_filters_hold_too(library: Library, client: Client, conversation: Conversation) -> None:
    patch(client, conversation, {"filters": {"tags": ["novela", "normas"]}})
    found = ask(library, ABOUT_NOVEL, conversation=conversation.pk, filters={"tags": ["normas"]})
    assert titles(found) <= {"Préstamos"}
    assert ask(library, ABOUT_NOVEL, conversation=conversation.pk).retrieval.sufficient


def test_a_context_is_replaced_as_a_whole_and_kept_when_it_is_not_sent(
    client: Client, conversation: Conversation
) -> None:
    patch(client, conversation, {"filters": {"unit": ["3"]}})
    path = f"/api/conversations/{conversation.pk}/"
    answer = client.patch(path, {"title": "Renamed"}, content_type="application/json")
    assert answer.json()["context"] == {"filters": {"unit": ["3"]}}
    assert patch(client, conversation, {"preferences": {"unit": ["4"]}}).json()["context"] == {
        "preferences": {"unit": ["4"]}
    }
    assert patch(client, conversation, {}).json()["context"] == {}
    assert client.get(path).json()["context"] == {}


@pytest.mark.parametrize(
    "wrong",
    [
        [], "unit", 3, {"filter": {}}, {"filters": []}, {"filters": {"owner": "x"}}, {"filters": {"unit": []}},
        {"preferences": {"difficulty": "easy"}}, {"filters": {"tags": ["x" * 101]}}, {"scope": {"unit": ["3"]}},
    ],
)  # fmt: skip
def test_a_context_that_makes_no_sense_is_refused(client: Client, conversation: Conversation, wrong: Any) -> None:
    answer = patch(client, conversation, wrong)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["context"])
    conversation.refresh_from_db()
    assert conversation.context == {}


def test_a_question_carries_filters_and_preferences() -> None:
    body = {"messages": [{"role": "user", "content": "?"}], "filters": {"unit": "3"}, "preferences": {"tags": ["a"]}}
    question = question_from(body)
    assert (question.filters, question.preferences) == ({"unit": ["3"]}, {"tags": ["a"]})


def test_turning_the_flags_changes_the_next_answer(library: Library) -> None:
    assert ask(library, UNSURE, "researcher").refusal == ""
    flags = Flags.objects.create(rag_min_confidence=1.0)
    answer = ask(library, UNSURE, "researcher")
    assert (answer.retrieval.gate, bool(answer.refusal)) == ("low_confidence", True)
    flags.rag_min_confidence, flags.rag_enabled = None, False
    flags.save()
    answer = ask(library, UNSURE, "researcher")
    assert (answer.retrieval.gate, answer.retrieval.chunks, bool(answer.refusal)) == ("disabled", (), True)
    assert "ningún modelo de lenguaje" in ask(library, UNSURE).refusal
    flags.rag_enabled, flags.rag_max_documents = None, 1
    flags.save()
    answer = ask(library, UNSURE, "researcher")
    assert (answer.refusal, len(answer.retrieval.chunks)) == ("", 1)


def test_the_agent_s_own_settings_change_the_next_answer(library: Library) -> None:
    assert ask(library, UNSURE, "researcher").refusal == ""
    Agent.objects.filter(pk=library.researcher.pk).update(min_confidence=1.0)
    assert ask(library, UNSURE, "researcher").refusal != ""
    Agent.objects.filter(pk=library.researcher.pk).update(min_confidence=0.5, filters={"tags": ["novela"]})
    assert ask(library, UNSURE, "researcher").retrieval.gate == "empty"
    Agent.objects.filter(pk=library.researcher.pk).update(filters={"tags": ["normas"]})
    assert ask(library, UNSURE, "researcher").refusal == ""


def test_a_model_that_re_ranks_decides_the_order_and_may_fail(library: Library, chat_model: ModelServer) -> None:
    library.writer.rerank = True
    library.writer.save()
    question = f"{ABOUT_LOANS} {ABOUT_NOVEL}"
    plain = [one.chunk for one in ask(library, question).retrieval.chunks]
    assert len(plain) > 1
    scores = [0.1] * 4
    for count in range(1, 5):  # as many as were found
        scores = [0.1] * (count - 1) + [0.9]
        chat_model.script(path="chat", json_answer={"scores": scores})
        found = ask(library, question).retrieval
        if "rerank_unavailable" not in found.notes:
            assert found.chunks[0].chunk != plain[0]
            return
    pytest.fail("no number of scores was the right one")


def test_a_conversation_begun_about_a_document_is_about_it_alone(library: Library, client: Client) -> None:
    about = library.loans.documents.get(title="Préstamos")
    body = {"messages": [{"role": "user", "content": ABOUT_NOVEL}], "document": str(about.pk), "stream": False}
    begun = client.post("/api/agents/writer/chat/", body, content_type="application/json").json()
    assert Conversation.objects.get(pk=begun["conversation"]).context == {"filters": {"document": [str(about.pk)]}}
    assert titles(ask(library, ABOUT_NOVEL, conversation=begun["conversation"])) <= {"Préstamos"}
    assert titles(ask(library, ABOUT_NOVEL)) == {"Personajes"}


def test_a_conversation_is_begun_about_nothing_that_its_owner_may_not_read(library: Library, client: Client) -> None:
    foreign = DocumentFactory(corpus=CorpusFactory(personal_of=library.bob))
    body = {"messages": [{"role": "user", "content": ABOUT_NOVEL}], "document": str(foreign.pk)}
    assert client.post("/api/agents/writer/chat/", body, content_type="application/json").status_code == 404


def test_a_conversation_begins_with_several_documents_alone_also_of_another_corpus(
    library: Library, client: Client
) -> None:
    chosen = sorted(str(one.pk) for one in library.loans.documents.filter(title__in=("Préstamos", "Multas")))
    other = str(library.loans.pk)
    body = {"messages": [{"role": "user", "content": ABOUT_NOVEL}], "documents": chosen, "stream": False}
    for corpus, kept in (
        (None, {}),
        (other, {"corpus": [other]}),
        (str(CorpusFactory(personal_of=library.alicia).pk), {}),
    ):
        asked = body | {"corpus": corpus}
        begun = client.post("/api/agents/writer/chat/", asked, content_type="application/json").json()["conversation"]
        assert Conversation.objects.get(pk=begun).context == {"filters": {"document": chosen, **kept}}
    assert titles(ask(library, ABOUT_NOVEL, conversation=begun)) <= {"Préstamos", "Multas"}
    foreign = str(DocumentFactory(corpus=CorpusFactory(personal_of=library.bob)).pk)
    refused = client.post(
        "/api/agents/writer/chat/", body | {"documents": [*chosen, foreign]}, content_type="application/json"
    )
    assert refused.status_code == 404


def test_documents_are_required_or_preferred_by_their_ids(library: Library) -> None:
    loans = str(library.loans.documents.get(title="Préstamos").pk)
    assert titles(ask(library, ABOUT_NOVEL, filters={"document": [loans]})) <= {"Préstamos"}
    preferred = ask(library, "¿Qué personajes o préstamos hay?", preferences={"document": [loans]}).retrieval.chunks
    assert preferred[0].title == "Préstamos"

"""What a conversation may go on with: what stands next in the documents that were cited, and is answered."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from agents.pages import suggestions
from chat.models import Conversation, Message
from tests import factories
from tests.fakes.fixtures import ModelServer
from tests.library import Library, upload
from tests.live import Caller, LiveServer
from tests.people import signed_in

pytestmark = pytest.mark.django_db(transaction=True)
LOST = "¿Qué pasa si pierdo un paraguas prestado?"
FAQ = f"""# Paraguas

## ¿Cuántos paraguas puedo llevarme prestados?

Con el carné general puedes llevarte dos paraguas prestados durante una semana.

## {LOST}

Si pierdes un paraguas prestado, pagas doce euros en el mostrador de préstamos.

## ¿Cuándo se devuelven los paraguas?

Los paraguas se devuelven el lunes siguiente, antes de las doce.
"""


@pytest.fixture
def alicia(server: LiveServer, library: Library, worker: Callable[[], int]) -> Caller:
    upload(library.loans, library.admin, "paraguas.md", FAQ)
    worker()
    return server.by_key(library.alicia)


@pytest.fixture
def page(library: Library) -> Client:
    return signed_in(library.alicia)


def answer(alicia: Caller, model: ModelServer, text: str = "Dos [1].", question: str = "", **asked: str) -> Message:
    model.script(path="chat", text=text)
    told = alicia.answers("writer", question or "¿Cuántos paraguas puedo llevarme prestados?", **asked)
    return Message.objects.get(pk=told[-1].data["message"])


def offered(page: Client, message: Message) -> list[str]:
    return list(page.get(reverse("follow-ups", args=[message.pk])).context["questions"])


def test_what_stands_next_in_the_cited_document_is_offered(
    alicia: Caller, page: Client, chat_model: ModelServer
) -> None:
    first = answer(alicia, chat_model)
    assert offered(page, first)[0] == LOST
    assert "¿Cuántos paraguas puedo llevarme prestados?" not in offered(page, first)
    again = answer(alicia, chat_model, "Doce euros [1].", LOST, conversation=str(first.conversation_id))
    assert LOST not in offered(page, again), "it was asked"


def test_they_are_searched_for_once(
    alicia: Caller, page: Client, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    search = suggestions.retrieve
    monkeypatch.setattr(suggestions, "retrieve", lambda query, *rest: searched.append(query) or search(query, *rest))
    first = answer(alicia, chat_model)
    told = offered(page, first)
    assert len(searched) >= len(told) > 0
    searched.clear()
    assert offered(page, first) == told
    assert searched == []
    first.refresh_from_db()
    assert first.follow_ups
    assert "paraguas" not in str(first.follow_ups), "no words of a document that may go"


def test_an_agent_that_is_changed_is_asked_anew(alicia: Caller, page: Client, chat_model: ModelServer) -> None:
    first = answer(alicia, chat_model)
    assert offered(page, first)
    agent = first.conversation.agent
    agent.uses_rag = False
    agent.save()
    assert offered(page, first) == []


def test_only_what_the_conversation_reads_is_offered(
    alicia: Caller, page: Client, chat_model: ModelServer, library: Library
) -> None:
    first = answer(alicia, chat_model)
    assert offered(page, first)
    other = factories.DocumentFactory(corpus=library.loans)
    narrowed = {"filters": {"document": [str(other.pk)]}}
    Conversation.objects.filter(pk=first.conversation_id).update(context=narrowed)
    assert offered(page, first) == []


def test_nothing_is_offered_behind_what_no_document_says(alicia: Caller, page: Client, chat_model: ModelServer) -> None:
    unsupported = answer(alicia, chat_model)
    assert offered(page, unsupported)
    Message.objects.filter(pk=unsupported.pk).update(state="not_in_documents")
    assert offered(page, unsupported) == []
    uncited = answer(alicia, chat_model, "No lo sé.")
    assert offered(page, uncited) == []


def test_a_deleted_documents_headings_are_not_offered(alicia: Caller, page: Client, chat_model: ModelServer) -> None:
    first = answer(alicia, chat_model)
    assert offered(page, first)
    source = first.citations.select_related("document").get(cited=True)
    assert source.document
    source.document.delete()
    assert offered(page, first) == []


def test_a_question_and_somebody_elses_answer_have_none(
    alicia: Caller, chat_model: ModelServer, library: Library, page: Client
) -> None:
    first = answer(alicia, chat_model)
    address = reverse("follow-ups", args=[first.pk])
    assert signed_in(library.bob).get(address).status_code == 404
    question = first.conversation.messages.get(role="user")
    assert page.get(reverse("follow-ups", args=[question.pk])).status_code == 404

"""The last question asked anew: what stood there is kept, one version is shown, and only that is read."""

import json
from typing import Any

import pytest
from django.utils import timezone

from chat.models import Conversation, Message
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from tests.live import Caller, LiveServer
from tests.people import signed_in, with_key

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alicia(server: LiveServer, library: Library) -> Caller:
    return server.by_key(library.alicia)


@pytest.fixture
def first(alicia: Caller, chat_model: ModelServer) -> Message:
    """The answer of a conversation's second exchange."""
    chat_model.script(text="Hola.")
    conversation = alicia.answers("writer", ABOUT_LOANS)[0].data["conversation"]
    chat_model.script(text="La primera.")
    done = alicia.answers("writer", "¿Y por qué?", conversation=conversation)[-1].data
    return Message.objects.get(pk=done["message"])


def anew(alicia: Caller, answer: Message, question: str = "¿Y para qué?") -> Message:
    asked = {"conversation": str(answer.conversation_id), "replaces": str(answer.pk)}
    return Message.objects.get(pk=alicia.answers("writer", question, **asked)[-1].data["message"])


def said(conversation: Conversation) -> list[str]:
    return [one.content for one in conversation.messages.shown()]


def test_the_new_exchange_takes_the_place_of_the_last_one_which_is_kept(
    alicia: Caller, first: Message, chat_model: ModelServer, library: Library
) -> None:
    chat_model.script(text="La segunda.")
    second = anew(alicia, first)
    assert said(first.conversation) == [ABOUT_LOANS, "Hola.", "¿Y para qué?", "La segunda."]
    assert Message.objects.filter(pk=first.pk, is_aside=True, place=second.place).exists()
    shown = with_key(library.alicia).get(f"/api/conversations/{first.conversation_id}/").json()["messages"]
    assert [one["content"] for one in shown] == said(first.conversation)
    page = signed_in(library.alicia).get(f"/conversations/{first.conversation_id}/").content.decode()
    assert "2/2" in page
    assert "La primera." not in page


def test_the_model_reads_nothing_of_what_is_replaced(alicia: Caller, first: Message, chat_model: ModelServer) -> None:
    chat_model.script(text="La segunda.")
    anew(alicia, first)
    sent = [one for one in chat_model.requests() if "chat" in one["path"]]
    asked = json.dumps(sent[-1]["body"], ensure_ascii=False)
    assert "¿Y para qué?" in asked
    assert "Hola." in asked
    assert "¿Y por qué?" not in asked
    assert "La primera." not in asked


def test_each_version_can_be_shown_again(
    alicia: Caller, first: Message, chat_model: ModelServer, library: Library
) -> None:
    chat_model.script(text="La segunda.")
    second = anew(alicia, first)
    chat_model.script(text="La tercera.")
    anew(alicia, second)
    questions = Message.objects.filter(place=second.place, role="user").order_by("created_at")
    assert [one.content for one in questions] == ["¿Y por qué?", "¿Y para qué?", "¿Y para qué?"]
    client, conversation = signed_in(library.alicia), first.conversation
    for question, answer in zip(questions, ("La primera.", "La segunda.", "La tercera."), strict=True):
        address = f"/conversations/{conversation.pk}/versions/{question.pk}/"
        assert client.post(address).status_code == 302
        assert said(conversation)[2:] == [question.content, answer]
    download = client.get(f"/conversations/{conversation.pk}/download/").content.decode()
    assert "La tercera." in download
    assert "La primera." not in download


@pytest.mark.parametrize("which", ["an earlier one", "another conversation's", "one that is written"])
def test_only_the_last_answer_that_has_ended_is_replaced(
    which: str, alicia: Caller, first: Message, chat_model: ModelServer
) -> None:
    fields: dict[str, Any] = {"conversation": str(first.conversation_id), "replaces": str(first.pk)}
    if which == "an earlier one":
        fields["replaces"] = str(first.conversation.messages.filter(content="Hola.").get().pk)
    elif which == "another conversation's":
        fields["conversation"] = alicia.answers("writer", ABOUT_LOANS)[0].data["conversation"]
    else:
        Message.objects.filter(pk=first.pk).update(status="streaming", writer_seen_at=timezone.now())
    with alicia.ask("writer", "¿Otra?", **fields) as stream:
        assert (stream.status, stream.problem()["code"]) == (409, "not_the_last_answer")
    assert first.conversation.messages.count() == 4


def test_a_strangers_versions_do_not_exist(
    alicia: Caller, first: Message, chat_model: ModelServer, library: Library
) -> None:
    chat_model.script(text="La segunda.")
    second = anew(alicia, first)
    question = Message.objects.filter(place=second.place, role="user").earliest("created_at")
    address = f"/conversations/{first.conversation_id}/versions/{question.pk}/"
    assert signed_in(library.bob).post(address).status_code == 404
    assert said(first.conversation)[-1] == "La segunda."


def test_a_pinned_conversation_stands_above_all_days(alicia: Caller, first: Message, library: Library) -> None:
    client, pk = signed_in(library.alicia), first.conversation_id
    client.post(f"/conversations/{pk}/pin/")
    assert "Fijadas" in client.get("/conversations/list/").content.decode()
    client.post(f"/conversations/{pk}/pin/", {"off": "1"})
    assert "Fijadas" not in client.get("/conversations/list/").content.decode()


def test_a_page_whose_last_answer_was_asked_for_anew_elsewhere_is_told_to_load_again(
    alicia: Caller, first: Message, chat_model: ModelServer, library: Library
) -> None:
    page, address = signed_in(library.alicia), f"/conversations/{first.conversation_id}/after/{first.pk}/"
    assert page.get(address).status_code == 200
    chat_model.script(text="La segunda.")
    anew(alicia, first)
    assert page.get(address).status_code == 205

"""The state of answers that 0.1.0 kept without one follows from what it did keep of them."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import Membership
from chat.models import Conversation, Message, Trace
from chat.stream.elsewhere import ending_of, sources_of
from chat.stream.events import Done
from tests import factories
from tests.people import with_key

pytestmark = pytest.mark.django_db

ENOUGH: dict[str, Any] = {"sufficient": True, "confidence": "high"}
TOO_LITTLE: dict[str, Any] = {"sufficient": False, "confidence": "low"}
NOTHING: dict[str, Any] = {"sufficient": False, "confidence": "none"}

CASES = [
    ("supported", ENOUGH, "one cited", {}),
    ("partly_supported", ENOUGH, "one not cited", {}),
    ("partly_supported", TOO_LITTLE, "one cited", {}),
    ("not_in_documents", TOO_LITTLE, "one not cited", {}),
    ("not_in_documents", TOO_LITTLE, "one cited", {"model": ""}),  # a refusal that names the nearest passages
    ("not_in_documents", NOTHING, "none", {"gate": "empty"}),
    ("could_not_search", NOTHING, "none", {"gate": "degraded", "degraded": "index"}),
    ("without_documents", NOTHING, "none", {"gate": "disabled"}),
    ("without_documents", NOTHING, "none", {"scope_size": 0}),
    ("supported", {**ENOUGH, "status": "stopped"}, "one not cited", {}),
    ("could_not_search", {"status": "stopped"}, "none", None),  # before it was searched
]


def kept(alicia: Membership, fields: dict[str, Any], sources: str, trace: dict[str, Any] | None) -> Message:
    conversation = factories.ConversationFactory(of=alicia)
    chunks = factories.DocumentFactory(corpus__personal_of=alicia).chunks.all()[: sources != "none"]
    message: Message = factories.MessageFactory(
        conversation=conversation, role="assistant", content="Veintiún días.", sources=chunks, **fields
    )
    message.citations.update(cited=sources == "one cited")
    if trace is not None:
        said = {"model": "openai:fake", "scope_size": 1, "granularity": 800, "confidence": "", "score": 0.0, **trace}
        Trace.objects.create(message=message, agent=conversation.agent, **said)
    return message


def shown(client: Client, conversation: Conversation) -> list[str]:
    return [one["state"] for one in client.get(f"/api/conversations/{conversation.pk}/").json()["messages"]]


@pytest.mark.parametrize(("state", "fields", "sources", "trace"), CASES)
def test_it_follows_from_sources_confidence_and_trace(
    state: str, fields: dict[str, Any], sources: str, trace: dict[str, Any] | None
) -> None:
    alicia = factories.MembershipFactory()
    message = kept(alicia, fields, sources, trace)
    ending = ending_of(message)
    assert isinstance(ending, Done)
    assert (sources_of(message).state, ending.state) == (state, state)
    assert shown(with_key(alicia), message.conversation) == [state]


def test_a_state_that_was_kept_stands_and_a_question_has_none() -> None:
    alicia = factories.MembershipFactory()
    message = kept(alicia, {**ENOUGH, "state": "partly_supported"}, "one cited", {})
    factories.MessageFactory(conversation=message.conversation)
    assert shown(with_key(alicia), message.conversation) == ["partly_supported", ""]
    Message.objects.filter(pk=message.pk).update(state="", status="streaming")
    assert shown(with_key(alicia), message.conversation) == ["", ""], "nothing is known of it yet"


def test_many_old_answers_are_shown_without_asking_for_each(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    alicia = factories.MembershipFactory()
    conversation = factories.ConversationFactory(of=alicia)
    for _ in range(20):
        Message.objects.filter(pk=kept(alicia, ENOUGH, "one cited", {}).pk).update(conversation=conversation)
    client = with_key(alicia)
    with django_assert_max_num_queries(8):  # two of them for the key
        assert shown(client, conversation) == ["supported"] * 20

"""Without a script the form of a conversation asks, and leads to its answer."""

import pytest

from accounts.models import Membership
from chat.models import Conversation, Message
from tests.library import ABOUT_LOANS, Library
from tests.people import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


def ask(membership: Membership, **fields: str) -> str:
    response = signed_in(membership).post("/agents/writer/ask/", fields)
    assert response.status_code == 302
    return str(response["Location"])


def test_a_question_begins_a_conversation_and_the_next_goes_on_with_it(library: Library) -> None:
    address = ask(library.alicia, question=ABOUT_LOANS)
    conversation = Conversation.objects.get()
    answer = Message.objects.get(role="assistant")
    assert address == f"/conversations/{conversation.pk}/#m-{answer.pk}"
    assert answer.status == "complete"
    page = signed_in(library.alicia).get(address).content.decode()
    assert "veintiún días" in page
    ask(library.alicia, question="¿Y cuánto cuesta?", conversation=str(conversation.pk))
    assert conversation.messages.count() == 4


@pytest.mark.parametrize("question", ["", "   ", "a" * 8_001, "a\0b"])
def test_nothing_and_too_much_are_not_asked(question: str, library: Library) -> None:
    ask(library.alicia, question=question)
    assert not Message.objects.exists()


def test_another_ones_conversation_does_not_exist(library: Library) -> None:
    ask(library.alicia, question=ABOUT_LOANS)
    conversation = str(Conversation.objects.get().pk)
    response = signed_in(library.bob).post("/agents/writer/ask/", {"question": "a", "conversation": conversation})
    assert response.status_code == 404
    assert Message.objects.count() == 2

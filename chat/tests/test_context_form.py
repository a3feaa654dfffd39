"""What a conversation looks at, set on its page: offered from what is in reach, valid from the next question on."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chat.models import Conversation
from corpora.models import Document
from tests import factories
from tests.library import ABOUT_LOANS, Library, upload
from tests.people import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation(library: Library, worker: Callable[[], int]) -> Conversation:
    upload(library.loans, library.admin, "u2.md", "# Multas\n\nLas multas se pagan.\n", unit="2", difficulty="basico")
    upload(library.loans, library.admin, "u3.md", "# Salas\n\nLas salas abren.\n", unit="3")
    worker()
    return factories.ConversationFactory(of=library.alicia, agent=library.writer)


@pytest.fixture
def alicia(library: Library) -> Client:
    return signed_in(library.alicia)


def page(client: Client, conversation: Conversation) -> Any:
    return client.get(reverse("conversation", args=[conversation.pk]))


def choose(client: Client, conversation: Conversation, **chosen: str | list[str]) -> Conversation:
    client.post(reverse("conversation-context", args=[conversation.pk]), chosen)
    conversation.refresh_from_db()
    return conversation


def test_the_values_of_documents_in_reach_are_offered(
    alicia: Client, conversation: Conversation, library: Library, worker: Callable[[], int]
) -> None:
    bobs = factories.CorpusFactory(personal_of=library.bob)
    factories.AssignmentFactory(agent=library.writer, corpus=bobs)
    upload(bobs, library.bob, "suyo.md", "# Suyo\n\nNadie más lo lee.\n", unit="secreta")
    worker()
    form = page(alicia, conversation).context["context_form"]
    assert [value for value, _ in form.fields["unit"].choices] == ["", "2", "3"]
    assert "course" not in form.fields, "no document has one"


def test_only_and_first_are_kept_as_filters_and_preferences(alicia: Client, conversation: Conversation) -> None:
    assert choose(alicia, conversation, mode="filters", unit="2").context == {"filters": {"unit": ["2"]}}
    chosen = choose(alicia, conversation, mode="preferences", unit="3", difficulty="basico")
    assert chosen.context == {"preferences": {"unit": ["3"], "difficulty": ["basico"]}}
    assert page(alicia, conversation).context["context_form"].initial["unit"] == "3"
    assert choose(alicia, conversation, mode="filters").context == {}


def test_a_document_that_is_ticked_stands_in_the_form_that_applies_it(
    alicia: Client, conversation: Conversation, library: Library
) -> None:
    document = Document.objects.get(filename="u2.md")
    choose(alicia, conversation, mode="filters", document=str(document.pk))
    ticked = re.search(rf'<input type="checkbox" name="document"([^>]*)value="{document.pk}" checked>',
                       page(alicia, conversation).content.decode())  # fmt: skip
    assert ticked, "it is offered and ticked"
    assert ticked.group(1).strip() == "", "of no other form, nor of what a form is called elsewhere"


def test_it_counts_from_the_next_question_on(alicia: Client, conversation: Conversation, library: Library) -> None:
    from chat.answering.questions import ChatQuestion
    from tests.asking import search_for

    choose(alicia, conversation, mode="filters", unit="3")
    found = search_for(library.alicia, "writer", ChatQuestion(ABOUT_LOANS, conversation=conversation.pk)).retrieval
    assert {one.title for one in found.chunks} <= {"Salas"}


@pytest.mark.parametrize("wrong", [{"mode": "filters", "unit": "9"}, {"mode": "x"}, {"unit": "2"}])
def test_what_is_not_offered_changes_nothing(alicia: Client, conversation: Conversation, wrong: dict[str, str]) -> None:
    assert choose(alicia, conversation, **wrong).context == {}


def test_a_value_that_is_gone_can_still_be_seen_and_taken_back(alicia: Client, conversation: Conversation) -> None:
    conversation.context = {"filters": {"unit": ["alt"]}}
    conversation.save()
    form = page(alicia, conversation).context["context_form"]
    assert "alt" in [value for value, _ in form.fields["unit"].choices]


def test_the_tags_of_documents_in_reach_are_offered_and_narrow(
    alicia: Client, conversation: Conversation, library: Library, worker: Callable[[], int]
) -> None:
    library_tags = {tag for one in Document.objects.all() for tag in one.tags}
    upload(library.loans, library.admin, "u4.md", "# Sillas\n\nLas sillas pesan.\n", tags=["sala", "norma"])
    upload(library.loans, library.admin, "u5.md", "# Mesas\n\nLas mesas pesan.\n", tags=["sala"])
    worker()
    form = page(alicia, conversation).context["context_form"]
    assert [value for value, _ in form.fields["tags"].choices if value not in library_tags] == ["", "norma", "sala"]
    assert choose(alicia, conversation, mode="filters", tags="norma").context == {"filters": {"tags": ["norma"]}}
    assert choose(alicia, conversation, mode="filters", tags="other").context == {"filters": {"tags": ["norma"]}}


def test_the_document_that_a_conversation_is_about_is_named_and_can_be_given_up(
    alicia: Client, conversation: Conversation, library: Library
) -> None:
    about = Document.objects.get(corpus=library.loans, filename="u2.md")
    conversation.context = {"filters": {"document": [str(about.pk)]}}
    conversation.save()
    form = page(alicia, conversation).context["context_form"]
    assert [(one.name, one.is_chosen) for one in form.documents] == [("Multas", True)]
    assert form.names == ["Multas"]
    kept = choose(alicia, conversation, mode="filters", document=str(about.pk)).context
    assert kept == {"filters": {"document": [str(about.pk)]}}
    about.delete()
    assert ["ya no está" in one.name for one in page(alicia, conversation).context["context_form"].documents] == [True]
    assert choose(alicia, conversation, mode="filters").context == {}


def test_a_conversation_of_a_course_keeps_its_corpus_and_can_be_widened(
    alicia: Client, library: Library, conversation: Conversation
) -> None:
    within = str(library.loans.pk)
    conversation.context = {"filters": {"corpus": [within]}}
    conversation.save()
    form = page(alicia, conversation).context["context_form"]
    assert (within, "Biblioteca") in form.fields["corpus"].choices
    assert form.names == ["Biblioteca"]
    kept = choose(alicia, conversation, mode="filters", corpus=within).context
    assert kept == {"filters": {"corpus": [within]}}
    assert choose(alicia, conversation, mode="filters").context == {}


def pickable(client: Client, conversation: Conversation, **asked: Any) -> list[tuple[str, bool]]:
    answer = client.get(reverse("conversation-documents", args=[conversation.pk]), asked)
    return [(one.name, one.is_chosen) for one in answer.context["documents"]]


def test_documents_are_found_by_name_and_those_that_are_ticked_stay(
    alicia: Client, conversation: Conversation, library: Library
) -> None:
    fines = str(Document.objects.get(corpus=library.loans, filename="u2.md").pk)
    everything = pickable(alicia, conversation)
    assert ("Multas", False) in everything
    assert ("Salas", False) in everything
    assert pickable(alicia, conversation, q="SALÁS") == [("Salas", False)]
    assert pickable(alicia, conversation, q="salas", document=[fines, "no id"]) == [("Multas", True), ("Salas", False)]


def test_a_conversation_that_has_not_begun_is_offered_what_its_agent_reads(
    alicia: Client, library: Library, worker: Callable[[], int]
) -> None:
    bobs = factories.CorpusFactory(personal_of=library.bob)
    factories.AssignmentFactory(agent=library.writer, corpus=bobs)
    upload(bobs, library.bob, "suyo.md", "# Suyo\n\nNadie más lo lee.\n")
    worker()
    found = alicia.get(reverse("agent-documents", args=["writer"]), {"q": "s"})
    names = [one.name for one in found.context["documents"]]
    assert "Personajes" in names
    assert "Suyo" not in names
    assert 'name="document" form="composer"' in found.content.decode()


def test_what_the_agent_does_not_read_for_its_owner_is_neither_found_nor_chosen(
    alicia: Client, conversation: Conversation, library: Library, worker: Callable[[], int]
) -> None:
    bobs = factories.CorpusFactory(personal_of=library.bob)
    factories.AssignmentFactory(agent=library.writer, corpus=bobs)
    secret = upload(bobs, library.bob, "suyo.md", "# Suyo\n\nNadie más lo lee.\n")
    worker()
    assert pickable(alicia, conversation, q="suyo") == []
    assert "Suyo" not in str(pickable(alicia, conversation, document=[str(secret.pk)]))
    assert choose(alicia, conversation, mode="filters", document=[str(secret.pk)]).context == {}
    assert choose(alicia, conversation, mode="filters", corpus=[str(bobs.pk)]).context == {}


def test_several_documents_are_read_alone_and_a_corpus_stays_that_holds_them_all(
    alicia: Client, conversation: Conversation, library: Library
) -> None:
    within = Document.objects.filter(corpus=library.loans).order_by("title")
    two = [str(one.pk) for one in within if one.title in ("Multas", "Salas")]
    other = str(factories.CorpusFactory(organization=library.alicia.organization, corpus_type="global").pk)
    factories.AssignmentFactory(agent=library.writer, corpus_id=other)
    assert choose(alicia, conversation, mode="filters", document=two).context == {"filters": {"document": two}}
    loans = str(library.loans.pk)
    kept = choose(alicia, conversation, mode="filters", document=two, corpus=[loans]).context["filters"]
    assert kept == {"corpus": [loans], "document": two}
    assert choose(alicia, conversation, mode="filters", document=two, corpus=[other]).context["filters"] == {
        "document": two
    }
    both = choose(alicia, conversation, mode="filters", corpus=[loans, other]).context["filters"]["corpus"]
    assert set(both) == {loans, other}


def test_more_documents_than_a_search_takes_are_refused_with_their_number(
    alicia: Client, conversation: Conversation, library: Library
) -> None:
    many = [factories.DocumentFactory(corpus=library.loans, version=1) for _ in range(101)]
    sent = {"mode": "filters", "document": [str(one.pk) for one in many]}
    answer = alicia.post(reverse("conversation-context", args=[conversation.pk]), sent, follow=True)
    assert "100" in answer.content.decode()
    conversation.refresh_from_db()
    assert conversation.context == {}

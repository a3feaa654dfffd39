"""What is known of a student becomes a preference: the place in the course and the state, told or read."""

from typing import Any

import pytest

from agents.models import Agent
from agents.policy import policy_of
from chat.answering.inquiry import prepare
from chat.answering.questions import ChatQuestion
from chat.models import Citation, Conversation
from chat.understanding.course import units_until
from chat.understanding.student import StudentState, state_read
from corpora.metadata.units import unit_number
from corpora.models import Corpus, Document
from retrieval.flags import EffectiveFlags
from tests.factories import AgentFactory, AssignmentFactory, ConversationFactory, CorpusFactory, DocumentFactory
from tests.people import People, signed_in

LOST = "No entiendo cómo funciona quicksort"


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ([LOST], "exploration"),
        ([LOST, "¿Qué es un pivote?", "Sigo sin entender"], "confusion"),
        ([LOST, "Gracias.", "¿Y mergesort?"], None),
        (["I don’t understand recursion", "I still don't get it"], "confusion"),
        ([LOST, "a", "b", "c", LOST], "exploration"),
        (["¿Me pones un ejercicio de bucles?"], "practice"),
        (["Mi código no funciona"], "debugging"),
        (["¿Qué es un árbol?"], None),
        ([], None),
    ],
)
def test_the_state_is_read_from_the_last_questions(said: list[str], state: str | None) -> None:
    assert state_read(said) == state


def test_a_unit_with_a_number_takes_those_before_it_the_nearest_first() -> None:
    units = ["U01 — Redes", "U02", "U10 NAT", "Anexo", "U03"]
    assert units_until("U03", units) == ("U03", "U02", "U01 — Redes")
    assert units_until("Anexo", units) == ("Anexo",)
    assert units_until("2", [str(n) for n in range(200)]) == ("2",)
    assert [unit_number(one) for one in ("U04 — IPv4", "4", "x", "")] == [4, 4, None, None]


def test_what_is_only_supposed_gives_way_to_what_somebody_said() -> None:
    flags = EffectiveFlags(rag_enabled=True, min_confidence=0.6, max_documents=8)
    supposed = {"unit": ("3", "2"), "content_type": ("ejemplo",), "difficulty": ("basico",)}
    agent = Agent(preferences={"unit": ["1"]})
    policy = policy_of(agent, flags, filters={"difficulty": ["avanzado"]}, leanings=supposed)
    assert policy.preferences == {"unit": ("1",), "content_type": ("ejemplo",)}
    assert policy.requirements == (("difficulty", ("avanzado",)),), "never a filter"


@pytest.fixture
def course(people: People) -> Corpus:
    corpus: Corpus = CorpusFactory(shared_in=people.alice.organization)
    for unit, level in (("U01", "basico"), ("U02", "intermedio"), ("U03", "avanzado")):
        DocumentFactory(corpus=corpus, title=unit, unit=unit, difficulty=level)
    return corpus


@pytest.fixture
def conversation(people: People, course: Corpus) -> Conversation:
    agent = AgentFactory(organization=people.alice.organization, slug="tutor")
    AssignmentFactory(agent=agent, corpus=course)
    talk: Conversation = ConversationFactory(of=people.alice, agent=agent)
    return talk


def preferences(people: People, conversation: Conversation, text: str = "¿Y el pivote?", **told: str) -> dict[str, Any]:
    question = ChatQuestion(text, conversation=conversation.pk, student=told)
    return dict(prepare(people.alice, "tutor", question).plan.policy.preferences)


def cite(conversation: Conversation, document: Document, *, cited: bool = True) -> None:
    answer = conversation.messages.create(role="assistant", content="…")
    Citation.objects.create(
        message=answer, n=1, chunk_id=document.pk, document=document, corpus_id=document.corpus_id, relevance=0.9,
        corpus_type="global", corpus_name="", title="", cited=cited,
    )  # fmt: skip


@pytest.mark.django_db
def test_the_place_follows_from_what_the_last_answers_cited(people: People, conversation: Conversation) -> None:
    assert preferences(people, conversation) == {}
    cite(conversation, Document.objects.get(title="U03"), cited=False)
    assert preferences(people, conversation) == {}
    cite(conversation, Document.objects.get(title="U02"))
    assert preferences(people, conversation) == {"unit": ("U02", "U01"), "difficulty": ("basico", "intermedio")}
    Document.objects.get(title="U02").corpus.assignments.all().delete()
    assert preferences(people, conversation) == {}, "what may not be read any more tells nothing"


@pytest.mark.django_db
def test_what_the_client_tells_counts_before_what_is_read(people: People, conversation: Conversation) -> None:
    cite(conversation, Document.objects.get(title="U02"))
    conversation.context = {"unit": "U03", "state": "practice"}
    conversation.save()
    told = preferences(people, conversation, LOST)
    assert told["unit"] == ("U03", "U02", "U01")
    assert told["content_type"] == ("ejercicio", "consigna")
    told = preferences(people, conversation, LOST, unit="U01", state="confusion")
    assert (told["unit"], told["content_type"], told["difficulty"]) == (("U01",), ("ejemplo", "faq"), ("basico",))


@pytest.mark.django_db
def test_a_repeated_question_brings_examples_first(people: People, conversation: Conversation) -> None:
    conversation.messages.create(role="user", content=LOST)
    assert preferences(people, conversation, "Sigo sin entender")["content_type"] == ("ejemplo", "faq")


@pytest.mark.django_db
def test_a_conversation_s_context_takes_the_student_s_place_and_state(
    people: People, conversation: Conversation
) -> None:
    path = f"/api/conversations/{conversation.pk}/"

    def patch(context: Any) -> Any:
        return signed_in(people.alice).patch(path, {"context": context}, content_type="application/json")

    said = {"unit": "U02", "difficulty": "basico", "state": "confusion", "filters": {"tags": ["a"]}}
    assert patch(said).json()["context"] == said
    for wrong in ({"state": "asleep"}, {"difficulty": "hard"}, {"unit": ["a"]}, {"unit": "x" * 101}, {"mood": "x"}):
        assert patch(wrong).status_code == 400
    assert list(StudentState) == ["exploration", "confusion", "practice", "debugging"]


@pytest.mark.django_db
def test_a_place_without_a_document_is_of_the_one_that_the_last_answer_cites(
    people: People, conversation: Conversation
) -> None:
    first, second = Document.objects.filter(title__in=("U01", "U02")).order_by("title")
    cite(conversation, first)
    assert "document" not in preferences(people, conversation)
    assert preferences(people, conversation, "¿Qué dice el artículo 3?")["document"] == (str(first.pk),)
    cite(conversation, second)
    assert preferences(people, conversation, "¿Qué dice el artículo 3?")["document"] == (str(second.pk),)
    second.corpus.assignments.all().delete()
    assert "document" not in preferences(people, conversation, "¿Qué dice el artículo 3?")

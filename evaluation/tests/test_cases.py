"""Cases from feedback and from the corpus: what becomes one, and what an admin never gets to see."""

from typing import Any

import pytest

from accounts.models import AuditEvent, Membership
from chat.models import Citation, Conversation, Message
from corpora.models import Corpus, Document
from evaluation import cases
from evaluation.calibration import NotMeasurable
from evaluation.models import Question, QuestionSet
from tests import factories
from tests.factories import ConversationFactory
from tests.library import ABOUT_LOANS, ABOUT_NOVEL, Library, upload

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def questions(library: Library) -> QuestionSet:
    return QuestionSet.objects.create(organization=library.admin.organization, name="Casa")


def rated(library: Library, by: Membership, text: str, sources: list[Document], rating: int | None = -1) -> Message:
    """An answer with these sources, all cited, in a conversation that began with something else."""
    talk = ConversationFactory(of=by, agent=library.writer)
    Message.objects.create(conversation=talk, role="user", content="Hola, soy yo.")
    Message.objects.create(conversation=talk, role="assistant", content="Hola.")
    Message.objects.create(conversation=talk, role="user", content=text)
    answer = Message.objects.create(
        conversation=talk, role="assistant", content="Así es [1].", rating=rating, comment="No era eso."
    )
    for n, document in enumerate(sources, 1):
        chunk = document.chunks.first()
        assert chunk is not None
        Citation.objects.create(
            message=answer, n=n, chunk_id=chunk.pk, document=document, corpus_id=document.corpus_id, corpus_name="",
            title=document.title, corpus_type=document.corpus.corpus_type, relevance=0.5, cited=True,
        )  # fmt: skip
    return answer


def loans(library: Library) -> Document:
    return library.loans.documents.get()


def note(library: Library) -> Document:
    return library.notes.documents.get()


def test_a_thumbs_down_becomes_a_case_that_waits_for_its_truth(library: Library, questions: QuestionSet) -> None:
    answer = rated(library, library.alicia, ABOUT_LOANS, [loans(library)])
    assert cases.take_feedback(questions, [answer.pk], library.admin) == 1
    case = questions.questions.get()
    assert (case.text, case.relevant, case.note, case.message) == (ABOUT_LOANS, [], "No era eso.", answer)
    assert AuditEvent.objects.filter(action="took cases", actor=library.admin.user).exists()
    assert cases.take_feedback(questions, [answer.pk], library.admin) == 0, "once is enough"


def test_a_thumbs_up_vouches_for_what_was_cited(library: Library, questions: QuestionSet) -> None:
    answer = rated(library, library.alicia, ABOUT_LOANS, [loans(library)], rating=1)
    cases.take_feedback(questions, [answer.pk], library.admin)
    assert questions.questions.get().relevant == [str(loans(library).pk)]


def test_an_answer_that_drew_on_a_personal_corpus_stays_with_its_user(library: Library, questions: QuestionSet) -> None:
    personal = rated(library, library.alicia, ABOUT_NOVEL, [note(library)])
    mixed = rated(library, library.alicia, ABOUT_NOVEL, [loans(library), note(library)])
    without_sources = rated(library, library.alicia, "Mi diario secreto", [])
    assert cases.feedback(questions) == []
    chosen = [personal.pk, mixed.pk, without_sources.pk]
    assert cases.take_feedback(questions, chosen, library.admin) == 0
    assert not questions.questions.exists()


def test_a_conversation_that_a_personal_corpus_was_in_reach_of_stays_with_its_user(
    library: Library, questions: QuestionSet
) -> None:
    """Though this answer has nothing but global sources: it may repeat what one before it said."""
    answer = rated(library, library.alicia, "¿Y los veintiún días de Ofelia?", [loans(library)])
    Conversation.objects.filter(pk=answer.conversation_id).update(is_personal=True)
    assert cases.feedback(questions) == []
    assert cases.take_feedback(questions, [answer.pk], library.admin) == 0


def test_an_answer_that_nobody_rated_is_not_shown(library: Library, questions: QuestionSet) -> None:
    quiet = rated(library, library.alicia, ABOUT_LOANS, [loans(library)], rating=None)
    assert cases.feedback(questions) == []
    assert cases.take_feedback(questions, [quiet.pk], library.admin) == 0


def test_another_organizations_feedback_is_not_there(library: Library) -> None:
    answer = rated(library, library.alicia, ABOUT_LOANS, [loans(library)])
    foreign = QuestionSet.objects.create(organization=library.carla.organization, name="Ajeno")
    assert cases.feedback(foreign) == []
    assert cases.take_feedback(foreign, [answer.pk], library.carla) == 0


def test_a_set_with_a_corpus_sees_what_was_answered_from_it(library: Library, questions: QuestionSet) -> None:
    rated(library, library.alicia, ABOUT_LOANS, [loans(library)])
    questions.corpus = factories.CorpusFactory(shared_in=library.admin.organization)
    assert cases.feedback(questions) == []
    questions.corpus = library.loans
    assert len(cases.feedback(questions)) == 1


def test_feedback_shows_the_one_question_and_no_more_of_the_conversation(
    library: Library, questions: QuestionSet
) -> None:
    good = rated(library, library.bob, ABOUT_LOANS, [loans(library)], rating=1)
    bad = rated(library, library.alicia, "¿Y la multa?", [loans(library)])
    shown = cases.feedback(questions)
    assert [(one.message, one.question, one.taken) for one in shown] == [
        (bad, "¿Y la multa?", False),
        (good, ABOUT_LOANS, False),
    ], "thumbs down first"
    assert shown[0].sources == (loans(library).title,)


def test_questions_are_made_from_the_corpus_with_their_spans(library: Library, worker: Any) -> None:
    text = "# Sala\n\nLa sala grande de lectura abre los lunes por la mañana y cierra tarde los viernes.\n"
    upload(library.loans, library.admin, "sala.md", text)
    worker()
    questions = QuestionSet.objects.create(
        organization=library.admin.organization, corpus=library.loans, name="Muestra"
    )
    made = cases.sample(questions, 5, library.admin)
    assert made >= 2
    for one in questions.questions.all():
        (document_id, start, end) = one.spans[0]
        document = Document.objects.get(pk=document_id)
        assert one.relevant == [document_id]
        said = document.texts.get(version=document.version).text[start:end]
        assert any(word in said for word in one.text.split())
    assert cases.sample(questions, 5, library.admin) == 0, "the same are made once"


def test_one_document_is_too_few_to_make_questions_from(library: Library, questions: QuestionSet) -> None:
    with pytest.raises(NotMeasurable):
        cases.sample(questions, 5, library.admin)


def test_quotes_are_located_in_the_text_that_readers_see(library: Library) -> None:
    documents = Document.objects.filter(corpus=library.loans)
    ((id, start, end),) = cases.locate(["veintiún días naturales"], documents)
    text = documents.get().texts.get().text
    assert (id, text[start:end]) == (str(documents.get().pk), "veintiún días naturales")
    with pytest.raises(ValueError, match="treinta"):
        cases.locate(["treinta días"], documents)


def test_a_case_survives_the_conversation_it_came_from(library: Library, questions: QuestionSet) -> None:
    answer = rated(library, library.alicia, ABOUT_LOANS, [loans(library)])
    cases.take_feedback(questions, [answer.pk], library.admin)
    answer.conversation.delete()
    assert Question.objects.get().message is None
    assert Corpus.objects.filter(pk=library.loans.pk).exists()

"""Pages of a course: its units, a unit with the tutor beside it, and what is read of it."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override

from agents.models import Agent, Assignment
from chat.answering.questions import ChatQuestion
from chat.models import Conversation
from chat.pages.courses.study import plain_heading, telling
from corpora.models import Corpus, Document, UnitReading
from tests import factories
from tests.asking import search_for
from tests.library import upload
from tests.people import signed_in

pytestmark = pytest.mark.django_db(transaction=True)

BREAK = "# Unidad 1. Bucles\n\n`break` abandona el bucle en el acto. `continue` salta a la vuelta siguiente.\n"
RANGE = "# Unidad 2. Sucesiones\n\n`range` produce una sucesión de números enteros. El último no se incluye.\n"
ABOUT_BREAK, ABOUT_RANGE = "¿Qué hace break?", "¿Qué produce range?"


class Class:
    """A course with two units, a tutor, a student, and a library that the tutor reads too."""

    def __init__(self, work: Callable[[], int]) -> None:
        self.student = factories.MembershipFactory()
        here = self.student.organization
        self.admin = factories.MembershipFactory(organization=here, role="admin")
        self.corpus: Corpus = factories.CorpusFactory(shared_in=here, name="Python", is_course=True)
        self.library: Corpus = factories.CorpusFactory(shared_in=here, name="Biblioteca")
        self.tutor: Agent = factories.AgentFactory(organization=here, slug="tutor", name="Tutor de Python")
        for corpus in (self.corpus, self.library):
            Assignment.objects.create(agent=self.tutor, corpus=corpus)
        self.second = upload(self.corpus, self.admin, "02-sucesiones.md", RANGE)
        self.first = upload(self.corpus, self.admin, "01-bucles.md", BREAK)
        self.elsewhere = upload(self.library, self.admin, "otro.md", "# Otro\n\n`break` es también un descanso.\n")
        assert work() == 3
        self.client = signed_in(self.student)

    def address(self, document: Document) -> str:
        return f"/courses/{self.corpus.pk}/{document.pk}/"

    def page(self, path: str, **options: Any) -> str:
        with override("en"):
            answer = self.client.get(path, headers={"accept-language": "en"}, **options)
        assert answer.status_code == 200, answer.content
        return unescape(answer.content.decode())


@pytest.fixture
def course(transactional_db: None, worker: Callable[[], int]) -> Class:
    return Class(worker)


def test_documents_of_a_course_say_which_unit_they_are(course: Class) -> None:
    course.first.refresh_from_db()
    assert (course.first.unit, course.first.course) == ("Unidad 1. Bucles", "Python")
    course.elsewhere.refresh_from_db()
    assert (course.elsewhere.unit, course.elsewhere.course) == ("", "")


def test_the_page_has_the_units_in_order_with_the_tutor(course: Class) -> None:
    page = course.page(f"/courses/{course.corpus.pk}/")
    assert page.index("Unidad 1. Bucles") < page.index("Unidad 2. Sucesiones")
    assert "Tutor de Python" in page
    assert "of 2 units read" in page
    assert "Begin" in page


def test_a_corpus_that_is_no_course_has_no_such_page(course: Class) -> None:
    assert course.client.get(f"/courses/{course.library.pk}/").status_code == 404
    path = f"/courses/{course.library.pk}/{course.elsewhere.pk}/"
    assert course.client.get(path).status_code == 404
    assert course.client.get(f"/courses/{course.corpus.pk}/{course.elsewhere.pk}/").status_code == 404


def test_an_empty_course_says_what_becomes_a_unit(course: Class) -> None:
    empty = factories.CorpusFactory(personal_of=course.student, is_course=True)
    page = course.page(f"/courses/{empty.pk}/")
    assert "no unit yet" in page
    assert "Upload the units" in page


def test_a_unit_has_its_text_its_neighbours_and_a_tutor_bound_to_it(course: Class) -> None:
    page = course.page(course.address(course.first))
    assert "abandona el bucle" in page
    assert re.search(rf'rel="next" href="{course.address(course.second)}"', page)
    assert 'rel="prev"' not in page
    assert f'data-only="{course.first.pk}"' in page
    assert f'data-corpus="{course.corpus.pk}"' in page
    assert "Asks about “Unidad 1. Bucles” alone." in page
    assert "Asks about the whole course “Python”." in page
    assert "Unit 1 of 2" in page


def test_without_an_agent_it_says_what_to_do(course: Class) -> None:
    Assignment.objects.all().delete()
    assert "Ask an administrator" in course.page(course.address(course.first))
    course.client = signed_in(course.admin)
    assert "Assign it to an agent" in course.page(course.address(course.first))


def test_reading_is_noted_and_taken_back(course: Class) -> None:
    path = f"{course.address(course.first)}read/"
    course.page(course.address(course.first))
    assert not UnitReading.objects.exists(), "a page that is fetched ahead is not opened"
    assert course.client.post(path, {"opened": "1"}).status_code == 204
    reading = UnitReading.objects.get(membership=course.student)
    assert reading.read_at is None
    assert course.client.post(path, {"read": "1"}).status_code == 302
    reading.refresh_from_db()
    assert reading.read_at is not None
    assert "1 of 2 units read" in course.page(course.address(course.second))
    fragment = course.client.post(path, {"read": ""}, headers={"hx-request": "true", "accept-language": "en"})
    assert "Mark as read" in fragment.content.decode()
    reading.refresh_from_db()
    assert reading.read_at is None


def test_asked_by_htmx_it_is_the_text_with_the_passage_marked(course: Class) -> None:
    chunk = course.first.chunks.get()
    answer = course.client.get(f"{course.address(course.first)}?chunk={chunk.pk}", headers={"hx-request": "true"})
    page = answer.content.decode()
    assert 'id="passage"' in page
    assert "<dialog" not in page


def ask(client: Client, body: dict[str, Any]) -> Any:
    said = {"messages": [{"role": "user", "content": ABOUT_BREAK}], "stream": False, **body}
    return client.post("/api/agents/tutor/chat/", said, content_type="application/json")


def test_a_conversation_begun_in_a_course_stays_within_its_corpus(course: Class) -> None:
    answer = ask(course.client, {"corpus": str(course.corpus.pk)}).json()
    kept = Conversation.objects.get(pk=answer["conversation"])
    assert kept.context == {"filters": {"corpus": [str(course.corpus.pk)]}}
    assert {one["document"] for one in answer["sources"]} == {str(course.first.pk)}
    open_to_all = search_for(course.student, "tutor", ChatQuestion(ABOUT_BREAK))
    assert course.elsewhere.pk in {one.document for one in open_to_all.retrieval.chunks}, "or this proves nothing"


def test_a_corpus_that_the_asker_may_not_read_is_not_found(course: Class) -> None:
    foreign = factories.CorpusFactory()
    assert ask(course.client, {"corpus": str(foreign.pk)}).status_code == 404


@pytest.mark.parametrize(("question", "answered"), [(ABOUT_BREAK, True), (ABOUT_RANGE, False)])
def test_this_unit_reads_it_alone_and_the_whole_course_reads_all(course: Class, question: str, answered: bool) -> None:
    """What the unit says is answered while the tutor is bound to it."""
    begun = ask(course.client, {"corpus": str(course.corpus.pk)}).json()["conversation"]
    course.first.refresh_from_db()
    bound = {"conversation": begun, "filters": {"document": [str(course.first.pk)]}}
    messages = [{"role": "user", "content": question}]
    of_unit = ask(course.client, {**bound, "messages": messages}).json()
    assert {one["document"] for one in of_unit["sources"]} <= {str(course.first.pk)}
    assert (of_unit["state"] in ("supported", "partly_supported")) is answered, of_unit
    of_course = ask(course.client, {"conversation": begun, "messages": messages}).json()
    assert of_course["state"] in ("supported", "partly_supported"), of_course


def test_the_dock_goes_on_with_the_course_s_latest_conversation(course: Class) -> None:
    for name, corpus in (("De Python", course.corpus), ("De la biblioteca", course.library)):
        factories.ConversationFactory(
            of=course.student, agent=course.tutor, title=name, context={"filters": {"corpus": [str(corpus.pk)]}}
        )
    other = factories.MembershipFactory(organization=course.student.organization)
    about = {"filters": {"corpus": [str(course.corpus.pk)]}}
    factories.ConversationFactory(of=other, agent=course.tutor, title="De otra persona", context=about)
    mine = Conversation.objects.get(title="De Python")
    page = course.page(course.address(course.first))
    assert f'data-conversation="{mine.pk}"' in page
    assert "De la biblioteca" not in page
    assert "De otra persona" not in page
    for fresh in ("conversation=new", "agent=tutor"):
        assert 'data-conversation=""' in course.page(f"{course.address(course.first)}?{fresh}")


def test_a_course_is_found_at_home_in_the_palette_and_from_its_corpus(course: Class) -> None:
    address = f"/courses/{course.corpus.pk}/"
    home = course.page("/")
    assert "Your courses" in home
    for page in (home, course.page("/find/?q=Python"), course.page(f"/corpora/{course.corpus.pk}/")):
        assert f'href="{address}"' in page
    assert course.address(course.first) in course.page(f"/documents/{course.first.pk}/")
    assert "/courses/" not in course.page(f"/documents/{course.elsewhere.pk}/")


def test_the_reader_s_question_says_that_it_is_about_this_document(course: Class) -> None:
    assert "Asks about “Unidad 1. Bucles” alone." in course.page(f"/documents/{course.first.pk}/ask/")


def test_the_headings_of_a_unit_are_told_without_their_pictures() -> None:
    assert plain_heading("📚 Contenidos") == "Contenidos"
    assert plain_heading("¿Qué es una red?") == "¿Qué es una red?"
    assert telling(["Contenidos", "Redes", "Tipos", "Tipos"], "Redes") == ["Tipos"]

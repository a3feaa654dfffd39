"""A question that is a heading of a document, as in a FAQ, is answered from what stands below it."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Membership
from corpora.models import Corpus, Document, Section
from retrieval.confidence.gate import Confidence
from retrieval.places.lookup import MOST_ASKING
from retrieval.places.names import keep_names
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve
from retrieval.tests.shelf import scope_of, shelve
from retrieval.text.references import HEADING, heading_words, place_key
from tests.factories import CorpusFactory, MembershipFactory

pytestmark = [pytest.mark.django_db, pytest.mark.payload_indexes]

POOL, LIBRARY = "Preguntas de la piscina", "Preguntas de la biblioteca"
HOW, CHANGE, LAW, DUES = (
    "¿Cómo me apunto?",
    "2. ¿Puedo cambiar de turno?",
    "¿Qué cambia con la Ley 7/2011 para quien nada?",
    "¿Cuánto pagan los socios?",
)
FAQ = {
    POOL: {
        HOW: "En la taquilla, con el carné.",
        CHANGE: "Sí, en los diez primeros días.",
        LAW: "Nada: se sigue nadando por la derecha.",
        DUES: "Doce euros al mes.",
    },
    LIBRARY: {
        HOW: "En el mostrador de la entrada.",
        "Apuntes": "Quien pregunta si puede cambiar de turno, cambia de turno en la piscina y no aquí.",
    },
}


@pytest.fixture(autouse=True)
def _embedded_default(settings: Any) -> None:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""


@pytest.fixture
def alice() -> Membership:
    return MembershipFactory()


def faq(corpus: Corpus, title: str) -> Document:
    text, headings = "", []
    for heading, said in FAQ[title].items():
        headings.append([2, heading, len(text), len(text) + len(heading)])
        text += f"{heading}\n\n{said}\n\n"
    document = shelve(corpus, text, title=title, language="es", headings=headings, pages=[[1, 0, len(text)]])
    named_by_words(document)
    return document


def named_by_words(document: Document) -> None:
    """As the pipeline does it."""
    keep_names(document)
    rows = list(Section.objects.filter(document=document).order_by("start"))
    for row in rows:
        row.key = place_key(HEADING, heading_words(row.title))
        following = (one.start for one in rows if one.start > row.start and one.level <= row.level)
        row.end = next(following, row.end)
        row.save()


@pytest.fixture
def shelf(alice: Membership) -> Corpus:
    corpus: Corpus = CorpusFactory(shared_in=alice.organization, name="Preguntas")
    for title in FAQ:
        faq(corpus, title)
    return corpus


@pytest.fixture
def ask(alice: Membership, shelf: Corpus) -> Any:
    def asked(question: str, *corpora: Corpus) -> Retrieval:
        return retrieve(question, scope_of(alice, *(corpora or (shelf,))), RetrievalPolicy())

    return asked


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("¿Puedo cambiar de turno?", FAQ[POOL][CHANGE]),
        ("puedo cambiar de turno", FAQ[POOL][CHANGE]),
        ("¿Cuánto pagan socios?", FAQ[POOL][DUES]),
        (LAW, FAQ[POOL][LAW]),  # a law that is not there is named in it, and nothing is missing
    ],
)
def test_it_is_answered_from_below_its_heading(ask: Any, question: str, said: str) -> None:
    found = ask(question)
    assert said in found.chunks[0].text
    assert found.confidence is Confidence.HIGH
    assert not found.named.is_missing


def headed(corpus: Corpus, *lines: tuple[int, str], title: str = "Taquillas") -> Document:
    """A document of headings, with a level, and of text, with none."""
    text, headings = "", []
    for level, said in lines:
        if level:
            headings.append([level, said, len(text), len(text) + len(said)])
        text += f"{said}\n\n"
    document = shelve(corpus, text, title=title, language="es", headings=headings, pages=[[1, 0, len(text)]])
    named_by_words(document)
    return document


LOCKER = "¿Cómo se pide una taquilla?"


def test_of_one_with_headings_alone_below_it_these_are_told(shelf: Corpus, ask: Any) -> None:
    steps = ((3, "Paso 1: Pedir el impreso"), (0, "En la entrada."), (3, "Paso 2: Pagar"), (0, "Con tarjeta."))
    headed(shelf, (1, "Taquillas"), (2, LOCKER), *steps)
    found = ask(LOCKER)
    assert found.named.places == (LOCKER,)
    assert found.named.outline == ("Paso 1: Pedir el impreso", "Paso 2: Pagar")


@pytest.mark.parametrize(
    "lines",
    [
        ((1, "Taquillas"), (2, LOCKER), (2, "Horario"), (0, "Una taquilla se pide en la entrada.")),  # nothing below
        ((1, "Cuestiones de repaso"), (2, LOCKER), (0, "Responde en cinco líneas y entrega el viernes.")),
        ((1, LOCKER), (0, "Esta guía es de 2020."), (2, "Dónde"), (0, "En la entrada.")),  # its title
        ((1, "Sótano"), (2, LOCKER), (0, "En la entrada."), (1, "Planta"), (2, LOCKER), (0, "En el bar, con carné.")),
    ],
)
def test_no_place_where_nothing_answers_or_it_is_no_question_of_a_reader(
    shelf: Corpus, ask: Any, lines: tuple[tuple[int, str], ...]
) -> None:
    headed(shelf, *lines)
    assert not ask(LOCKER).named.places


def test_another_document_by_name_is_asked_before_one_that_asks_the_question(shelf: Corpus, ask: Any) -> None:
    asked = "¿Qué dice el artículo 5 de la ordenanza de playas?"
    headed(shelf, (1, "Preguntas"), (2, asked), (0, "Que se nada por la derecha."))
    rules = headed(shelf, (1, "Artículo 5"), (0, "Se cierra a las nueve."), title="Ordenanza de playas")
    Section.objects.filter(document=rules).update(key="articulo:5")
    assert "Se cierra a las nueve." in ask(asked).chunks[0].text


def test_two_documents_that_say_the_same_answer_as_one(shelf: Corpus, ask: Any) -> None:
    for title in ("Taquillas", "Taquillas (copia)"):
        headed(shelf, (1, "Taquillas"), (2, LOCKER), (0, "En la entrada, con el carné de socio."), title=title)
    assert not ask(LOCKER).named.shared_by


@pytest.mark.parametrize("question", ["¿No puedo cambiar de turno?", "¿Puedo cambiar de turno y de calle?"])
def test_what_only_has_the_words_of_one_is_another_question(ask: Any, question: str) -> None:
    assert not ask(question).named.places


def test_of_two_documents_that_answer_it_both_do_and_none_for_sure(ask: Any) -> None:
    found = ask(HOW)
    assert set(found.named.shared_by) == {POOL, LIBRARY}
    assert found.confidence is not Confidence.HIGH
    assert {
        said for title in FAQ for said in [FAQ[title][HOW]] if any(said in one.text for one in found.chunks[:2])
    } == {
        FAQ[POOL][HOW],
        FAQ[LIBRARY][HOW],
    }


def test_it_is_found_in_scope_alone(alice: Membership, ask: Any) -> None:
    bob = MembershipFactory(organization=alice.organization)
    others = CorpusFactory(personal_of=bob)
    faq(others, POOL)
    own: Corpus = CorpusFactory(shared_in=alice.organization, name="Otras")
    faq(own, LIBRARY)
    found = ask(DUES, own)
    assert not found.named.places
    assert {chunk.title for chunk in found.chunks} <= {LIBRARY}


def test_many_that_ask_it_cost_no_more_than_a_few(shelf: Corpus, ask: Any) -> None:
    for number in range(2 * MOST_ASKING):
        text = f"En la entrada {number}, con el carné."
        headed(shelf, (1, "Taquillas"), (2, LOCKER), (0, text), title=f"Taquillas {number}")
    ask(LOCKER)
    with CaptureQueriesContext(connection) as asked:
        found = ask(LOCKER)
    assert len(asked) <= MOST_ASKING + 8
    assert found.confidence is not Confidence.HIGH


def test_it_costs_no_statement_where_nothing_is_called_so(ask: Any, django_assert_num_queries: Any) -> None:
    ask("¿Cuánto pagan?")
    with django_assert_num_queries(3):
        ask("¿De qué color es el agua de la piscina?")

"""What a document or a chapter is about: the section that says so, and the headings that it is made of."""

from typing import Any

import pytest

from accounts.models import Membership
from corpora.models import Corpus, Section
from retrieval.places.about import asks_what_about, is_summary, stems_for_all
from retrieval.places.lookup import outline_of, telling_section
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve
from retrieval.tests.shelf import scope_of, shelve
from retrieval.tests.test_places import name
from tests.factories import CorpusFactory, MembershipFactory

TITLE = "Ordenanza de playas"
SECTIONS = (
    (2, "PREÁMBULO", "El Ayuntamiento tiene competencia sobre sus playas desde la ley de costas."),
    (2, "CAPÍTULO I. Disposiciones generales", ""),
    (3, "Artículo 1. Objeto", "Esta ordenanza regula el uso común de las playas del municipio."),
    (3, "Artículo 2. Ámbito", "Se aplica en todas las playas y en sus accesos."),
    (2, "CAPÍTULO II. Usos", ""),
    (3, "Artículo 3. Juegos", "Se juega a la pelota lejos de quien se baña."),
    (3, "Artículo 4. Fuego", "Nadie hace fuego en la arena."),
    (2, "CAPÍTULO III. Sanciones", "Las multas van de 30 a 300 euros, y se imponen en el acto por quien vigila."),
)


@pytest.fixture
def ask(settings: Any) -> Any:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    alice: Membership = MembershipFactory()
    shelf: Corpus = CorpusFactory(shared_in=alice.organization, name="Normas")
    text, headings = f"{TITLE}\n\n", [[1, TITLE, 0, len(TITLE)]]
    for level, heading, said in SECTIONS:
        headings.append([level, heading, len(text), len(text) + len(heading)])
        text += f"{heading}\n\n{said}\n\n" if said else f"{heading}\n\n"
    document = shelve(shelf, text, title=TITLE, language="es", headings=headings, pages=[[1, 0, len(text)]])
    name(document)
    for row in (rows := list(Section.objects.filter(document=document).order_by("start"))):
        row.end = min(
            (one.start for one in rows if one.start > row.start and one.level <= row.level), default=len(text)
        )
        row.save()

    def asked(question: str) -> Retrieval:
        return retrieve(question, scope_of(alice, shelf), RetrievalPolicy())

    return asked


@pytest.mark.django_db
@pytest.mark.payload_indexes
@pytest.mark.parametrize("question", ["¿De qué trata la Ordenanza de playas?", "Resume la ordenanza de playas"])
def test_a_document_is_told_by_its_object_and_its_chapters(ask: Any, question: str) -> None:
    found = ask(question)
    assert found.chunks[0].heading_path[-1] == "Artículo 1. Objeto"
    assert found.sufficient
    chapters = tuple(heading for level, heading, _ in SECTIONS if level == 2)
    assert found.named.outline == chapters


@pytest.mark.django_db
@pytest.mark.payload_indexes
def test_a_chapter_is_told_by_its_articles(ask: Any) -> None:
    found = ask("¿De qué trata el capítulo II de la ordenanza de playas?")
    assert found.named.outline == ("Artículo 3. Juegos", "Artículo 4. Fuego")
    assert ask("¿Qué dice el capítulo II de la ordenanza de playas?").named.outline == ()


@pytest.mark.django_db
@pytest.mark.payload_indexes
@pytest.mark.parametrize(
    "question",
    [
        "¿Qué temas de fuego prohíbe la Ordenanza de playas?",
        "¿Cuánto es la multa, en resumen, de la Ordenanza de playas?",
        "¿De cuánto son las multas? Resume lo que dice la Ordenanza de playas",
    ],
)
def test_what_asks_for_more_than_that_is_answered_by_no_outline(ask: Any, question: str) -> None:
    assert ask(question).named.outline == ()


def test_tables_are_no_sections() -> None:
    rows = [("1. Uno", 2, 5, "seccion:1"), ("Tabla 1. Precios", 2, 9, "tabla:1"), ("2. Dos", 2, 20, "seccion:2")]
    assert outline_of(rows) == ("1. Uno", "2. Dos")


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("¿De qué trata el tema 3?", True),
        ("Resume el capítulo 2", True),
        ("What is chapter 3 about?", True),
        ("What does chapter 3 cover?", True),
        ("¿Qué dice el artículo 3?", False),
        ("What is a loan?", False),
    ],
)
def test_who_asks_what_something_is_about(question: str, is_so: bool) -> None:
    assert asks_what_about(question) is is_so


def test_what_announces_a_summary() -> None:
    assert all(map(is_summary, ("Artículo 1. Objeto", "1. Introduction", "Resumen", "3.1 Objetivos de la unidad")))
    assert not any(map(is_summary, ("Artículo 4. Fuego", "Objetos perdidos", "Personal")))


def test_articles_that_begin_with_their_text_are_no_outline() -> None:
    rows = [
        ("1. Objeto", 2, 5, "seccion:1"),
        ("Art. 1.1. Esta guía regula el préstamo de libros.", 2, 20, "articulo:1.1"),
    ]
    assert outline_of(rows) == ()


def test_a_heading_with_nothing_below_it_says_of_nothing_what_it_is_about() -> None:
    text = "Art. 1.1. La guía regula el préstamo de materiales en todas las sedes." * 4
    rows = [
        ("1. Objeto", 2, 5, "seccion:1"),
        (text[:70], 2, 16, "articulo:1.1"),
        ("2. Sedes", 2, 16 + len(text), "seccion:2"),
    ]
    assert telling_section(rows)[0] == "articulo:1.1"


@pytest.mark.parametrize(
    ("question", "asks_with_it"),
    [
        ("What is chapter 2 of the handbook about?", True),
        ("What is chapter 2 about (handbook)?", True),
        ("What does chapter 2 say about fires?", False),
    ],
)
def test_a_word_that_asks_what_it_is_about_is_none_that_must_be_answered(question: str, asks_with_it: bool) -> None:
    assert ("about" in stems_for_all(question)) is asks_with_it

"""Pages that a question names: that page of that document, by what is printed on it, and what is said where none is."""

from typing import Any

import pytest

from accounts.models import Membership
from corpora.models import Corpus
from retrieval.confidence.gate import Confidence
from retrieval.places.names import keep_names
from retrieval.places.pages import pages_called, pages_told
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve
from retrieval.tests.shelf import scope_of, shelve
from tests.factories import CorpusFactory, MembershipFactory

pytestmark = [pytest.mark.django_db, pytest.mark.payload_indexes]

VOYAGE = "Gran vuelta de Juana al cabo"
MANUAL, DIARY, NOTES = "Manual de la bomba", "Informe de abordaje", "Apuntes de vela"
PAGES = (
    "La cubierta.",
    "Este prólogo da las gracias.",
    "La bomba se ceba con agua.",
    "El filtro se limpia en mayo.",
    "",
)


@pytest.fixture(autouse=True)
def _embedded_default(settings: Any) -> None:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""


def paged(corpus: Corpus, title: str, texts: tuple[str, ...], labels: tuple[str, ...] = ()) -> None:
    text, pages = "", []
    for number, said in enumerate(texts, 1):
        start, text = len(text), text + (f"{said}\n\n" if said else "")
        pages.append([number, start, len(text), *labels[number - 1 : number]])
    keep_names(
        shelve(corpus, text, title=title, language="es", pages=[[one for one in row if one != ""] for row in pages])
    )


@pytest.fixture
def alice() -> Membership:
    return MembershipFactory()


@pytest.fixture
def shelf(alice: Membership) -> Corpus:
    corpus: Corpus = CorpusFactory(shared_in=alice.organization, name="Barco")
    paged(corpus, MANUAL, PAGES, ("", "i", "1", "2", "3"))
    paged(corpus, DIARY, ("Salimos de Vigo.", "Hubo niebla."))
    paged(corpus, VOYAGE, ("Hacia el sur.", "Se dobla de noche."))
    keep_names(shelve(corpus, "Las velas se pliegan secas.", title=NOTES, language="es"))
    return corpus


@pytest.fixture
def ask(alice: Membership, shelf: Corpus) -> Any:
    def asked(question: str, **policy: Any) -> Retrieval:
        return retrieve(question, scope_of(alice, shelf), RetrievalPolicy(**policy))

    return asked


@pytest.mark.parametrize(
    ("question", "said", "page"),
    [
        ("¿Qué dice la página 1 del manual de la bomba?", ["La bomba se ceba con agua."], 3),
        ("manual de la bomba, pág. 2", ["El filtro se limpia en mayo."], 4),
        ("¿Qué hay en la página i del manual de la bomba?", ["Este prólogo da las gracias."], 2),
        ("páginas 1 y 2 del manual de la bomba", ["La bomba se ceba con agua.", "El filtro se limpia en mayo."], 3),
        ("Manual de la bomba, p. 4", ["El filtro se limpia en mayo."], 4),  # no label is so
        ("¿Qué dice la página 2 del informe de abordaje?", ["Hubo niebla."], 2),
        ("¿Qué dice la página 2 de la Gran vuelta de Juana al cabo?", ["Se dobla de noche."], 2),
        ("Gran vuelta de Juana al cabo, página 2", ["Se dobla de noche."], 2),
    ],
)
def test_a_page_is_the_one_that_is_printed_else_the_leaf(ask: Any, question: str, said: list[str], page: int) -> None:
    found = ask(question)
    assert [chunk.text for chunk in found.chunks] == said
    assert (found.chunks[0].page, found.confidence, found.named.is_missing) == (page, Confidence.HIGH, False)


@pytest.mark.parametrize(
    ("question", "pages", "blank"),
    [
        ("¿Qué dice la página 400 del manual de la bomba?", "1, i, 1–3", ()),
        ("¿Qué dice la página 3 del manual de la bomba?", "1, i, 1–3", ("página 3",)),
        ("¿Qué dice la página xii del informe de abordaje?", "1–2", ()),
        ("¿Qué dice la página 1 de los apuntes de vela?", "", ()),
        ("¿Qué dice la página 400?", None, ()),
    ],
)
def test_a_page_that_is_not_there_is_missing(
    ask: Any, question: str, pages: str | None, blank: tuple[str, ...]
) -> None:
    found = ask(question, min_confidence=0.0)
    assert not found.sufficient
    assert found.named.missing_places
    assert (found.named.pages, found.named.blank_places) == (pages, blank)


def test_several_documents_with_such_a_page_are_told(ask: Any) -> None:
    found = ask("¿Qué dice la página 2?")
    assert set(found.named.shared_by) == {MANUAL, DIARY, VOYAGE}
    assert found.confidence is Confidence.MEDIUM
    assert {chunk.text for chunk in found.chunks} == {
        "El filtro se limpia en mayo.",
        "Hubo niebla.",
        "Se dobla de noche.",
    }


def test_a_page_is_of_the_document_of_whose_name_the_question_has_a_part(ask: Any) -> None:
    found = ask("¿Qué dice la página 2 de la vuelta de Juana?")
    assert (found.named.shared_by, found.chunks[0].text) == ((), "Se dobla de noche.")
    assert found.confidence is Confidence.MEDIUM


def test_a_page_that_one_alone_has_is_of_that_one(ask: Any) -> None:
    found = ask("page i")
    assert (found.named.shared_by, [chunk.title for chunk in found.chunks]) == ((), [MANUAL])


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuántas páginas tiene el manual de la bomba?",
        "¿Cómo se imprime la página 2?",
        "¿Qué muestra el servidor cuando falta un archivo, la página 404?",
        "¿Qué se firma en la página 2 del formulario?",
        "Según el manual de la bomba, ¿qué se adjunta en la página 2?",
        "¿Cuánto cuesta el folleto de la página 12?",
        "What is code page 437?",
        "Should I read the page 3 times before I begin?",
    ],
)
def test_what_is_said_of_pages_names_none(ask: Any, question: str) -> None:
    named = ask(question).named
    assert (named.places, named.missing_places, named.missing_documents) == ((), (), ())


def test_a_page_of_something_else_is_not_looked_for_where_the_article_is(ask: Any) -> None:
    named = ask("Según el artículo 5 del manual de la bomba, ¿qué se firma en la página 2 del formulario?").named
    assert (named.places, named.missing_places) == ((), ("artículo 5",))


def test_pages_of_nobody_else_are_read(alice: Membership, ask: Any) -> None:
    bob = MembershipFactory(organization=alice.organization)
    paged(CorpusFactory(personal_of=bob), "Cartas", ("Querida Ana.", "Adiós."), ("", "xl"))
    assert ask("¿Qué dice la página xl?").named.missing_places == ("página xl",)


def test_of_very_many_pages_that_are_called_so_some_are_read(alice: Membership, shelf: Corpus, ask: Any) -> None:
    """More conditions than SQLite takes in one expression."""
    for number in range(130):
        paged(shelf, f"Diario {number}", tuple(f"Día {n}." for n in range(9)))
    found = ask("páginas 1-8")
    assert not found.named.is_sure
    assert ask("¿Qué dice la página 2 del Diario 7?").chunks[0].text == "Día 1."


def test_a_label_comes_before_a_number() -> None:
    pages = [[1, 0, 5, "iv"], [2, 5, 9, "V"], [3, 9, 12, "1"], [4, 12, 20]]
    assert [[row[0] for row in pages_called(one, pages)] for one in ("v", "1", "2", "4", "9")] == [
        [2],
        [3],
        [2],
        [4],
        [],
    ]
    assert pages_told(pages) == "iv–V, 1–4"

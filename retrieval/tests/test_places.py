"""What a question names is what it is answered from: whole retrievals over small made statutes, and their isolation."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Membership
from corpora.models import Corpus, Document, DocumentName, Section
from corpora.scope import Scope
from retrieval.confidence.gate import Confidence
from retrieval.places.names import keep_names
from retrieval.results import Retrieval, RetrievalPolicy
from retrieval.search import retrieve
from retrieval.tests.shelf import scope_of, shelve
from retrieval.text.references import heading_key
from tests.factories import CorpusFactory, MembershipFactory

pytestmark = [pytest.mark.django_db, pytest.mark.payload_indexes]

LIBRARIES = "Ley 7/2011, de 5 de abril, de bibliotecas públicas y de la lectura"
ARCHIVES = "Ley 9/1999, de 2 de junio, General de Archivos"
DUTIES = {
    LIBRARIES: ("los libros prestados", "las salas de lectura", "las multas por retraso"),
    ARCHIVES: ("los legajos", "los planos antiguos", "las copias compulsadas"),
}


@pytest.fixture(autouse=True)
def _embedded_default(settings: Any) -> None:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""


def statute(corpus: Corpus, title: str) -> Document:
    """Six articles of two paragraphs each, two of a chapter."""
    text, headings = f"{title}\n\n", [[1, title, 0, len(title)]]
    for number in range(1, 7):
        if number % 2:
            headings.append([2, f"CAPÍTULO {'I' * (number // 2 + 1)}", len(text), len(text)])
            text += f"CAPÍTULO {'I' * (number // 2 + 1)}\n\n"
        matter = DUTIES[title][(number - 1) % 3]
        headings.append([3, f"Artículo {number}. Deberes", len(text), len(text)])
        text += (
            f"Artículo {number}. Deberes\n\n1. El personal cuida {matter} en el caso {number}.\n"
            f"2. Quien daña {matter} repara lo dañado en el plazo de {number} días.\n\n"
        )
    document = shelve(corpus, text, title=title, language="es", headings=headings, pages=[[1, 0, 300], [2, 300, 9_000]])
    name(document)
    return document


def name(document: Document) -> None:
    """As the pipeline does it, each section up to the next."""
    keep_names(document)
    rows = list(Section.objects.filter(document=document).order_by("start"))
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        row.key = heading_key(row.title)
        row.end = following.start if following and row.level > 1 else row.end
        row.save()


@pytest.fixture
def alice() -> Membership:
    return MembershipFactory()


@pytest.fixture
def shelf(alice: Membership) -> Corpus:
    corpus: Corpus = CorpusFactory(shared_in=alice.organization, name="Normas")
    statute(corpus, LIBRARIES)
    statute(corpus, ARCHIVES)
    return corpus


@pytest.fixture
def ask(alice: Membership, shelf: Corpus) -> Any:
    def asked(question: str, scope: Scope | None = None, **policy: Any) -> Retrieval:
        return retrieve(question, scope or scope_of(alice, shelf), RetrievalPolicy(**policy))

    return asked


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("¿Qué dice el artículo 4 de la Ley 7/2011?", LIBRARIES),
        ("art. 4 Ley 9/1999", ARCHIVES),
        ("¿Qué dice el artículo cuatro de la ley de bibliotecas públicas?", LIBRARIES),
        ("Resume el artículo 4 de la Ley General de Archivos", ARCHIVES),
        ("Ley 7/2011, artículo 4", LIBRARIES),
    ],
)
def test_an_article_of_a_named_law_is_that_article(ask: Any, question: str, title: str) -> None:
    found = ask(question)
    best = found.chunks[0]
    assert best.title == title
    assert best.heading_path[-1] == "Artículo 4. Deberes"
    assert best.text.startswith("Artículo 4. Deberes")
    assert "Artículo 5" not in best.text
    assert found.confidence is Confidence.HIGH
    assert found.named.documents == (title,)
    assert not found.named.is_missing


def test_what_a_law_says_is_not_sought_by_the_law_s_own_words(ask: Any, alice: Membership, shelf: Corpus) -> None:
    """Where it speaks of itself, and of much else besides, is no nearer to what it is asked."""
    itself = "Según la Ley 7/2011 de bibliotecas públicas, y como dice la Ley 7/2011, rige esta Ley según se publica."
    text = (
        f"{LIBRARIES}\n\nArtículo 1. Definiciones\n\nCarné: el documento que acredita al socio. {'Nada más. ' * 90}\n\n"
        + "".join(
            f"Artículo {n}. Vigencia del carné\n\n{itself * 9} El carné {n} es otra cosa.\n\n" for n in range(2, 6)
        )
    )
    Document.objects.get(title=LIBRARIES).delete()
    headings = [[1, LIBRARIES, 0, len(LIBRARIES)]]
    headings += [[3, f"Artículo {n}.", text.index(f"Artículo {n}."), text.index(f"Artículo {n}.")] for n in range(1, 6)]
    name(shelve(shelf, text, title=LIBRARIES, language="es", headings=headings))
    for question in ("¿Qué es el carné según la Ley 7/2011?", "Según la Ley 7/2011, ¿qué es el carné?"):
        assert "Carné: el documento" in ask(question, top_k=1).chunks[0].text, question


def test_an_abbreviation_that_was_guessed_is_never_sure(ask: Any) -> None:
    found = ask("art. 4 de la LGA")
    assert (found.chunks[0].title, found.chunks[0].heading_path[-1]) == (ARCHIVES, "Artículo 4. Deberes")
    assert found.confidence is Confidence.MEDIUM


def test_a_part_is_its_paragraph(ask: Any) -> None:
    (passage,) = ask("¿Qué dice el artículo 4.2 de la Ley 7/2011?").chunks
    assert passage.text == "2. Quien daña los libros prestados repara lo dañado en el plazo de 4 días."
    assert passage.heading_path[-1] == "Artículo 4. Deberes"


def test_an_article_without_the_paragraph_that_was_asked_for_is_never_sure(ask: Any) -> None:
    found = ask("¿Qué dice el artículo 4.7 de la Ley 7/2011?")
    assert found.chunks[0].text.startswith("Artículo 4. Deberes")
    assert found.confidence is Confidence.MEDIUM


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("artículo 1.1 de la ordenanza de terrazas", "1. Nadie monta una terraza sin licencia."),
        ("artículo 1.3 de la ordenanza de terrazas", "3. Se resuelve en dos meses."),
        ("artículo 2 b) de la ordenanza de terrazas", "b) seguro de 3 años;"),
        ("letra b) del artículo 2 de la ordenanza de terrazas", "b) seguro de 3 años;"),
        ("artículo 2, letra c) de la ordenanza de terrazas", "c) una fotografía."),
        ("artículo 3.2 de la ordenanza de terrazas", "2. Se paga en enero."),
        ("artículo 3.5, letra n) de la ordenanza de terrazas", "n) toldos;"),
        ("artículo 3.5, letra ñ) de la ordenanza de terrazas", "ñ) estufas;"),
    ],
)
def test_paragraphs_and_items_may_follow_one_another_on_a_line(
    ask: Any, shelf: Corpus, question: str, said: str
) -> None:
    title = "Ordenanza de terrazas"
    first = "Artículo 1.- Licencia. 1. Nadie monta una terraza sin licencia. 2. La de verano dura 7 meses."
    first += " 3. Se resuelve en dos meses."
    second = "Artículo 2.- Papeles. Se presentan: a) un plano 1:100; b) seguro de 3 años; c) una fotografía."
    third = (
        "Artículo 3.- Tasa.\n1. Hay una tasa.\n2. Se paga en enero.\n5. Paga más quien tiene:\nn) toldos;\nñ) estufas;"
    )
    third += "\no) luces."
    text = f"{first}\n\n{second}\n\n{third}\n"
    headings = [[2, "Artículo 1.- Licencia.", 0, 22], [2, "Artículo 2.- Papeles.", len(first) + 2, len(first) + 23]]
    headings.append([2, "Artículo 3.- Tasa.", text.index(third), text.index(third) + 18])
    name(shelve(shelf, text, title=title, language="es", headings=headings, pages=[[1, 0, len(text)]]))
    (passage, *_) = ask(question).chunks
    assert passage.text == said


def test_several_articles_are_found_together(ask: Any) -> None:
    found = ask("arts. 2 y 5 de la Ley 9/1999")
    assert found.named.places == ("Artículo 2. Deberes", "Artículo 5. Deberes")
    assert [chunk.heading_path[-1] for chunk in found.chunks] == ["Artículo 2. Deberes", "Artículo 5. Deberes"]


def test_several_articles_of_one_passage_are_found_together(shelf: Corpus, ask: Any) -> None:
    said = ("Artículo 1. Canto\n\nPrimero se canta.", "Artículo 2. Baile\n\nLuego se baila.")
    headings = [[2, "Artículo 1. Canto", 0, 17], [2, "Artículo 2. Baile", len(said[0]) + 2, len(said[0]) + 19]]
    text = "\n\n".join(said)
    name(shelve(shelf, text, title="Ordenanza de fiestas", language="es", headings=headings))
    assert [chunk.text for chunk in ask("artículos 1 y 2 de la ordenanza de fiestas").chunks] == list(said)


def test_a_named_law_is_the_only_one_that_is_read(ask: Any) -> None:
    found = ask("¿Quién repara lo que daña según la Ley 9/1999?")
    assert {chunk.title for chunk in found.chunks} == {ARCHIVES}


@pytest.mark.parametrize(
    ("question", "is_near"),
    [
        ("¿Qué dice el artículo 4 de la Ley 8/2011?", True),
        ("art. 4 de la LOPD", False),
        ("¿Qué dice el artículo 4 de la Ley de Protección de Datos?", True),
        ("artículo 4 de la Constitución", False),  # no title has a word of it
        ("¿Qué dice la Ley 8/2011?", True),
    ],
)
def test_a_law_that_is_not_there_is_never_answered_from_another(ask: Any, question: str, is_near: bool) -> None:
    found = ask(question, min_confidence=0.0)
    assert not found.sufficient
    assert found.confidence is Confidence.NONE
    assert found.named.missing_documents
    assert bool(found.named.nearest) == is_near


@pytest.mark.parametrize(
    ("question", "is_sure"),
    [
        ("¿Qué dice la ley de bibliotecas públicas por multas?", True),
        ("¿Qué dice la ley sobre bibliotecas públicas y lectura?", True),
        ("¿Qué dice la ley de bibliotecas públicas multas retraso deberes?", False),
    ],
)
def test_a_known_name_is_one_whatever_follows_it(ask: Any, question: str, *, is_sure: bool) -> None:
    found = ask(question)
    assert (found.named.documents, found.named.missing_documents) == ((LIBRARIES,), ())
    assert found.named.is_sure is is_sure


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What does article 5 of the AI Act prohibit?", ("AI Act",)),
        ("Does the Clean Air Act apply to cars?", ("Clean Air Act",)),
        ("Which fines does the Data Act of 2018 set?", ("Data Act of 2018",)),
        ("¿Qué sanciones impone la Ley de Tráfico al conductor?", ("Ley de Tráfico",)),
        ("¿Qué dice la ley de vivienda?", ("ley de vivienda",)),
        ("¿Qué dice la Ley 8/2011?", ("Ley 8/2011",)),
    ],
)
def test_what_is_missing_is_told_by_the_words_of_its_name(ask: Any, question: str, told: tuple[str, ...]) -> None:
    assert ask(question).named.missing_told == told


def test_an_article_that_the_law_does_not_have_is_missing(ask: Any) -> None:
    found = ask("¿Qué dice el artículo 40 de la Ley 7/2011?", min_confidence=0.0)
    assert not found.sufficient
    assert (found.named.documents, found.named.missing_places) == ((LIBRARIES,), ("artículo 40",))
    assert found.named.nearest == (LIBRARIES,)


@pytest.mark.parametrize(("heading", "is_there"), [("Section 2. Wells", False), ("2. Wells", True)])
def test_a_section_by_that_word_is_no_chapter(shelf: Corpus, ask: Any, heading: str, *, is_there: bool) -> None:
    text = f"{heading}\n\nWells are dug in May.\n"
    headings = [[2, heading, 0, len(heading)]]
    name(shelve(shelf, text, title="Water Act", language="en", headings=headings, pages=[[1, 0, len(text)]]))
    assert ask("What is in chapter II of the Water Act?").named.places == ((heading,) if is_there else ())


def test_an_article_of_no_law_in_particular_is_not_sure(ask: Any) -> None:
    found = ask("¿Qué dice el artículo 3 sobre los planos antiguos?")
    assert found.chunks[0].heading_path[-1] == "Artículo 3. Deberes"
    assert not found.named.is_sure
    assert found.confidence is not Confidence.HIGH


def test_what_metadata_requires_holds_for_places_too(ask: Any) -> None:
    found = ask("art. 4 Ley 9/1999", requirements={"unit": ["7"]})
    assert found.chunks == ()


def test_nobody_elses_names_and_sections_are_looked_at(alice: Membership, shelf: Corpus, ask: Any) -> None:
    bob = MembershipFactory(organization=alice.organization)
    secret = statute(CorpusFactory(personal_of=bob), ARCHIVES)
    Document.objects.get(corpus=shelf, title=ARCHIVES).delete()
    found = ask("art. 4 de la Ley 9/1999")
    assert found.named.missing_documents == ("Ley 9/1999",)
    assert secret.pk not in {chunk.document for chunk in found.chunks}
    assert ARCHIVES not in (*found.named.nearest, *found.named.documents)


def test_names_of_one_organization_are_none_of_anothers(alice: Membership, shelf: Corpus) -> None:
    elsewhere: Corpus = CorpusFactory(shared_in=MembershipFactory().organization)
    statute(elsewhere, LIBRARIES)
    here = set(DocumentName.objects.filter(document__corpus=shelf).values_list("key", flat=True))
    assert here.isdisjoint(DocumentName.objects.filter(document__corpus=elsewhere).values_list("key", flat=True))


def test_an_edited_title_is_a_new_name(shelf: Corpus, ask: Any) -> None:
    document = Document.objects.get(corpus=shelf, title=LIBRARIES)
    document.title = "Ley 12/2020, de 1 de marzo, de la lectura"
    document.save()
    keep_names(document)
    assert ask("art. 4 de la Ley 12/2020").chunks[0].document == document.pk
    assert ask("art. 4 de la Ley 7/2011").named.missing_documents == ("Ley 7/2011",)


def test_a_named_place_costs_few_queries(ask: Any, django_assert_num_queries: Any) -> None:
    """The names, their documents in scope, the sections, and as ever the passages with whose they are."""
    ask("¿Qué dice el artículo 4 de la Ley 7/2011?")
    with django_assert_num_queries(5):
        ask("¿Qué dice el artículo 4 de la Ley 7/2011?")


@pytest.mark.parametrize("is_heading", [True, False])
def test_a_base_of_a_call_is_found_by_its_ordinal_in_figures(ask: Any, shelf: Corpus, *, is_heading: bool) -> None:
    title = "Convocatoria de becas de verano"
    first, second = "Base 3.ª Requisitos\n\nSer alumno.", "Base 4.ª Plazo\n\nVeinte días."
    headings = [[2, "Base 3.ª Requisitos", 0, 19], [2, "Base 4.ª Plazo", len(first) + 2, len(first) + 16]]
    text = f"{first}\n\n{second}\n"
    kept = headings if is_heading else [[1, title, 0, 8]]
    name(shelve(shelf, text, title=title, language="es", headings=kept, pages=[[1, 0, len(text)]]))
    found = ask("¿Qué dice la base 4.ª de la convocatoria de becas de verano?")
    assert found.chunks[0].text == second
    assert not found.named.is_missing


def test_a_clause_without_a_heading_is_there_where_a_line_begins_with_its_number(ask: Any, shelf: Corpus) -> None:
    clauses = ["8. You may sell it.", "8.1 Sold it stays free.", "9. No name of ours endorses you.", "10. No warranty."]
    text = "\n\n".join(clauses)
    keep_names(shelve(shelf, text, title="Painter's License", language="en", headings=[], pages=[[1, 0, len(text)]]))
    found = ask("What does clause 9 of the Painter's License say?")
    assert (found.chunks[0].text[:10], found.named.is_missing) == ("9. No name", False)
    assert ask("What does clause 11 of the Painter's License say?").named.missing_places == ("clause 11",)


def test_a_place_of_no_document_is_looked_for_by_its_key(ask: Any) -> None:
    """From the documents it would be all of them: 16 ms of 2,000, and 0.5 so."""
    if connection.vendor != "sqlite":
        pytest.skip("plans are told otherwise")
    with CaptureQueriesContext(connection) as captured:
        ask("¿Qué dice el artículo 4?")
    statement, *_ = [one["sql"] for one in captured.captured_queries if 'FROM "corpora_section"' in one["sql"]]
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + statement.replace("%", "%%"))
        plan = [row[3] for row in cursor.fetchall()]
    assert "section_of_key" in plan[0]


def test_a_document_of_one_word_is_named_behind_of(shelf: Corpus, ask: Any) -> None:
    for title, matter in (("Libtasn1", "las estructuras"), ("Otro", "las multas")):
        text = f"Chapter 4. Structures\n\nHere stands what is said of {matter} and of nothing else."
        name(shelve(shelf, text, title=title, language="en", headings=[[1, "Chapter 4. Structures", 0, 21]]))
    found = ask("What does chapter 4 of libtasn1 say?")
    assert (found.chunks[0].title, found.named.documents, found.named.is_sure) == ("Libtasn1", ("Libtasn1",), True)


TABLE = (
    "3.2 Clock\n\n| # | Requirement | Level |\n| --- | --- | --- |\n| V3.2.1 | The clock is exact. | 1 |\n"
    "| V3.2.2 | The clock is synchronised. | 2 |\n\nR-11 The pump starts.\nR-12 The pump stops.\n\n"
    "UTF-8 is what the log is written in.\n"
)


@pytest.fixture
def numbered(shelf: Corpus) -> None:
    """A book with a section 3.2.1, and a standard whose requirements are rows."""
    text = "3.2.1 The name of the machine\n\nThe kernel keeps the name."
    name(shelve(shelf, text, title="Reference", language="en", headings=[[1, "3.2.1 The name of the machine", 0, 29]]))
    name(shelve(shelf, TABLE, title="Logger Standard", language="en", headings=[[1, "3.2 Clock", 0, 9]]))


@pytest.mark.usefixtures("numbered")
@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What does V3.2.1 require?", "| V3.2.1 | The clock is exact. | 1 |"),
        ("¿Qué exige V3.2.2?", "| V3.2.2 | The clock is synchronised. | 2 |"),
        ("requirement v3.2.2 of the Logger Standard", "| V3.2.2 | The clock is synchronised. | 2 |"),
        ("What does R-12 require?", "R-12 The pump stops."),
    ],
)
def test_a_lettered_place_that_no_heading_has_is_the_line_that_begins_with_it(
    ask: Any, question: str, line: str
) -> None:
    found = ask(question)
    assert [(one.title, one.text) for one in found.chunks] == [("Logger Standard", line)]
    assert (found.confidence, found.named.is_missing) == (Confidence.HIGH, False)
    assert found.chunks[0].heading_path == (("# · Requirement · Level",) if line[0] == "|" else ())


@pytest.mark.usefixtures("numbered")
@pytest.mark.parametrize("question", ["What does W3.2.1 require?", "V3.2.10", "¿Qué dice R-99?"])
def test_a_lettered_place_that_nothing_has_is_missing(ask: Any, question: str) -> None:
    found = ask(question)
    assert found.named.missing_places
    assert not found.sufficient


@pytest.mark.usefixtures("numbered")
def test_a_name_with_a_number_is_no_line_of_a_count(ask: Any) -> None:
    found = ask("What is UTF-8?")
    assert not found.named.is_missing
    assert found.chunks[0].text != "UTF-8 is what the log is written in."


def test_a_clause_is_its_number_alone_below_a_heading_with_its_letters(shelf: Corpus, ask: Any) -> None:
    text = "V2.1 Passwords\n\n2.1.1 Length\n\nTwelve signs are the least."
    headings = [[1, "V2.1 Passwords", 0, 14], [2, "2.1.1 Length", 16, 28]]
    document = shelve(shelf, text, title="Access Standard", language="en", headings=headings)
    name(document)
    Section.objects.filter(document=document, level=1).update(end=len(text))
    found = ask("What does V2.1.1 require?")
    assert found.chunks[0].text.startswith("2.1.1 Length")
    assert (found.named.is_sure, found.confidence) == (True, Confidence.HIGH)


def test_another_edition_behind_an_abbreviation_is_missing_where_a_place_of_it_is_asked_for(
    shelf: Corpus, ask: Any
) -> None:
    text, title = f"LGS version 2.1\n\n{TABLE}", "Logger Grade Standard 2.1"
    name(shelve(shelf, text, title=title, language="en", headings=[[1, "LGS version 2.1", 0, 15]]))
    assert not ask("What does V3.2.1 require in LGS 2.1?").named.is_missing
    assert ask("What does V3.2.1 require in LGS 3.0?").named.missing_documents == ("LGS 3.0",)

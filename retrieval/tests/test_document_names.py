"""What documents are called, and what a question may be calling them."""

import pytest

from retrieval.places.source import without_source
from retrieval.text.asked_names import MentionKind, asked_mentions
from retrieval.text.asked_places import asked_places
from retrieval.text.document_names import names_of

STATUTE = "Ley 7/2011, de 5 de abril, de bibliotecas públicas y de la lectura"
DECREE = (
    "Real Decreto Legislativo 3/2016, de 2 de mayo, por el que se aprueba el texto refundido de la Ley de archivos y "
    "museos"
)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        (STATUTE, "law:ley 7/2011"),
        (STATUTE, "number:7/2011"),
        (STATUTE, "title:ley biblio public lectur"),
        (STATUTE, "noun:ley biblio"),
        (STATUTE, "pair:biblio public"),
        (STATUTE, "initials:lbp"),
        (DECREE, "law:real decreto legislativo 3/2016"),
        (DECREE, "title:ley archiv museos"),
        (f"{STATUTE} (LBPL)", "short:lbpl"),
        ("U04 — Redes", "place:unidad:4"),
        ("Unidad 6. Errores y ficheros", "place:unidad:6"),
        ("Unidad 6. Errores y ficheros", "title:errore ficher"),
        ("Anexo II. Tarifas", "place:anexo:2"),
        ("Employee Handbook", "noun:handbo employ"),
        ("Ley N° 18.321", "law:ley 18321"),
        ("LEY DE RIEGO. Ley N° 18.321", "law:ley 18321"),
        ("LEY DE RIEGO. Ley N° 18.321", "title:ley riego"),
        ("Ley Nacional de Riego Nº 18321", "law:ley 18321"),
        ("Ley 1480 de 2011", "law:ley 1480/2011"),
        (STATUTE, "law:ley 7"),
        ("Regulation (EU) 2019/881 of 17 April (Common Fisheries Regulation)", "short:cfr"),
        ("Decreto 5/2001 por el que se aprueba el texto refundido de la Ley del Estatuto de Pesca", "initials:ep"),
        ("Ley del Estatuto de Pesca Fluvial", "title:estatu pesca fluvia"),
    ],
)
def test_a_title_gives_names(title: str, name: str) -> None:
    assert name in names_of(title, "document.pdf")


def test_a_file_gives_names() -> None:
    assert {"file:04-redes.md", "file:04-redes", "place:unidad:4"} <= names_of("", "04-redes.md")


def test_a_text_says_which_act_it_is() -> None:
    beginning = "BOLETÍN OFICIAL\n10477 Real Decreto 12/2012, de 3 de agosto, por el que se regula el préstamo.\nTexto."
    assert "law:real decreto 12/2012" in names_of("Disposición 10477", "a.pdf", beginning)


def test_an_act_that_a_text_speaks_of_is_not_its_name() -> None:
    beginning = "Ensayo\nLa Ley 7/2011, de 5 de abril, fue la primera.\nSegún la Ley 8/2011, de 6 de abril, no."
    assert not any(name.startswith(("law:", "number:")) for name in names_of("Ensayo", "a.txt", beginning))
    assert "law:ley 7/2011" not in names_of("Comentarios a la Ley 7/2011", "a.txt")


@pytest.mark.parametrize(
    ("title", "filename", "beginning", "name"),
    [
        ("about:blank", "ley18321.pdf", "Uno.", "law:ley 18321"),
        ("Riego", "Ley 18321 LNR.pdf", "Uno.", "law:ley 18321"),
        ("BOE-A-2011-1234 Ley 7/2011", "a.pdf", f"ÍNDICE\n{STATUTE}.\nArtículo 1. Objeto.", "noun:ley lectur"),
        ("BOE-A-2011-1234 Ley 7/2011", "a.pdf", f"1\n{STATUTE[:51]}\n{STATUTE[51:]}.", "pair:public lectur"),
        ("Ley 18321", "ley_18321.txt", "LEY 18.321. RIEGO DE HUERTAS\n\nArtículo 1°\nUno.", "noun:ley riego"),
        ("CELEX 1", "celex_1.pdf", "L 151/15\nREGULATION (EU) 2019/881 OF THE COUNCIL", "law:reglamento 2019/881"),
        ("Riego", "Ley 18321 LNR.pdf", "LEY NACIONAL DE RIEGO. Ley N° 18.321", "short:lnr"),
        ("X-2.0", "X-2.0.txt", "Foxglove Common Licence Version 2.0\n\nText.", "title:foxglo common licenc"),
    ],
)
def test_a_number_and_a_name_may_stand_apart(title: str, filename: str, beginning: str, name: str) -> None:
    assert name in names_of(title, filename, beginning)


def test_an_act_without_a_year_that_a_text_speaks_of_is_not_its_name() -> None:
    beginning = "Ensayo\n\nSobre el riego\n\nLa Ley 18.321 fue la primera, según dice la\nLey 18.322, y otras."
    for title in ("Ensayo", "Comentarios a la Ley 18.323", "Decreto de riego. Ley N° 18.324"):
        assert not any(name.startswith(("law:", "number:")) for name in names_of(title, "a.txt", beginning))


def test_a_text_may_say_its_own_abbreviation() -> None:
    assert "short:lbpl" in names_of("Biblioteca y lectura", "a.txt", "La presente ley (en adelante, LBPL) regula.")


def named(question: str) -> dict[str, tuple[str, ...]]:
    found = asked_mentions(question, asked_places(question))
    return {one.text: one.names for one in found if one.kind in (MentionKind.ACT, MentionKind.NOUN, MentionKind.SHORT)}


@pytest.mark.parametrize(
    ("question", "text", "name"),
    [
        ("¿Qué dice la Ley 7/2011?", "Ley 7/2011", "law:ley 7/2011"),
        ("art. 3 RDL 3/2016", "RDL 3/2016", "law:real decreto legislativo 3/2016"),
        ("art. 3 del R.D. 12/2012", "R.D. 12/2012", "law:real decreto 12/2012"),
        ("Reglamento (UE) 2016/679", "Reglamento (UE) 2016/679", "law:reglamento 2016/679"),
        ("artículo 9 de la ley de bibliotecas públicas sobre niños", "ley de bibliotecas públicas", "noun:ley public"),
        ("art. 9.3 LBP", "LBP", "initials:lbp"),
        ("What does the employee handbook say?", "employee handbook", "noun:handbo employ"),
        ("artículo 158 de la Ley N° 18.321", "Ley N° 18.321", "law:ley 18321"),
        ("artículo 2 de la ley 18.321?", "ley 18.321", "law:ley 18321"),
        ("Ley 18321 artículo 8", "Ley 18321", "law:ley 18321"),
        ("art. 3 de la ley Nº 18321", "ley Nº 18321", "law:ley 18321"),
        ("art. 3 de la ley 1480 de 2011", "ley 1480 de 2011", "law:ley 1480/2011"),
        ("art. 3 de la ley 18.321 de 1974", "ley 18.321 de 1974", "law:ley 18321"),
        ("Resolución N° 45", "Resolución N° 45", "law:resolucion 45"),
        ("¿Cómo define el Estatuto de Pesca la veda?", "Estatuto de Pesca", "noun:estatu pesca"),
        ("¿Qué prevé la ley de riego por fugas?", "ley de riego", "noun:ley riego"),
        ("artículo 3 de la ley para la pesca", "ley para la pesca", "noun:ley pesca"),
    ],
)
def test_a_question_may_use_a_name(question: str, text: str, name: str) -> None:
    assert name in named(question)[text]


@pytest.mark.parametrize(
    "question",
    ["Ley N", "¿Qué prevé la Constitución por injurias?", "¿Qué dice la ley sobre la pesca?", "una resolución de 1080"],
)
def test_what_follows_a_word_for_a_document_need_be_no_name(question: str) -> None:
    assert not any(one.is_legal for one in asked_mentions(question, asked_places(question)))


def test_a_name_may_hold_a_place() -> None:
    for question, holds in (
        ("el artículo 5 de la Ley 7/2011", True),
        ("Ley 7/2011, artículo 5", True),
        ("el artículo 5, que no es lo que dice la Ley 7/2011", False),
    ):
        (act,) = (one for one in asked_mentions(question, asked_places(question)) if one.kind is MentionKind.ACT)
        assert act.holds_a_place is holds


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("What does chapter 4 of libtasn1 say?", True),
        ("el capítulo 4 de redes", True),
        ("What does chapter 4 say on libtasn1?", False),
        ("Is libtasn1 in chapter 4?", False),
    ],
)
def test_a_place_may_be_of_a_title_of_one_word(question: str, holds: bool) -> None:
    titles = [one for one in asked_mentions(question, asked_places(question)) if one.kind is MentionKind.TITLE]
    told = [one.holds_a_place for one in titles if one.text in ("libtasn1", "redes")]
    assert told == [holds]
    assert not any(one.holds_a_place for one in titles if one.text not in ("libtasn1", "redes"))


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("ARTICULO 16 DE LA ORDENANZA DE TERRAZAS", []),
        ("¿QUÉ DICE EL ARTÍCULO 9 DE LA LOPD?", ["LOPD"]),
        ("WHAT DOES SECTION 4 OF THE HANDBOOK SAY?", []),
        ("What does section 4 of the IT policy say?", ["IT"]),
    ],
)
def test_where_all_is_in_capitals_function_words_are_no_initials(question: str, short: list[str]) -> None:
    found = [one for one in asked_mentions(question, asked_places(question)) if one.kind is MentionKind.SHORT]
    assert [one.text for one in found if one.text in short or one.holds_a_place] == short


def test_a_genitive_is_the_same_title_with_and_without_its_apostrophe() -> None:
    question = "What does section 4.6 of the Developer's Reference say?"
    asked = {
        name for one in asked_mentions(question, asked_places(question)) if one.holds_a_place for name in one.names
    }
    for title in ("Developers Reference", "Developer's Reference"):
        assert asked.intersection(names_of(title, "reference.txt", ""))


def test_a_text_says_what_it_is_where_its_title_does_not() -> None:
    beginning = "Ordenanza municipal de las terrazas\n\nArtículo 1. Objeto."
    named = names_of("bop_118", "bop_118.pdf", beginning)
    asked = next(one for one in asked_mentions("artículo 9 de la ordenanza de terrazas", ()) if "ordenanza" in one.text)
    assert named.issuperset(asked.names)
    assert not names_of("Guía de terrazas", "guia.pdf", beginning).issuperset(asked.names)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("¿Qué es un préstamo según la Ley 7/2011?", "¿Qué es un préstamo?"),
        ("Según la Ley 7/2011, ¿qué es un préstamo?", "¿qué es un préstamo?"),
        ("What is a VPN according to the staff handbook?", "What is a VPN?"),
        ("In the staff handbook, how many days of leave are there?", "how many days of leave are there?"),
        ("¿Qué regula la Ley 7/2011?", "¿Qué regula la Ley 7/2011?"),
        ("¿En qué se basa la Ley 7/2011 y qué exige?", "¿En qué se basa la Ley 7/2011 y qué exige?"),
        ("¿Cuántos días tengo, según la edad?", "¿Cuántos días tengo, según la edad?"),
        ("según la Ley 7/2011", "según la Ley 7/2011"),
        ("", ""),
    ],
)
def test_who_is_to_say_it_is_no_part_of_what_is_asked(question: str, left: str) -> None:
    assert without_source(question) == left


def test_a_short_name_is_no_part_of_what_is_asked_where_it_is_a_documents() -> None:
    asked = "What is a contributor under the MPL?"
    assert without_source(asked) == asked
    assert without_source(asked, lambda name: name == "MPL") == "What is a contributor?"
    assert without_source("What is the MPL?", lambda name: name == "MPL") == "What is the MPL?"


@pytest.mark.parametrize(
    ("question", "is_name"),
    [
        ("¿Qué era el Estatuto Real de 1834?", False),
        ("¿Qué código sale cuando la batería está baja?", False),
        ("¿Cuál es el código de vestimenta?", False),
        ("¿Qué es el código 24 en el robot?", False),
        ("¿Qué significa el código de error 39 del robot?", False),
        ("Código E24", False),
        ("¿Qué es el código 24 del robot?", False),
        ("¿Qué es el código 24 de la lavadora?", False),
        ("¿Dónde introduzco el código postal?", False),
        ("¿Qué dice el código 155 de defensa del consumidor?", True),
        ("Constitución de 1978: ¿qué dice del rey?", True),
        ("¿Qué dice el código penal 1995?", True),
        ("¿Qué dice el Código de Comercio?", True),
        ("¿Qué dice el artículo 5 de la ley de empleo?", True),
    ],
)
def test_a_legal_word_that_is_asked_for_is_no_document_that_must_be_there(question: str, is_name: bool) -> None:
    mentions = asked_mentions(question, asked_places(question))

    assert any(one.is_legal for one in mentions) is is_name


@pytest.mark.parametrize(
    ("question", "is_named"),
    [
        ("My mother-in-law died, how many days off do I get?", False),
        ("What does the common-law require of a landlord?", False),
        ("What does the law on leases require of a landlord?", True),
    ],
)
def test_a_word_that_is_a_part_of_another_names_no_document(question: str, is_named: bool) -> None:
    assert any(one.is_legal for one in asked_mentions(question)) is is_named

"""Places in questions: the same keys as headings have, however they are asked for."""

import pytest

from retrieval.text.asked_places import LONGEST_QUESTION, MOST_PLACES, asked_places


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("¿Qué dice el artículo 14 de la Ley 41/2002?", ["articulo:14"]),
        ("art. 9.3 LOPD", ["articulo:9 3"]),
        ("artículo 8.2.a)", ["articulo:8 2.a"]),
        ("artículo 14, apartado 2", ["articulo:14 2"]),
        ("el apartado 2 del artículo 14", ["articulo:14 2"]),
        ("la letra a) del apartado 2 del artículo 14", ["articulo:14 2.a"]),
        ("letra b) del artículo 8.2", ["articulo:8 2.b"]),
        ("la letra i) del artículo 8", ["articulo:8 i"]),
        ("apartado 2, letra c), del artículo 5", ["articulo:5 2.c"]),
        ("apartado 2 c) del artículo 5", ["articulo:5 2.c"]),
        ("apartados 2 y 3 del artículo 5", ["articulo:5 2", "articulo:5 3"]),
        ("el segundo párrafo del artículo 5", ["articulo:5 2"]),
        ("artículo 9, apartado 3", ["articulo:9 3"]),
        ("artículo 9, apartado 3, letra d)", ["articulo:9 3.d"]),
        ("la letra a) del apartado 1 del artículo 6", ["articulo:6 1.a"]),
        ("point (b) of article 6(1)", ["articulo:6 1.b"]),
        ("Article 6(1)(b)", ["articulo:6 1.b"]),
        ("article 6(1), point (b)", ["articulo:6 1.b"]),
        ("point (b) of paragraph 1 of article 6", ["articulo:6 1.b"]),
        ("paragraph 2 of article 5", ["articulo:5 2"]),
        ("paragraph (2) of article 5", ["articulo:5 2"]),
        ("article 5(2016)", ["articulo:5"]),
        ("letra b) de la cláusula 3.1", ["clausula:3.1 b"]),
        ("la letra b) del anexo II", ["anexo:2 b"]),
        ("anexo II, letra b)", ["anexo:2 b"]),
        ("letra b) del apartado 3", ["seccion:3 b"]),
        ("el apartado 3 del capítulo II", ["seccion:3 in capitulo:2"]),
        ("At that point two articles count: article 5", ["articulo:5"]),
        ("arts. 14 y 15", ["articulo:14", "articulo:15"]),
        ("los artículos 14, 15 y el 16", ["articulo:14", "articulo:15", "articulo:16"]),
        ("artículos 3 a 5", ["articulo:3", "articulo:4", "articulo:5"]),
        ("artículos tres y cuatro", ["articulo:3", "articulo:4"]),
        ("artículo treinta y cuatro", ["articulo:34"]),
        ("artículo decimocuarto", ["articulo:14"]),
        ("Artículo 8 bis", ["articulo:8bis"]),
        ("art. 14.º", ["articulo:14"]),
        ("disposición adicional segunda", ["disposicion adicional:2"]),
        ("disposiciones finales primera y tercera", ["disposicion final:1", "disposicion final:3"]),
        ("D.A. 2.ª", ["disposicion adicional:2"]),
        ("anexo II", ["anexo:2"]),
        ("Annex B", ["anexo:b"]),
        ("anejo 3", ["anexo:3"]),
        ("Exhibit A of the licence", ["exhibit:a"]),
        ("exhibits 2 and 3", ["exhibit:2", "exhibit:3"]),
        ("artículo 7, letra ñ)", ["articulo:7 ñ"]),
        ("artículo 7.ñ)", ["articulo:7 ñ"]),
        ("artículo 7, letra n)", ["articulo:7 n"]),
        ("letra o) del artículo 7", ["articulo:7 o"]),
        ("§ 4.2", ["seccion:4.2"]),
        ("section 4.2.1 of the guide", ["seccion:4.2.1"]),
        ("capítulo 3", ["capitulo:3"]),
        ("chapter three", ["capitulo:3"]),
        ("el primer capítulo", ["capitulo:1"]),
        ("capítulo II del título III", ["capitulo:2 in titulo:3"]),
        ("Título III, Capítulo II", ["capitulo:2 in titulo:3"]),
        ("unidad 4", ["unidad:4"]),
        ("Unit 04", ["unidad:4"]),
        ("Table 2 shows", ["tabla:2"]),
        ("What does V2.1.1 require?", ["clausula:v2.1.1"]),
        ("requisito 2.1.1", ["clausula:2.1.1"]),
        ("la sección V2.8", ["clausula:v2.8"]),
        ("What do SEC-4.2 and AC-2(1) say?", ["clausula:sec4.2", "clausula:ac2(1)"]),
        ("2.1.11 (ASVS)", ["clausula:2.1.11"]),
        ("What does Appendix D contain?", ["anexo:d"]),
        ("artículo CVI", ["articulo:106"]),
        ("artículo C", ["articulo:100"]),
        ("artículo ciento treinta y dos", ["articulo:132"]),
        ("Table 2-1", ["tabla:2.1"]),
        ("Table A.1 of the code", ["tabla:a.1"]),
        ("la figura B-2 y la tabla C3", ["figura:b.2", "tabla:c.3"]),
        ("What does A.1 say?", ["clausula:a1"]),
        ("section A.1", ["clausula:a1"]),
        ("Annex A.1", ["anexo:a"]),
        ("art. 4.º bis de los estatutos", ["articulo:4bis"]),
        ("la cláusula tercera", ["clausula:3"]),
        ("¿Qué dice la base cuarta?", ["clausula:4"]),
        ("¿Qué dice la base 4.ª de la convocatoria?", ["clausula:4"]),
        ("base 4ª", ["clausula:4"]),
        ("bases 3.ª y 6.ª de la convocatoria", ["clausula:3", "clausula:6"]),
        ("las bases (2.ª)", []),
        ("bases tercera y sexta de la convocatoria", ["clausula:3", "clausula:6"]),
        ("clause 3.1", ["clausula:3.1"]),
        ("clause 3.1(b) of the lease", ["clausula:3.1 b"]),
        ("artículo 3 b) de los estatutos", ["articulo:3 b"]),
        ("Schedule 2 of the lease", ["schedule:2"]),
        ("¿Qué dice la página 20 del manual?", ["pagina:20"]),
        ("pág. 12", ["pagina:12"]),
        ("p. 7 of the handbook", ["pagina:7"]),
        ("What is on page xii?", ["pagina:xii"]),
        ("páginas 4 y 5", ["pagina:4", "pagina:5"]),
        ("pp. 12-14", ["pagina:12", "pagina:13", "pagina:14"]),
        ("page twelve", ["pagina:12"]),
        ("la página 12 del capítulo 3", ["pagina:12 in capitulo:3"]),
        ("tabla 3 de la página 12", ["tabla:3 in pagina:12"]),
    ],
)
def test_a_question_names_places(question: str, named: list[str]) -> None:
    found = asked_places(question)
    assert [
        place.key + (f" {place.part}" if place.part else "") + (f" in {place.within.key}" if place.within else "")
        for place in found
    ] == named


@pytest.mark.parametrize(
    "question",
    [
        "error 503",
        "¿Qué es el artículo que regula esto?",
        "la unidad de medida",
        "which chapter I should read",
        "título preliminar",
        "capítulo de introducción",
        "una tabla a la que se refiere",
        "la Ley 41/2002",
        "el protocolo número 7",
        "la letra A",
        "point (b)",
        "¿Cuánto es 101 en base 2?",
        "¿Cuánto es 101 en base 2. A ver",
        "la base de datos",
        "¿Cuántas páginas tiene el manual?",
        "a 20-page report of 20 pages",
        "la página de inicio",
        "la página web",
        "at 5 p. m.",
        "page A",
        "¿Qué dice el artículo -3?",
        "artículo – 3",
        "",
    ],
)
def test_other_words_name_none(question: str) -> None:
    assert asked_places(question) == ()


def test_a_part_may_have_a_heading_of_its_own() -> None:
    (place,) = asked_places("art. 9.3")
    assert place.keys == ("articulo:9.3", "articulo:9")


def test_what_is_numbered_without_a_clause_s_letters_is_another_place_unless_it_stands_below_them() -> None:
    (place,) = asked_places("What does V3.2.1 require?")
    assert (place.keys, place.keys_above) == (("clausula:v3.2.1", "seccion:3.2.1"), ("clausula:v3.2",))
    (other,) = asked_places("requisito REQ-3.2.1")
    assert "clausula:v3.2.1" not in other.keys


def test_a_place_knows_where_it_is_named() -> None:
    question = "¿Qué dice el capítulo II del título III?"
    (place,) = asked_places(question)
    assert question[place.start : place.end] == place.text == "capítulo II"


def test_the_only_one_is_not_the_first() -> None:
    assert [place.is_only for place in asked_places("artículo único y artículo 1")] == [True, False]


def test_a_hostile_question_names_few() -> None:
    assert len(asked_places("artículos " + "1, " * 10_000)) <= MOST_PLACES
    assert asked_places(" " * LONGEST_QUESTION + "artículo 1") == ()

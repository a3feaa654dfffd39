"""Places by their names: the same key however they are written."""

import pytest

from retrieval.text.references import LONGEST_HEADING, heading_key, provision_key


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Artículo 14. Derecho a la información", "articulo:14"),
        ("ARTÍCULO 8 bis. Objeto", "articulo:8bis"),
        ("Art. 9.3", "articulo:9.3"),
        ("Artículo quince.", "articulo:15"),
        ("Artículo treinta y cuatro", "articulo:34"),
        ("Artículo trigésimo cuarto", "articulo:34"),
        ("Artículo decimocuarto", "articulo:14"),
        ("Artículo 1.º Ámbito", "articulo:1"),
        ("Disposición adicional segunda. Plazos", "disposicion adicional:2"),
        ("Disposición adicional vigésima primera", "disposicion adicional:21"),
        ("Disposición final única", "disposicion final:1"),
        ("ANEXO II", "anexo:2"),
        ("Annex B", "anexo:b"),
        ("Anejo 3. Planos", "anexo:3"),
        ("Exhibit A - Form of Notice", "exhibit:a"),
        ("Appendix C: Levels", "anexo:c"),
        ("CAPÍTULO IV Derechos", "capitulo:4"),
        ("Capítulo primero", "capitulo:1"),
        ("Chapter 3", "capitulo:3"),
        ("Sección 1.ª De los plazos", "seccion:1"),
        ("4.2 Threat model", "seccion:4.2"),
        ("## 3.6. Nombres", "seccion:3.6"),
        ("§ 4.2", "seccion:4.2"),
        ("V2.1.1 Verify that", "clausula:v2.1.1"),
        ("SEC-4.2 Alarms", "clausula:sec4.2"),
        ("AC-2 Accounts", "clausula:ac2"),
        ("A.1 General", "clausula:a1"),
        ("AC-2(1) Enhancement", "clausula:ac2(1)"),
        ("Artículo ciento once. Medidas", "articulo:111"),
        ("Artículo ciento treinta y dos bis. Medidas", "articulo:132bis"),
        ("Tabla 3. Plazos", "tabla:3"),
        ("Unidad 4 — IPv4", "unidad:4"),
        ("Art. 4.º bis. Socios", "articulo:4bis"),
        ("Artículo 5 septies", "articulo:5septies"),
        ("Cláusula 3.ª Precio", "clausula:3"),
        ("CLÁUSULA TERCERA.- Precio", "clausula:3"),
        ("VIGÉSIMA PRIMERA.- Última", "clausula:21"),
        ("Base 4.ª Plazo", "clausula:4"),
        ("BASE 4ª.- Plazo", "clausula:4"),
        ("Base 4 y base 10", ""),
        ("Segunda. Extensión", "clausula:2"),
        ("Sexta. Plazo", "clausula:6"),
        ("BASE CUARTA.- Requisitos", "clausula:4"),
        ("SCHEDULE 2: HOUSE RULES", "schedule:2"),
    ],
)
def test_a_heading_names_its_place(title: str, key: str) -> None:
    assert heading_key(title) == key


@pytest.mark.parametrize(
    ("above", "title", "key"),
    [
        ("DISPOSICIONES ADICIONALES", "Segunda. Zonas", "disposicion adicional:2"),
        ("Disposiciones transitorias", "Tercera.- Plazos", "disposicion transitoria:3"),
        ("Disposiciones finales.", "1.ª Vigencia", "disposicion final:1"),
        ("DISPOSICIÓN DEROGATORIA", "Única.", "disposicion derogatoria:1"),
        ("Disposiciones generales", "Segunda. Zonas", ""),
        ("Disposiciones finales", "2.1 Zonas", ""),
        ("Disposiciones finales", "ANEXO I", ""),
        ("", "Segunda. Zonas", ""),
    ],
)
def test_what_is_counted_below_dispositions_is_one_of_them(above: str, title: str, key: str) -> None:
    assert provision_key(above, title) == key


@pytest.mark.parametrize(
    "title",
    [
        "",
        "Título",
        "TÍTULO PRELIMINAR",
        "Artículos varios",
        "Introducción",
        "Primero, se hace",
        "Septiembre. Fin",
        "Art deco",
        "#",
    ],
)
def test_other_headings_name_none(title: str) -> None:
    assert heading_key(title) == ""


def test_a_hostile_heading_is_looked_at_in_part() -> None:
    assert heading_key("artículo " * 100_000) == ""
    assert heading_key(" " * LONGEST_HEADING + "Artículo 1") == ""

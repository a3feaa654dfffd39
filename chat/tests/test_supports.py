"""The sentence behind a citation: what supports a claim and what does not, and where it stands in the document."""

import pytest

from chat.citing.claims import claims_in
from chat.citing.matching import Read, find_quote, supporting_span
from chat.citing.support import PassageText, page_at, quote_for

RULES = """## Artículo 12. Préstamos

Los préstamos ordinarios duran veintiún días naturales y pueden renovarse dos veces, siempre que nadie haya reservado \
el libro. La multa por retraso es de 0,20 € al día. No se prestan las obras de consulta ni los periódicos del día.

- El carné se pide en el mostrador con el DNI.
- Los menores de 14 años necesitan la firma de uno de sus padres.

| Tipo | Plazo |
|---|---|
| Libro | 21 días |
| DVD | 7 días |

La Biblioteca Nacional fue fundada en 1711 por Felipe V en Madrid. Conserva más de 30 millones de documen-
tos."""


def support(claim: str) -> str | None:
    span = supporting_span(claim, Read(RULES))
    return RULES[slice(*span)] if span else None


@pytest.mark.parametrize(
    ("claim", "begins"),
    [
        ("La multa por retraso es de 0,20 € al día.", "La multa"),
        ("**La multa** por retraso es de `0,20 €` al día", "La multa"),
        ("Conserva más de 30 millones de documentos.", "Conserva más"),
        ("Los libros se prestan durante 21 días, renovables dos veces", "Los préstamos ordinarios"),
        ("Las obras de consulta no se prestan", "No se prestan"),
        ("Los menores de catorce años necesitan la firma de sus padres", "Los menores de 14"),
        ("Los DVD se prestan 7 días", "| DVD"),
        ("Felipe V fundó la Biblioteca Nacional en 1711", "La Biblioteca Nacional"),
        ("Dice expresamente: «pueden renovarse dos veces, siempre que nadie haya reservado»", "Los préstamos"),
        ("«…retraso es de 0,20 € al día. No se prestan las obras…» Reglamento › Artículo 12, p. 3", "La multa"),
        ("«Los préstamos ordinarios duran […] dos veces», dice el reglamento", "Los préstamos"),
    ],
)
def test_what_the_passage_says_is_supported_by_the_sentence_that_says_it(claim: str, begins: str) -> None:
    assert (support(claim) or "").startswith(begins)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("El acto dura 45 minutos.", "El acto dura cuarenta y cinco minutos."),
        ("El acto dura treinta y un minutos.", "El acto dura 31 minutos."),
        ("The course lasts 21 days.", "The course lasts twenty-one days."),
        ("De los treinta alumnos dos suspendieron.", "De los treinta alumnos, dos suspendieron."),
        ("Of the 20 members 3 voted.", "Of the twenty members, three voted."),
        ("Caben 30 cajas grandes.", "Caben treinta, cuatro o seis cajas grandes."),
    ],
)
def test_numbers_are_the_same_in_words_and_in_figures(claim: str, passage: str) -> None:
    assert supporting_span(claim, Read(passage)) == (0, len(passage))


def test_numbers_beside_each_other_are_no_number_of_two_words() -> None:
    assert supporting_span("Caben 34 cajas grandes.", Read("Caben treinta, cuatro o seis cajas grandes.")) is None


@pytest.mark.parametrize(
    "claim",
    [
        "Los préstamos ordinarios duran 30 días naturales",  # another number
        "Se prestan las obras de consulta",  # denied there
        "«Los préstamos ordinarios duran … 30 días naturales»",
        "«La multa por retraso es de … 5 €»",
        "El préstamo ordinario no puede renovarse dos veces",  # denied here
        "No se necesita DNI para pedir el carné en el mostrador",
        "La Biblioteca Nacional fue fundada en 1711 por Carlos III y ampliada por Fernando VII",
        "La biblioteca abre los domingos por la mañana",
    ],
)
def test_what_it_does_not_say_or_says_otherwise_is_not_supported(claim: str) -> None:
    assert support(claim) is None


def test_a_fragment_of_several_sentences_is_marked_with_them_unless_they_are_far_longer() -> None:
    assert support("«…nadie haya reservado el libro. La multa por…»") == ("nadie haya reservado el libro. La multa por")
    assert support("«La Biblioteca Nacional fue fundada en 1711 por Felipe V en Madrid. Conserva más de 30 mill…»") == (
        "La Biblioteca Nacional fue fundada en 1711 por Felipe V en Madrid. Conserva más de 30 millones de documen-"
        "\ntos."
    )


def test_headings_help_to_understand_a_sentence_and_are_not_cited() -> None:
    text = "# Préstamo\n\n## ¿Cuánto tiempo?\n\nOcho libros durante 21 días, con el carné general."
    span = supporting_span("El préstamo dura 21 días con cualquier carné", Read(text))
    assert span
    assert text[slice(*span)].startswith("Ocho libros")


def test_a_quote_is_found_whatever_breaks_its_lines_and_at_whole_words_only() -> None:
    assert find_quote("ley 41 de autonomía del paciente", Read("la ley 41 de auto-\nnomía  del paciente.")) == (3, 38)
    assert find_quote("consentimiento informado", Read("el consentimiento informados")) is None


def test_each_citation_is_held_against_what_stands_before_it() -> None:
    answer = "El plazo es de 21 días [1] y la multa de 0,20 € al día [2][3]. El carné es gratis. [1]\n- Con DNI [2]"
    assert [(one.n, one.text) for one in claims_in(answer, {1, 2, 3})] == [
        (1, "El plazo es de 21 días"),
        (2, "y la multa de 0,20 € al día"),
        (3, "y la multa de 0,20 € al día"),
        (1, "El carné es gratis."),
        (2, "Con DNI"),
    ]


def test_all_of_a_step_is_cited_by_the_number_at_its_end_if_it_stands_there_so() -> None:
    text = "Antes.\n\n1. Pulsa la [tecla](https://a.example/x) Fin. Aparece el panel.\n2. Cierra."
    passage = PassageText(text, 100, [], Read(text), Read(text))
    said = claims_in("1. Pulsa la tecla Fin. Aparece el panel. [1]\n2. Apaga el equipo. Guarda los datos. [1]", {1})
    quote = quote_for(said[0], passage)
    assert quote
    assert quote["text"] == "Pulsa la [tecla](https://a.example/x) Fin. Aparece el panel."
    assert quote_for(said[1], passage) is None


def test_what_is_quoted_is_claimed_as_one_however_many_sentences_it_has() -> None:
    answer = 'Antes. «Uno dos. Tres. Cuatro cinco» Ley › Título. [1]\n5. "¿Qué es esto? ¿Y aquello otro?" [2] Fin. [1]'
    assert [one.text for one in claims_in(answer, {1, 2})] == [
        "«Uno dos. Tres. Cuatro cinco» Ley › Título.",
        '"¿Qué es esto? ¿Y aquello otro?"',
        "Fin.",
    ]


def test_citations_in_code_and_of_no_source_claim_nothing() -> None:
    assert claims_in("`x[1]` y esto [7]", {1}) == []


def test_a_page_is_that_of_the_sentence() -> None:
    pages = [[1, 0, 99], [2, 100, 180, "ii"], [3, 181, 300]]
    assert [page_at(pages, place) for place in (0, 99, 100, 299)] == [1, 1, 2, 3]
    assert page_at([], 7) is None


def test_a_title_on_the_line_above_is_not_cited_with_its_sentence() -> None:
    said = "La linterna se limpia con un paño seco y nunca con agua."
    page = f"Limpieza\n{said.replace('nunca', 'nunca' + chr(10))} Las pilas duran un año."
    span = supporting_span(said, Read(page))
    assert span
    assert " ".join(page[slice(*span)].split()) == said


LOANS = """The library lends ordinary books for twenty-one days. A loan may be renewed twice; the fine is €0.20 a day.

It was founded in the XIX century with 1,500 volumes; the fund spends 2.5 billion a year. It opens at 3 pm.

Rooms cost 40 euros on weekdays. In August the rooms cost 40 euros, too, and in Huesca 35."""


@pytest.mark.parametrize(
    ("claim", "begins"),
    [
        ("Los libros se prestan durante 21 días", "The library lends"),
        ("Se puede renovar dos veces y la multa es de 0,20 € al día", "A loan may be renewed"),
        ("1. Se fundó en el siglo XIX con 1.500 volúmenes", "It was founded"),
        ("Los libros se prestan treinta días", "The library lends"),  # not said, and perhaps only written otherwise
        ("Se puede renovar 2 veces y la multa es de 0,20 € al día", "The library lends"),  # twice is no figure
        ("Las salas cuestan 40 euros y en Huesca 35", "In August"),
        ("Las salas cuestan 40 euros los martes", "The library lends"),  # in several, so the passage stands for it
        ("La sala de Huesca cuesta 35 euros", "In August"),
        ("Abre a las 15:00 de la tarde, según las normas de la casa", "The library lends"),
        ("Los libros no se prestan a los menores de edad", "The library lends"),  # nothing to hold it against
    ],
)
def test_a_claim_in_another_language_is_supported_by_the_sentence_with_its_figures(claim: str, begins: str) -> None:
    passage = PassageText(LOANS, 0, [], Read(LOANS), Read(LOANS))
    quote = quote_for(claims_in(f"{claim} [1].", {1})[0], passage)
    assert quote
    assert quote["text"].startswith(begins)


def test_of_a_language_whose_numbers_are_not_known_the_passage_stands() -> None:
    text = "Die Bücher werden für drei Wochen ausgeliehen, und die Gebühr ist nicht hoch."
    quote = quote_for(
        claims_in("Los libros se prestan 3 semanas [1].", {1})[0], PassageText(text, 0, [], Read(text), Read(text))
    )
    assert quote
    assert quote["text"] == text

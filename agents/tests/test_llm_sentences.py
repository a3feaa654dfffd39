"""Which sentences the answerer without a language model reads in a passage, and which of them stand together."""

import pytest

from agents.llm.base import Passage
from agents.llm.extractive import Reply, answer
from agents.llm.quoting.asked_for.kinds import counted_by, has_counted, kind_of_question
from agents.llm.quoting.composing import compose
from agents.llm.quoting.selecting import Chosen
from agents.llm.quoting.statements import statements_of
from retrieval.text.stems import words


def read(text: str) -> list[str]:
    return [one.text for one in statements_of([Passage(1, text, "t")]) if not one.is_whole]


def told(question: str, text: str, language: str = "es") -> Reply:
    return answer(question, [Passage(1, text, "t")], language)


@pytest.mark.parametrize(
    "sentence",
    [
        "Argel perdió de 30 000 a 50 000 habitantes en 1620-21, y de nuevo en 1654-57, 1665, 1691 y 1740-42.",
        "El satélite estaba a 28.5°E, y los demás a 19.2°E, a 23.5°E y a 13°E, según dice el operador.",
        "For instance P ⊆ NP ⊆ PP ⊆ PSPACE, but it is possible that P = PSPACE.",
        "Regresó a Lahore en 1908.",
        "In 2024 we flew 212,000 kilometres.",
        "In 2024 we flew 212,000 kilometres, 18 % less than in 2023.",
        "En 2023 se vendieron 12.345 entradas.",
        "The case Brown v. Board of Education of Topeka ended segregation in schools.",
        "El texto de la entrevista dice que sí.... y que volverá a subir en enero.",
    ],
)
def test_figures_signs_and_points_do_not_make_a_row_of_a_sentence(sentence: str) -> None:
    assert read(sentence) == [sentence]


@pytest.mark.parametrize(
    "line",
    [
        "1.2 Introducción ........ 7",
        "1.2 Introducción a las redes y sus partes ........ pág. 7",
        "Total 12 45 | 18 22 | 19 33 | 20 44 → 21 66 → 31 77.",
        "3.4 Requisitos de la red . . . . . . . . 41",
        "Enero 12.500 Febrero 15.300 Marzo 18.200 Abril 22.100.",
    ],
)
def test_a_row_of_figures_and_a_line_of_contents_are_no_sentences(line: str) -> None:
    assert read(f"La red conecta los equipos entre ellos.\n\n{line}") == ["La red conecta los equipos entre ellos."]


ARTICLE = (
    "Sus opiniones eran confusas según quienes lo trataron.\n\n"
    "En su artículo «Una máquina para acabar con la guerra», publicado en 1937, Tesla declaraba lo siguiente:"
)


def test_what_introduces_nothing_that_is_there_is_read_but_is_told_with_doubt() -> None:
    assert read(ARTICLE)[-1].endswith("declaraba lo siguiente:")
    said = told("¿Qué artículo publicó Tesla en 1937?", ARTICLE)
    assert "Una máquina para acabar con la guerra" in said.text
    assert said.is_doubtful


def test_a_short_line_above_a_paragraph_leaves_it_the_first_below_its_heading() -> None:
    below = "# Bucle\n\nEs decir:\n\nSe repite lo que hay dentro hasta que la condición deja de cumplirse."
    assert [one.opens_section for one in statements_of([Passage(1, below, "t")])] == [True]


def test_a_sentence_that_leans_on_the_one_before_it_is_told_with_it() -> None:
    text = (
        "# Farmacia\n\nLa botica nació en Bagdad en el siglo octavo.\n\n"
        "Abulcasis fue pionero en la preparación de medicamentos por sublimación y destilación. "
        "Su Liber servitoris explica cómo preparar los simples de los que se hacían los medicamentos compuestos."
    )
    said = told("¿Quién es el autor de Liber servitoris?", text).text
    assert said.index("Abulcasis fue pionero") < said.index("Su Liber servitoris")
    assert "Bagdad" not in said


@pytest.mark.parametrize(
    ("question", "sentence", "is_counted"),
    [
        ("¿Cuántos hombres envió Duquesne?", "Dinwiddie había enviado una compañía de 40 hombres.", True),
        ("¿Cuántos hombres envió Duquesne?", "Los hombres salieron el 5 de abril de 1754.", False),
        ("How many people were lost?", "It took thirty to fifty thousand people.", True),
        ("How many people were lost?", "In 1620 it was found that all of the people had left.", False),
        ("¿Quién envió a los hombres?", "Envió a 40 hombres.", False),
        ("How many kilometres were flown?", "Mileage is paid at 0.32 euros per kilometre.", False),
        ("¿Cuántos alumnos hay?", "Se reserva una plaza por cada 20 alumnos.", True),
    ],
)
def test_a_number_counts_what_stands_behind_it(question: str, sentence: str, is_counted: bool) -> None:
    assert has_counted(words(sentence), counted_by(question)) is is_counted


PRINTED = (
    "La linterna alumbra hasta cien metros con las pilas que trae.\n\n"
    "Limpieza\nLa linterna se limpia con un paño seco y nunca con agua, porque el\ncristal se empaña por dentro."
)


def test_a_title_in_the_type_of_its_text_is_no_part_of_its_sentence() -> None:
    said = told("¿Con qué se limpia la linterna?", PRINTED).text
    assert "La linterna se limpia con un paño seco" in said
    assert "Limpieza La linterna" not in said


def test_a_first_line_that_goes_on_is_no_title() -> None:
    said = "El plan de la Universidad de Sevilla dura cuatro años y se imparte en español."
    assert read(said.replace("la Univ", "la\nUniv")) == [said]


def test_what_a_thing_indicates_says_what_it_is() -> None:
    text = "# Máscara\n\nLa máscara de subred indica qué parte de la dirección identifica a la red:\n\n```\n/24\n```\n"
    said = told("¿Qué es una máscara de subred?", text)
    assert "La máscara de subred indica qué parte" in said.text
    assert not said.is_doubtful


def test_links_by_name_are_told_as_what_they_say() -> None:
    text = "A [`Duplex`][] stream is one that is [both][kinds], as `a[i][j]` and b[i][j] of row [3][4] show here."
    assert read(text) == ["A `Duplex` stream is one that is both, as `a[i][j]` and b[i][j] of row show here."]


def test_a_fragment_in_front_of_a_list_is_not_told_with_it() -> None:
    text = "Default: `0`.\n\n* `offset` is where the writing begins.\n* `length` is how many bytes it writes.\n"
    assert "Default" not in told("How many bytes does it write?", text, "en").text
    led = text.replace("Default: `0`.", "These are the arguments that it takes.")
    assert "These are the arguments" in told("How many bytes does it write?", led, "en").text


def test_a_heading_with_its_lead_is_told_once() -> None:
    club = (
        "## Prerequisites\n\nTo enter the club you need:\n\n- A tall hat that you made.\n- A tall cane that you made.\n"
    )
    one, other = (one for one in statements_of([Passage(1, club, "t")]) if not one.is_whole)
    (alone,) = statements_of([Passage(2, "Hats and canes are made in the club.", "t")])
    chosen = [Chosen(statement, 0.9, 1.0, heading_tells=False) for statement in (one, alone, other)]
    told = compose(chosen, kind_of_question("What do you need?"))
    assert (told.count("**Prerequisites**"), told.count("To enter the club you need:")) == (1, 1)
    assert told.index("tall cane") < told.index("Hats and canes")


RULES = "\n\n## Reservas\n\nLos viajes se reservan con diez días. Las tardías las aprueba la jefa de cada sección.\n"


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("¿Cuándo se aprobó la política?", "Aprobada por el Consejo el 14 de mayo de 2025"),
        ("¿Cuándo se actualizó la política?", "Última actualización: marzo de 2025"),
        ("¿Quién aprobó la política?", "Versión 4.1, aprobada por el Consejo Rector el 14 de mayo de 2025"),
        ("When was the policy published?", "Published 3 March 2025 · Human Resources"),
    ],
)
def test_a_line_below_the_title_says_when_it_was_approved(question: str, line: str) -> None:
    said = told(question, f"# Política de viajes\n\n{line}{RULES}")
    assert line in said.text
    assert not said.is_doubtful


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("¿Cuándo se aprobó el presupuesto?", False),
        ("¿Cuándo se publicó el presupuesto?", False),
        ("¿Cuándo se revisó el presupuesto?", True),
        ("¿Cuándo se actualizó el presupuesto?", True),
        ("When was the presupuesto signed?", False),
    ],
)
def test_a_line_that_dates_another_act_is_told_with_doubt(question: str, is_told: bool) -> None:
    text = f"# Acta del consejo\n\n## Acuerdos\n\nPresupuesto revisado por la gestoría en mayo de 2023{RULES}"
    assert told(question, text).is_doubtful is not is_told


@pytest.mark.parametrize(
    "line",
    [
        "Memoria anual de actividades 2024",
        "Updated the 2023 copyright notices",
        "Plan revisado en 2018 según el ayuntamiento",
        "Plan aprobado en 2019 ... 4",
    ],
)
def test_a_title_with_a_year_is_no_such_line(line: str) -> None:
    assert read(f"# Informe\n\n{line}\n\nSe abre a las nueve de la mañana todos los días.") == [
        "Se abre a las nueve de la mañana todos los días."
    ]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How many catamarans were built?", "We built 5 catamarans."),
        ("What was the staff turnover?", "Staff turnover was 8.3%."),
    ],
)
def test_a_short_sentence_with_a_small_number_is_quoted(question: str, sentence: str) -> None:
    text = f"The company has a fleet of 30 ferries and a dock in Vigo. {sentence} It sails on."
    said = answer(question, [Passage(1, text, "Report")], "en")
    assert sentence in said.text
    assert not said.is_doubtful

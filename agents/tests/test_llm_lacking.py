"""What was asked for is not told by what is near it: then the answer says so."""

import pytest

from agents.llm.base import Passage
from agents.llm.extractive import answer as reply_of
from agents.llm.quoting.asked_for.deeds import asked_deed
from agents.llm.quoting.asked_for.subject import asked_amounts, asked_with, is_opposed, stands_within, subjects_of

OPTIONS = Passage(
    1,
    "-c, --count prints how many lines of the output match.\n\n-C, --context prints lines around each output line.\n\n"
    "-v selects the lines that do not match.\n",
    "Manual of seek",
    headings=("OPTIONS",),
)
VOYAGE = Passage(
    1,
    "You are given an old ship, the Faire Queene. The pilot of the Faire Queene is Ana Gil. She sails on Monday.",
    "A voyage",
)
SIZES = Passage(
    1,
    "| Instalación | Memoria | Disco |\n| --- | --- | --- |\n| Sin escritorio | 256 MB | 4 GB |\n"
    "| Con escritorio | 1 GB | 10 GB |\n",
    "Requisitos",
    headings=("Requisitos de disco",),
)


@pytest.mark.parametrize(("option", "is_there"), [("-c", True), ("--count", True), ("-x", False), ("--counted", False)])
def test_an_option_is_told_by_what_names_it(option, is_there):
    said = reply_of(f"What output does {option} print?", [OPTIONS], "en")
    assert said.is_doubtful is not is_there


def test_an_item_of_another_option_tells_nothing_of_it():
    text = "Options:\n\n- -c prints the count of lines\n- -d shows when each was typed\n- -e is for colours\n"
    assert reply_of("What count of lines does -d print?", [Passage(1, text, "Seek")], "en").is_doubtful


@pytest.mark.parametrize(
    ("question", "is_told"),
    [("Who is the pilot of the Faire Queene?", True), ("Who is the captain of the Faire Queene?", False)],
)
def test_who_somebody_is_wants_what_he_is(question, is_told):
    assert reply_of(question, [VOYAGE], "en").is_doubtful is not is_told


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("Against the decision an appeal lies to the rector of the university within a month.", False),
        ("The rector of the university is Ana Gil, elected in 2024.", True),
        ("The rector of the university is the eldest of the professors.", True),
        ("Ana Gil has led the university as its rector since 2024.", True),
        ("By rector is meant who was elected as such by all members of the university.", True),
        ("| Office | Holder |\n|---|---|\n| Rector of the university | Gil |\n| Secretary | Soto |", True),
    ],
)
def test_who_somebody_is_wants_a_name(text, is_told):
    said = reply_of("Who is the rector of the university?", [Passage(1, text, "Rules")], "en")
    assert said.is_doubtful is not is_told


@pytest.mark.parametrize(
    ("question", "text", "is_told"),
    [
        (
            "¿De qué color es la cafetera?",
            "Encienda la cafetera y coloque un recipiente bajo la salida de agua.",
            False,
        ),
        ("¿De qué color es la cafetera?", "La cafetera se vende solo en un rojo oscuro y con dos depósitos.", True),
        (
            "What is the e-mail address for claims?",
            "Claims are entered in the app within thirty days of a trip.",
            False,
        ),
        (
            "What is the e-mail address for claims?",
            "The e-mail address for claims is claims@example.org, all the year round.",
            True,
        ),
        ("¿Quién decide de qué color es la cafetera?", "Quien decide de qué color es la cafetera es Ana Gil.", True),
        ("How do I change the e-mail address of a claim?", "The address of a claim is changed in its settings.", True),
    ],
)
def test_what_is_seen_wants_to_be_there(question, text, is_told):
    assert reply_of(question, [Passage(1, text, "Manual")], "es").is_doubtful is not is_told


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is the author of the report?", "The report was written by Ana Gil in 2020."),
        ("Who is the person in charge of safety?", "The head of safety of the building is Ana Gil."),
        ("¿Quién es el responsable de la seguridad?", "La encargada de la seguridad del edificio es Ana Gil."),
        ("¿Qué ocurre si -o se paga tarde- se debe la cuota?", "Si se debe la cuota, ocurre que se pierde la plaza."),
    ],
)
def test_what_is_said_in_other_words_is_told(question, text):
    assert not reply_of(question, [Passage(1, text, "Informe")], "es").is_doubtful


@pytest.mark.parametrize(("joint", "disk"), [("con", "10 GB"), ("sin", "4 GB")])
def test_without_is_not_with(joint, disk):
    said = reply_of(f"¿Qué disco hace falta para una instalación {joint} escritorio?", [SIZES], "es").text
    assert disk in said


@pytest.mark.parametrize(
    ("asked", "said", "opposed"),
    [
        ("with the lid", "Without a lid it spills", True),
        ("with the lid", "With the lid or without a lid", False),
        ("sin tapas", "con la tapa", True),
        ("con la tapa", "sin el cable", False),
        ("la tapa", "sin tapa", False),
        ("can I cancel without a fee", "you cancel with a fee", False),
    ],
)
def test_the_opposite_is_that_of_the_same_thing(asked, said, opposed):
    assert is_opposed(asked_with(asked), said) is opposed


@pytest.mark.parametrize(
    ("question", "text", "is_told"),
    [
        ("¿A qué edad se puede votar?", "Se puede votar en el consejo a los dieciséis años.", True),
        ("What is the quorum of the committee?", "There is a quorum of two in the committee.", True),
        ("Difference between lifts and ramps", "The lifts carry people, and the ramps carry carts.", True),
        ("What is the duty of care?", "Members who sleep breach the duty of care.", False),
        ("¿Qué documentos hay que presentar?", "Hay que presentar los documentos del seguro.", True),
        ("What happens when you ring?", "When you ring, it happens that the door opens.", True),
        ("¿Qué vacuna le toca al niño y cuándo?", "Al niño le toca la vacuna triple vírica.", False),
        ("¿Cuánto cuesta la piscina?", "Piscina: 25 metros.", False),
        ("¿Cuánto cuesta la piscina?", "Piscina: 6 € por día.", True),
        ("¿Cuánto cuesta la piscina?", "Piscina cubierta: 200 pesos al mes.", True),
        ("How much does the pool cost?", "The pool: 20 pounds a month.", True),
    ],
)
def test_what_says_it_in_its_own_way_is_told(question, text, is_told):
    assert reply_of(question, [Passage(1, text, "Apuntes")], "es").is_doubtful is not is_told


def test_one_of_many_that_have_the_only_word_is_told_with_doubt():
    said = ("entrega la vivienda", "paga los gastos", "firma el inventario", "recibe la fianza", "guarda las llaves")
    text = " ".join(f"La arrendadora {one} en Teruel." for one in said)
    assert reply_of("¿Quién es la arrendadora?", [Passage(1, text, "Contrato")], "es").is_doubtful
    assert not reply_of("¿Quién firma el inventario?", [Passage(1, text, "Contrato")], "es").is_doubtful


def test_a_price_needs_no_word_for_paying():
    text = "## Soporte\n\nSoporte mensual: 300 €/mes. Incluye 10 horas mensuales para mejoras."
    said = reply_of("¿Cuánto cuesta el soporte?", [Passage(1, text, "Presupuesto")], "es")
    assert "Soporte mensual: 300 €/mes. [1]" in said.text
    assert not said.is_doubtful


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("¿A qué hora abre la piscina?", ("piscin",)),
        ("¿Cuándo se reúne la comisión?", ("comisi",)),
        ("What time does the canteen open?", ("cantee",)),
        ("When was the policy published?", ()),
        ("¿Cuándo termina el plazo?", ()),
        ("¿Cuánto pesa la HV-450?", ()),
    ],
)
def test_what_it_is_that_opens_or_ends_is_what_an_answer_must_be_of(question, subjects):
    assert subjects_of(question) == subjects


HOURS = Passage(
    1,
    "La Biblioteca Central abre de lunes a viernes de 8:15 a 21:30 horas.\n\nEl museo abre a las 10:00 horas.\n",
    "Reglamento",
    headings=("Horarios",),
)


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("¿A qué hora abre la Biblioteca Central?", True),
        ("¿A qué hora abre el museo?", True),
        ("¿A qué hora abre la piscina?", False),
        ("¿A qué hora abre la cafetería de la biblioteca?", False),
    ],
)
def test_the_hours_of_something_else_are_told_with_doubt(question, is_told):
    assert reply_of(question, [HOURS], "es").is_doubtful is not is_told


@pytest.mark.parametrize(
    ("question", "text", "is_told"),
    [
        ("¿Qué teléfono tiene la oficina?", "La oficina abre de 9:30 a 13:30 en el curso 2025-2026.", False),
        ("¿Qué teléfono tiene la oficina?", "La oficina atiende en el 956 01 23 45.", True),
        ("What is the phone number of the office?", "The office is in room 12, since 12.06.2024.", False),
        ("¿Puedo usar el teléfono en la sala?", "En la sala puede usarse el teléfono en silencio.", True),
        ("¿Cuánto cuesta el cierre?", "| Pieza | Referencia |\n|---|---|\n| Cierre | RC-3207 |", False),
        ("¿Cuánto cuesta el cierre?", "| Pieza | Precio |\n|---|---|\n| Cierre | 32 |", True),
        ("¿Cuánto cuesta el cierre?", "| Pieza | Coste |\n|---|---|\n| Cierre | 12,50 € |", True),
    ],
)
def test_a_telephone_and_a_price_are_told_by_what_is_one(question, text, is_told):
    assert reply_of(question, [Passage(1, text, "Guía")], "es").is_doubtful is not is_told


PUMP = Passage(
    1,
    "Datos de la bomba:\n\n- Peso: 12,5 kg\n- Alto: 40 cm\n- Temperatura de trabajo: 60 °C\n\n"
    "La HV-450 es una bomba de agua. Lleva 3 filtros y se vende desde 2021. No la acerque a 2 m de un fuego.\n",
    "Ficha de la HV-450",
    headings=("Datos técnicos",),
)
PUMPS = Passage(
    1,
    "| Modelo | Peso (kg) | Potencia |\n|---|---|---|\n| HV-450 | 12 | 750 W |\n| HV-900 | 21 | 1 kW |\n",
    "Bombas HV",
)


@pytest.mark.parametrize(
    ("question", "passage", "told"),
    [
        ("¿Cuánto pesa la HV-450?", PUMP, "12,5 kg"),
        ("¿Cuál es el peso de la HV-450?", PUMP, "12,5 kg"),
        ("How heavy is the HV-450?", PUMP, "12,5 kg"),
        ("¿A qué temperatura trabaja la HV-450?", PUMP, "60 °C"),
        ("¿Cuánto pesa la HV-900?", PUMPS, "21"),
        ("¿Qué potencia tiene la HV-900?", PUMPS, "1 kW"),
    ],
)
def test_a_measure_is_told_in_units_of_it_or_below_its_name(question, passage, told):
    said = reply_of(question, [passage], "es")
    assert told in said.text
    assert not said.is_doubtful


@pytest.mark.parametrize("question", ["¿Qué velocidad alcanza la HV-450?", "¿Cuánto consume la HV-450?"])
def test_a_measure_is_not_told_by_a_number_of_something_else(question):
    assert reply_of(question, [PUMP], "es").is_doubtful


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How fast must an incident be reported?", "An incident must be reported within 24 hours."),
        ("How high can the fine be?", "The fine can be up to 3,000 euros."),
        ("¿Qué longitud debe tener la contraseña?", "La contraseña debe tener una longitud de 12 caracteres."),
        ("How far may the director delegate?", "The director may delegate up to 2 tasks."),
    ],
)
def test_what_may_be_told_in_other_units_is_no_measure(question, text):
    assert not reply_of(question, [Passage(1, text, "Guía")], "es").is_doubtful


@pytest.mark.parametrize(
    ("question", "row", "is_within"),
    [
        ("after 6 years", "5 to 10 years | 29", True),
        ("after 6 years", "2 to 5 years | 27", False),
        ("after 6 years", "Less than 2 years | 25", False),
        ("after 12 years", "More than 10 years | 32", True),
        ("after 12 years", "10 years or more | 32", True),
        ("a 1.200 km", "De 500 a 1.999 km | 309 €", True),
        ("a 1.200 km", "De 100 a 499 km | 211 €", False),
        ("a 1,5 metros", "Menos de 2 metros | sí", True),
        ("after 6 years", "From 3 to 4 days | 2", None),
        ("no number", "5 to 10 years", None),
    ],
)
def test_a_row_is_of_the_numbers_in_its_range(question, row, is_within):
    assert stands_within(asked_amounts(question), row) is is_within


LEAVE = Passage(
    1,
    "You can buy up to five extra days each year.\n\n| Length of service | Days of annual leave |\n|---|---|\n"
    "| Less than 2 years | 25 |\n| 2 to 5 years | 27 |\n| 5 to 10 years | 29 |\n| More than 10 years | 32 |\n",
    "Handbook",
    headings=("Annual leave",),
)


@pytest.mark.parametrize(("years", "days"), [(1, "25"), (3, "27"), (6, "29"), (12, "32")])
def test_a_number_that_is_asked_of_is_told_by_its_row(years, days):
    said = reply_of(f"How many days of annual leave do I get after {years} years?", [LEAVE], "en")
    assert f"| {days} [1] |" in said.text
    assert not said.is_doubtful


LOANS = (
    Passage(
        1,
        "La copia de un artículo se entrega en un plazo medio de cinco días y el libro original en diez, sin préstamo.",
        "Reglamento",
        headings=("Préstamo interbibliotecario",),
    ),
    Passage(
        2,
        "| Tipo de usuario | Ejemplares | Plazo (días) |\n|---|---|---|\n| Grado | 8 | 14 |\n| Máster | 12 | 21 |\n",
        "Reglamento",
        headings=("Préstamo: ejemplares y plazos",),
    ),
)


@pytest.mark.parametrize(
    "question", ["¿Cuál es el plazo de préstamo para máster?", "¿Cuántos días de préstamo hay para máster?"]
)
def test_a_number_below_the_days_of_its_column_is_told_before_those_of_something_else(question):
    said = reply_of(question, LOANS, "es")
    assert not said.is_doubtful
    assert said.text.startswith("| Tipo de usuario |")
    assert "| Máster | 12 | 21 [2] |" in said.text


def test_what_follows_a_no_is_not_told_without_it():
    text = "No con esta convocatoria. El Reino Unido y Suiza se ofrecen en el programa propio, que se convoca en enero."
    asked = Passage(1, text, "Convocatoria", headings=("¿Puedo ir a una ciudad del Reino Unido?",))
    said = reply_of("¿Me puedo ir a Suiza?", [asked], "es")
    assert said.text.index("No con esta convocatoria.") < said.text.index("El Reino Unido y Suiza")


FLEET = "La compañía opera desde Vigo. La flota tiene 4 aviones y 31 pilotos. El hangar se amplió en 2019."


@pytest.mark.parametrize(
    ("question", "text", "is_told"),
    [
        ("¿Cuántos aviones se vendieron?", FLEET, False),
        ("¿Cuántos aviones se compraron?", FLEET, False),
        ("¿Cuántos aviones fueron vendidos en total?", FLEET, False),
        ("¿Cuántos aviones vendió la compañía?", FLEET, False),
        ("¿Cuántos aviones tiene la flota?", FLEET, True),
        ("¿Cuántos aviones hay en la flota?", FLEET, True),
        ("¿Cuántos aviones se vendieron?", "De la flota se vendieron 4 aviones a una compañía danesa.", True),
        ("¿Cuántos aviones se vendieron?", "La venta fue buena: salieron 4 aviones de la flota en marzo.", True),
        (
            "¿Cuántos aviones se vendieron?",
            "# Ventas de aviones\n\n## Año 2023\n\nLa flota dio 4 aviones.",
            True,
        ),
        ("How many aircraft were sold?", "The fleet of the company has 4 aircraft and 31 soldiers.", False),
        ("How many aircraft were sold?", "The sale of 4 aircraft of the fleet closed in May.", True),
        ("How many houses were built?", "The village on the coast has 73 houses and a church.", False),
        ("How many days are required for the visa?", "The visa takes at least 12 days of processing.", True),
        ("How many people are employed by the company?", "The company has 480 people on its payroll.", True),
        ("¿Cuántos pisos tiene el edificio que se construyó en 1990?", "El edificio, de 1990, tiene 24 pisos.", True),
        ("¿Cuántos días hay para reclamar un paquete entregado tarde?", "El plazo de reclamación es de 7 días.", True),
        ("¿Cuántos libros puedo comprar al mes?", "El límite mensual por persona es de 5 libros.", True),
        ("How many sailors did Zarpa recruit?", "The crew of Zarpa counts 40 sailors and two cooks.", False),
        ("¿Cuántos empleados han sido despedidos?", "La empresa tiene 140 empleados en Vigo.", False),
        ("¿Cuántos heridos hubo?", "En el tren viajaban 140 personas, y hubo 12 heridos.", True),
    ],
)
def test_what_is_done_to_what_is_counted_must_be_said(question: str, text: str, is_told: bool) -> None:
    said = reply_of(question, [Passage(1, text, "Informe")], "es")
    assert said.is_doubtful is not is_told


@pytest.mark.parametrize(
    ("question", "is_deed"),
    [
        ("How many aircraft were sold in 2024?", True),
        ("How many sailors did Zarpa recruit?", True),
        ("¿Cuántas casas se han destruido?", True),
        ("How many hours is the warranty?", False),
        ("How many floors does the building have?", False),
        ("¿Cuántos puntos se pueden perder?", False),
        ("¿Cuántos contratos hay?", False),
        ("¿Cuántos días hay para denunciar un robo?", False),
        ("How many days are there to report a stolen card?", False),
        ("How many books may one buy?", False),
        ("How much is the fee for a lost card?", False),
        ("How many rooms are in the hotel that was built in 1990?", False),
        ("¿Quiénes fueron vendidos?", False),
    ],
)
def test_a_deed_is_what_a_question_says_is_done(question: str, is_deed: bool) -> None:
    assert (asked_deed(question) is not None) is is_deed


def test_a_heading_that_says_it_counts_above_a_long_paragraph() -> None:
    text = f"# Ventas\n\n## Año 2023\n\nLa flota dio 4 aviones al Norte. {'Los hangares siguen en Vigo. ' * 200}"
    assert not reply_of("¿Cuántos aviones se vendieron?", [Passage(1, text, "Informe")], "es").is_doubtful

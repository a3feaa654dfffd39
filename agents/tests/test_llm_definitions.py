"""What a thing is, and what it does, told without a language model."""

import pytest

from agents.llm.base import Passage
from agents.llm.extractive import Reply, answer

COURSE = """## 3.3. Repetir

Algo dentro del bucle tiene que cambiar. Si no, el bucle es infinito y hay que interrumpir el programa.

## 4.1. Definir y llamar

Una función es un trozo de programa con nombre. Se define con `def` y no hace nada hasta que se la llama.

## 4.6. Funciones que se llaman a sí mismas

Una función recursiva es la que se llama a sí misma con un caso más pequeño.

## 5.1. Listas

Una lista guarda elementos en orden y se puede modificar. Las posiciones empiezan en cero.

## 5.3. Dos nombres para la misma lista

Asignar una lista a otro nombre no la copia. Los dos nombres se refieren al mismo objeto.

## 5.5. Control de la marcha

`break` abandona el bucle. La función `open` abre un fichero del disco.

Curso de Python · Academia Aurora.
"""


def told(question: str, text: str = COURSE, language: str = "es") -> Reply:
    return answer(question, [Passage(1, text, "Python")], language)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("¿Qué es una lista?", "Una lista guarda elementos en orden"),  # "Listas" is its heading
        ("¿Qué es una función?", "Una función es un trozo de programa"),  # not "Una función recursiva es"
        ("¿Qué hace break?", "`break` abandona el bucle."),
        ("¿Para qué sirve break?", "`break` abandona el bucle."),
        ("¿Qué hace la función open?", "La función `open` abre un fichero del disco."),
    ],
)
def test_what_says_what_a_thing_is_or_does_comes_first_and_is_not_doubted(question: str, said: str) -> None:
    reply = told(question)
    assert reply.text.lstrip("- ").startswith(said)
    assert not reply.is_doubtful


def test_a_heading_with_another_form_of_the_word_is_about_it() -> None:
    text = COURSE[COURSE.index("## 4.1") : COURSE.index("## 4.6")]
    assert not told("¿Cómo se define una función?", text).is_doubtful
    assert told("¿Cómo se define una función?", text.replace("Definir y llamar", "Otra cosa")).is_doubtful


def test_what_is_said_under_a_condition_defines_nothing() -> None:
    assert told("¿Qué es un bucle?").is_doubtful


def test_who_made_a_page_is_no_statement() -> None:
    assert "Academia" not in told("¿Qué es Python?").text
    assert "Academia" in told("¿Qué es Python?", COURSE.replace("Aurora.", "Aurora, que da cursos de Python.")).text


def test_a_sentence_with_a_colon_is_no_entry_of_a_glossary() -> None:
    text = "## Otros casos\n\nUn bucle puede llevar `else`: su bloque se ejecuta al final, una sola vez.\n"
    assert told("¿Qué es un bucle?", text).is_doubtful
    assert not told(
        "¿Qué es un bucle?", "## Otros casos\n\nBucle: instrucciones que se repiten varias veces.\n"
    ).is_doubtful


LAW = """A efectos de esta Ley se entiende por:
Centro sanitario: el conjunto organizado de medios que cuida la salud de los pacientes.

Consentimiento informado: la conformidad libre y consciente de un paciente.

A estos efectos se entiende por documento clínico el soporte que contiene datos asistenciales.
"""


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("¿Qué es el consentimiento informado?", "Consentimiento informado: la conformidad libre"),
        ("¿Qué se entiende por centro sanitario?", "Centro sanitario: el conjunto organizado"),
        ("¿Qué se entiende por consentimiento informado?", "Consentimiento informado: la conformidad libre"),
        ("¿Cuál es la definición de centro sanitario?", "Centro sanitario: el conjunto organizado"),
        ("¿Qué es el consentimiento informado según la Ley 41/2002?", "Consentimiento informado: la conformidad"),
        ("Según la Ley de autonomía del paciente, ¿qué es un centro sanitario?", "Centro sanitario: el conjunto"),
        ("¿Qué es un documento clínico?", "se entiende por documento clínico el soporte"),
    ],
)
def test_a_law_s_definitions_are_definitions(question: str, says: str) -> None:
    said = answer(question, [Passage(1, LAW, "Ley", 3, ("Artículo 3. Las definiciones legales.",))], "es")
    assert says in said.text
    assert not said.is_doubtful


RULES = """## Restricciones

UNIQUE: se asegura de que cada valor de una columna no se repita.

PRIMARY KEY: combina las dos anteriores.

## Opciones

--skip-lock No bloquea el archivo de estado.
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("¿Para qué sirve la restricción UNIQUE?", "UNIQUE: se asegura"),  # "Restricciones" stands above it
        ("¿Para qué sirve --skip-lock?", "--skip-lock No bloquea"),
    ],
)
def test_an_entry_below_its_kind_and_a_deed_that_is_denied_tell_what_a_thing_does(question: str, said: str) -> None:
    reply = told(question, RULES)
    assert said in reply.text
    assert not reply.is_doubtful


DEFINED_ELSEWHERE = """## Obligaciones

Each Contributor represents that its Contributions are its original creation and that it may license them.

Many footprints are included with the program, so the tool offers several ways to filter them.

Packages are not required to declare the dependencies that they have on packages which are essential.

‘Personal data breach’ means a breach of security that leads to the loss of what is stored.

The controller shall ensure that the officer is involved in all issues of protection.

The name of the binder is stored in the field of the properties that the program reads.

Un jornalero no es un empleado fijo de la empresa que lo contrata cada día.
"""
DEFINED = """## Disposiciones

A los efectos de esta ley, se considera trabajo nocturno el realizado entre las diez de la noche y las seis.

Esto se hará bajo el principio de la corresponsabilidad, que se define como la reciprocidad en derechos y deberes.

## Modelos

Existe un atributo que es único para cada entidad, este atributo es denominado atributo llave.

Este modelo se denomina de mosaico fluido porque los elementos que lo constituyen se mueven.

No se considera accidente leve el que dura una hora o el que ocurre de noche.
"""


@pytest.mark.parametrize(
    ("question", "said", "is_doubtful"),
    [
        ("What is a Contributor?", DEFINED_ELSEWHERE, True),
        ("What are footprints?", DEFINED_ELSEWHERE, True),
        ("What are required packages?", DEFINED_ELSEWHERE, True),
        ("What is personal data?", DEFINED_ELSEWHERE, True),
        ("What is a personal data breach?", DEFINED_ELSEWHERE, False),
        ("What is a controller?", DEFINED_ELSEWHERE, True),
        ("What is a binder?", DEFINED_ELSEWHERE, True),
        ("¿Qué es un jornalero?", DEFINED_ELSEWHERE, True),
        ("¿Qué es un accidente leve?", DEFINED, True),
        ("¿Qué se considera trabajo nocturno?", DEFINED, False),
        ("¿Cómo define la ley la corresponsabilidad?", DEFINED, False),
        ("¿Qué es un atributo llave?", DEFINED, False),
        ("¿Qué es el mosaico fluido?", DEFINED, False),
    ],
)
def test_a_thing_is_defined_by_what_is_said_of_all_of_it(question: str, said: str, *, is_doubtful: bool) -> None:
    assert told(question, said, "en" if question.startswith("W") else "es").is_doubtful == is_doubtful


LISTED = """Article 2. For the purposes of this Act: (1) ‘mooring’ means the place where a vessel is tied up; (2) \
‘skipper’ means the person who commands a vessel, whether or not paid for it; (3) ‘berth fee’ means what is due for it.

The skipper shall keep the mooring free. The skipper is to pay the fee of each mooring in advance.
"""
HEADED = """# 1. Terms

## 1.1. "Borrower"

means each person or body that takes a thing home under this Agreement.

## 1.2. "Thing"

means an object of the library of things, with its box and its leaflet.

# 2. Loans

Each Borrower may keep a Thing for two weeks. The Borrower is liable for every Thing.
"""
ALQUILER = """A los efectos de esta ley: a) «fianza» significa la cantidad que se deposita al firmar; b) «prórroga»: \
el tiempo que un contrato sigue en vigor tras su final; c) «arras» significa \\
la parte del precio que se paga para reservar.

La fianza es de dos meses en los locales. La prórroga es obligatoria para quien alquila.
"""


@pytest.mark.parametrize(
    ("question", "text", "language", "said"),
    [
        ("What is a skipper?", LISTED, "en", "‘skipper’ means the person"),
        ("What does 'skipper' mean in the HMA?", LISTED, "en", "‘skipper’ means the person"),
        ("definition of mooring under the HMA", LISTED, "en", "‘mooring’ means the place"),
        ("What is a Borrower?", HEADED, "en", "means each person or body"),
        ("What is a Borrower in the LTA?", HEADED, "en", "means each person or body"),
        ("¿Qué se entiende por prórroga?", ALQUILER, "es", "el tiempo que un contrato sigue"),
        ("Definición de arras en la LAU", ALQUILER, "es", "la parte del precio que se paga"),
        ("¿Qué es la fianza?", ALQUILER, "es", "la cantidad que se deposita"),
    ],
)
def test_a_definition_in_a_list_in_one_line_or_below_its_heading_is_told(
    question: str, text: str, language: str, said: str
) -> None:
    reply = told(question, text, language)
    assert said in reply.text
    assert not reply.is_doubtful


def test_what_a_heading_of_another_term_begins_defines_nothing() -> None:
    text = HEADED.replace('"Borrower"', '"Borrower\'s Thing"').replace("each person", "each Borrower")
    text = text.replace(" The Borrower is liable for every Thing.", "")
    assert told("What is a Borrower?", text, "en").is_doubtful


CODES = Passage(
    1,
    "La aplicación muestra estos códigos.\n\n| Código | Descripción |\n| --- | --- |\n| 17 | Atasco del cepillo |\n"
    "| 24 | Zona vedada |\n",
    "Códigos de error del robot",
)


@pytest.mark.parametrize("question", ["¿Qué significa el error 24 del robot?", "¿Qué es el código 24 del robot?"])
def test_a_code_s_row_says_what_it_means(question: str) -> None:
    reply = answer(question, [CODES], "es")
    assert "| 24 | Zona vedada [1] |" in reply.text
    assert "Atasco" not in reply.text
    assert not reply.is_doubtful


@pytest.mark.parametrize(
    ("question", "header", "rows"),
    [
        ("¿Qué significa el error 0x80070057?", "Código | Descripción", ("0x80070002 | Falta", "0x80070005 | Vedado")),
        ("What is the 2025 budget?", "Year | Status", ("2025 | approved by the board",)),
        ("¿Qué es la ley 39?", "Ley | Página", ("39 | página 12",)),
    ],
)
def test_no_row_of_another_code_or_of_no_code_says_what_it_means(
    question: str, header: str, rows: tuple[str, ...]
) -> None:
    text = "\n".join(f"| {one} |" for one in (header, "--- | ---", *rows))
    assert told(question, text).is_doubtful


def test_a_long_number_is_no_form_of_another_one() -> None:
    text = "| Part number | Part |\n| --- | --- |\n| 10045671 | Brake pad |\n| 10045678 | Oil filter |\n"
    said = told("What is part number 10045678?", text, "en").text
    assert "Oil filter" in said
    assert "Brake pad" not in said


@pytest.mark.parametrize(("asked", "is_told"), [("--force", True), ("-f", True), ("--fresh", False)])
def test_what_an_option_does_stands_behind_its_names(asked: str, is_told: bool) -> None:
    text = "-f, --force Hará que se rote el archivo aunque no sea necesario.\n"
    passage = Passage(1, text, "Manual de rotar", headings=("OPCIONES",))
    assert answer(f"¿Qué hace la opción {asked} de rotar?", [passage], "es").is_doubtful is not is_told
    assert answer(f"¿Qué hace la opción {asked} de comprimir?", [passage], "es").is_doubtful


def test_what_it_means_is_said_below_a_question_that_has_the_thing() -> None:
    text = "## The clients say the data is stale, so what gives?\n\nIt means the driver has not told anything lately.\n"
    assert not told("What does data stale mean?", text, "en").is_doubtful
    assert told("What does data stale mean?", text.replace("It means", "We know that"), "en").is_doubtful
    assert told("What is the data?", text.replace(", so what gives?", ""), "en").is_doubtful


def test_what_points_to_something_else_does_not_say_what_the_thing_is() -> None:
    text = "Esto es útil cuando rotar se ejecuta con otro usuario. Cada día, rotar comprime los registros."
    assert told("¿Qué es rotar?", text).is_doubtful
    assert not told("¿Qué es rotar?", "Como es sabido, rotar es cambiar un fichero lleno por otro.").is_doubtful
    assert not told(
        "¿Qué es rotar?", f"{text} Se entiende como rotar el cambio de un fichero lleno por otro vacío."
    ).is_doubtful

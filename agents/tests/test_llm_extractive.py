"""The answerer without a language model: what it quotes, how it reads."""

import re
from dataclasses import replace

import pytest

from agents.llm.base import DOUBTFUL, Finished, ModelMessage, ModelRequest, Passage, TextDelta, Usage
from agents.llm.extractive import ExtractiveClient, reply_to
from agents.llm.extractive import answer as reply_of
from agents.llm.quoting.asked_for.kinds import Wish, asks_for_difference, asks_for_list, kind_of_question
from agents.llm.quoting.composing import compose
from agents.llm.quoting.laid.layout import blocks_of, undressed
from agents.llm.quoting.quotable import unmarked
from agents.llm.quoting.selecting import Chosen, select_statements
from agents.llm.quoting.statements import statements_of
from retrieval.places.about import says_only_where
from retrieval.places.pages import page_place

LISTS = Passage(
    1,
    "# Listas\n\n| función | hace |\n|---|---|\n| append | añade |\n\n"
    "Una lista es una colección ordenada y mutable de elementos\nque puede contener valores distintos. "
    "Las listas se escriben entre corchetes y sus elementos se separan con comas.\n\n"
    "```python\nx = [1, 2]\n```\n",
    "Curso de Python",
    20,
)
CLASSES = Passage(
    2,
    "Una clase define los atributos y los métodos que tendrán sus objetos. El método append añade un "
    "elemento al final de una lista ya creada y no devuelve nada.",
    "Curso de Python",
    63,
)


def asked(question, passages, language="es", messages=()):
    request = ModelRequest("extractive", "", messages, question=question, passages=tuple(passages), language=language)
    return reply_to(request).text


def asked_of_places(question, passages, places):
    request = ModelRequest(
        "extractive", "", (), question=question, passages=tuple(passages), language="es", places=places
    )
    return reply_to(request).text


def answer(question, passages, language):
    return reply_of(question, passages, language).text


def test_it_says_once_in_a_conversation_that_it_is_no_language_model_in_the_questions_language():
    first = asked("¿Qué es una lista?", [LISTS])
    assert first.endswith("*No soy un modelo de lenguaje: cito literalmente lo que dicen las fuentes.*")
    assert asked("What is a list?", [LISTS], "en").count("*I am not a language model") == 1
    said = (ModelMessage("user", "¿Qué es una lista?"), ModelMessage("assistant", first))
    assert "No soy un modelo" not in asked("¿Y una clase?", [CLASSES], messages=said)


def test_it_quotes_the_sentence_that_answers_with_its_citation():
    text = answer("¿Qué método añade un elemento al final de una lista?", [LISTS, CLASSES], "es")
    assert "El método append añade un elemento al final de una lista ya creada y no devuelve nada. [2]" in text


def test_a_definition_comes_before_other_mentions():
    text = answer("¿Qué es una lista?", [CLASSES, LISTS], "es")
    assert text.lstrip("- ").startswith("Una lista es una colección ordenada y mutable de elementos que puede")


def test_the_number_that_was_asked_for_comes_first():
    text = "La biblioteca presta libros a sus socios. El préstamo se renueva dos veces. Cada socio tiene cinco libros."
    said = answer("¿Cuántas veces se renueva el préstamo de libros?", [Passage(1, text, "Normas")], "es")
    assert said.startswith("El préstamo se renueva dos veces. [1]")


def test_one_passage_makes_a_paragraph_and_several_make_a_list():
    paragraph = answer("¿Cómo se escriben los elementos de las listas?", [LISTS], "es")
    assert not paragraph.startswith("- ")
    several = [
        Passage(1, "La red local conecta los equipos de un edificio con cables de cobre.", "Redes"),
        Passage(2, "Los equipos de la red inalámbrica se autentican con un certificado propio.", "Redes"),
    ]
    listed = answer("¿Cómo son los equipos de la red?", several, "es")
    assert len(listed.splitlines()) == 2
    assert all(re.search(r"^- .*\[\d\]$", line) for line in listed.splitlines())


STEPS = Passage(
    1,
    "## Cómo se renueva el carné\n\nPara renovar el carné de socio:\n\n1. Rellene la solicitud de renovación.\n"
    "2. Entréguela en el mostrador con su DNI.\n3. Recoja el carné a los dos días.\n\nEl carné es gratuito.",
    "Guía",
)


def test_steps_are_told_in_their_order_where_the_question_wants_them():
    assert answer("¿Cómo renuevo el carné de socio?", [STEPS], "es").splitlines() == [
        "**Cómo se renueva el carné**",
        "",
        "Para renovar el carné de socio: [1]",
        "",
        "1. Rellene la solicitud de renovación. [1]",
        "2. Entréguela en el mostrador con su DNI. [1]",
        "3. Recoja el carné a los dos días. [1]",
    ]
    assert "1. Rellene" not in answer("¿Cuánto cuesta el carné?", [STEPS], "es")


def test_a_row_of_a_table_answers_under_its_header():
    table = Passage(
        1, "Los plazos son estos.\n\n| Material | Plazo |\n|---|---|\n| Libro | 21 días |\n| DVD | 7 días |", "G"
    )
    assert answer("¿Qué plazo tiene un DVD?", [table], "es").splitlines() == [
        "| Material | Plazo |",
        "|---|---|",
        "| DVD | 7 días [1] |",
    ]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("¿Cuántos días dura el préstamo?", "span"),
        ("¿Cuánto dura el préstamo?", "span"),
        ("¿En qué año se fundó?", "time"),
        ("¿Quién firma el carné?", "person"),
        ("¿Dónde está la sede?", "place"),
        ("¿Cómo renuevo el carné?", "steps"),
        ("¿Qué es una lista?", "definition"),
        ("¿Por qué se multa?", "reason"),
        ("How many days does a loan last?", "number"),
        ("When was it founded?", "time"),
        ("How long must a name be at least?", "number"),
        ("How long must records be kept?", "time"),
        ("What is the limit for taxis?", "number"),
        ("¿Cuál es el importe de la beca?", "number"),
        ("¿Cuál es el valor por defecto de size?", "value"),
        ("What is the agency for?", "definition"),
        ("What is personal data?", "definition"),
        ("¿Qué es el diagrama de clases?", "definition"),
        ("Who signs?", "person"),
        ("How do I renew the card?", "steps"),
        ("What is a list?", "definition"),
        ("¿Se puede renovar?", "other"),
        ("¿Qué código sale cuando la batería está baja?", "other"),
        ("What happens when you dock at a starbase?", "other"),
        ("If it is late, what do I tell whoever waits?", "other"),
        ("Si avisan, ¿qué se hace con quien llega tarde?", "other"),
        ("Dicen que falté, ¿cuándo prescribe?", "time"),
        ("Which year was it when she left?", "time"),
    ],
)
def test_what_kind_of_thing_a_question_asks_for(question, kind):
    assert kind_of_question(question) == kind


def test_the_mark_of_a_heading_is_not_quoted_nor_code_without_what_introduces_it():
    text = answer("¿Qué función append de las listas añade x?", [LISTS, CLASSES], "es")
    assert "#" not in text
    assert "x = " not in text


COURSE = (
    "## Conceptos\n\n### Latencia\n\nTiempo que tarda un paquete en llegar a su destino. Se mide en milisegundos.\n\n"
    "### Puertos\n\n| Protocolo | Puerto |\n|---|---|\n| **SSH** | 22/TCP |\n| **DNS** | 53/UDP |\n\n"
    "### Redes privadas\n\nLa IANA reservó estos rangos:\n\n- 10.0.0.0/8 para empresas grandes\n"
    "- 192.168.0.0/16 para los hogares\n\n"
)


def of_course(question, text=COURSE):
    return answer(question, [Passage(1, text, "Redes")], "es")


def test_a_definition_below_its_heading_is_quoted_with_it():
    assert of_course("¿Qué es la latencia?").startswith("**Latencia**\n\nTiempo que tarda un paquete en llegar a su")


def test_a_glossarys_entry_defines_before_what_only_mentions_the_word():
    text = (
        "## Artículo 14. Identificación.\n\nLos medicamentos genéricos llevarán una denominación oficial.\n\n"
        "## Artículo 2. Definiciones.\n\na) «Medicamento»: toda sustancia que cura.\n"
        "g) «Medicamento genérico»: todo medicamento que tenga la misma composición que el de referencia.\n"
    )
    assert "misma composición" in of_course("¿Qué es un medicamento genérico?", text).splitlines()[2]


def test_the_row_that_has_what_is_asked_is_enough():
    assert of_course("¿Qué puerto usa SSH?").splitlines()[-3:] == [
        "| Protocolo | Puerto |",
        "|---|---|",
        "| SSH | 22/TCP [1] |",
    ]


def test_what_is_a_list_is_told_as_a_whole_below_what_introduces_it():
    said = of_course("¿Cuáles son los rangos de las redes privadas?")
    assert "La IANA reservó estos rangos: [1]" in said
    assert "- 10.0.0.0/8 para empresas grandes [1]\n- 192.168.0.0/16 para los hogares [1]" in said


def test_a_solution_answers_the_question_that_has_its_number():
    text = (
        "## Piensa\n\n1. ¿Qué problema soluciona el trenzado de los pares?\n2. ¿Cuántos hilos tiene un cable UTP?\n\n"
        "<details>\n<summary>Soluciones</summary>\n\n1. Cancela el ruido que llega de fuera.\n2. Son ocho en total.\n"
    )
    assert of_course("¿Cuántos hilos tiene el cable UTP?", text).startswith("**Piensa**\n\nSon ocho en total. [1]")
    assert of_course("¿Para qué problema se trenzan los pares?", text).startswith("**Piensa**\n\nCancela el ruido")


def test_an_exercise_a_conversation_and_what_may_be_false_are_not_quoted_where_something_says_it():
    text = (
        "## Ejercicios\n\n- Explica qué protocolo usa OSPF para calcular la mejor ruta.\n"
        '- Verdadero o falso: "OSPF calcula la mejor ruta con Bellman-Ford."\n\n'
        "## Charla\n\n**RIP:** — OSPF calcula la mejor ruta como nadie.\n\n**OSPF:** — Yo calculo la mejor ruta.\n\n"
        "## OSPF\n\nCada router calcula la mejor ruta con el algoritmo de Dijkstra.\n"
    )
    said = of_course("¿Con qué algoritmo calcula OSPF la mejor ruta?", text)
    assert "Dijkstra" in said
    assert not any(wrong in said for wrong in ("Explica", "Bellman", "como nadie"))


def test_a_difference_is_told_by_the_table_that_compares():
    text = (
        "TCP y UDP usan puertos para saber qué aplicación recibe los datos de la red.\n\n## TCP y UDP\n\n"
        "| Característica | TCP | UDP |\n|---|---|---|\n| Conexión | con conexión | sin conexión |\n"
        "| Velocidad | más lento | más rápido |\n"
    )
    said = of_course("¿Qué diferencia hay entre TCP y UDP?", text)
    assert "| Conexión | con conexión | sin conexión [1] |\n| Velocidad | más lento | más rápido [1] |" in said


def test_what_may_not_be_the_answer_says_so():
    text = "La biblioteca abre sus puertas. El préstamo de libros se renueva en el mostrador de la entrada."
    sure = reply_of("¿Dónde se renueva el préstamo de libros?", [Passage(1, text, "Normas")], "es")
    number = reply_of("¿Cuántas veces se renueva el préstamo?", [Passage(1, text, "Normas")], "es")
    assert (sure.is_doubtful, number.is_doubtful) == (False, True)
    assert "más cercano" in number.text
    assert "El préstamo de libros se renueva en el mostrador" in number.text


def test_what_a_question_names_need_not_have_its_words_but_the_number_that_it_asks_for():
    text = "El préstamo se renueva en el mostrador. Cada préstamo se apunta. Todo préstamo se devuelve en la sede."
    passages = [Passage(1, text, "Normas")]
    asked_of = "¿Qué dispone el artículo tercero del reglamento municipal sobre préstamo interbibliotecario?"
    assert reply_of(asked_of, passages, "es").is_doubtful
    assert not reply_of(asked_of, passages, "es", is_named=True).is_doubtful
    assert reply_of("¿Cuántas veces se renueva el préstamo?", passages, "es", is_named=True).is_doubtful


@pytest.mark.parametrize(
    ("text", "question", "is_doubtful"),
    [
        ("Un enlace trunk es el que transporta tráfico de varias VLAN a la vez.", "¿Qué es un enlace trunk?", False),
        ("PAT — NAT de sobrecarga.", "¿Qué es PAT o NAT de sobrecarga?", True),
        (
            "For more about FISMA, check out the FISMA project, which keeps you in the know.",
            "What does FISMA mean?",
            True,
        ),
        (
            "Resumen VLSM:\n\n| Red | Rango |\n|---|---|\n| Ventas | .1 - .126 |\n| IT | .161 - .190 |",
            "¿Qué es VLSM?",
            True,
        ),
        (
            "IPv6 lo junta:\n\n| IPv4 | IPv6 |\n|---|---|\n| ARP | NDP, Neighbor Discovery, vía ICMPv6 |",
            "¿Qué hace ARP?",
            True,
        ),
        ("| Orden | Qué hace |\n|---|---|\n| ping | mide la latencia hasta otro equipo |", "¿Qué hace ping?", False),
        ("La dirección EUI-64 tiene 64 bits:\n\n```\nMAC: 00:1A\n```", "¿Cuántos bits tiene una dirección IPv6?", True),
    ],
)
def test_what_does_not_say_what_a_thing_is_is_told_with_doubt(text, question, is_doubtful):
    assert reply_of(question, [Passage(1, text, "Apuntes")], "es").is_doubtful == is_doubtful


def test_how_much_it_is_stands_without_what_it_is():
    text = (
        "Deposit means the sum of money that the tenant pays before moving in, which is the deposit of this agreement."
        "\n\nThe tenant pays a deposit of 1,200 euros when the contract is signed."
    )
    said = reply_of("How much is the deposit?", [Passage(1, text, "Lease")], "en")
    assert not said.is_doubtful
    assert "1,200" in said.text
    assert "means" not in said.text
    assert "means" in reply_of("What is the deposit?", [Passage(1, text, "Lease")], "en").text


PERMITS = (
    "## Permisos\n\nEl trabajador avisa con una antelación de quince días de la fecha en que inicia el permiso. "
    "Por matrimonio el permiso es de diez días. Este permiso lo paga la empresa durante tres días.\n"
)
PARLIAMENT = (
    "## Informes\n\nEl Gobierno presenta al Congreso de los Diputados en enero 1 informe. Lo votan 350 diputados.\n"
)
SUBJECTS = [
    (PERMITS, "¿Cuántos días de permiso hay por matrimonio?", False),
    (PERMITS, "¿Cuántos días de permiso hay por divorcio?", True),
    (PARLIAMENT, "¿Cuántos informes presenta el Gobierno?", False),
    (PARLIAMENT.replace(" Lo votan 350 diputados.", ""), "¿Cuántos diputados tiene el Congreso?", True),
    ("## Git\n\nThe first line of the commit is at most 50 characters long.\n", "What is the size of a body?", True),
    ("## Opciones\n\nEl valor por defecto de size es 5.\n", "¿Cuál es el valor por defecto de rotate?", True),
    ("## Opciones\n\nEl valor por defecto de size es no.\n", "¿Cuál es el valor por defecto de size?", False),
    ("By default this limit is set to 10000 connections.\n", "What is the default of max_connections?", True),
    (
        "## Salarios\n\nEl salario mínimo diario se paga ciento veinte veces.\n",
        "¿Cuál es el salario mínimo en 2024?",
        True,
    ),
    ("## Salarios de 2024\n\nEl salario mínimo es de 1134 euros.\n", "¿Cuál es el salario mínimo en 2024?", False),
    ("## Lote\n\nEl número del lote se lee en el artículo 26.1 (2).\n", "¿Qué número tiene el lote?", True),
]


@pytest.mark.parametrize(("text", "question", "is_doubtful"), SUBJECTS)
def test_an_amount_of_something_else_is_told_with_doubt(text, question, is_doubtful):
    language = "en" if question.startswith("W") else "es"
    assert reply_of(question, [Passage(1, text, "Normas")], language).is_doubtful == is_doubtful


SEVERAL = [
    (
        "¿Qué componentes tiene la célula?",
        "## Componentes de la célula\n\nCapa que envuelve y cierra la célula.\n",
        True,
    ),
    (
        "¿Qué componentes tiene la célula?",
        "La célula tiene componentes como la pared, el núcleo y la membrana.\n",
        False,
    ),
    (
        "What levels are there?",
        "Levels are used by default. The following levels are recognized. required Necessary.\n",
        True,
    ),
    ("¿En qué se distinguen el óvulo y el polen?", "## Óvulo y polen\n\nEs una célula muy grande, esférica.\n", True),
    ("Diferencia entre el óvulo y el polen", "El óvulo es una célula grande. El polen es una célula ligera.\n", False),
    (
        "Diferencia entre bases auto administradas y administradas",
        "Las bases auto administradas se instalan en un servidor propio.\n",
        True,
    ),
]


@pytest.mark.parametrize(("question", "text", "is_doubtful"), SEVERAL)
def test_one_of_several_things_that_are_asked_for_is_told_with_doubt(question, text, is_doubtful):
    assert reply_of(question, [Passage(1, text, "Apuntes")], "es").is_doubtful == is_doubtful


@pytest.mark.parametrize(("heading", "is_doubtful"), [("Bibliografía", True), ("Quién escribió los apuntes", False)])
def test_who_wrote_it_is_not_told_for_sure_by_a_bibliography(heading, is_doubtful):
    text = f"## {heading}\n\n- Los apuntes de redes los escribió Lucía Pérez en el año 2001, en Madrid.\n"
    said = reply_of("¿Quién escribió los apuntes de redes?", [Passage(1, text, "Apuntes de redes")], "es")
    assert said.is_doubtful == is_doubtful


@pytest.mark.parametrize(("heading", "is_doubtful"), [("Créditos", True), ("El puente raíz", False), ("", False)])
def test_how_it_is_done_is_not_told_for_sure_in_passing(heading, is_doubtful):
    text = f"{'## ' * bool(heading)}{heading}\n\nCon STP la red elige un puente raíz y bloquea los otros puertos."
    said = reply_of("¿Cómo se elige el puente raíz en STP?", [Passage(1, text, "Apuntes")], "es")
    assert said.is_doubtful == is_doubtful


def test_a_definition_comes_first_where_one_is_asked_for():
    text = "Con SLAAC y más SLAAC se trabaja mucho.\n\nSLAAC es el mecanismo por el que un equipo se da su dirección."
    said = reply_of("¿Qué es SLAAC?", [Passage(1, text, "Apuntes")], "es").text
    assert said.strip().startswith("SLAAC es el mecanismo")


def test_what_a_place_says_is_how_it_begins_where_nothing_else_is_asked():
    text = "2. El consentimiento será verbal por regla general. Sin embargo, se prestará por escrito si hay riesgos.\n"
    passage = Passage(1, text, "Ley", 7, ("Artículo 8. Consentimiento informado.",))
    said = reply_of("¿Qué dice el artículo 8.2 de la Ley 41/2002?", [passage], "es", is_named=True)
    assert "El consentimiento será verbal por regla general. Sin embargo, se prestará por escrito" in said.text
    assert not said.is_doubtful


def test_what_a_place_says_needs_no_definition():
    passage = Passage(1, "| R-12 | The pump stops within 4 seconds. | A |", "Code", 7, ("No · Control · Class",))
    said = reply_of("What does requirement R-12 say?", [passage], "en", is_named=True)
    assert "| R-12 | The pump stops within 4 seconds. | A [1] |" in said.text
    assert not said.is_doubtful


def test_a_mark_of_emphasis_over_several_sentences_is_in_none_of_them():
    text = "> *Eres la VLAN 10 de ventas. Llevas `tag` a todas partes y nadie te ve salir de aquí.*"
    assert [one.text for one in statements_of([Passage(1, text, "t")])] == [
        "Eres la VLAN 10 de ventas.",
        "Llevas `tag` a todas partes y nadie te ve salir de aquí.",
    ]


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        ("Queda prohibido a todo el alumnado:\n\n- Fumar en las aulas.\n- Comer en las aulas.",
         "¿Se puede fumar en las aulas?", "Queda prohibido a todo el alumnado:"),
        ("## Mitos falsos\n\n- La Tierra es plana y está quieta.\n- El Sol gira.", "¿La Tierra es plana?", "**Mitos"),
        ("¿Puedo usar la calculadora?\n\nNo. La calculadora está permitida durante las prácticas.",
         "¿Puedo usar la calculadora?", "No. La calculadora"),
    ],
)  # fmt: skip
def test_what_denies_or_forbids_is_told_with_what_it_is_about(text, question, told):
    assert told in answer(question, [Passage(1, text, "Normas")], "es")


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        ("En Python lista[2] devuelve el tercer elemento.", "¿Qué devuelve lista[2]?", r"lista[2\] devuelve"),
        ("La latencia, según [[9]2], es el tiempo que tarda un paquete.", "¿Qué es la latencia?", r"[1]"),
        ("La expresión 2**3 devuelve el número ocho en Python.", "¿Qué devuelve la expresión?", "2**3 devuelve"),
        ("La orden rm *.txt borra todos los textos de la carpeta.", "¿Qué borra la orden rm?", "rm *.txt borra"),
    ],
)  # fmt: skip
def test_a_document_s_own_signs_are_quoted_and_cite_nothing(text, question, told):
    said = answer(question, [Passage(1, text, "Curso")], "es")
    assert told in said
    assert re.findall(r"\[(\d+)\](?!\()", said) == ["1"]


def test_numbers_of_steps_stay_and_what_is_left_out_is_marked():
    steps = "\n".join(f"{n}. Pulse el botón número {n}." for n in range(4, 17))
    said = of_course("¿Cómo reinicio el equipo?", f"## Cómo se reinicia\n\nPara reiniciar el equipo:\n\n{steps}")
    assert "4. Pulse el botón número 4. [1]" in said
    assert said.endswith("… (+3)")


def test_a_table_that_a_passage_begins_within_has_the_columns_of_its_heading():
    rows = "| FTP | 21 | texto claro |\n| SSH | 22 | cifrado |\n| Telnet | 23 | texto claro |"
    passage = Passage(1, rows, "Redes", None, ("Puertos", "Servicio · Puerto · Notas"))
    said = answer("¿Qué puerto usa el servicio SSH?", [passage], "es")
    assert "| Servicio | Puerto | Notas |" in said
    assert "| SSH | 22 | cifrado [1] |" in said


def test_cells_keep_their_own_bars_and_fences_close_what_they_open():
    text = (
        "| Operador | Nombre |\n|---|---|\n| \\|\\| | operador OR |\n| && | operador AND |\n\n"
        "1. ```bash\n   npm install express\n   ```\n\n## Uso\n\nExpress sirve para crear servidores web en Node."
    )
    assert r"| \|\| | operador OR [1] |" in of_course("¿Cuál es el operador OR?", text)
    assert "Express sirve para crear servidores web en Node. [1]" in of_course("¿Para qué sirve express?", text)


async def test_a_doubtful_answer_ends_as_one():
    passage = Passage(1, "El préstamo de libros se renueva en el mostrador de la entrada.", "Normas")
    request = ModelRequest("extractive", "", (), question="¿Cuántas veces se renueva?", passages=(passage,))
    assert [event async for event in ExtractiveClient().stream(request)][-1] == Finished(DOUBTFUL)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("¿Cuáles son los rangos?", (True, False)),
        ("¿Qué tipos de NAT hay?", (True, False)),
        ("What are the layers?", (True, False)),
        ("¿En qué se diferencian un hub y un switch?", (False, True)),
        ("TCP vs UDP", (False, True)),
        ("¿Qué es un switch?", (False, False)),
    ],
)
def test_lists_and_differences_are_asked_for(question, expected):
    assert (asks_for_list(question), asks_for_difference(question)) == expected


def test_without_passages_it_has_not_enough_information():
    assert "No tengo información suficiente" in answer("¿Qué?", [], "es")
    assert "don't have enough information" in answer("What?", [], "en")
    assert "don't have enough information" in answer("What?", [Passage(1, "| a | b |\n12", "t")], "fr")


def test_without_a_common_word_it_says_that_it_shows_the_nearest():
    text = answer("zzz", [LISTS, CLASSES], "es")
    assert "más cercano" in text
    assert text.count("\n- ") == 2


def test_overlapping_passages_are_quoted_once():
    twice = [CLASSES, Passage(3, CLASSES.text, "Copia")]
    assert answer("¿Qué añade append al final de una lista?", twice, "es").count("append") == 1


def test_at_most_three_sentences_are_quoted():
    many = " ".join(f"La red número {word} conecta los equipos del edificio {word} entre ellos." for word in "abcdefgh")
    assert len(re.findall(r"\[1\]", answer("¿Qué red conecta los equipos?", [Passage(1, many, "Redes")], "es"))) <= 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Según el art. 5 de la Ley, el paciente debe ser informado. Fin.",
            ["Según el art. 5 de la Ley, el paciente debe ser informado."],
        ),
        (
            "El consenti-\nmiento se pres-\ntará por escrito siempre.",
            ["El consentimiento se prestará por escrito siempre."],
        ),
        (
            "Como se vio en [12], el **protocolo** es [fiable](http://x.es) y rápido.",
            ["Como se vio en, el protocolo es fiable y rápido."],
        ),
        (
            "1. Los equipos se conectan al conmutador.\n2. El conmutador aprende las direcciones.",
            ["Los equipos se conectan al conmutador.", "El conmutador aprende las direcciones."],
        ),
        (
            "BOLETÍN OFICIAL DEL ESTADO\nNúm. 186 Sec. I. Pág. 55775\nLa presente ley regula los derechos.",
            ["La presente ley regula los derechos."],
        ),
        ("¿Qué diferencia hay entre una red y otra?", []),
        ("1.2 Introducción ........ 7\nCapítulo primero de la obra", []),
        ("`break` abandona el bucle. y sigue.", ["`break` abandona el bucle. y sigue."]),
        ("cve: BOE-A-2012-10477 Verificable en la sede electrónica.", []),
        ("19 CAPÍTULO I Disposiciones generales de esta norma.", []),
        (
            "Artículo quince. 1. […] Las sanciones prescriben a los dos años.",
            ["Las sanciones prescriben a los dos años."],
        ),
        ("y por tanto queda fuera del ámbito de esta norma.", []),
        (
            "Es norma básica según el artículo\n149.1.16 de la Constitución, y se aplica en todo el Estado.",
            ["Es norma básica según el artículo 149.1.16 de la Constitución, y se aplica en todo el Estado."],
        ),
        (
            "El elemento <requirement> nombra <b>un requisito</b> del capítulo.",
            ["El elemento <requirement> nombra un requisito del capítulo."],
        ),
    ],
)
def test_sentences_read_well_by_themselves(text, expected):
    assert [one.text for one in statements_of([Passage(1, text, "t")]) if not one.is_whole] == expected


async def test_it_streams_groups_of_words_and_then_ends():
    request = ModelRequest("extractive", "", (), question="¿Qué es una lista?", passages=(LISTS,), language="es")
    events = [event async for event in ExtractiveClient().stream(request)]
    deltas = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(deltas) > 5
    assert "".join(deltas) == asked("¿Qué es una lista?", (LISTS,))
    assert events[-2:] == [Usage(0, 0), Finished("stop")]


def test_a_numbered_title_between_paragraphs_is_no_item():
    text = "3.4. Órdenes\n\n/bin contiene órdenes que hacen falta sin red.\n\n3.4.2. Requisitos\n\n"
    text += "No puede haber carpetas dentro de /bin."
    said = reply_of("¿Qué dice la sección 3.4?", [Passage(1, text, "Norma")], "es", is_named=True).text
    assert "3.4.2. Requisitos [" not in said
    assert said.count("hacen falta sin red") == 1


def test_what_a_question_names_is_answered_from_there_alone():
    treasurer = Passage(
        1, "Art. 11. El Tesorero.\n\nEl Tesorero custodia los fondos.", "Estatutos", 2, ("Art. 11. El Tesorero.",)
    )
    terraces = Passage(2, "Artículo 1.\n\nEl artículo 11 de los estatutos regula las terrazas.", "Ordenanza", 1)
    question = "¿Qué dice el artículo 11 de los estatutos?"
    request = ModelRequest(
        "extractive",
        "",
        (),
        question=question,
        passages=(treasurer, terraces),
        language="es",
        places=treasurer.headings,
    )
    assert "custodia los fondos. [1]" in reply_to(request).text
    assert "[2]" not in reply_to(request).text


def test_a_place_that_goes_on_from_the_last_question_is_told_from_its_beginning():
    text = "La renuncia a recibir información está limitada por la salud de terceros.\n\n"
    text += "Todo paciente puede además reclamar según el artículo 9 de otra ley."
    place = [Passage(1, text, "Ley", 7, ("Artículo 9. Límites.",))]
    by_its_words = reply_of("¿y el 9?", place, "es", is_named=True).text
    said = reply_of("¿y el 9?", place, "es", is_named=True, searched="artículo 9 Ley 41/2002").text
    assert "La renuncia a recibir" not in by_its_words
    assert said.index("La renuncia a recibir") < said.index("Todo paciente puede")


def test_a_table_or_a_list_that_a_place_begins_with_is_told_whole():
    rows = "| Clase | Cuota |\n| --- | --- |\n| Fundador | 48 € |\n| De número | 48 € |\n| Joven | 24 € |"
    rows += "\n| De honor | exento |"
    items = "Son fines:\n\na) Difundir el aceite.\nb) Cuidar el molino.\nc) Hacer la feria.\nd) Editar un libro."
    for text, last in ((f"Anexo II\n\n{rows}", "De honor"), (f"Anexo II\n\n{items}", "Editar un libro")):
        place = Passage(1, text, "Estatutos", 3, ("Anexo II",))
        assert last in reply_of("anexo II", [place], "es", is_named=True).text


@pytest.mark.parametrize(
    ("question", "is_doubtful"), [("What is the response time for SEV-3?", True), ("What does SEV-3 say?", False)]
)
def test_lines_of_a_place_do_not_say_how_long_or_who_for_sure(question, is_doubtful):
    heading = "SEV-3: Slow reload"
    passage = Passage(1, "**Symptoms:** slow\n**Fix:** see reload.md", "Triage", headings=(heading,))
    request = ModelRequest(
        "extractive", "", (), question=question, passages=(passage,), language="en", places=(heading,)
    )
    assert reply_to(request).is_doubtful is is_doubtful


def test_a_passage_without_a_printed_line_says_nothing():
    assert statements_of([Passage(1, "\n\n ", "Nada")]) == []


def test_a_heading_that_is_a_sentence_is_what_its_section_says():
    lines = ("2. Dietas", "2.1. La dieta en España es de 53,34 euros.", "2.2. Fuera de España es de 91,35 euros.")
    passage = Passage(1, "\n\n".join(lines), "Viajes", headings=lines)
    assert answer("¿De cuánto es la dieta fuera de España?", [passage], "es").startswith(f"- {lines[2]} [1]")
    assert lines[1] in asked("¿Qué dice el apartado 2.1?", [replace(passage, text=lines[1])])


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("¿Qué dice el artículo 4.2 de la ordenanza de mercadillos?", "Se renueva"),
        ("artículo 4.2 de la Ley 7/2011", "Se renueva"),
        ("¿Quién vela por el cumplimiento, según el artículo 4.2 de la ordenanza de mercadillos?", "El Ayuntamiento"),
    ],
)
def test_who_asks_what_a_place_says_is_told_how_it_begins(question, begins):
    text = "2. Se renueva con dos meses.\n\nEl Ayuntamiento vela por el cumplimiento de este artículo de la ordenanza."
    passage = Passage(1, text, "Ordenanza", headings=("Artículo 4. Licencia",))
    said = asked_of_places(question, [passage], places=("Artículo 4. Licencia",))
    assert said.lstrip("- 2.").startswith(begins)


@pytest.mark.parametrize(
    ("heading", "text", "is_doubtful"),
    [
        ("¿Cuánto cuesta la pista?", "Me apunto a la pregunta.", True),
        ("¿Cuánto cuesta la pista?", "Doce euros por hora.", False),
        ("¿Qué es la pista?", "Véase 4.", True),
        ("¿Qué es la pista?", "Se entra a ella por el bar, y es de hierba.", False),
    ],
)
def test_what_stands_below_a_question_must_say_what_it_asks_for(heading, text, is_doubtful):
    passage = Passage(1, text, "Foro", headings=(heading,))
    request = ModelRequest(
        "extractive", "", (), question=heading, passages=(passage,), language="es", places=(heading,)
    )
    assert reply_to(request).is_doubtful is is_doubtful


@pytest.mark.parametrize(
    ("heading", "begins"), [("3. ¿Qué cuota pagan los socios?", "Depende"), ("3. Las cuotas", "La cuota que pagan")]
)
def test_what_is_asked_by_a_heading_is_answered_by_how_it_begins(heading, begins):
    text = "Depende de la edad. Hasta los doce años, nada. La cuota que pagan los socios sube en enero."
    passage = Passage(1, text, "Piscina", headings=(heading,))
    assert asked_of_places("¿Qué cuota pagan los socios?", [passage], places=(heading,)).startswith(begins)


def test_of_a_place_whose_lines_all_read_as_headings_the_lines_are_told():
    lines = ("Artículo 2. Cuotas", "Sección 2.01 La cuota es de 40 euros.", "Sección 2.02 Se paga en enero.")
    passage = Passage(1, "\n\n".join(lines), "Estatutos", headings=lines[:1])
    said = asked_of_places("¿Qué dice el artículo 2 de los estatutos?", [passage], places=lines[:1])
    assert said.startswith(f"- {lines[1]} [1]\n- {lines[2]} [1]")


def test_the_lines_that_are_told_of_a_place_have_no_marks_and_none_is_a_rule():
    text = "#### SEV-3\n\n**Symptoms:** Slow to **propagate**\n\n**Fix:** See [it](it.md)\n\n---\n\n* * *"
    said = asked_of_places("SEV-3", [Passage(1, text, "Runbook", headings=("SEV-3",))], places=("SEV-3",))
    assert said.startswith("**SEV-3**\n\n- Symptoms: Slow to propagate [1]\n- Fix: See it [1]\n\n*No soy")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Symptoms:** Config changes take five seconds.", "Symptoms: Config changes take five seconds."),
        ("**Symptoms: config changes take five seconds.", "Symptoms: config changes take five seconds."),
        ("Config changes take __five seconds.__ And more", "Config changes take five seconds. And more"),
        ("Config changes take five seconds.__", "Config changes take five seconds."),
        ("The function takes char** names.", "The function takes char** names."),
        ("The function takes **options.", "The function takes **options."),
        ("The result: 2 ** 3.", "The result: 2 ** 3."),
        ("**kwargs are the names that are left.", "**kwargs are the names that are left."),
        ("__init__ makes an object.", "__init__ makes an object."),
    ],
)
def test_a_mark_whose_other_half_is_elsewhere_is_not_told(line, told):
    assert unmarked(line) == told


def test_a_heading_in_which_only_a_label_is_bold_keeps_no_half_of_it():
    assert undressed("#### **SEV-3** Config **slow**") == "SEV-3 Config slow"


def test_a_heading_stands_once_above_what_is_quoted_below_it() -> None:
    trip = "Artículo 9. Salidas\n\nAntes se entrega:\n\na) la autorización;\nb) dinero.\n\nDespués:\n\na) las llaves.\n"
    statements = statements_of([Passage(1, trip, "Guía", 3, ("Artículo 9. Salidas",))])
    items = [one for one in statements if not one.is_whole and one.text in ("la autorización;", "las llaves.")]
    said = compose([Chosen(one, 0.9, 1.0, heading_tells=True) for one in items], Wish.OTHER)
    assert said == (
        "**Artículo 9. Salidas**\n\nAntes se entrega: [1]\n\nla autorización; [1]\n\nDespués: [1]\n\nlas llaves. [1]"
    )


def test_what_a_follow_up_stands_for_is_asked_where_it_is_no_addition_to_it():
    zones = "La memoria tiene tres zonas: la primera es de código, la segunda de datos y la tercera de pila."
    form = "Una relación está en 3FN si está en 2FN y ningún atributo depende de forma transitiva de la clave."
    passages = [Passage(1, form, "Bases", None, ("Tercera forma normal",)), Passage(2, zones, "Memoria")]
    assert "3FN" not in reply_of("¿y la tercera?", passages, "es").text
    assert "3FN" in reply_of("¿y la tercera?", passages, "es", searched="¿Qué es la tercera forma normal?").text


SETTINGS = Passage(
    1,
    "############################ SLOW QUERIES ############################\n\n"
    "# The slow query log keeps the queries that exceeded a given time. The time\n"
    "# does not include the input and output.\n"
    "#\n"
    "# There is no limit to its length, but it takes memory.\n"
    "slow-log-length 128\n\n"
    "################################ CACHE ################################\n\n"
    "# A single remark.\n\ncache-size 64\n",
    "server.conf",
)


def test_the_comments_of_a_settings_file_are_text_and_no_headings():
    said = answer("What is the slow query log?", [SETTINGS], "en")
    assert "The slow query log keeps the queries that exceeded a given time. [1]" in said
    blocks = blocks_of(SETTINGS.text)
    assert [one.heading for one in blocks] == ["SLOW QUERIES", "SLOW QUERIES", "A single remark."]
    assert blocks[0].lines[0].endswith("does not include the input and output.")


def test_comments_keep_their_marks_in_code_and_headings_of_markdown_stay_headings():
    assert blocks_of("```sh\n# one\n# two\n```\n")[0].lines == ("# one", "# two")
    assert [one.heading for one in blocks_of("# Title\n\n## Part\n\nText of it.\n\n# Next\nMore text.\n")] == [
        "Part",
        "Next",
    ]


@pytest.mark.parametrize(
    "question", ["¿Qué dicen los artículos 4 y 5?", "¿Qué dice el artículo 4 y el 5 del Estatuto?"]
)
def test_of_several_places_each_is_quoted(question):
    first, second = "Artículo 4. Riego", "Artículo 5. Siega"
    passages = [
        Passage(1, f"{first}\n\nSe riega de noche con el agua del pozo.", "Huertos", headings=(first,)),
        Passage(2, f"{second}\n\nSe siega en junio con la máquina del pueblo.", "Huertos", headings=(second,)),
    ]
    said = asked_of_places(question, passages, places=(first, second))
    assert "Se riega de noche con el agua del pozo. [1]" in said
    assert "Se siega en junio con la máquina del pueblo. [2]" in said


@pytest.mark.parametrize(("language", "introduction"), [("es", "Varios documentos"), ("en", "Several documents")])
def test_a_place_that_several_documents_have_is_quoted_of_each_below_its_name(language, introduction):
    heading = "Artículo 10. Prohibiciones"
    passages = [
        Passage(1, f"{heading}\n\nSe prohíben las estufas de gas en las terrazas.", "Terrazas", 2, (heading,)),
        Passage(2, f"{heading}\n\nSe prohíben los herbicidas en todas las parcelas.", "Huertos", 4, (heading,)),
    ]
    request = ModelRequest(
        "extractive",
        "",
        (),
        question="artículo 10",
        passages=tuple(passages),
        language=language,
        places=(heading,),
        shared_by=("Terrazas", "Huertos", "Archivos"),
    )
    said = reply_to(request)
    assert said.is_doubtful
    assert said.text.startswith(introduction)
    assert said.text.index("**Terrazas**") < said.text.index("estufas de gas en las terrazas. [1]")
    assert said.text.index("**Huertos**") < said.text.index("herbicidas en todas las parcelas. [2]")
    assert "- Archivos" in said.text


def test_what_a_chapter_is_about_is_told_by_its_beginning_and_its_sections():
    heading = "Capítulo 2. Procesos"
    text = f"{heading}\n\nUn proceso es un programa en ejecución con su memoria y sus recursos.\n\n2.1 Estados"
    request = ModelRequest(
        "extractive",
        "",
        (),
        question="¿De qué trata el capítulo 2?",
        passages=(Passage(1, text, "Apuntes", 2, (heading,)),),
        language="es",
        places=(heading,),
        outline=("2.1 Estados", "2.2 Hilos"),
    )
    said = reply_to(request)
    assert not said.is_doubtful
    assert said.text.startswith("Un proceso es un programa en ejecución")
    assert "Sus apartados son:\n\n- 2.1 Estados\n- 2.2 Hilos" in said.text


def test_two_documents_of_one_title_are_both_told_for_a_place_that_both_have():
    passages = (
        Passage(1, "## Base 4\n\nSe reclama en diez días hábiles.", "Bases", headings=("Base 4",), document="a"),
        Passage(2, "## Base 4\n\nSe reclama en dos días hábiles.", "Bases", headings=("Base 4",), document="b"),
    )
    asked_so = ModelRequest("extractive", "", (), question="¿Qué dice la base 4?", passages=passages, language="es")
    said = reply_to(replace(asked_so, places=("Base 4",), shared_by=("Bases", "Bases")))
    assert said.is_doubtful
    assert "diez días hábiles" in said.text
    assert "dos días hábiles" in said.text


@pytest.mark.parametrize(
    "copy",
    [
        "Cuotas\n\n- El soporte mensual cuesta 300 €\n- El alta es gratuita",
        "EL SOPORTE  MENSUAL CUESTA 300 €. Otra cosa.",
    ],
)
def test_what_two_copies_say_is_said_once_by_the_better_one(copy):
    text = "Cuotas\n\nEl soporte mensual cuesta 300 €. Incluye dos visitas.\n\nEl alta es gratuita."
    passages = [Passage(1, text, "Oferta"), Passage(2, copy, "Oferta (copia)")]
    first, *_ = select_statements("¿Cuánto cuesta el soporte?", statements_of(passages))
    assert (first.statement.n, round(first.probability, 2)) == (1, 1.0)


def test_of_several_pages_that_are_asked_for_each_is_told_and_no_other_document_s():
    said = ("La bomba se ceba con agua.", "El filtro se limpia en mayo.", "Otra cosa del filtro y de la bomba.")
    pages = [Passage(n, one, "Manual", n, (), "a") for n, one in enumerate(said[:2], 1)]
    places = (page_place("a", 1), page_place("a", 2))
    told = asked_of_places("¿Qué dicen las páginas 1 y 2?", [*pages, Passage(3, said[2], "Otro", 1, (), "b")], places)
    assert (said[0] in told, said[1] in told, said[2] in told) == (True, True, False)


SICK_LEAVE = Passage(
    1,
    "## Sick leave\n\nYou can use sick leave for:\n\n- Medical appointments\n- Mental health care\n"
    "- Recovering from illness\n",
    "Leave",
    headings=("Leave", "Sick leave"),
)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ('What does the section "Sick leave" say?', "en"),
        ("What does the section on sick leave say?", "en"),
        ("¿Qué dice el apartado «Sick leave»?", "es"),
        ("¿Qué establece la sección titulada «Sick leave»?", "es"),
    ],
)
def test_a_section_that_is_named_by_its_heading_is_told_as_what_it_says(question: str, language: str) -> None:
    said = reply_of(question, [SICK_LEAVE], language, is_named=True, places=("Sick leave",))
    assert not said.is_doubtful
    assert "Recovering from illness" in said.text


@pytest.mark.parametrize(
    "question",
    [
        'Who wrote the section "Sick leave"?',
        'What does the section "Sick leave" say about the salary?',
        "How much sick leave is there?",
        "Sick leave",  # a heading that is the whole question is looked at more closely
    ],
)
def test_what_asks_for_more_than_a_heading_does_not_ask_for_all_of_it(question: str) -> None:
    assert not says_only_where(question, ("Sick leave",))


@pytest.mark.parametrize(
    ("heading", "is_told"),
    [
        ("2.1.5 Verifique que los usuarios pueden cambiar su contraseña. ✓ ✓ ✓ 620 5.1.1.2", True),
        ("2.6.1 Que los usuarios pueden cambiar sus secretos una vez. ✓ ✓ 308 5.1.2.2", True),
        ("9.2.5 Verifique que los usuarios pueden cambiar el back-end. ✓ 544", True),
        ("4.4.1 Verifique que los usuarios pueden cambiar de canal. 1", True),
        ("2.1.5 Cambio de contraseña", False),
        ("Lo que los usuarios pueden cambiar según el art. 5", False),
        ("Art. 5 de la Ley de Aguas", False),
    ],
)
def test_a_requirement_that_is_all_heading_is_told(heading: str, is_told: bool) -> None:
    passage = Passage(1, heading, "ASVS", headings=("V2.1", heading))
    said = reply_of("¿Qué pide el requisito V2.1.5?", [passage], "es", is_named=True, places=(heading,))
    assert (not said.is_doubtful and "usuarios pueden cambiar" in said.text) is is_told

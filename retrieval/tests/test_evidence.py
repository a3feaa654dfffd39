"""What a score is corrected by: closeness, prominence, names, and an answer of the kind that is asked for."""

import math
from uuid import UUID

import pytest

from retrieval.confidence.closeness import AskedWords
from retrieval.confidence.evidence import WEIGHTS, Evidence, Shown, agreement_on, evidence_of, prominence
from retrieval.confidence.expected import expected
from retrieval.confidence.names import named_stems
from retrieval.confidence.rating import rate_passages
from retrieval.index.base import Candidates, Hit
from retrieval.spaces.builtin import space_for
from retrieval.tests.exact import chunk_of

FILLER = "Otra frase que no dice nada de ello y que sigue un buen rato. " * 8


def closeness(question: str, passage: str, headings: str = "") -> tuple[float, float]:
    asked = AskedWords(question, [passage])
    found = asked.closeness(asked.folded[0], headings)
    return round(found.window, 2), round(found.pairs, 2)


def test_words_close_together_count_and_scattered_ones_do_not() -> None:
    together = closeness("conservar la historia clínica", f"{FILLER} Conservar la historia clínica. {FILLER}")
    scattered = closeness("conservar la historia clínica", f"Conservar. {FILLER} Historia. {FILLER} Clínica.")
    assert together == (1.0, 1.0)
    assert scattered[0] < 0.4
    assert scattered[1] == 0.0


def test_a_heading_stands_for_its_words_in_part() -> None:
    without, headed = (
        closeness("plazo del préstamo", "El plazo son diez días.", above)[0] for above in ("", "Préstamo")
    )
    assert without < 0.5 < 0.8 < headed < 1.0


def test_words_that_serve_to_ask_weigh_little() -> None:
    assert closeness("¿Qué hace break?", "break abandona el bucle")[0] > 0.7
    assert closeness("¿Qué hace break?", "hace calor")[0] < 0.25
    assert closeness("¿Tengo que podar rosales?", "Podar rosales")[0] > 0.7


def test_the_window_moves_on() -> None:
    passage = f"alfa {FILLER} beta gamma {FILLER} alfa"
    assert closeness("alfa beta gamma", passage)[0] == pytest.approx(2 / 3, abs=0.01)


@pytest.mark.parametrize("question", ["", "¿y el de la?", "日本語"])
def test_a_question_without_words_has_no_closeness(question: str) -> None:
    assert closeness(question, "Una frase.")[0] == 0.0


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("¿Quién fundó Acme en Toledo?", ("acme", "toledo")),
        ("Does QMF run on Windows 11?", ("qmf", "window", "11")),
        ("¿Qué dice el artículo XIV?", ()),
        ("¿QUÉ ES UNA VLAN?", ()),
        ("Cuánto dura. Otra pregunta", ()),
    ],
)
def test_names_are_what_is_written_as_one(question: str, names: tuple[str, ...]) -> None:
    assert named_stems(question) == names


@pytest.mark.parametrize(
    ("asked", "there", "is_form"),
    [
        ("donate blood", "blood donation", True),
        ("renueva licencia", "la renovación de la licencia", True),
        ("cerrar locales", "el cierre de los locales", True),
        ("revisó texto", "texto revisado", True),
        ("cuenta años", "contar los años", True),
        ("cuenta años", "el contrato es de años", False),
        ("sigue reglas", "seguir las reglas", False),
        ("entrar gratis", "entre todas gratis", False),
        ("flower shop", "flow of a shop", False),
        ("viento norte", "venta del norte", False),
        ("kilometres flown", "we flew many kilometres", True),
        ("fly kilometres", "flown for kilometres", True),
        ("who wrote letters", "letters are written", True),
        ("wrote letters", "she writes letters", True),
        ("meet friends", "the friends met", True),
        ("flew north", "a flyer to the north", False),
    ],
)
def test_another_form_of_a_word_counts_as_half(asked: str, there: str, is_form: bool) -> None:
    lacking, formed, whole = (closeness(asked, one)[0] for one in (there.split()[-1], there, asked))
    assert (lacking < formed < whole) if is_form else formed < 0.75 * whole


@pytest.mark.parametrize(
    ("question", "content", "answers", "evades"),
    [
        ("¿Cuántos años se conserva la historia?", ("anos", "conser", "histor"),
         "La historia se conserva cinco años.", "La historia se conserva siempre, art. 5."),
        ("How many days of leave do I get?", ("days", "leave"), "You get 15 leave days.", "Leave is for all days."),
        ("¿Cuánto dura el préstamo?", ("dura", "presta"), "El préstamo es de 21 días.", "El préstamo 21 es largo."),
        ("¿Cuánto cuesta el carné?", ("cuesta", "carne"), "El carné vale 3 €.", "El carné vale mucho, sala 3."),
        ("¿Qué es un excipiente?", ("excipi",), "«Excipiente»: todo componente.", "Lleva un excipiente conocido."),
        ("What is positive pay?", ("positi", "pay"), "Positive pay is a service.", "Positive about your pay."),
        ("¿Qué es la farmacovigilancia?", ("farmac",), "La farmacovigilancia es una tarea.", "La farmacia es útil."),
        ("¿Qué es un producto sanitario?", ("produc", "sanita"), "Productos sanitarios, que son los que curan.",
         "Los productos sanitarios que se les asimilen se autorizan."),
        ("How many users can an application have?", ("users", "applic"), "An application has 5 users.",
         "6.8.1 Verify that the users of an application are known."),
    ],
)  # fmt: skip
def test_the_kind_of_answer_is_looked_for(question: str, content: tuple[str, ...], answers: str, evades: str) -> None:
    kind = expected(question, content)
    assert kind.kind in ("amount", "definition")
    assert kind.is_met(answers, "")
    assert not kind.is_met(evades, "")


def test_most_questions_expect_no_kind() -> None:
    kind = expected("¿Quién custodia la historia clínica?", ("custod", "histor", "clinic"))
    assert (kind.kind, kind.is_met("", "")) == ("", True)


def test_a_heading_that_is_what_is_defined_defines_it() -> None:
    assert expected("¿Qué es NAT?", ("nat",)).is_met("Traduce direcciones.", "NAT")


def test_the_best_hit_stands_out_from_those_behind_it() -> None:
    assert prominence([]) == prominence([0.0]) == 0.0
    assert prominence([5.0] * 12) == 0.0
    assert prominence([5.0]) == pytest.approx(math.log(4))
    assert prominence([6.0, *[3.0] * 20]) == pytest.approx(math.log(2))


def test_narrowing_to_fewer_hits_never_lowers_prominence() -> None:
    hits = [9.0, 8.0, 7.0, 5.0, 3.0, 2.0]
    assert all(prominence(hits[:few]) >= prominence(hits) for few in range(1, 6))


def found(*word_scores: float) -> Candidates:
    return Candidates(sparse=tuple(Hit(UUID(int=n), one) for n, one in enumerate(word_scores)))


QUESTION = "¿Cuántos años se conserva la historia clínica?"


def test_the_few_passages_of_a_document_that_the_question_names_stand_out_less() -> None:
    shown, few = [Shown("El permiso se avisa quince días antes.", "Ley")], found(3.7, 0.9, 0.1)
    wide, named = (evidence_of(QUESTION, shown, few, 0.7, is_narrowed=one) for one in (False, True))
    assert (wide.prominence, named.prominence) == pytest.approx((math.log(4), math.log(2)))
    assert named.chance() < wide.chance()


def chance_of(question: str, passage: str, *word_scores: float, relevance: float = 0.7) -> float:
    return evidence_of(question, [Shown(passage, "Ley")], found(*word_scores), relevance).chance()


def test_an_answer_is_likely_and_a_mention_is_not() -> None:
    assert chance_of(QUESTION, "La historia clínica se conserva cinco años.", 9.0, 2.0) > 0.9
    assert chance_of(QUESTION, f"La historia. {FILLER} Clínica.", *[4.0] * 12) < 0.2


def test_a_short_name_is_no_beginning_of_another_word() -> None:
    question, told = "How do I export a report to Excel?", ("Export to Excel.", "An excellent report.", "Excels.")
    assert [evidence_of(question, [Shown(one, "")], found(2.0), 0.7).unnamed for one in told] == [0, 1, 0]


@pytest.mark.parametrize(
    ("model", "by_words", "rating"), [("lexical-1", True, 0.1), ("lexical-1", False, 0.9), ("semantic", True, 0.9)]
)
def test_words_that_are_nowhere_tell_where_only_words_are_known(model: str, by_words: bool, rating: float) -> None:
    passages = [chunk_of(1, "La farmacia dispensa.", relevance=0.9)]
    question, space = "¿Qué es la farmacovigilancia?", space_for(model, 8)
    told = rate_passages([question], passages, passages, Candidates(), space, by_words=by_words)
    assert told == pytest.approx(rating, abs=0.1)


@pytest.mark.parametrize(
    ("question", "passage", "is_met"),
    [
        ("How many cases were filed?", "In chapter 13 cases the trustee is filed.", False),
        ("How many cases were filed?", "About 13 new cases were filed.", True),
        ("¿Cuántos saltos admite RIP?", "RIP solo cuenta saltos. Máximo 15.", True),
        ("¿Cuántos saltos admite RIP?", "| RIP | Saltos (máx 15) |", True),
        ("¿Cuántos puertos tiene el modelo?", "Modelo A\nPuertos: 24", True),
        ("¿Cuántos puertos tiene el modelo?", "El modelo y sus puertos: 1. De entrada. 2. De salida.", False),
        ("How much leave do employees accrue per pay period?", "Employees accrue leave: 4 hours.", True),
        ("How much do employees pay?", "Employees pay 4 dollars.", True),
        ("How much do employees pay?", "Employees pay on Monday.", False),
        ("¿Qué significa XSS?", "Cross-Site Scripting (XSS) roba sesiones.", True),
        ("¿Qué significa XSS?", "Se roban sesiones con XSS.", False),
        ("What are the trustees associated with?", "The trustees of the court.", True),
        ("¿Qué es el fichero debian/rules?", "El archivo debian/rules es un Makefile.", True),
        ("¿Qué es el fichero debian/rules?", "Cambia el fichero al copiar debian/rules otra vez.", False),
        ("¿Qué se entiende por riesgo asumido?", "Se informa del riesgo asumido.", False),
        ("¿Qué se entiende por riesgo asumido?", "Riesgo asumido: el que se conoce.", True),
        ("¿Qué quiere decir IVA?", "El IVA se paga al final.", False),
        ("What is meant by positive pay?", "Ask the bank about positive pay.", False),
        ("What is meant by positive pay?", "Positive pay is a service.", True),
        ("What is Query-by-Example?", "A query, for example, is run at night.", False),
        ("What is Query-by-Example?", "Query-by-Example is a way to ask.", True),
        ("What is the table sorted by?", "The table is long.", True),
        ("¿Qué es un fichero?", "Un fichero es una serie de bytes.", True),
        ("¿Qué es un índice en una base de datos relacional?", "Una base de datos relacional tiene índices.", False),
        ("¿Qué es un índice en una base de datos relacional?", "Un índice es una lista ordenada.", True),
        ("¿De qué color es el carné?", "El carné es de plástico.", False),
        ("¿De qué color es el carné?", "El carné es azul.", True),
        ("What is the e-mail address of the office?", "The office has an e-mail address.", False),
        ("What is the e-mail address of the office?", "The office: info@example.org", True),
        ("¿Cuál es la página web de la escuela?", "La escuela tiene una página web.", False),
        ("¿Cuál es la página web de la escuela?", "Escuela: www.example.org", True),
        ("What is the retirement age for teachers?", "Page 3 is about management by teachers.", False),
        ("What is the retirement age for teachers?", "Teachers retire at the age of 62.", True),
        ("¿Hasta qué edad puede votar el socio?", "El socio puede votar hasta los 80 años.", True),
        ("¿Cuál es el máximo de socios?", "El máximo de socios se fija cada año.", False),
        ("¿Cuál es el máximo de socios?", "El máximo: 40 socios.", True),
        ("¿Cuál es el máximo órgano del club?", "El máximo órgano del club es la asamblea.", True),
        ("¿Cuándo es el examen final?", "El examen final es 255.255.255.0, MTU 1500.5 y 1111.", False),
        ("¿Cuándo es el examen final?", "El examen final: semana 14, a las 9:30.", True),
        ("¿Cuándo es el examen final?", "El examen final se hace en la red 10.0.0.0/8.", False),
        ("¿Cuándo es el despido improcedente?", "El despido improcedente es el que no tiene causa.", True),
        ("When is the trustee required to file?", "The trustee files where the court asks.", True),
        ("When is the next meeting?", "The next meeting: first Monday of each month, noon.", True),
        ("When was the contract signed?", "The contract was signed on 12.06.2024.", True),
        ("When was the shop opened?", "The shop was opened on 5 May.", True),
        ("¿Qué significa la luz roja en el panel de la caldera?", "Si la luz roja del panel parpadea, falla.", True),
        ("Which e-mail client is supported?", "The e-mail client that is supported is ours.", True),
        ("What is the minimum age for members?", "Members: 18 or older.", True),
        ("¿Cuál es la edad mínima de los socios?", "Los socios han de tener dieciséis años.", True),
        ("¿Cuál es el máximo goleador del club?", "El máximo goleador del club es Ana.", True),
        ("What color is the tie?", "The tie is navy.", True),
        ("When is the party?", "The party may be short.", False),
        ("When is the party?", "The party is in May.", True),
        ("When was the case filed?", "The case was filed under § 1307(c).", False),
        ("How much does the web page cost?", "A table costs 40 dollars.", False),
        ("¿Cuánto cuesta el cable?", "El cable cuesta poco y tiene 0,57 mm.", False),
        ("¿Cuánto cuesta el cable?", "El cable cuesta 3,50 por metro.", True),
        ("¿Cuánto pesa la bomba?", "Bomba: lleva 3 filtros.", False),
        ("¿Cuánto pesa la bomba?", "Bomba. Peso: 12", True),
        ("¿Cuánto pesa la bomba?", "| Modelo | Peso (kg) |\n|---|---|\n| Bomba | 12 |", True),
        ("¿A qué temperatura se guarda la vacuna?", "La vacuna se guarda en nevera.", False),
        ("How fast is the motor?", "The motor runs at 2,850 rpm.", True),
        ("How fast must incidents be reported?", "Incidents are reported to the board.", True),
    ],
)
def test_what_is_asked_for_is_there_or_not(question: str, passage: str, is_met: bool) -> None:
    assert expected(question, AskedWords(question, [passage]).content).is_met(passage, "") is is_met


@pytest.mark.parametrize(
    ("question", "answers", "evades"),
    [
        (QUESTION, "La historia clínica se conserva cinco años.", "La historia clínica se conserva siempre."),
        ("¿Qué es un excipiente?", "«Excipiente»: todo componente.", "Cada cápsula lleva un excipiente conocido."),
        ("¿Qué multa paga Toledo?", "Toledo paga una multa de 300 euros.", "Avila paga una multa de 300 euros."),
    ],
)
def test_what_is_not_there_makes_an_answer_less_likely(question: str, answers: str, evades: str) -> None:
    there, not_there = (chance_of(question, one, 5.0, 4.0, 4.0) for one in (answers, evades))
    assert not_there < there - 0.1


def test_each_measure_has_its_weight() -> None:
    assert set(WEIGHTS) == set(Evidence.__dataclass_fields__)


def test_both_legs_agree_on_a_passage_that_both_have_first() -> None:
    first, second = UUID(int=1), UUID(int=2)
    both = Candidates(dense=(Hit(first, 0.9), Hit(second, 0.8)), sparse=(Hit(first, 7.0), Hit(second, 3.0)))
    assert agreement_on(first, both) == 1.0
    assert agreement_on(second, both) == 0.25
    assert agreement_on(UUID(int=3), both) < 0.001
    assert agreement_on(first, Candidates(sparse=both.sparse)) == 1.0

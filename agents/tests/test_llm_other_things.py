"""What is told of another thing, another year or another event of it is told with doubt."""

import pytest

from agents.llm.base import Passage
from agents.llm.extractive import answer
from agents.llm.quoting.asked_for.happened import asked_happening
from agents.llm.quoting.asked_for.properties import asked_label, asked_property
from agents.llm.quoting.asked_for.roles import leaves_out_who
from agents.llm.quoting.asked_for.subject import asked_years, is_other_end
from agents.llm.quoting.asked_for.thing import asked_thing
from retrieval.confidence.kinds import names_price, tells_amount_of_money

PUMPS = """The KP-150 weighs 11.3 kg and is 348 mm high. The predecessor of the KP-150, the KP-140, was withdrawn later.

The seal kit has the order code KS-21. The hoist lifts up to 12 tonnes. A new strainer costs £14 each.

| Property | KP-110 | KP-150 |
|---|---|---|
| Maximum flow | 190 l/min | 265 l/min |
"""
LIVES = """Ada Quint was born on 3 April 1868 at Hollin Mill. Ada Quint died at home on 17 February 1938.

Ottilie Brandt was born in Lübeck in 1862 and came to England as a governess.
"""
FIGURES = """# Cuentas de Oleosierra

| Ejercicio | Ingresos | Beneficio neto |
|---|---|---|
| 2022 | 44.280 | 2.734 |
| 2023 | 41.093 | 1.877 |

La temperatura mínima de la nave es de 10 °C. Se atendieron 2.300 pedidos en Garza 200.
"""


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("price of a strainer", True),
        ("price of the seal kit", False),
        ("How much does the hoist cost?", False),
        ("maximum flow of the KP-150", True),
        ("maximum flow of the KP-140", False),
        ("What is the width of the KP-150?", False),
    ],
)
def test_a_property_is_told_by_what_has_it_and_the_thing(question: str, is_told: bool) -> None:
    assert answer(question, [Passage(1, PUMPS, "Pumps")], "en").is_doubtful is not is_told


@pytest.mark.parametrize(
    ("question", "is_told", "text"),
    [
        ("When did Ada Quint die?", True, "1938"),
        ("When was Ada Quint born?", True, "1868"),
        ("When was Ottilie Brandt born?", True, "1862"),
        ("When did Ottilie Brandt die?", False, "1862"),
    ],
)
def test_a_date_is_of_the_event_that_is_asked_for(question: str, is_told: bool, text: str) -> None:
    said = answer(question, [Passage(1, LIVES, "Two lives")], "en")
    assert said.is_doubtful is not is_told
    assert text in said.text


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("¿Cuál fue el beneficio neto de 2022?", True),
        ("¿Cuál fue el beneficio neto de 2019?", False),
        ("beneficio bruto de 2022", False),
        ("temperatura mínima de la nave", True),
        ("temperatura máxima de la nave", False),
    ],
)
def test_a_year_and_an_end_are_those_that_are_asked_for(question: str, is_told: bool) -> None:
    assert answer(question, [Passage(1, FIGURES, "Cuentas de Oleosierra")], "es").is_doubtful is not is_told


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the width of the KP-150?", ("width",)),
        ("tamaño de rueda del Vencejo", ("rueda",)),
        ("¿Cuál es el CIF de Oleosierra?", ("cif",)),
        ("net profit in 2022", ("net", "profit")),
        ("response time for SEV-3", ("response",)),
        ("What is the purpose of the law?", ()),
        ("Prior to the arrival of the French, who lived there?", ()),
        ("¿Quién posee el récord de la liga?", ()),
        ("existen grabaciones de Anselmo", ()),
        ("¿Qué dice el artículo 3 de la ley?", ()),
    ],
)
def test_a_property_that_is_asked_for_by_name(question: str, words: tuple[str, ...]) -> None:
    assert asked_property(question) == words


def test_a_label_may_also_be_asked_for_with_what_has_it() -> None:
    assert asked_label("¿Qué autonomía tiene la bici?") == ("autonomia",)
    assert asked_label("What voltage do the pumps need?") == ("voltage",)
    assert asked_label("¿Cuándo abre?") == ()


@pytest.mark.parametrize(
    ("question", "is_event"),
    [
        ("When did Ada die?", True),
        ("fecha de la muerte de Onésimo", True),
        ("¿De qué murió Fermín?", True),
        ("Where was Ada born?", True),
        ("¿En qué año se fundó el club?", True),
        ("¿Qué mar bordeaba el imperio cuando murió?", False),
        ("When does the library open?", False),
    ],
)
def test_what_happens_once_is_asked_for(question: str, is_event: bool) -> None:
    assert (asked_happening(question) is not None) is is_event


def test_a_name_with_a_number_is_in_no_longer_number() -> None:
    asked = asked_thing("¿Cuál es la envergadura de la Garza 300?")
    assert len(asked.names_in("se vendieron 2.300 Garza")) == len(asked.names_in("Garza")) == 1
    assert asked_thing("peso del Milano L").names_in("Milano S, Longitud") != asked_thing("peso del Milano L").names


def test_who_did_it_is_left_out_by_a_passive_alone() -> None:
    assert leaves_out_who("The atlas was stolen in 1977.")
    assert leaves_out_who("Se descubrieron dos tomas sin permiso.")
    assert not leaves_out_who("The atlas was stolen by a reader.")
    assert not leaves_out_who("Ana Gil wrote it.")


def test_years_in_which_something_is_asked_for() -> None:
    assert asked_years("ventas en 2021") == ("2021",)
    assert asked_years("¿Qué se hacía en la década de 1970?") == ()


def test_a_minimum_is_no_maximum() -> None:
    assert is_other_end("temperatura máxima", "La temperatura mínima es de 3 °C")
    assert not is_other_end("temperatura máxima", "La mínima es 3 °C y la máxima 40 °C")
    assert not is_other_end("temperatura", "La mínima es 3 °C")


@pytest.mark.parametrize(
    ("question", "expected"),
    [("¿Cuánto costó el puente?", True), ("cuota anual de los socios", True), ("How much was paid for it?", True),
     ("¿Cuánto pesa?", False), ("precio", False)],
)  # fmt: skip
def test_what_asks_for_money(question: str, expected: bool) -> None:
    assert names_price(question) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Doce euros por hora", True), ("cuota: 12", True), ("900 ducados", True), ("rebaja del 25 % en la cuota", False),
     ("Se instalaron 1.360 paneles", False)],
)  # fmt: skip
def test_what_tells_money(text: str, expected: bool) -> None:
    assert tells_amount_of_money(text) is expected


TIMES = """# Programme

| Time | Event |
|---|---|
| 18:30 | Opening of the fair |
| 21:30 | Grand ceilidh |

Plots have to be left before 12:00.

The cafeteria of the fair opens on Saturdays. A room in Saltmarsh Hall costs £128 a week.
"""


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("When does the grand ceilidh start?", True),
        ("What time do plots have to be left?", True),
        ("When does the cafeteria of the fair open?", True),
        ("How many rooms has Saltmarsh Hall?", False),
    ],
)
def test_an_hour_is_told_by_an_hour_and_a_number_of_rooms_by_one_of_rooms(question: str, is_told: bool) -> None:
    assert answer(question, [Passage(1, TIMES, "Fair")], "en").is_doubtful is not is_told


def test_a_day_is_no_hour() -> None:
    text = "The annual dinner of the fair takes place on 8 September in the chapel."
    assert answer("What time is the annual dinner of the fair?", [Passage(1, text, "Fair")], "en").is_doubtful


PLANS = """# Prices of Wheelwise

| Plan | Price | Free minutes |
|---|---|---|
| Student annual | £58 | 60 |
| Annual | £96 | 60 |
| Monthly | £14 | 45 |

Weekend ticket: £68
Friday only: £26

Trucks of the NV series.

| Property | NV-16 | NV-20 |
|---|---|---|
| Load | 1.600 kg | 2.000 kg |
| Weight | 2.980 kg | 3.740 kg |
"""


@pytest.mark.parametrize(
    ("question", "told", "not_told"),
    [
        ("price of the annual plan", "| Annual | £96", "Student"),
        ("How much does the monthly plan cost?", "£14", "£58"),
        ("price of the weekend ticket", "£68", "£26"),
        ("How much does the NV-20 weigh?", "3.740 kg", "2.000 kg"),
        ("What does the annual plan cost?", "£96", "£58"),
    ],
)
def test_of_like_rows_that_is_told_which_is_called_so(question: str, told: str, not_told: str) -> None:
    said = answer(question, [Passage(1, PLANS, "Prices of Wheelwise")], "en")
    assert told in said.text
    assert not_told not in said.text
    assert not said.is_doubtful

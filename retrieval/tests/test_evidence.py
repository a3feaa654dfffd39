"""What a score is corrected by: closeness, prominence, names, and an answer of the kind that is asked for."""

import math

import pytest

from retrieval.confidence.closeness import AskedWords
from retrieval.confidence.evidence import HIGHEST, LOWEST, Evidence, Shown, evidence_of, prominence
from retrieval.confidence.expected import expected
from retrieval.confidence.names import named_stems

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
    ("question", "content", "answers", "evades"),
    [
        ("¿Cuántos años se conserva la historia?", ("anos", "conser", "histor"),
         "La historia se conserva cinco años.", "La historia se conserva siempre, art. 5."),
        ("How many days of leave do I get?", ("days", "leave"), "You get 15 leave days.", "Leave is for all days."),
        ("¿Cuánto dura el préstamo?", ("dura", "presta"), "El préstamo es de 21 días.", "El préstamo 21 es largo."),
        ("¿Cuánto cuesta el carné?", ("cuesta", "carne"), "El carné vale 3 €.", "El carné vale mucho, sala 3."),
        ("¿Qué es un excipiente?", ("excipi",), "«Excipiente»: todo componente.", "Lleva un excipiente conocido."),
        ("What is positive pay?", ("positi", "pay"), "Positive pay is a service.", "Positive about your pay."),
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


def test_an_answer_is_raised_and_a_mention_is_lowered() -> None:
    question = "¿Cuántos años se conserva la historia clínica?"
    answer = evidence_of(question, [Shown("La historia clínica se conserva cinco años.", "Ley")], [9.0, 2.0])
    mention = evidence_of(question, [Shown(f"La historia. {FILLER} Clínica.", "Ley")], [4.0] * 12)
    assert answer.correction() == HIGHEST
    assert mention.correction() < -0.3


def test_what_is_not_there_is_taken_off() -> None:
    kind = expected("¿Cuánto dura el préstamo?", ("presta",))
    whole = Evidence(1.0, 1.0, 1.0, has_names=True, expects=kind, is_met=True)
    assert whole.correction() == HIGHEST
    assert Evidence(1.0, 1.0, 1.0, has_names=False, expects=kind, is_met=True).correction() < 0
    assert Evidence(1.0, 1.0, 1.0, has_names=True, expects=kind, is_met=False).correction() < 0
    assert Evidence(0.0, 0.0, 0.0, has_names=True, expects=expected("", ()), is_met=True).correction() >= LOWEST

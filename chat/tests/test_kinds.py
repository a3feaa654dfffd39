"""Kinds of questions, by which retries are counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.understanding.kinds import QuestionKind, question_kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("¿Cuántos días dura un préstamo?", "number"),
        ("How long does a loan last?", "number"),
        ("¿Qué es el spanning tree?", "definition"),
        ("What is NAT?", "definition"),
        ("What is the difference between a hub and a switch?", "comparison"),
        ("¿En qué se diferencia? Di la diferencia entre hub y switch", "comparison"),
        ("¿Cómo se configura una VLAN?", "how_to"),
        ("How do I renew a loan?", "how_to"),
        ("¿Por qué falla cuando reinicio?", "reason"),
        ("Why is it slow?", "reason"),
        ("¿Cuándo cierra la biblioteca?", "date"),
        ("¿Quién firma el contrato?", "person"),
        ("Where are the rooms?", "place"),
        ("¿Cuáles son los requisitos?", "list"),
        ("¿Puedo llevarme un libro cuando cierra?", "yes_or_no"),
        ("Can I take how many books?", "yes_or_no"),
        ("error 503", "other"),
        ("", "other"),
        ("¿?", "other"),
    ],
)
def test_the_words_that_ask_say_it(question: str, kind: str) -> None:
    assert question_kind(question) == kind


@given(st.text(max_size=600))
def test_every_text_is_of_one_kind(text: str) -> None:
    assert question_kind(text) in QuestionKind

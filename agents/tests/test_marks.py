"""Lists without marks are read as lists: letters, values in a column, lines behind a colon."""

import pytest

from agents.llm.quoting.laid.layout import Form, blocks_of
from retrieval.text.lines.sentences import has_letter_bullets

LETTERS = "The exit values are:\no 0 - Success\no 1 - Usage error\no an option was given twice"
VALUES = """Exit codes.

    0      Success

    1      Some files differ. This means that
           some were changed

    64     Usage error
"""
COLON = "En la caja encontrará:\nManguera de entrada de agua fría o caliente\nTubo\nCuatro tapones"


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (LETTERS, ("0 - Success", "1 - Usage error", "an option was given twice")),
        (
            VALUES,
            ("0      Success", "1      Some files differ. This means that some were changed", "64     Usage error"),
        ),
        (COLON, ("Manguera de entrada de agua fría o caliente", "Tubo", "Cuatro tapones")),
    ],
)
def test_a_list_without_usual_marks_is_one(text: str, items: tuple[str, ...]) -> None:
    assert [block.lines for block in blocks_of(text) if block.form is Form.ITEMS] == [items]


@pytest.mark.parametrize(
    "text",
    [
        "Se abre el grifo\no se cierra o se deja\no nada de ello, o lo que se quiera.",
        "The  last line of a text that is set\n    is  justified has room between its\n    no  gaps that are wider",
        "He said in the evening of the day before:\nThe water is off in all of the garden\nand nobody came to see it.",
    ],
)
def test_prose_is_no_list(text: str) -> None:
    assert all(block.form is not Form.ITEMS for block in blocks_of(text))


def test_a_sentence_that_goes_on_with_o_is_no_list():
    text = "La cuota se paga en la caja del centro\no con tarjeta en la máquina,\no por transferencia a la asociación."
    assert not has_letter_bullets(text.split("\n"))
    assert has_letter_bullets(["Codes:", "o the first one", "o the second one"])

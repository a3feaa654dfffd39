"""A greeting asks nothing of the documents: it is answered as what it is, and nothing is quoted for it."""

import pytest

from chat.understanding.courtesies import is_courtesy


@pytest.mark.parametrize(
    "said",
    ["hola", "¡Hola, buenos días!", "Muchas gracias.", "vale, perfecto", "OK", "Thank you very much!", "hi there"],
)
def test_what_asks_for_nothing(said: str) -> None:
    assert is_courtesy(said)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "?",
        "Hola, ¿cuándo abre la biblioteca?",
        "gracias a qué",
        "días",
        "no he entendido",
        "vale descuento",
        "great auk",
        "hola " * 40,
    ],
)
def test_what_asks_for_something(said: str) -> None:
    assert not is_courtesy(said)

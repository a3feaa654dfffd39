"""What is cited is read beside an answer: without the signs of Markdown, and of a table's row what its cells say."""

import pytest

from corpora.templatetags.documents import without_marks


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("## La **multa**", "La multa"),
        ("| Plazas del casco histórico | 12,60 |", "Plazas del casco histórico · 12,60"),
        ("| Zona | Cuota |\n|---|---|\n| Norte |  |", "Zona · Cuota\n\nNorte"),
        ("a | b, y nada más", "a | b, y nada más"),
        ("|", "|"),
    ],
)
def test_a_line_is_told_without_its_marks(said: str, read: str) -> None:
    assert without_marks(said) == read

"""Questions in capitals throughout: their case says nothing, and what is no word stays as it is."""

import pytest

from retrieval.text.naming.spelling import LONGEST_QUESTION, plainly_spelled


@pytest.mark.parametrize(
    ("question", "spelled"),
    [
        ("¿QUÉ SIGNIFICA EL CÓDIGO 24?", "¿Qué significa el código 24?"),
        ("WHAT IS THE DEADLINE?", "What is the deadline?"),
        ("WHAT'S NEW?", "What's new?"),
        ("PRECIO SOPORTE", "Precio soporte"),
        ("ARTÍCULO 8 DE LA LEY 41/2002", "Artículo 8 de la ley 41/2002"),
        ("ARTÍCULO 4.º DE LA LOPD", "Artículo 4.º de la LOPD"),
        ("ART. 3 DEL ET", "Art. 3 del ET"),
        ("ARTÍCULO SEGUNDO DE LA LEC", "Artículo segundo de la LEC"),
        ("¿QUÉ ES EL RGPD?", "¿Qué es el RGPD?"),
        ("CAPÍTULO XIV DEL TÍTULO II", "Capítulo XIV del título II"),
        ("WHAT DOES V2.1.1 OF ASVS 4.0.3 REQUIRE?", "What does V2.1.1 of ASVS 4.0.3 require?"),
        ("APPENDIX A OF THE LEASE", "Appendix A of the lease"),
        ("¿A QUIÉN SE AVISA?", "¿A quién se avisa?"),
    ],
)
def test_a_question_in_capitals_is_spelled_as_otherwise(question: str, spelled: str) -> None:
    assert plainly_spelled(question) == spelled


@pytest.mark.parametrize(
    "question", ["", "¿?", "ISO 9001", "AC-2", "LOPDGDD", "RGPD LOPD", "¿Qué es DNS?", "¿QUÉ hace DNS?", "V3.2.1"]
)
def test_others_stay_as_they_are(question: str) -> None:
    assert plainly_spelled(question) == question


def test_what_is_beyond_a_question_stays() -> None:
    assert plainly_spelled("QUÉ " * 2_000)[LONGEST_QUESTION:] == ("QUÉ " * 2_000)[LONGEST_QUESTION:]

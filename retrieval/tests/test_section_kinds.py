"""A heading that says what kind of section it opens."""

import pytest

from retrieval.text.section_kinds import section_kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (["Unidad 2", "Ejercicios resueltos"], "ejercicio"),
        (["⚡ Laboratorio: monta tu primera red"], "ejercicio"),
        (["Ejercicio 3"], "ejercicio"),
        (["4. Actividad"], "ejercicio"),
        (["Preguntas de repaso"], "ejercicio"),
        (["Chapter 3", "Review questions"], "ejercicio"),
        (["🏆 Logros de esta unidad"], "meta"),
        (["✅ Criterios de evaluación cubiertos"], "meta"),
        (["Objetivos"], "meta"),
        (["Objetivos de la ley"], ""),
        (["Artículo 40. Competencias del Estado"], ""),
        (["Ejemplo: una cola"], "ejemplo"),
        (["2.1 Caso práctico"], "ejemplo"),
        (["Un diálogo entre dos servidores"], "dialogo"),
        (["💬 Preguntas frecuentes"], "faq"),
        (["Frequently asked questions"], "faq"),
        (["Ejercicios", "Definición de pila"], "ejercicio"),
        (["Artículo 15. Ejercicio de los derechos"], ""),
        (["Ejercicio de los derechos"], ""),
        (["Buenas prácticas"], ""),
        (["Título preliminar"], ""),
        (["📚"], ""),
        ([], ""),
    ],
)
def test_the_kind_that_a_heading_says(path: list[str], kind: str) -> None:
    assert section_kind(path) == kind

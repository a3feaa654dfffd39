"""What kind of section a heading opens, where it says so: an exercise, an example, a dialogue, questions and answers.

The values are those of `corpora.models.Document.ContentType`, and `dialogo`, `meta` and `bibliografia`: what stands in
an exercise asks, what stands among a course's goals is what somebody shall know, what stands in an invented dialogue is
said by nobody, so none of it is to be quoted as what a source states; and works that are listed are others'. Pure.
"""

from collections.abc import Sequence

from retrieval.text.folding import fold_latin

EXERCISE, EXAMPLE, DIALOGUE, FAQ, GOALS = "ejercicio", "ejemplo", "dialogo", "faq", "meta"
WORKS = "bibliografia"

# One of them anywhere in the heading.
_ANYWHERE = {
    **dict.fromkeys(("ejercicios", "autoevaluacion", "cuestionario", "exercises", "homework", "quiz"), EXERCISE),
    **dict.fromkeys(("crucigrama", "crossword"), EXERCISE),
    **dict.fromkeys(("dialogo", "dialogos", "dialogue", "dialogues"), DIALOGUE),
    **dict.fromkeys(("faq", "faqs", "preguntas"), FAQ),
}
# As its first word, with or without more behind it.
_FIRST = {
    **dict.fromkeys(("actividades", "exercise", "lab", "laboratorio", "practicas", "problemas", "tareas"), EXERCISE),
    **dict.fromkeys(("reto", "retos", "challenge", "challenges"), EXERCISE),
    **dict.fromkeys(("logros", "achievements"), GOALS),
    **dict.fromkeys(("ejemplo", "ejemplos", "example", "examples"), EXAMPLE),
    **dict.fromkeys(("conversacion", "conversation", "entrevista", "interview"), DIALOGUE),
    **dict.fromkeys(("bibliografia", "bibliography"), WORKS),
}
# As its first word, alone or counted: "Ejercicio 3", but not "Ejercicio de los derechos".
_COUNTED = {
    **dict.fromkeys(("actividad", "activity", "ejercicio", "practica", "problem", "problema", "tarea"), EXERCISE),
    **dict.fromkeys(("objetivos", "objectives", "competencias"), GOALS),
    **dict.fromkeys(("referencias", "references"), WORKS),
}
# Together anywhere, in order.
_TOGETHER = {
    ("review", "questions"): EXERCISE, ("preguntas", "de", "repaso"): EXERCISE,
    ("cuestiones", "de", "repaso"): EXERCISE, ("caso", "practico"): EXAMPLE,
    ("quien", "soy"): EXERCISE, ("who", "am", "i"): EXERCISE, ("criterios", "de", "evaluacion"): GOALS,
    ("resultados", "de", "aprendizaje"): GOALS, ("objetivos", "de", "aprendizaje"): GOALS,
    ("learning", "outcomes"): GOALS, ("learning", "objectives"): GOALS, ("assessment", "criteria"): GOALS,
    ("case", "study"): EXAMPLE, ("asked", "questions"): FAQ, ("role", "play"): DIALOGUE,
    ("further", "reading"): WORKS, ("works", "cited"): WORKS, ("referencias", "bibliograficas"): WORKS,
}  # fmt: skip
_LONGEST = 200  # characters of a heading that are read


def section_kind(path: Sequence[str]) -> str:
    """The kind that the innermost of the headings down to a section says, "" if none does."""
    return next((kind for heading in reversed(path) if (kind := _kind_said(heading))), "")


def _kind_said(heading: str) -> str:
    letters = (sign if sign.isalnum() else " " for sign in fold_latin(heading[:_LONGEST]))
    words = "".join(letters).split()
    if not words:
        return ""
    for together, kind in _TOGETHER.items():
        if any(tuple(words[n : n + len(together)]) == together for n in range(len(words))):
            return kind
    first, *rest = words[1:] if words[0].isdecimal() and len(words) > 1 else words
    if first in _COUNTED and (not rest or rest[0].isdecimal()):
        return _COUNTED[first]
    return _FIRST.get(first) or next((_ANYWHERE[word] for word in words if word in _ANYWHERE), "")

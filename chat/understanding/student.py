"""In which state a student asks, and what to read first then. Preferences, never filters. Spanish and English. Pure.

Source: rag-for-teaching-agents §2.2 (the engine that reads "no entiendo" as exploration) and §3.1: who explores is
served by theory, who debugs by examples; signs of frustration ask for what is more fundamental.

    state         read from                                    comes first
    exploration   "no entiendo …", said once                   teoria
    confusion     said again within the last three questions   ejemplo, faq; basico
    practice      asks for exercises                           ejercicio, consigna
    debugging     something does not work                      ejemplo
"""

import unicodedata
from collections.abc import Mapping, Sequence
from enum import StrEnum

LOOKED_AT = 3  # of a student's messages, this question among them
LONGEST = 1_000  # characters of each


class StudentState(StrEnum):
    EXPLORATION = "exploration"
    CONFUSION = "confusion"
    PRACTICE = "practice"
    DEBUGGING = "debugging"


FIRST: Mapping[StudentState, Mapping[str, tuple[str, ...]]] = {
    StudentState.EXPLORATION: {"content_type": ("teoria",)},
    StudentState.CONFUSION: {"content_type": ("ejemplo", "faq"), "difficulty": ("basico",)},
    StudentState.PRACTICE: {"content_type": ("ejercicio", "consigna")},
    StudentState.DEBUGGING: {"content_type": ("ejemplo",)},
}
_LOST = (
    "no entiendo, no lo entiendo, no comprendo, no me queda claro, no lo veo, sigo sin entender, me pierdo, "
    "estoy perdido, estoy perdida, i don t understand, i do not understand, i don t get, i still don t, "
    "not clear to me, i m lost, i am lost, i m confused, i am confused"
)
_PRACTISING = (
    "ejercicio, ejercicios, practicar, practica conmigo, ponme a prueba, exercise, exercises, practise, practice, "
    "quiz me, test me"
)
_DEBUGGING = (
    "no funciona, no me funciona, no compila, me falla, da error, me da error, sale un error, depurar, traceback, "
    "excepcion, doesn t work, does not work, is not working, isn t working, doesn t compile, fails with, debug, "
    "exception, error message"
)


def state_read(said: Sequence[str]) -> StudentState | None:
    """From the student's last messages, the question last. None where they tell nothing."""
    messages = [_plain(text) for text in said[-LOOKED_AT:]]
    if not messages:
        return None
    question = messages[-1]
    if _has(question, _LOST):
        times = sum(_has(message, _LOST) for message in messages)
        return StudentState.CONFUSION if times > 1 else StudentState.EXPLORATION
    if _has(question, _PRACTISING):
        return StudentState.PRACTICE
    return StudentState.DEBUGGING if _has(question, _DEBUGGING) else None


def _has(message: str, phrases: str) -> bool:
    return any(f" {phrase} " in message for phrase in phrases.split(", "))


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text[:LONGEST].lower())
    letters = "".join(one for one in decomposed if not unicodedata.combining(one))
    return f" {' '.join(''.join(one if one.isalnum() else ' ' for one in letters).split())} "

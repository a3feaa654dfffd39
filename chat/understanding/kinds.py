"""What kind of question one is, by its first words: for statistics, never for an answer. Spanish and English. Pure.

Source: adaptive-retrieval.es.md, "Métricas y Monitoring" (how often it is tried again, by type of question).
"""

import unicodedata
from enum import StrEnum

LONGEST = 400  # characters that are looked at


class QuestionKind(StrEnum):
    COMPARISON = "comparison"
    REASON = "reason"
    NUMBER = "number"
    DATE = "date"
    PERSON = "person"
    PLACE = "place"
    DEFINITION = "definition"
    LIST = "list"
    HOW_TO = "how_to"
    YES_OR_NO = "yes_or_no"
    OTHER = "other"


# Where a question has several, the first of them in it decides; of two at one place the one that stands first here.
_PHRASES = {
    QuestionKind.REASON: (
        "por que, para que, a que se debe, cual es el motivo, why, what for, how come, what is the reason"
    ),
    QuestionKind.NUMBER: (
        "cuanto, cuanta, cuantos, cuantas, que porcentaje, que plazo, que edad, que cantidad, que numero, "
        "cual es el plazo, cual es el numero, how many, how much, how long, how often, how old, how far, "
        "how big, how large, how high, what percentage, what number, what amount, what is the number, "
        "what is the maximum, what is the minimum"
    ),
    QuestionKind.DATE: "cuando, que dia, que fecha, que ano, que hora, when, what day, what date, what year, what time",
    QuestionKind.PERSON: "quien, quienes, who, whose, whom",
    QuestionKind.PLACE: "donde, adonde, where",
    QuestionKind.DEFINITION: (
        "que es, que son, que significa, que quiere decir, que se entiende, define, definicion, significado, what is, "
        "what are, what s, what does, meaning of, definition of"
    ),
    QuestionKind.LIST: ("cuales, que tipos, que clases, enumera, lista, which, list, what types, what kinds, name the"),
    QuestionKind.HOW_TO: (
        "como, que pasos, que tengo que hacer, que debo hacer, que hay que hacer, how to, how do, how does, how can, "
        "how could, how should, how is, how are, what steps, what must i do, what should i do"
    ),
}
_COMPARING = (
    "diferencia, diferencias, distingue, compara, comparacion, versus, vs, difference, differences, compare, differ"
)
_DECIDING = (
    "puedo, puede, pueden, podemos, se, es, son, hay, debo, debe, deben, tengo, tiene, esta, estan, existe, existen, "
    "necesito, can, could, may, might, is, are, was, were, do, does, did, must, should, shall, has, have, will, would"
)


def question_kind(question: str) -> QuestionKind:
    """By the words that ask; OTHER where none does."""
    said = f" {' '.join(_plain_words(question))} "
    if any(f" {word} " in said for word in _COMPARING.split(", ")):
        return QuestionKind.COMPARISON
    found = [
        (place, order, kind)
        for order, (kind, phrases) in enumerate(_PHRASES.items())
        if (place := min((at for one in phrases.split(", ") if (at := said.find(f" {one} ")) >= 0), default=-1)) >= 0
    ]
    if not found or min(found)[0] > 0:
        first = said.split(maxsplit=1)[0] if said.strip() else ""
        if first in _DECIDING.split(", "):
            return QuestionKind.YES_OR_NO
    return min(found)[2] if found else QuestionKind.OTHER


def _plain_words(text: str) -> list[str]:
    decomposed = unicodedata.normalize("NFD", text[:LONGEST].lower())
    letters = "".join(one for one in decomposed if not unicodedata.combining(one))
    return "".join(one if one.isalnum() else " " for one in letters).split()

"""How a statement is written, which tells what is no answer: exercises, dialogues, what leans on the sentence before
it or announces what is not quoted with it. Pure."""

import re

from agents.llm.quoting.asked_for.offices import is_signed
from agents.llm.quoting.laid.layout import Form
from agents.llm.quoting.statements import Statement
from retrieval.text.section_kinds import DIALOGUE, EXERCISE, GOALS, WORKS, section_kind

LONGEST_COUNTED = 400  # characters

_LEANS = re.compile(
    r"(?:Est[oae]s?|Es[oa]s?|Él|Ell[oa]s?|Sus?|Dich[oa]s?|Además|Asimismo|También|Por (?:ello|eso|tanto)|Sin embargo"
    r"|Th(?:is|ese|ose|ey|eir)|Its?|He|She|His|Her|However|Therefore|Also|But|And)\b"
)
_TASK = re.compile(
    r"^(?:explica|describe|configura|calcula|nombra|enumera|compara|define|indica|investiga|haz|dibuja|diseña|razona"
    r"|explain|list|name|configure|compare|calculate|discuss|draw|design)\w{0,3}\b"
    r"|^(?:verdadero o falso|true or false)\b|^\"[^\"]*\"$|¿",
    re.I,
)


def leans(text: str) -> bool:
    """On the sentence before it."""
    return _LEANS.match(text) is not None


def of_writing(one: Statement) -> dict[str, float]:
    """By the names of `selecting.WEIGHTS`."""
    is_alone = not one.is_whole
    return {
        "leans": float(leans(one.text)),
        "length": min(len(one.text), LONGEST_COUNTED) / LONGEST_COUNTED,
        "whole": float(one.is_whole),
        "whole code": float(one.is_whole and one.block.form is Form.CODE),
        "row": float(is_alone and one.block.form is Form.TABLE),
        "item": float(is_alone and one.block.form is Form.ITEMS),
        "introduces": float(introduces(one)),
        "dialogue": float(is_spoken(one)),
        "task": float(_TASK.search(one.text) is not None),
        "exercise": float(_is_of_exercise(one)),
    }


def introduces(one: Statement) -> bool:
    """Whether it announces what is not quoted with it."""
    return not one.is_whole and one.text.endswith(":")


def is_spoken(one: Statement) -> bool:
    """By somebody, and not by the author."""
    return one.block.is_spoken or section_kind((one.block.heading,)) == DIALOGUE


def lists_works(one: Statement) -> bool:
    """Whether it is of a bibliography: who wrote those wrote others."""
    return section_kind((one.block.heading,)) == WORKS


def is_signature(one: Statement) -> bool:
    """Whether it is a name and an office alone, as below a letter: it answers who somebody is, and nothing else."""
    return one.block.form is Form.PARAGRAPH and is_signed(one.text)


def is_task(one: Statement) -> bool:
    """Whether it asks for something, or stands where that is done, and does not answer it."""
    return _TASK.search(one.text) is not None or _is_of_exercise(one)


def _is_of_exercise(one: Statement) -> bool:
    return not one.asked and section_kind((one.block.heading,)) in (EXERCISE, GOALS)

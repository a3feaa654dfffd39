"""What a statement only announces, the list, the steps or the table behind it, is told whole. Pure."""

import re
from collections.abc import Sequence

from agents.llm.quoting.asked_for.kinds import Wish, asks_for_list, kind_of_question
from agents.llm.quoting.features import Weighing
from agents.llm.quoting.laid.layout import Form
from agents.llm.quoting.statements import Statement
from retrieval.text.folding import fold_latin

LONGEST_END = 120  # characters of a sentence, in which it announces something
LONGEST_LEANING = 6  # words of a lead that says of nothing what follows: "Se distinguen tres:"
MOST_OF_TOPIC = 0.6  # that a lead has, where its items are what is asked for
ONE_THING = (Wish.NUMBER, Wish.TIME, Wish.SPAN, Wish.PERSON, Wish.PLACE)
LAID = (Form.ITEMS, Form.TABLE)

_TO_COME = re.compile(r"\b(?:son l[oa]s siguientes|the following|as follows|a continuacion)\W{0,3}$")
_FOLLOWS = re.compile(
    r"\b(?:siguientes?|following|as follows|below|a continuacion|se (?:definen|distinguen|enumeran|relacionan"
    r"|detallan|indican|exponen)|(?:are|is) (?:defined|listed|set out|given|distinguished))\W{0,3}$"
)
_TABLE = re.compile(
    r"\b(?:cuadro|tabla|table)s?(?: (?:siguiente|adjunt[oa]|below|[a-z]?[.-]?\d{1,3}(?:[.-]\d{1,3}){0,3}))?\W{0,3}$"
    r"|\b(?:siguiente|following|next) (?:cuadro|tabla|table)\b"
)
_CAPTION = re.compile(r"(?:cuadro|tabla|table) [a-z]?[.-]?\d")


def announced_block(asked: Weighing, question: str, statements: Sequence[Statement], number: int) -> int | None:
    """The number of the whole list or table right behind a sentence that announces it; or that its items are what is
    asked for, and the sentence what they are of: "… provoca anomalías. Se distinguen tres:"."""
    first = statements[number]
    if first.block.form is not Form.PARAGRAPH:
        return None
    behind = number_behind(statements, number)
    if behind is None:
        return None
    block = statements[behind].block
    end = fold_latin(first.text[-LONGEST_END:])
    if _FOLLOWS.search(end) or (block.form is Form.TABLE and _TABLE.search(end)):
        return behind
    is_list = asks_for_list(question) or (kind_of_question(question) is Wish.STEPS and block.is_numbered)
    is_short = block.form is Form.ITEMS and 0 < len(block.lead.split()) <= LONGEST_LEANING
    return behind if is_list and is_short and asked.topic_said_in(behind) < MOST_OF_TOPIC else None


def only_announces(one: Statement) -> bool:
    """Whether a sentence ends with what follows it: "Los requisitos son los siguientes."."""
    return not one.is_whole and _TO_COME.search(fold_latin(one.text[-LONGEST_END:])) is not None


def number_behind(statements: Sequence[Statement], number: int) -> int | None:
    """Of the whole list or table that stands right behind a sentence, below the same heading or its own caption."""
    first = statements[number]
    place = (first.place[0], first.place[1] + 1)
    behind = next((at for at, one in enumerate(statements) if one.place == place and one.is_whole), None)
    if behind is None or statements[behind].block.form not in LAID:
        return None
    return behind if is_below(statements[behind], first) else None


def is_below(one: Statement, first: Statement) -> bool:
    """Whether a statement stands below the same heading as another, or below the caption of a table."""
    return one.block.heading == first.block.heading or _CAPTION.match(fold_latin(one.block.heading)) is not None


def whole_of(asked: Weighing, question: str, statements: Sequence[Statement], number: int) -> int | None:
    """The number of the whole list or table that an item or a row is of, where its lead is what was asked for and the
    item is only the first: "Three levels are defined: Level 1 …"."""
    item = statements[number]
    if item.is_whole or item.block.form not in LAID or kind_of_question(question) in ONE_THING:
        return None
    whole = next((at for at, one in enumerate(statements) if one.is_whole and one.block is item.block), None)
    if whole is None or asked.topic_in(whole) < asked.topic_in(number):
        return None
    return whole if asks_for_list(question) and asked.topic_said_in(whole) >= MOST_OF_TOPIC else None

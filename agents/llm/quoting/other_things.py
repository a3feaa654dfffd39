"""Whether what was chosen is of another thing than what is asked: another property of it, the same of another thing,
another year, a minimum for a maximum. Pure."""

from collections.abc import Sequence

from agents.llm.quoting.asked_for.properties import ALIKE
from agents.llm.quoting.asked_for.subject import asked_years, is_other_end, says_year
from agents.llm.quoting.asked_for.thing import asked_thing
from agents.llm.quoting.defining import MOST_ASKED
from agents.llm.quoting.laid.layout import Form
from agents.llm.quoting.selecting import Chosen
from agents.llm.quoting.statements import Statement, said_words
from agents.llm.quoting.topic import Wording, asked_about
from retrieval.text.folding import fold_latin
from retrieval.text.lines.fields import is_field, label_of
from retrieval.text.stems import words


def tells_another_thing(question: str, chosen: Sequence[Chosen]) -> bool:
    """Whether no statement has both what is asked and that of which it is, as far as either can be told."""
    told = [one.statement for one in chosen]
    asked = asked_thing(question)
    if not any(asked.is_told_by(_text(one), _above(one), _around(one)) for one in told):
        return True
    if asked.label and not asked.named and all(_is_another_field(asked.label, one) for one in told):
        return True
    is_of_another_year = not asked.is_asked and _is_of_another_year(question, told)
    return is_of_another_year or all(is_other_end(question, one.text) for one in told)


def has_all_names_of_the_rest(question: str, one: Chosen, chosen: Sequence[Chosen]) -> bool:
    """Whether a statement that has the amount has all names that a question has and what was chosen as well: the height
    of another tower is none of this one."""
    asked = asked_thing(question)
    there = set(asked.names_in(_whole(one.statement)))
    return all(there.issuperset(asked.names_in(_whole(other.statement))) for other in chosen)


def _is_another_field(label: Sequence[str], told: Statement) -> bool:
    """Whether it is a field, and called otherwise than what is asked for: "Modelo: Tajo 320" is no voltage."""
    called = Wording(words(label_of(told.text)))
    return is_field(told.text) and not any(any(map(called.has, (word, *ALIKE.get(word, ())))) for word in label)


def _is_of_another_year(question: str, told: Sequence[Statement]) -> bool:
    """Whether a year is asked for, and no statement is of it and of anything else that is asked."""
    if not (years := asked_years(question)):
        return False
    about = [word for word in asked_about(said_words(question)[:MOST_ASKED]) if word not in years]
    of_it = [said for said in map(_whole, told) if all(says_year(year, said) for year in years)]
    return not any(not about or any(map(Wording(words(said)).has, about)) for said in of_it)


def _text(told: Statement) -> str:
    """Of a whole block all of its lines."""
    return " ".join((told.text, *(told.block.lines if told.is_whole else ())))


def _above(told: Statement) -> str:
    return " ".join((told.block.heading, told.asked, told.block.lead, *told.block.header))


def _around(told: Statement) -> str:
    """Its paragraph, or the other fields of its list, the headings around its own, its document's title."""
    lines = told.block.lines if told.block.form is Form.PARAGRAPH or is_field(told.text) else ()
    return " ".join((*told.title, told.block.outer, *lines))


def _whole(told: Statement) -> str:
    return fold_latin(f"{_around(told)} {_above(told)} {_text(told)}")

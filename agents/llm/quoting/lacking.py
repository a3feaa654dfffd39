"""Whether what was chosen has what the question asks for: else it is told with doubt. Pure."""

from collections.abc import Sequence

from agents.llm.quoting.asked_for.deeds import asked_deed, tells_deed
from agents.llm.quoting.asked_for.kinds import (
    AMOUNTS,
    Wish,
    announces,
    asked_pair,
    asks_for_difference,
    asks_what_there_is,
    counted_by,
    enumerates,
    has_counted,
    has_kind,
    is_counted_behind,
    kind_of_question,
    says_what_it_is_for,
)
from agents.llm.quoting.asked_for.lasting import tells_a_duration
from agents.llm.quoting.asked_for.offices import (
    OF_SEVERAL,
    asked_office,
    asks_name,
    holds_office,
    is_signed,
    says_who_is,
)
from agents.llm.quoting.asked_for.roles import asks_to_whom, leaves_out_who
from agents.llm.quoting.asked_for.subject import asked_options, options_of
from agents.llm.quoting.defining import MOST_ASKED, NEARLY_ALL, asks_what_one_thing_is
from agents.llm.quoting.laid.layout import Form
from agents.llm.quoting.other_things import has_all_names_of_the_rest, tells_another_thing
from agents.llm.quoting.quotable import dates_its_document, is_named_value
from agents.llm.quoting.selecting import Chosen
from agents.llm.quoting.statements import Statement, said_words, what_stands_above, with_units
from agents.llm.quoting.topic import Wording
from agents.llm.quoting.writing import lists_works
from retrieval.confidence.kinds import (
    asks_price,
    has_price,
    lacks_what_is_seen,
    names_price,
    tells_amount_of_money,
    tells_price,
)
from retrieval.confidence.quantities import asked_quantity
from retrieval.text.stems import words

# Beginnings of the words for what is done to a document on a day; those of one line say nearly the same.
_ACTS = ("apro appr adop", "actu revi modi upda amen", "publ issu", "firm sign")
ACTS = {begun: act for act, line in enumerate(_ACTS) for begun in line.split()}
ENOUGH_OF_WHAT_LASTS = 0.4  # of the topic, that a duration stands with: one of something else is no answer


def lacks_what_was_asked(question: str, chosen: Sequence[Chosen]) -> bool:
    """Whether a number, a date or a duration was asked for, and there is none, or it is of another thing; or a colour,
    an address or a telephone, and there is none; or what something is by default, and nothing names it; or what
    something is, and nothing says it; or how it is done, and a sentence about something else says in passing that it
    is; or who, and a bibliography is quoted, or nothing says what that is of whom it is asked, or that it was done by
    anybody; or several things, and one is told; or what an option does, and none names it; or one thing's price, year
    or width, and another's is told."""
    kind, asked = kind_of_question(question), frozenset(words(question)[:MOST_ASKED])
    if _lacks_some(question, chosen) or _lacks_option(question, chosen) or tells_another_thing(question, chosen):
        return True
    if lacks_what_is_seen(question, " ".join(_with_what_is_around(one.statement) for one in chosen)):
        return True
    if asks_name(question) and not has_kind(chosen[0].statement.text, Wish.PERSON, asked):
        return True
    if asks_what_one_thing_is(question):
        return not (chosen[0].defines or _says_what_for(question, chosen[0]))
    if kind is Wish.PERSON:
        return (
            lists_works(chosen[0].statement)
            or _lacks_holder(question, chosen[0].statement, asked)
            or _leaves_out_who(question, chosen, asked)
        )
    if kind is Wish.STEPS:
        return chosen[0].is_aside and not chosen[0].statement.is_whole
    if kind is Wish.VALUE:
        return chosen[0].lacks_subject
    return kind in AMOUNTS and _lacks_amount(question, chosen, kind, asked)


def _says_what_for(question: str, told: Chosen) -> bool:
    """Whether a sentence, or what stands above a list, says what the thing is for."""
    said = f"{told.statement.block.lead} {told.statement.text}"
    return told.topic > NEARLY_ALL and says_what_it_is_for(question, said)


def _lacks_option(question: str, chosen: Sequence[Chosen]) -> bool:
    """Whether the options that a question names stand neither in what was chosen, of a sentence in its paragraph, nor
    above it: another item of the list is about another option."""
    named = asked_options(question)
    return bool(named) and not any(named <= options_of(_with_what_is_around(one.statement)) for one in chosen)


def _with_what_is_around(told: Statement) -> str:
    is_of_one_thing = told.is_whole or told.block.form is Form.PARAGRAPH
    return " ".join((told.block.heading, told.block.lead, told.text, *(told.block.lines if is_of_one_thing else ())))


def _lacks_holder(question: str, told: Statement, asked: frozenset[str]) -> bool:
    """Whether what somebody is, "the captain", is said neither in a sentence nor above it, or it is not said who that
    is: "appeals to the rector" names nobody, a row of a table does."""
    if not (office := asked_office(question)):
        return False
    if not holds_office(office, " ".join((told.text, *told.above, *told.around))):
        return True
    if not asked.intersection(OF_SEVERAL).issubset(told.words):
        return True
    is_row = told.block.form is Form.TABLE
    return not (is_row or is_signed(told.text) or says_who_is(told.text) or has_kind(told.text, Wish.PERSON, asked))


def _leaves_out_who(question: str, chosen: Sequence[Chosen], asked: frozenset[str]) -> bool:
    """Whether it is asked who did something, and what was chosen says that it was done: "was stolen in 1977"."""
    told = [one.statement.text for one in chosen]
    return not asks_to_whom(question) and all(
        leaves_out_who(one) and not has_kind(one, Wish.PERSON, asked) for one in told
    )


def _lacks_amount(question: str, chosen: Sequence[Chosen], kind: Wish, asked: frozenset[str]) -> bool:
    """Whether no number, date or duration is told, or that of another thing, or for a price a name with another
    number: "Piscina: 25 metros.", or for a weight no weight, or of what is sold what there is."""
    if kind is Wish.SPAN and _lacks_duration(chosen):
        return True
    if chosen[0].statement.is_whole:
        return chosen[0].statement.block.form is Form.CODE or chosen[0].lacks_subject
    if kind is Wish.TIME and _dates_another_act(asked, chosen[0].statement):
        return True
    if asks_price(question) and _has_no_price(chosen[0].statement):
        return True
    if kind is Wish.NUMBER and (is_told := _tells_number(question, chosen[0])) is not None:
        return not is_told
    counted = counted_by(question) if kind is Wish.NUMBER else frozenset()
    of_it = (one for one in chosen if not counted or one.topic >= chosen[0].topic)
    amounts = (one for one in of_it if _says_how_much(one, kind, asked, counted))
    return not any(has_all_names_of_the_rest(question, one, chosen) for one in amounts)


def _lacks_duration(chosen: Sequence[Chosen]) -> bool:
    """Whether nothing may be one, or what is, is of something else."""
    return chosen[0].topic < ENOUGH_OF_WHAT_LASTS or not any(map(_may_be_a_duration, chosen))


def _tells_number(question: str, one: Chosen) -> bool | None:
    """Whether the weight, or the like, that is asked for is told, or the price; not, where what there is is told of
    what was sold. None where neither is seen."""
    told = one.statement
    if quantity := asked_quantity(question):
        return not one.lacks_subject and quantity.is_told_by(told.text, what_stands_above(told))
    if names_price(question) and not one.lacks_subject and tells_amount_of_money(told.text):
        return True
    return False if not asks_price(question) and _lacks_deed(question, told) else None


def _lacks_deed(question: str, told: Statement) -> bool:
    """Whether something is done to what is counted, "were sold", and a sentence, with its paragraph and all that
    stands above it, has no word for that: a row and an item are too short to."""
    if not (deed := asked_deed(question)) or told.block.form is not Form.PARAGRAPH:
        return False
    return not tells_deed(deed, " ".join((*told.above, *told.around, *told.title, _with_what_is_around(told))))


def _has_no_price(told: Statement) -> bool:
    """Of a name with a number, or of a row: "Cierre mecánico | RC-3207"."""
    if told.block.form is Form.TABLE:
        return not tells_price(told.text, what_stands_above(told))
    return is_named_value(told.text) and not has_price(told.text)


def _dates_another_act(asked: frozenset[str], told: Statement) -> bool:
    """Whether a line tells when something was revised, and when it was approved is asked."""
    if not dates_its_document(told.text):
        return False
    wanted, there = ({ACTS[word[:4]] for word in said if word[:4] in ACTS} for said in (asked, told.words))
    return bool(wanted and there) and wanted.isdisjoint(there)


def _may_be_a_duration(one: Chosen) -> bool:
    """A sentence has to say so; an item and a row need not."""
    return one.statement.block.form is not Form.PARAGRAPH or tells_a_duration(one.statement.text)


def _lacks_some(question: str, chosen: Sequence[Chosen]) -> bool:
    """Whether all of several things, or two of which the difference is asked, are asked for, and one is told."""
    if any(one.statement.is_whole for one in chosen):
        return False
    if asks_for_difference(question) and (pair := asked_pair(question)):
        return not _tells_both(pair, [one.statement for one in chosen])
    told = [one.statement.text for one in chosen]
    if not asks_what_there_is(question) or any(map(enumerates, told)):
        return False
    return len(told) == 1 or any(map(announces, told))


def _tells_both(pair: Sequence[frozenset[str]], told: Sequence[Statement]) -> bool:
    """Whether each of two things is spoken of, the one that has all words of the other without the rest of its own."""
    one, other = sorted(pair, key=len)
    said = [Wording((*each.words, *said_words(each.block.lead))) for each in told]
    below = [Wording(each.heading) for each in told]
    own = other - one
    if one <= other:
        has_one = any(all(map(each.has, one)) and not any(map(each.has, own)) for each in said)
    else:
        has_one = _is_told(one - other, said) or _is_told_below(one - other, own, below)
    return has_one and (_is_told(own, said) or _is_told_below(own, one - other, below))


def _is_told(thing: frozenset[str], said: Sequence[Wording]) -> bool:
    return any(all(map(each.has, thing)) for each in said)


def _is_told_below(thing: frozenset[str], other: frozenset[str], headings: Sequence[Wording]) -> bool:
    """Whether something is told below a heading of the one, and not of both, unless several things are."""
    return any(all(map(each.has, thing)) and (len(headings) > 1 or not any(map(each.has, other))) for each in headings)


def _says_how_much(one: Chosen, kind: Wish, asked: frozenset[str], counted: frozenset[str]) -> bool:
    """Whether it has a number, a date or a duration, and the word for what that is of; where what is counted stands in
    it, the number stands beside that: "el Congreso de los Diputados" counts none."""
    told = with_units(one.statement, counted)
    if one.lacks_subject or has_kind(told, kind, asked) is False:
        return False
    said = words(told)
    return (
        not counted.intersection(one.statement.stems) or has_counted(said, counted) or is_counted_behind(said, counted)
    )

"""Which statements of the passages answer a question: each gets the probability that it is the one. Pure.

A statement's score is the sum of its features (`features`), weighted; the scores' softmax says how sure that is, and as
many statements are chosen as are needed to be SURE, MOST at most: one where it is clear, three where it is not. A whole
list or table stands alone.

WEIGHTS were fitted (listwise, cross entropy, held near a first guess) on what retrieval with the lexical embeddings
found for the even half of XQuAD's 2 x 1,190 questions over whole articles, and for bench/questions' 191, thrice each;
those of words, of the kind asked for and of what is counted once more, on the paragraphs too at half their worth. The
last eight were set by hand: a role beats a sentence with another name, any other sentence an imprint, a duration beside
a word for lasting one without, whatever there is one that has the opposite, a row whose range has the number any other
row, and what is not so a field or a row that is called what is asked for and a sentence that says that it happened.
"""

import re
from collections.abc import Callable, Sequence
from math import exp
from typing import NamedTuple

from agents.llm.quoting.announcing import ONE_THING, announced_block, is_below, only_announces, whole_of
from agents.llm.quoting.asked_for.kinds import (
    AMOUNTS,
    Wish,
    asked_pair,
    has_kind,
    kind_of_question,
)
from agents.llm.quoting.defining import MOST_ASKED, NEARLY_ALL, asks_what_one_thing_is
from agents.llm.quoting.features import Weighing
from agents.llm.quoting.laid.layout import Form, LaidBlock
from agents.llm.quoting.statements import Statement
from agents.llm.quoting.writing import introduces, is_spoken, is_task, leans
from retrieval.text.stems import words

MOST = 3  # statements of an answer
SURE = 0.85
OF_A_SECTION = (Wish.STEPS, Wish.OTHER)
CLEAR = 0.25  # the first one's probability, times its share of the topic
MOST_LINES = 10  # of a list that is told whole for some of its items
LONGEST_ANSWER = 800  # characters, that a further statement may not pass
WORTH_ADDING = 0.1  # of the first one's probability
SAME = 0.75  # share of common stems above which two say the same

_YES_OR_NO = re.compile(r"(?:No|Sí|Yes|Nunca|Never)\b")

WEIGHTS = {
    "exact": 2.79, "own": 6.11, "squared": -3.39, "around": 3.41, "before": 2.06, "earlier": 1.82, "above": 4.63,
    "pairs": 0.8, "terms": 2.02, "rarest": 0.25, "kind": 0.83, "no kind": -0.82, "counted": 1.97, "row kind": 1.53,
    "opens": 0.41, "defines": 1.12, "defining verb": 1.43, "glossary": 1.5, "whole list": 2.47,
    "whole difference": 1.67, "both": 1.52, "rank": -0.08, "first": 0.83, "titled": 2.23, "titled first": 3.38,
    "titled definition": 1.94, "asked": 3.47, "leans": -0.12, "length": -0.36, "whole": -0.64, "whole code": -0.06,
    "row": 1.17, "item": 0.17, "introduces": -2.0, "dialogue": -2.26, "task": -1.56, "exercise": -1.62,
    "role": 3.0, "imprint": -8.0, "lasts": 2.0, "opposed": -6.0, "within": 3.0, "labelled": 3.0, "happened": 3.0,
    "row named": 3.0,
}  # fmt: skip


class Chosen(NamedTuple):
    """`topic`: 0..1, what the question is about, in the statement and above it. `heading_tells`: some of it stands in
    the heading alone. `defines`: it says what one thing is. `is_aside`: it stands below a heading about nothing of
    that. `is_imprint`: it is the line below a document's title, and something else is asked.
    `lacks_subject`: it has not the rarest word of what an amount is of."""

    statement: Statement
    probability: float
    topic: float
    heading_tells: bool
    defines: bool = False
    is_aside: bool = False
    is_imprint: bool = False
    lacks_subject: bool = False


def select_statements(question: str, statements: Sequence[Statement]) -> list[Chosen]:
    """Those that together say it, likeliest first, but a definition before all where one is asked for, and a list or
    table whole where the first one only announces it; none where no word is shared."""
    asked = Weighing(question, statements)
    defines_first = asks_what_one_thing_is(question)
    chosen = _likeliest(asked, question, statements, defines_first=defines_first)
    if not chosen:
        return []
    if laid := _laid_out(asked, question, statements, chosen[0]):
        return laid
    if section := _with_its_section(asked, question, statements, chosen[0]):
        return section
    if kind_of_question(question) not in ONE_THING:
        chosen = _with_whole_lists(statements, chosen)
    for further in (_other_of_two(asked, question, statements, chosen), _leaned_on(chosen, statements)):
        if further is not None and len(chosen) < MOST:
            chosen.append(_chosen(asked, statements, further, probability=0.0))
    if defines_first:
        chosen.sort(key=lambda one: not one.defines)
    return chosen


def _likeliest(asked: Weighing, question: str, statements: Sequence[Statement], *, defines_first: bool) -> list[Chosen]:
    """As many as are needed to be sure; the days of what is asked about before those of something else."""
    chosen: list[Chosen] = []
    sure = 0.0
    kind, counts = kind_of_question(question), _counts_for(question)
    for number, probability in _rated(asked, statements, defines_first=defines_first):
        if len(chosen) == MOST or sure >= SURE or (chosen and _is_enough(asked, chosen[0].statement)):
            break
        if chosen and not _may_be_added(statements[number], probability, chosen):
            continue
        candidate = _chosen(asked, statements, number, probability)
        if chosen and not (_adds(candidate, chosen, kind, counts) and _is_alike(asked, candidate, chosen[0])):
            continue
        chosen.append(candidate)
        sure += probability
    return sorted(chosen, key=lambda one: kind in AMOUNTS and one.lacks_subject)


def _is_enough(asked: Weighing, first: Statement) -> bool:
    """Of a list or table that is told whole, and of the field that is asked for by its name, nothing else is told."""
    return first.is_whole or asked.is_labelled(first)


def _is_alike(asked: Weighing, candidate: Chosen, first: Chosen) -> bool:
    """Beside the row that is called what is asked for no other row is told that is not."""
    is_row = candidate.statement.block.form is Form.TABLE
    return not (is_row and asked.is_named_row(first.statement)) or asked.is_named_row(candidate.statement)


def _laid_out(asked: Weighing, question: str, statements: Sequence[Statement], first: Chosen) -> list[Chosen]:
    """The whole list or table that the first statement announces, with it, or is an item of; none of another."""
    number = next(number for number, one in enumerate(statements) if one is first.statement)
    if (whole := whole_of(asked, question, statements, number)) is not None:
        return [_chosen(asked, statements, whole, first.probability)]
    if (behind := announced_block(asked, question, statements, number)) is None:
        return []
    return _with_block([first], _chosen(asked, statements, behind, probability=0.0))


def _with_its_section(asked: Weighing, question: str, statements: Sequence[Statement], first: Chosen) -> list[Chosen]:
    """How the section begins and the list in it, where the question says what its heading says: "Lo que necesitas para
    empezar"."""
    opening = first.statement
    if kind_of_question(question) not in OF_A_SECTION or not asked.says_heading(opening):
        return []
    below = [
        one
        for one in statements
        if one.n == opening.n and one.place >= opening.place and one.block.heading == opening.block.heading
    ]
    told = [first, *opening_statements(below)[1:]]
    return told if any(one.statement.is_whole for one in told) else []


def _with_whole_lists(statements: Sequence[Statement], chosen: Sequence[Chosen]) -> list[Chosen]:
    """All of a list instead of several items of it, where there is room: some of what is forbidden is not what is."""
    items = [one.statement.block for one in chosen if one.statement.block.form is Form.ITEMS]
    several = [block for block in items if sum(other is block for other in items) > 1 and _has_room(block)]
    told: list[Chosen] = []
    for one in chosen:
        if not any(one.statement.block is block for block in several):
            told.append(one)
        elif not any(other.statement.block is one.statement.block for other in told):
            whole = (each for each in statements if each.is_whole and each.block is one.statement.block)
            told.append(one._replace(statement=next(whole, one.statement)))
    return told


def _has_room(block: LaidBlock) -> bool:
    return sum(map(len, block.lines)) <= LONGEST_ANSWER and len(block.lines) <= MOST_LINES


def _with_block(told: Sequence[Chosen], block: Chosen) -> list[Chosen]:
    """Sentences and the block below them, their heading once, above all."""
    heading = block.statement.block.heading
    above = [one._replace(heading_tells=one.heading_tells or one.statement.block.heading == heading) for one in told]
    return [*above, block]


def _chosen(asked: Weighing, statements: Sequence[Statement], number: int, probability: float) -> Chosen:
    one = statements[number]
    return Chosen(
        one,
        probability,
        asked.topic_in(number),
        asked.heading_tells(number),
        defines=asked.defining.defines(one),
        is_aside=asked.is_aside(number),
        is_imprint=asked.is_beside_imprint(one),
        lacks_subject=asked.lacks_subject(number),
    )


def _leaned_on(chosen: Sequence[Chosen], statements: Sequence[Statement]) -> int | None:
    """The number of the sentence without which the first one does not say of whom or of what it speaks: "Esta conducta
    comenzó …", "His book …"; or that says "No" before it, below the question that is asked there."""
    first = chosen[0].statement
    if first.block.form is not Form.PARAGRAPH or first.opens_section:
        return None
    place = (first.place[0], first.place[1] - 1)
    number = next((number for number, one in enumerate(statements) if one.place == place), None)
    if number is None or any(one.statement.place == place for one in chosen):
        return None
    before = statements[number]
    if not (leans(first.text) or (before.opens_section and _YES_OR_NO.match(before.text))):
        return None
    is_beside = before.block.form is Form.PARAGRAPH and before.block.heading == first.block.heading
    length = sum(len(one.statement.text) for one in chosen) + len(before.text)
    return number if is_beside and length <= LONGEST_ANSWER else None


def _other_of_two(
    asked: Weighing, question: str, statements: Sequence[Statement], chosen: Sequence[Chosen]
) -> int | None:
    """The number of what says the second of two things that are asked for, where only one of them is told: a sentence
    that has its words, or the first one below its heading."""
    told = frozenset().union(*(one.statement.words for one in chosen))
    missing = [thing for thing in asked_pair(question) if not thing <= told]
    if len(missing) != 1 or chosen[0].statement.is_whole:
        return None
    length = sum(len(one.statement.text) for one in chosen)

    def says_it(one: Statement) -> bool:
        is_below = one.opens_section and missing[0] <= frozenset(one.heading)
        is_new = all(other.statement.place != one.place for other in chosen)
        return is_new and not one.is_whole and (is_below or missing[0] <= frozenset(one.words))

    said = [
        number for number, one in enumerate(statements) if says_it(one) and length + len(one.text) <= LONGEST_ANSWER
    ]
    return max(said, key=lambda number: _score(asked, number), default=None)


def _counts_for(question: str) -> Callable[[Chosen], bool]:
    """Whether a statement has the number or the date that is asked for: beside one that has, what a deposit is does not
    say how much it is."""
    kind, asked = kind_of_question(question), frozenset(words(question)[:MOST_ASKED])
    if kind not in AMOUNTS:
        return lambda _one: True
    return lambda one: has_kind(one.statement.text, kind, asked) is not False


def opening_statements(statements: Sequence[Statement]) -> list[Chosen]:
    """How the first passage begins: what a place says, where a question names it and has no word of it. The table that
    it has is told whole below its first sentences, and so is a list right behind them that there is room for."""
    told: list[Chosen] = []
    is_full = False
    says_more = any(one.n == statements[0].n and not (one.is_imprint or one.is_whole) for one in statements[1:])
    for one in statements:
        if says_more and one.is_imprint:  # whose it is, and not what it says
            continue
        if one.n != statements[0].n or (is_full and not is_below(one, statements[0])):
            break
        if one.is_whole and _is_told_whole(one, may_be_list=not is_full):
            return _with_block(told, _opening(one))
        length = sum(len(other.statement.text) for other in told) + len(one.text)
        is_full = is_full or len(told) == MOST or (bool(told) and length > LONGEST_ANSWER)
        if not one.is_whole and not is_full:
            told.append(_opening(one))
    return told


def _opening(one: Statement) -> Chosen:
    return Chosen(one, 1.0, 1.0, heading_tells=False)


def _is_told_whole(one: Statement, *, may_be_list: bool) -> bool:
    """Whether it is a table, or a list that an answer has room for."""
    is_list = may_be_list and one.block.form is Form.ITEMS
    return one.block.form is Form.TABLE or (is_list and sum(map(len, one.block.lines)) <= LONGEST_ANSWER)


def stands_out(chosen: Sequence[Chosen]) -> bool:
    """Whether one is likely the one, or the first of several definitions, has what the question is about, and the first
    does not merely announce it."""
    if not chosen or introduces(chosen[0].statement) or chosen[0].is_imprint:
        return False
    is_one_definition = chosen[0].defines and chosen[0].topic > NEARLY_ALL
    if not is_one_definition and max(one.probability * one.topic for one in chosen) < CLEAR:
        return False
    return not only_announces(chosen[0].statement) or any(one.statement.is_whole for one in chosen)


def _may_be_added(one: Statement, probability: float, chosen: Sequence[Chosen]) -> bool:
    """To what is said: nothing unlikely, no whole block, task or conversation, nothing that is said already or makes it
    too long."""
    if probability < WORTH_ADDING * chosen[0].probability:
        return False
    if one.is_whole or is_spoken(one) or is_task(one):
        return False
    if sum(len(other.statement.text) for other in chosen) + len(one.text) > LONGEST_ANSWER:
        return False
    return all(_likeness(one.stems, other.statement.stems) <= SAME for other in chosen)


def _adds(candidate: Chosen, chosen: Sequence[Chosen], kind: Wish, counts: Callable[[Chosen], bool]) -> bool:
    """No row that has less of the topic, and no definition beside what is asked for; beside how long something lasts
    nothing but that."""
    if candidate.statement.block.form is Form.TABLE and candidate.topic < chosen[0].topic:
        return False
    if kind is Wish.SPAN and counts(chosen[0]) and not counts(candidate):
        return False
    return not (candidate.defines and counts(chosen[0]) and not counts(candidate))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _rated(asked: Weighing, statements: Sequence[Statement], *, defines_first: bool) -> list[tuple[int, float]]:
    """The numbers of those that speak of it and their probabilities, likeliest first; before them, where one is asked
    for, what is a definition and begins as one."""
    of_it = [number for number in range(len(statements)) if asked.speaks_of_it(number)]
    scores = {number: _score(asked, number) for number in of_it}
    top = max(scores.values(), default=0.0)
    likely = {number: exp(one - top) for number, one in scores.items()}
    total = sum(likely.values())

    def defines(number: int) -> int:
        """How plainly."""
        one = statements[number]
        if not (defines_first and asked.defining.defines(one)):
            return 0
        return 2 if asked.defining.says_by_name(one) else int(asked.defining.says_outright(one))

    rated = [(number, one / total) for number, one in likely.items()]
    return sorted(rated, key=lambda one: (-defines(one[0]), -one[1]))


def _score(asked: Weighing, number: int) -> float:
    """A logit: only differences between statements of one question mean anything."""
    return sum(WEIGHTS[name] * value for name, value in asked.features(number).items())

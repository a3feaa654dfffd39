"""What speaks for a statement as the answer to a question, and what against it. Pure.

Its words and those above it are held against the question's, rarer ones weighing more; its form against the kind of
thing that is asked for; and what is no answer is told by how it is written: exercises, dialogues, what a course wants.
"""

import re
from collections.abc import Mapping, Sequence
from math import log

from agents.llm.quoting.asked_for.kinds import (
    AMOUNTS,
    Wish,
    asks_for_difference,
    asks_for_list,
    counted_by,
    has_counted,
    has_kind,
    kind_of_question,
)
from agents.llm.quoting.asked_for.lasting import is_lasting_word, says_it_lasts
from agents.llm.quoting.asked_for.roles import AskedRole
from agents.llm.quoting.asked_for.subject import (
    asked_amounts,
    asked_with,
    identifiers_of,
    is_opposed,
    points_back,
    stands_within,
    subjects_of,
)
from agents.llm.quoting.asked_for.thing import asked_thing
from agents.llm.quoting.defining import MOST_ASKED, MOST_OPENED, NEARLY_ALL, Defining, opening_of
from agents.llm.quoting.laid.layout import Form
from agents.llm.quoting.statements import Statement, said_words, what_stands_above, with_units
from agents.llm.quoting.topic import Topic, Wording
from agents.llm.quoting.writing import is_signature, lists_works, of_writing
from retrieval.confidence.kinds import PRICING_WORDS, names_price, tells_price
from retrieval.confidence.quantities import asked_quantity
from retrieval.text.folding import fold_latin
from retrieval.text.lines.fields import label_of
from retrieval.text.stems import STEM_LETTERS, words
from retrieval.text.terms import exact_terms

AMONG = 32  # as `retrieval.confidence.coverage` has it: a few statements do not make every word rare
NEAR = 2  # words between the two of a pair
HALF = 0.5  # of a heading's words, that a question says
LAST_RANK = 3  # behind it all passages are alike

_GLOSSARY = re.compile(r"definicion|glosario|terminolog|conceptos|definition|glossary|terminology|terms")
_STEPS = frozenset({"paso", "pasos", "procedimiento", "instrucciones", "step", "steps", "procedure", "instructions"})


class Weighing:
    """A question's words with their worth among the statements, and which statement has which."""

    def __init__(self, question: str, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._kind, self._said = kind_of_question(question), frozenset(words(question)[: 4 * MOST_ASKED])
        self._words = _sought(question, said_words(question)[:MOST_ASKED], self._kind)
        self._terms = exact_terms(question)
        self._counted = counted_by(question)
        self._role = AskedRole(question)
        self._thing = asked_thing(question)
        self._labelled: dict[tuple[int, int], bool] = {}
        self._told_by_fields: dict[int, list[tuple[int, Wording]]] = {}  # by the identity of their list, as the next
        self._list_words: dict[int, tuple[str, ...]] = {}
        self._lists, self._differs = asks_for_list(question), asks_for_difference(question)
        stems = [one.stems for one in statements]
        often = [sum(word[:STEM_LETTERS] in one for one in stems) for word in self._words]
        among = max(AMONG, len(statements))
        self._worth = [log(1 + (among - count + 0.5) / (count + 0.5)) for count in often]
        self._total = sum(self._worth) or 1.0
        self._topic = Topic(dict(zip(self._words, self._worth, strict=True)))
        self._above: dict[tuple[str, ...], list[float]] = {}
        self._headings: dict[tuple[str, ...], float] = {}
        self._quantity = asked_quantity(question) if self._kind is Wish.NUMBER else None
        self._has = [self._held_by(self._said_in(one)) for one in statements]
        self._places = {one.place: number for number, one in enumerate(statements)}
        self._identifiers = identifiers_of(question)
        self._with = asked_with(question)
        self._amounts = asked_amounts(question)
        self._subject = self._rarest_of(subjects_of(question))
        self._pairs = list(zip(self._words, self._words[1:], strict=False))
        self.defining = Defining(question, self._topic)

    def speaks_of_it(self, number: int) -> bool:
        """Whether a statement shares any word with the question, itself or above it: else nobody could tell why it is
        quoted; and does not go on from another term's heading."""
        one = self._statements[number]
        if self.defining.is_of_another_term(one) or (self._kind is not Wish.PERSON and is_signature(one)):
            return False
        return any(self._has[number]) or any(self._held_above(self._all_above(one)))

    def features(self, number: int) -> Mapping[str, float]:
        """By the names of `selecting.WEIGHTS`; the most are 0..1."""
        one, has = self._statements[number], self._has[number]
        return self._of_words(one, has) | self._of_kind(one) | self._of_place(one) | of_writing(one)

    def topic_in(self, number: int) -> float:
        """0..1: what the question is about, in a statement and above it."""
        one = self._statements[number]
        return self._topic.share_in(Wording((*self._said_in(one), *self._all_above(one))))

    def topic_said_in(self, number: int) -> float:
        """0..1: what the question is about, in the text of a statement alone."""
        return self._topic.share_in(Wording(self._said_in(self._statements[number])))

    def lacks_subject(self, number: int) -> bool:
        """Whether of what an amount is of the rarest word is neither in a statement nor above it; or a machine's name
        or a year that the question has."""
        one = self._statements[number]
        around = fold_latin(
            " ".join((one.block.heading, one.block.lead, one.text, *one.block.lines, *one.around, *one.title))
        )
        if not all(name in around for name in self._identifiers):
            return True
        return bool(self._subject) and not self._beside(self._statements[number]).has(self._subject)

    def heading_tells(self, number: int) -> bool:
        """Whether some of what the question is about stands in the heading, and not in what is quoted below it."""
        one = self._statements[number]
        quoted = (*one.words, *said_words(" ".join((one.block.lead, *one.block.header))))
        return self._topic.share_in(Wording((*quoted, *one.heading))) > self._topic.share_in(Wording(quoted))

    def says_heading(self, one: Statement) -> bool:
        """Whether a statement is the first below a heading that says what the question does, its document's title
        aside, and little else."""
        heading, said = Wording(one.heading), Wording((*one.heading, *one.title))
        shared = sum(self._topic.has(word) for word in one.heading)
        is_whole = self._topic.share_in(said) >= NEARLY_ALL and shared >= HALF * len(heading.stems)
        return one.opens_section and shared > 0 and is_whole

    def is_beside_imprint(self, one: Statement) -> bool:
        """Whether a statement is the line below a title, and of what is asked beside the title it has nothing."""
        if not one.is_imprint or self._has_role(one):
            return False
        if self._kind is Wish.TIME and has_kind(one.text, self._kind, self._said):
            return False
        title, said = Wording(one.heading), Wording(one.words)
        others = [word for word in self._words if self._topic.has(word) and not title.has(word)]
        return bool(others) and not any(map(said.has, others))

    def is_labelled(self, one: Statement) -> bool:
        """Whether a field, or the row of a weight or another quantity, is called what is asked for: "CIF: A-1". Looked
        for once: a list may have hundreds of fields."""
        if one.place not in self._labelled:
            self._labelled[one.place] = self._is_labelled(one)
        return self._labelled[one.place]

    def _is_labelled(self, one: Statement) -> bool:
        label = label_of(one.text)
        if self._quantity is not None:
            label = label or one.text.partition(" | ")[0]
            return self._quantity.named.search(fold_latin(label)) is not None
        called = Wording(said_words(label))
        is_called_so = bool(self._thing.label) and all(map(called.has, self._thing.label))
        is_called_so = is_called_so or (self._thing.is_priced and tells_price("", label))
        return is_called_so and not self._is_told_elsewhere(one)

    def is_named_row(self, one: Statement) -> bool:
        """Whether an amount is asked for, and the question has all that a row is called: "the annual plan" is "Annual",
        and no "Student annual"."""
        if one.is_whole or one.block.form is not Form.TABLE or self._kind not in AMOUNTS:
            return False
        if self._counted and self._counted.isdisjoint(word[:STEM_LETTERS] for word in (*one.words, *one.above)):
            return False
        called = said_words(one.text.partition(" | ")[0])
        asked = Wording(self._words)
        return bool(called) and all(map(asked.has, called))

    def is_aside(self, number: int) -> bool:
        """Whether the heading above a statement has nothing of what the question is about, in no form of its words."""
        heading = self._statements[number].heading
        said = Wording(heading)
        return bool(heading) and not any(said.holds(word) for word in self._words if self._topic.has(word))

    def _of_words(self, one: Statement, has: Sequence[float]) -> dict[str, float]:
        rank, position = one.place
        earlier, before, after = (self._has_of((rank, position + step)) for step in (-2, -1, 1))
        own, with_before = self._share(has), self._share([max(two) for two in zip(has, before, strict=True)])
        above = self._held_above((*self._above_of(one), *one.title, *self._beside_field(one)))
        return {
            "exact": self._share([float(held == 1) for held in has]),
            "own": own,
            "squared": own**2,
            "around": self._share([max(three) for three in zip(has, before, after, strict=True)]),
            "before": with_before,
            "earlier": self._share([max(three) for three in zip(has, before, earlier, strict=True)]) - with_before,
            "above": self._share([max(two) for two in zip(has, above, strict=True)]) - own,
            "pairs": self._paired(one.words),
            "terms": self._terms_in(one.text),
            "rarest": max((w * h for w, h in zip(self._worth, has, strict=True)), default=0)
            / max([1e-9, *self._worth]),
        }

    def _of_kind(self, one: Statement) -> dict[str, float]:
        has_role = self._has_role(one)
        said = with_units(one, self._counted)
        known = has_role or has_kind(said, self._kind, self._said)
        is_row = one.block.form is Form.TABLE and not one.is_whole
        is_opening = self._topic.share_in(Wording(opening_of(one.text))) >= MOST_OPENED
        defines = self._kind is Wish.DEFINITION and is_opening
        steps = self._kind is Wish.STEPS and one.block.is_numbered
        is_within = self._is_within(one)
        return {
            "kind": float(known is True),
            "no kind": float(known is False),
            "counted": float(bool(self._counted) and has_counted(words(said), self._counted)),
            "row kind": float(is_row and known is True),
            "row named": float(self.is_named_row(one)),
            "role": float(has_role),
            "labelled": float(self.is_labelled(one)),
            "happened": float(self._happened_in(one)),
            "opposed": float(not self._tells_quantity(one) or is_opposed(self._with, one.text) or is_within is False),
            "within": float(is_within is True),
            "lasts": float(self._kind is Wish.SPAN and known is True and says_it_lasts(one.text)),
            "opens": float(is_opening),
            "defines": float(defines),
            "defining verb": float(defines and self.defining.says_from(one.text) > 0),
            "glossary": float(defines and _GLOSSARY.search(fold_latin(one.block.heading)) is not None),
            "whole list": float(one.is_whole and (self._lists or steps)),
            "whole difference": float(one.is_whole and self._differs),
            "both": float(self._differs and self._topic.share_in(Wording((*one.words, *one.above))) > NEARLY_ALL),
        }

    def _of_place(self, one: Statement) -> dict[str, float]:
        titled = self._titled(one.heading)
        is_first = one.opens_section or (one.is_whole and one.block.is_first)
        is_mere_code = one.block.form is Form.CODE and not one.block.lead  # shows, and defines nothing
        defines = self._kind is Wish.DEFINITION and not is_mere_code
        rank = one.place[0]
        return {
            "rank": min(rank, LAST_RANK),
            "first": float(rank == 0),
            "titled": titled,
            "titled first": titled * is_first,
            "imprint": float(self.is_beside_imprint(one)),
            "titled definition": titled * is_first * defines,
            "asked": max((self._topic.alike(Wording(said_words(each))) for each in one.asked.split("?")), default=0.0),
        }

    def _has_role(self, one: Statement) -> bool:
        return not lists_works(one) and self._role.is_named_in(one.text, self._said)

    def _is_told_elsewhere(self, field: Statement) -> bool:
        """Whether another field of its list is called what else is asked for, and has a figure or an address: "email of
        the treasurer" is not "Email: info@…" above "Treasurer: ivo@…"."""
        there = Wording((*field.words, *field.above, *field.title))
        missing = [word for word in self._words if not there.has(word)]
        if id(field.block) not in self._told_by_fields:
            self._told_by_fields[id(field.block)] = [
                (place, Wording(said_words(label_of(line))))
                for place, line in enumerate(field.block.lines)
                if any(sign.isdigit() or sign == "@" for sign in line)
            ]
        others = (label for place, label in self._told_by_fields[id(field.block)] if place != field.line)
        return bool(missing) and any(any(map(label.has, missing)) for label in others)

    def _happened_in(self, one: Statement) -> bool:
        paragraph = " ".join(one.block.lines) if one.block.form is Form.PARAGRAPH else ""
        return self._thing.tells_it_happened(one.text, " ".join((*one.title, *one.above, *one.around)), paragraph)

    def _above_of(self, one: Statement) -> tuple[str, ...]:
        """The words above a statement; of what lasts also those of the headings around its own: what a rule is of is
        seldom said again beside its duration."""
        return (*one.above, *one.around) if self._kind is Wish.SPAN else one.above

    def _held_by(self, said: Sequence[str]) -> list[float]:
        text = Wording(said)
        return [text.holds(word) for word in self._words]

    def _held_above(self, above: tuple[str, ...]) -> list[float]:
        """Of what stands above many statements, once."""
        if above not in self._above:
            self._above[above] = self._held_by(above)
        return self._above[above]

    def _rarest_of(self, stems: Sequence[str]) -> str:
        """The one that the fewest statements have, themselves or above them; "" of none."""
        if not stems:
            return ""
        beside = list(map(self._beside, self._statements))
        return min(stems, key=lambda stem: sum(one.has(stem) for one in beside))

    def _beside(self, one: Statement) -> Wording:
        """The words of a statement, of a whole block's lines, of all that stands above them, and of the sentence before
        one that points back to it."""
        lines = words(" ".join(one.block.lines)) if one.is_whole else ()
        number = self._places.get((one.place[0], one.place[1] - 1)) if points_back(words(one.text)) else None
        before = self._statements[number].words if number is not None else ()
        lead = said_words(one.block.lead)
        return Wording((*one.words, *lines, *before, *lead, *one.above, *one.around, *one.title))

    def _all_above(self, one: Statement) -> tuple[str, ...]:
        """With the title, where a quantity is told or somebody has the role: "Peso: 12 kg" in "Ficha de la HV-450". Of
        a field that is called so also with the others of its list."""
        above = self._above_of(one)
        if self.is_labelled(one):
            return (*above, *one.title, *self._words_of_list(one))
        is_told = (self._quantity and self._tells_quantity(one)) or self._has_role(one)
        return (*above, *one.title) if is_told else above

    def _beside_field(self, one: Statement) -> tuple[str, ...]:
        """The words of the list of a field that is called what is asked for: they say what it is of."""
        is_field = self._quantity is None and self.is_labelled(one)
        return self._words_of_list(one) if is_field else ()

    def _words_of_list(self, one: Statement) -> tuple[str, ...]:
        if id(one.block) not in self._list_words:
            self._list_words[id(one.block)] = said_words(" ".join(one.block.lines))
        return self._list_words[id(one.block)]

    def _said_in(self, one: Statement) -> Sequence[str]:
        """A statement's words, those of its list of a field that is called what is asked for; who says "12 kg" need not
        say "weigh"."""
        if beside := self._beside_field(one):
            return (*one.words, *beside)
        if self._quantity is None or not self._tells_quantity(one):
            return one.words
        return (*one.words, *(word for word in self._words if word in self._quantity.words))

    def _tells_quantity(self, one: Statement) -> bool:
        """Whether it has the weight, the temperature, … that is asked for; True where none is."""
        return self._quantity is None or self._quantity.is_told_by(one.text, what_stands_above(one))

    def _is_within(self, one: Statement) -> bool | None:
        """Whether a row's range has a number that is asked for; None of what is no row, or has none."""
        is_row = one.block.form is Form.TABLE and not one.is_whole
        return stands_within(self._amounts, one.text) if is_row else None

    def _titled(self, heading: tuple[str, ...]) -> float:
        if heading not in self._headings:
            self._headings[heading] = self._topic.alike(Wording(heading))
        return self._headings[heading]

    def _has_of(self, place: tuple[int, int]) -> list[float]:
        number = self._places.get(place)
        return [0.0] * len(self._words) if number is None else self._has[number]

    def _share(self, has: Sequence[float]) -> float:
        return sum(worth * there for worth, there in zip(self._worth, has, strict=True)) / self._total

    def _terms_in(self, text: str) -> float:
        """The share of the exact terms, numbers and codes above all, that a statement has."""
        if not self._terms:
            return 0.0
        folded = fold_latin(text)
        return sum(term.is_in(folded) for term in self._terms) / len(self._terms)

    def _paired(self, said: Sequence[str]) -> float:
        """The share of the question's neighbouring words that stand together here, too."""
        places: dict[str, int] = {}
        for place, word in enumerate(said):
            places.setdefault(word[:STEM_LETTERS], place)
        found = 0
        for one, other in self._pairs:
            first, second = places.get(one[:STEM_LETTERS]), places.get(other[:STEM_LETTERS])
            found += first is not None and second is not None and abs(first - second) <= NEAR
        return found / max(1, len(self._pairs))


def _sought(question: str, said: Sequence[str], kind: Wish) -> Sequence[str]:
    """A question's words without the one that only asks how long, how much it costs or for the steps, unless there is
    no other."""
    if kind is Wish.STEPS and asks_for_list(question):
        return [word for word in said if word not in _STEPS] or said
    if kind is Wish.SPAN:
        return [word for word in said if not is_lasting_word(word)] or said
    if kind is Wish.NUMBER and names_price(question):
        return [word for word in said if word not in PRICING_WORDS] or said
    return said

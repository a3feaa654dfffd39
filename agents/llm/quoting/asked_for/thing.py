"""What of which thing a question asks: its price, its width, when she died. An answer has both, and not another's
price, or another date of hers. Pure.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from agents.llm.quoting.asked_for.happened import Happening, asked_event, tells_event
from agents.llm.quoting.asked_for.properties import asked_label, asked_property
from agents.llm.quoting.topic import Wording
from retrieval.confidence.kinds import names_price, tells_amount_of_money
from retrieval.confidence.quantities import asked_quantity
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STEM_LETTERS, STOP_WORDS, words

LONGEST = 600  # characters of a question
MOST_NAMES = 12
SHORTEST_BEGUN = 4  # letters of a name that may be the beginning of a word
KEPT = 64  # questions

_NAME = re.compile(r"(?<=[\w,;:(«\"“] )[«\"“(]?(?P<name>[A-ZÁÉÍÓÚÜÑ][\w'’-]{0,40}|(?:19|20)\d\d\b)")


@dataclass(frozen=True, slots=True)
class AskedThing:
    """What is asked: what happened, whether a price, or a property by its words; `label`: what a field with it is
    called. Of what: patterns of the `names` and years."""

    event: Happening | None
    is_priced: bool
    named: tuple[str, ...]
    label: tuple[str, ...]
    names: tuple[re.Pattern[str], ...]

    def is_told_by(self, said: str, around: str) -> bool:
        """Whether a statement, with what stands above it, has what is asked, and with what is `around` it the names;
        True where neither an event nor a price nor a property is asked."""
        if not (self.event or self.is_priced or self.named):
            return True
        return self._has_property(said) and self.names_in(f"{around} {said}") == self.names

    def names_in(self, text: str) -> tuple[re.Pattern[str], ...]:
        """Those that a text has."""
        folded = fold_latin(text)
        return tuple(name for name in self.names if name.search(folded))

    def is_event_in(self, said: str) -> bool:
        """Whether a text says that it happened; never where no event is asked."""
        return self.event is not None and tells_event(self.event, said)

    def _has_property(self, said: str) -> bool:
        if self.event is not None:
            return tells_event(self.event, said)
        if self.is_priced:
            return tells_amount_of_money(said)
        there = Wording(words(said))
        return all(map(there.holds, self.named))


@lru_cache(KEPT)
def asked_thing(question: str) -> AskedThing:
    """What of which thing a question asks, as far as it can be told."""
    asked = question[:LONGEST]
    has_unit = asked_quantity(asked) is not None  # a weight is told by its unit
    return AskedThing(
        asked_event(asked),
        names_price(asked),
        () if has_unit else asked_property(asked),
        () if has_unit else asked_label(asked),
        _names_of(asked),
    )


def _names_of(question: str) -> tuple[re.Pattern[str], ...]:
    """Of the words that are written as a name within the question, and of years."""
    found = () if question.isupper() else (fold_latin(one["name"]) for one in _NAME.finditer(question))
    names = dict.fromkeys(name for name in found if name not in STOP_WORDS)
    return tuple(map(_pattern, tuple(names)[:MOST_NAMES]))


def _pattern(name: str) -> re.Pattern[str]:
    """Of a number and a short name all of it: "Garza 300" is not in "2.300"."""
    if any(map(str.isdigit, name)) or len(name) < SHORTEST_BEGUN:
        return re.compile(rf"(?<![^\W_])(?<!\d[.,]){re.escape(name)}(?![^\W_]|[.,]\d)")
    return re.compile(rf"(?<![^\W_]){re.escape(name[:STEM_LETTERS])}")

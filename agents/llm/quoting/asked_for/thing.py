"""What of which thing a question asks: its price, its width, when she died. An answer has both, and not another's
price, or another date of hers. Pure.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from agents.llm.quoting.asked_for.happened import Happening, asked_happening, tells_happening
from agents.llm.quoting.asked_for.properties import ALIKE, asked_label, asked_property
from agents.llm.quoting.topic import Wording
from retrieval.confidence.kinds import is_seen_in, names_price, tells_amount_of_money
from retrieval.confidence.quantities import Quantity, asked_quantity
from retrieval.text.folding import fold_latin
from retrieval.text.stems import STEM_LETTERS, STOP_WORDS, words

LONGEST = 600  # characters of a question
MOST_NAMES = 12
MOST_CAPITALS = 0.7  # of a question's words: one written as a title names nothing by them
SHORTEST_BEGUN = 4  # letters of a name that may be the beginning of a word
KEPT = 64  # questions

_NAME = re.compile(r"(?<=[\w,;:(«\"“] )[«\"“(]?(?P<name>[A-ZÁÉÍÓÚÜÑ][\w'’-]{0,40}|(?:19|20)\d\d\b)")
_PIECE = re.compile(r"[^\W_]+")
_OTHERS_NAME = re.compile(r"^[A-ZÁÉÍÓÚÜÑ][\w'’-]{1,30},? [A-ZÁÉÍÓÚÜÑ]|(?<=[\w,;:] )[A-ZÁÉÍÓÚÜÑ][a-záéíóúüñ]")
_TITLES = frozenset({"mr", "mrs", "ms", "dr", "dra", "sr", "sra", "st", "saint", "san", "santa", "sir", "don", "dona"})


@dataclass(frozen=True, slots=True)
class AskedThing:
    """What is asked: when, where or how something happened, a price, a weight or the like, or a property by the words
    that it is `named` by. `label`: the words of what a field with it is called. Of what: patterns of `names` and years.
    """

    happening: Happening | None
    is_priced: bool
    quantity: Quantity | None
    named: tuple[str, ...]
    label: tuple[str, ...]
    names: tuple[re.Pattern[str], ...]

    @property
    def is_asked(self) -> bool:
        """Whether it can be told what is asked for."""
        return bool(self.happening or self.is_priced or self.quantity or self.named)

    def is_told_by(self, text: str, above: str, around: str) -> bool:
        """Whether a statement has, with what stands above it, what is asked, and with what is around it the names; True
        where nothing of all that is asked."""
        if self.happening is not None:
            return tells_happening(self.happening, text) and self._is_of_the_names(text, above, around)
        if not self.is_asked:
            return True
        return self._has_property(text, above) and self.names_in(f"{around} {above} {text}") == self.names

    def tells_it_happened(self, text: str, above: str, around: str) -> bool:
        """Whether a statement says that it happened, and to whom; never where that is not asked."""
        return self.happening is not None and self.is_told_by(text, above, around)

    def names_in(self, text: str) -> tuple[re.Pattern[str], ...]:
        """Those that a text has."""
        folded = fold_latin(text)
        return tuple(name for name in self.names if name.search(folded))

    def _is_of_the_names(self, text: str, above: str, around: str) -> bool:
        """What has somebody else's name before it says that it happened tells of them: a mother's birth is none of her
        son's."""
        if self.names_in(f"{above} {text}") == self.names:
            return True
        told = self.happening.told.search(fold_latin(text)) if self.happening else None
        before = text[: told.start()] if told else ""
        return not _OTHERS_NAME.search(before) and self.names_in(f"{around} {above} {text}") == self.names

    def _has_property(self, text: str, above: str) -> bool:
        said = f"{above} {text}"
        if self.is_priced:
            return tells_amount_of_money(said)
        if self.quantity is not None:
            return self.quantity.is_told_by(text, above)
        there = Wording(words(said))
        return all(any(map(there.holds, (word, *ALIKE.get(word, ())))) or is_seen_in(word, said) for word in self.named)


@lru_cache(KEPT)
def asked_thing(question: str) -> AskedThing:
    """What of which thing a question asks, as far as it can be told."""
    asked = question[:LONGEST]
    quantity = asked_quantity(asked)  # told by its unit, whatever it is called
    named, label = (asked_property(asked), asked_label(asked)) if quantity is None else ((), ())
    return AskedThing(asked_happening(asked), names_price(asked), quantity, named, label, _names_of(asked))


def _names_of(question: str) -> tuple[re.Pattern[str], ...]:
    """Of the words that are written as a name within the question, and of years."""
    said = question.split()
    if sum(word[:1].isupper() for word in said) > MOST_CAPITALS * len(said):
        return ()  # A Title
    found = (fold_latin(one["name"]).removesuffix("'s").removesuffix("’s") for one in _NAME.finditer(question))
    names = dict.fromkeys(name for name in found if name not in STOP_WORDS and name not in _TITLES)
    return tuple(map(_pattern, tuple(names)[:MOST_NAMES]))


def _pattern(name: str) -> re.Pattern[str]:
    """Of a number and a short name all of it, whatever is between its pieces: "Garza 300" is not in "2.300", and
    "KP-150" is "KP 150"."""
    if any(map(str.isdigit, name)) or len(name) < SHORTEST_BEGUN:
        whole = r"[\W_]{0,2}".join(map(re.escape, _PIECE.findall(name)))
        return re.compile(rf"(?<![^\W_])(?<!\d[.,]){whole}(?![^\W_]|[.,]\d)")
    return re.compile(rf"(?<![^\W_]){re.escape(name[:STEM_LETTERS])}")

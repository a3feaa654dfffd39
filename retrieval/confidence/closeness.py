"""How close together the words of a question stand in a passage. Pure.

A passage of 800 tokens in the same field has many of a question's words somewhere; one that answers has them in a
sentence or two. Measured on 190 questions with and 210 without an answer in the same documents (docs/answers.md): AUROC
of the whole passage's coverage .87, of the best forty words' .91; on XQuAD .95 and .97.
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from math import log

from retrieval.confidence.inflection import places_of, roots_of
from retrieval.text.folding import words_only
from retrieval.text.stems import asked_stems, stem, words

WINDOW, NEAR_WINDOW = 260, 120  # characters: some forty words, and a short sentence
BESIDE = 26  # characters between two words that stand side by side, function words between them included
HEADED = 0.7  # of a word's worth where only the title or the headings above the passage have it
FORM = 0.5  # of a word's worth where a passage has it in other forms alone
ASKING = 0.3  # of a word's worth that serves to ask: "¿Qué hace break?" is about break
AMONG = 32
_ASKING_WORDS = """
    hace hacen hacer tiene tienen tener puede pueden poder debe deben deber haber sirve sirven servir significa
    significan significar existe existen llama llaman dice dicen decir usa usan usar utiliza utilizan explica explicar
    resume resumir describe define ocurre pasa funciona establece diferencia ejemplo ejemplos tipo tipos forma manera
    cada segun da dan dar falta quiere entiende
    hago haces hacemos hice haria cuanta pesa pesan mide miden cabe caben
    puedo puedes podria podrian tengo tienes tenemos debo debes debemos deberia voy vamos quiero queremos estoy estuve
    use uses used using mean means meant say says explain summarize describe define work works happen happens called
    kind kinds type types many much long get gets make makes
    made way difference example examples must may need needs give gives
    given take takes weigh weighs
"""
ASKING_WORDS = frozenset(_ASKING_WORDS.split())


@dataclass(frozen=True, slots=True)
class Closeness:
    """Of one passage, 0..1: `window`, the share of the question's worth in the best window; `near`, in the best that is
    no longer than a sentence; `pairs`, the share of its neighbouring words that stand side by side there, too; `lacks`,
    the share of its content words that the passage has nowhere, nor what stands above it. A word that is there in other
    forms alone (`inflection`) is worth FORM of itself."""

    window: float
    near: float
    pairs: float
    lacks: float


def asking_stems(question: str) -> frozenset[str]:
    """Those of its words that only serve to ask."""
    return frozenset(stem(word) for word in words(question) if word in ASKING_WORDS)


class AskedWords:
    """A question's stems with their worth among some passages, rare ones first in it, and where a text has them."""

    def __init__(self, question: str, passages: Sequence[str]) -> None:
        self.stems = tuple(one for one in asked_stems(question) if one.isascii())
        self.folded = [b" " + words_only(passage) for passage in passages]
        self._begun = {stem: b" " + stem.encode() for stem in self.stems}
        self._finder = re.compile(b" (" + b"|".join(sorted((s.encode() for s in self.stems), reverse=True)) + b")")
        asking = asking_stems(question)
        self.worth = {stem: self._rarity(stem) * (ASKING if stem in asking else 1.0) for stem in self.stems}
        self.total = sum(self.worth.values()) or 1.0
        self.content = tuple(stem for stem in self.stems if stem not in asking)
        self._roots = {stem(word): roots_of(word) for word in words(question) if stem(word) in self._begun}
        self.neighbours = list(zip(self.content, self.content[1:], strict=False))

    def _rarity(self, stem: str) -> float:
        begun = self._begun[stem]
        count = sum(begun in passage for passage in self.folded)
        return log(1.0 + (max(AMONG, len(self.folded)) - count + 0.5) / (count + 0.5))

    def places(self, folded: bytes) -> list[tuple[int, str]]:
        """(character, stem) of each, in order."""
        if not self.stems:
            return []
        return [(match.start(), match[1].decode()) for match in self._finder.finditer(folded)]

    def closeness(self, folded: bytes, headings: str) -> Closeness:
        above = b" " + words_only(headings)
        headed = {stem: HEADED * self.worth[stem] for stem, begun in self._begun.items() if begun in above}
        places = self.places(folded)
        there = headed.keys() | {stem for _place, stem in places}
        forms = self._other_forms(folded, there)
        formed = {stem for _place, stem in forms}
        worth = self.worth | {stem: FORM * self.worth[stem] for stem in formed}
        lacking = sum(FORM if stem in formed else 1.0 for stem in self.content if stem not in there)
        found = sorted(places + forms) if forms else places
        return Closeness(
            window=self._best_window(found, headed, worth, WINDOW) / self.total,
            near=self._best_window(found, headed, worth, NEAR_WINDOW) / self.total,
            pairs=self._side_by_side(places),
            lacks=lacking / len(self.content) if self.content else 0.0,
        )

    def _other_forms(self, folded: bytes, there: Set[str]) -> list[tuple[int, str]]:
        """Of words that are not there themselves."""
        return [
            (place, stem)
            for stem, roots in self._roots.items()
            if stem not in there
            for root in roots
            for place in places_of(root, folded)
        ]

    @staticmethod
    def _best_window(
        places: Sequence[tuple[int, str]], headed: Mapping[str, float], worth_of: Mapping[str, float], length: int
    ) -> float:
        """The most worth in any window: one pass, words leave at its beginning as others come in at its end."""
        floor = best = sum(headed.values())
        inside: dict[str, int] = {}
        worth, first = floor, 0
        for place, found in places:
            if not inside.get(found):
                worth += worth_of[found] - headed.get(found, 0.0)
            inside[found] = inside.get(found, 0) + 1
            while places[first][0] < place - length:
                gone = places[first][1]
                inside[gone] -= 1
                if not inside[gone]:
                    worth -= worth_of[gone] - headed.get(gone, 0.0)
                first += 1
            best = max(best, worth)
        return best

    def _side_by_side(self, places: Sequence[tuple[int, str]]) -> float:
        """1 of a question of one word."""
        if not self.neighbours:
            return 1.0
        beside = set()
        for index, (place, found) in enumerate(places):
            for other, after in places[index + 1 : index + 4]:
                if other - place <= BESIDE:
                    beside |= {(found, after), (after, found)}
        return sum(pair in beside for pair in self.neighbours) / len(self.neighbours)

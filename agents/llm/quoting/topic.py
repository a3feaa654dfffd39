"""What a question is about: its words but those that it asks with, and how much of them a text has. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import sqrt

from retrieval.confidence.closeness import ASKING_WORDS
from retrieval.confidence.inflection import base_of
from retrieval.text.stems import STEM_LETTERS

SHORTEST_STEM = 3  # letters, of a singular
SHORT_STEM = 4  # letters: "ganó" and "ganaron" share no stem of six
SHORT_SHARE = 0.5  # of a word's worth, where only so much of it is there
KEPT_FORMS = 20_000  # words

# What a question asks with, and not about. Folded.
_KINDS_OF_THINGS = """
    concepto termino palabra siglas comando protocolo funcion metodo operador instruccion consiste trata entiende
    distingue meaning stand term word command protocol function method operator keyword
"""
_ASKED_WITH = {word[:STEM_LETTERS] for word in (*_KINDS_OF_THINGS.split(), *ASKING_WORDS)}


def stem_of(word: str) -> str:
    """Of a number and a code all of it: "10045671" is no form of "10045678"."""
    return word if any(map(str.isdigit, word)) else word[:STEM_LETTERS]


@lru_cache(KEPT_FORMS)
def forms(word: str) -> frozenset[str]:
    """A word's stem and those of what may be its singular: "listas" and "lista", "pitches" and "pitch"; of "flown" also
    "fly", of which it is a form."""
    stem = stem_of(word)
    singulars = {stem_of(word.removesuffix("s")), stem_of(word.removesuffix("es"))} if word.endswith("s") else set()
    return frozenset((stem, stem_of(base_of(word)), *(one for one in singulars if len(one) >= SHORTEST_STEM)))


class Wording:
    """The words of a text, folded, and their forms."""

    __slots__ = ("forms", "short", "stems")

    def __init__(self, said: Iterable[str]) -> None:
        several = tuple(said)
        self.forms = frozenset().union(*map(forms, several))
        self.short = frozenset(word[:SHORT_STEM] for word in several if word.isalpha())
        self.stems = frozenset(word[:STEM_LETTERS] for word in several if not word.isdigit())

    def has(self, word: str) -> bool:
        return not self.forms.isdisjoint(forms(word))

    def holds(self, word: str) -> float:
        """1 where it has a word, in any of its forms, less where only its beginning is there, else 0."""
        if self.has(word):
            return 1.0
        return SHORT_SHARE if len(word) >= SHORT_STEM and word[:SHORT_STEM] in self.short else 0.0


class Topic:
    """`worth`: of the question's words, folded; a rarer one weighs more."""

    def __init__(self, worth: Mapping[str, float]) -> None:
        about = asked_about(tuple(worth))
        self._worth = {stem_of(word): worth[word] for word in about}
        self._total = sum(self._worth.values())
        self._forms = Wording(about).forms

    def has(self, word: str) -> bool:
        return not self._forms.isdisjoint(forms(word))

    def share_in(self, said: Wording) -> float:
        """0..1: how much of it a text has."""
        if not self._total:
            return 0.0
        return sum(worth for stem, worth in self._worth.items() if said.has(stem)) / self._total

    def alike(self, said: Wording) -> float:
        """0..1: how far a heading or a question is about the same, and nothing else: "5.1. Listas" is about lists."""
        shared = sum(map(said.has, self._worth))
        return self.share_in(said) * sqrt(shared / max(1, shared, len(said.stems)))


def asks_with(word: str) -> bool:
    return word[:STEM_LETTERS] in _ASKED_WITH


def asked_about(said: Sequence[str]) -> list[str]:
    """A question's words without what it asks with; all of one that has nothing else: "¿Qué es una función?" """
    return [word for word in said if not asks_with(word)] or list(said)

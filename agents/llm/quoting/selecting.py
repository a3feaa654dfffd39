"""Which sentences of the passages answer a question: each gets the probability that it is the one. Pure.

A sentence's score is a sum of what it has of the question's words, rarer ones weighing more: itself, with its
neighbours, as pairs; whether it has the kind of thing that is asked for (`question_kinds`); and the place of its
passage. The scores' softmax says how sure that is, and as many sentences are chosen as are needed to be SURE, MOST at
most: one where it is clear, three where it is not.

WEIGHTS were fitted (listwise, cross entropy) on one half of XQuAD's 1,190 questions in Spanish and in English, asked of
whole articles through retrieval with the lexical embeddings; "defines", which these rarely ask for, was set by hand.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log

from agents.llm.base import Passage
from agents.llm.quoting.question_kinds import Wish, has_kind, kind_of_question
from agents.llm.quoting.quotable import quotable
from retrieval.text.stems import STEM_LETTERS, STOP_WORDS, words

MOST = 3  # sentences of an answer
SURE = 0.87
SAME = 0.75  # share of common stems above which two sentences say the same
AMONG = 32  # as `retrieval.confidence.coverage` has it: a few sentences do not make every word rare
SHORT_STEM = 4  # letters: "ganó" and "ganaron" share no stem of six
SHORT_SHARE = 0.5  # of a word's worth, where only so much of it is there
NEAR = 2  # words between the two of a pair
OPENING, LONGEST_WORD = 6, 30  # words; characters of one
MOST_ASKED = 64  # words of a question
MOST_CANDIDATES = 600

WEIGHTS = {
    "exact": 2.02, "own": 3.80, "squared": -1.03, "around": 3.46, "before": 2.26, "pairs": 0.96, "rarest": 1.70,
    "kind": 0.70, "no kind": -0.70, "rank": -1.50, "first": 1.30, "leans": 0.25, "length": -0.35, "defines": 3.0,
}  # fmt: skip
_LEANS = re.compile(
    r"(?:Est[oae]s?|Es[oa]s?|Ell[oa]s?|Dich[oa]s?|Además|Asimismo|También|Por (?:ello|eso|tanto)|Sin embargo"
    r"|Th(?:is|ese|ose|ey)|It|He|She|However|Therefore|Also|But|And)\b"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that may be quoted. `place`: passage and sentence, in reading order. `words`: what it says, folded."""

    text: str
    n: int
    place: tuple[int, int]
    words: tuple[str, ...]

    @property
    def stems(self) -> frozenset[str]:
        return frozenset(word[:STEM_LETTERS] for word in self.words)

    @property
    def leans(self) -> bool:
        """On the one before it."""
        return _LEANS.match(self.text) is not None


def sentences_of(passages: Sequence[Passage]) -> list[Sentence]:
    """Those that can be quoted, each once: overlapping passages repeat their border."""
    return list(_sentences(passages))[:MOST_CANDIDATES]


def _sentences(passages: Sequence[Passage]) -> Iterator[Sentence]:
    seen = set()
    for rank, passage in enumerate(passages):
        for position, text in enumerate(quotable(passage.text)):
            if text not in seen:
                seen.add(text)
                yield Sentence(text, passage.n, (rank, position), _content(text))


def select_sentences(question: str, candidates: Sequence[Sentence]) -> list[tuple[float, Sentence]]:
    """The sentences that together say it, likeliest first, with their probabilities; none where no word is shared."""
    chosen: list[tuple[float, Sentence]] = []
    sure = 0.0
    for probability, candidate in _rated(question, candidates):
        if len(chosen) == MOST or sure >= SURE:
            break
        if all(_likeness(candidate.stems, other.stems) <= SAME for _, other in chosen):
            chosen.append((probability, candidate))
            sure += probability
    return chosen


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _rated(question: str, candidates: Sequence[Sentence]) -> list[tuple[float, Sentence]]:
    asked = _Asked(question, candidates)
    scores = [asked.score(number) for number in range(len(candidates))]
    if not any(asked.own):
        return []
    top = max(scores)
    likely = [exp(score - top) for score in scores]
    total = sum(likely)
    rated = [
        (one / total, candidate)
        for number, (one, candidate) in enumerate(zip(likely, candidates, strict=True))
        if asked.own[number]  # what shares no word may be near the answer, but nobody could tell why it is quoted
    ]
    return sorted(rated, key=lambda pair: -pair[0])


class _Asked:
    """A question's words with their worth among the candidates, and which candidate has which."""

    def __init__(self, question: str, candidates: Sequence[Sentence]) -> None:
        self._candidates = candidates
        self._words = _content(question)[:MOST_ASKED]
        self._kind, self._said = kind_of_question(question), frozenset(words(question)[: 4 * MOST_ASKED])
        stems = [one.stems for one in candidates]
        short = [frozenset(word[:SHORT_STEM] for word in one.words) for one in candidates]
        counts = [sum(word[:STEM_LETTERS] in one for one in stems) for word in self._words]
        among = max(AMONG, len(candidates))
        self._worth = [log(1 + (among - count + 0.5) / (count + 0.5)) for count in counts]
        self._total = sum(self._worth) or 1.0
        self._has = [[_held(word, *held) for word in self._words] for held in zip(stems, short, strict=True)]
        self._places = {one.place: number for number, one in enumerate(candidates)}
        self._pairs = list(zip(self._words, self._words[1:], strict=False))
        self.own = [self._share(has) for has in self._has]

    def score(self, number: int) -> float:
        return sum(WEIGHTS[name] * value for name, value in self.features(number).items())

    def features(self, number: int) -> dict[str, float]:
        candidate, has = self._candidates[number], self._has[number]
        rank, position = candidate.place
        before, after = (self._has_of((rank, position + step)) for step in (-1, 1))
        known = has_kind(candidate.text, self._kind, self._said)
        return {
            "exact": self._share([float(one == 1) for one in has]),
            "own": self.own[number],
            "squared": self.own[number] ** 2,
            "around": self._share([max(three) for three in zip(has, before, after, strict=True)]),
            "before": self._share([max(two) for two in zip(has, before, strict=True)]),
            "pairs": self._paired(candidate.words),
            "rarest": max((w * h for w, h in zip(self._worth, has, strict=True)), default=0)
            / max([1e-9, *self._worth]),
            "kind": float(known is True),
            "no kind": float(known is False),
            "rank": min(rank, 3),
            "first": float(rank == 0),
            "leans": float(candidate.leans),
            "defines": float(self._kind is Wish.DEFINITION and self._opens(candidate.text)),
            "length": min(len(candidate.text), 400) / 400,
        }

    def _opens(self, sentence: str) -> bool:
        """Whether it begins with all that the question asks about: "Una lista es …"."""
        first = {word[:STEM_LETTERS] for word in words(sentence[: OPENING * LONGEST_WORD])[:OPENING]}
        return bool(self._words) and all(word[:STEM_LETTERS] in first for word in self._words)

    def _has_of(self, place: tuple[int, int]) -> list[float]:
        number = self._places.get(place)
        return [0.0] * len(self._words) if number is None else self._has[number]

    def _share(self, has: Sequence[float]) -> float:
        return sum(worth * there for worth, there in zip(self._worth, has, strict=True)) / self._total

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


def _held(word: str, stems: frozenset[str], short: frozenset[str]) -> float:
    if word[:STEM_LETTERS] in stems:
        return 1.0
    return SHORT_SHARE if len(word) >= SHORT_STEM and word[:SHORT_STEM] in short else 0.0


def _content(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words(text) if word not in STOP_WORDS))

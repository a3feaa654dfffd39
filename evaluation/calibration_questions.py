"""Questions to measure a calibration with, made from a corpus itself: no person and no model is asked. Pure.

A question has two thirds of some content words of one sentence, and half as many of other passages: a sentence asked
word by word would be found too easily, and a calibration from it would call real questions unanswerable. On XQuAD
(240 paragraphs; lexical space; es, en), of the 1,190 real questions are then judged sufficient, with their article and
without it:

    built-in calibration                      .92, .93      .10, .09
    measured on 200 questions made here       .90, .88      .07, .04
    measured on 200 of the real questions     .86, .90      .04, .04
    measured on 200 whole sentences           .56, .46      .00, .00
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from uuid import UUID

from retrieval.text.lines.sentences import sentences
from retrieval.text.stems import WORD, stems

_SENTENCE_WORDS = range(6, 41)
_WORDS = (4, 9)  # of a question, before the foreign ones
_KEPT, _FOREIGN = 2 / 3, 1 / 2


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A chunk to ask about: characters of its document's text."""

    document: UUID
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Probe:
    """A question and what answers it: these documents, or only this span (start, end) of the one document."""

    text: str
    documents: frozenset[UUID]
    span: tuple[int, int] | None = None

    def is_answered_by(self, document: UUID, start: int, end: int) -> bool:
        if document not in self.documents:
            return False
        return self.span is None or (start < self.span[1] and end > self.span[0])


def probes(passages: Sequence[Excerpt], random: Random) -> list[Probe]:
    """One question for each passage that has a sentence worth asking about, in order; the same for the same seed."""
    vocabulary = [word for passage in passages for word in content_words(passage.text)]
    made = (probe(passage, vocabulary, random) for passage in passages)
    return [one for one in made if one is not None]


def probe(passage: Excerpt, vocabulary: Sequence[str], random: Random) -> Probe | None:
    candidates = [span for span in sentences(passage.text) if _is_worth_asking(passage.text[slice(*span)])]
    if not candidates:
        return None
    start, end = random.choice(candidates)
    words = content_words(passage.text[start:end])
    kept = max(2, round(min(len(words), random.randint(*_WORDS)) * _KEPT))
    chosen = sorted(random.sample(range(len(words)), kept))
    foreign = random.choices(vocabulary, k=round(kept * _FOREIGN))
    span = (passage.start + start, passage.start + end)
    return Probe(" ".join([*(words[index] for index in chosen), *foreign]), frozenset([passage.document]), span)


def content_words(text: str) -> list[str]:
    """Its words without the function words of either language."""
    return [word for word in WORD.findall(text) if stems(word)]


def _is_worth_asking(sentence: str) -> bool:
    return len(WORD.findall(sentence)) in _SENTENCE_WORDS and len(content_words(sentence)) >= _WORDS[0]

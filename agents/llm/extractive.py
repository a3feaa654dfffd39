"""Answers without a language model: the sentences of the sources that fit the question best (SPEC §6)."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass

from agents.llm.base import Completion, Finished, ModelRequest, Passage, StreamEvent, TextDelta, Usage
from agents.llm.quotable import quotable
from retrieval.confidence.coverage import weigh_question
from retrieval.text.stems import stems
from retrieval.text.terms import exact_terms

MOST_SENTENCES = 5  # sentences of an answer
WORTH_QUOTING = 0.5  # of the best sentence's score
SAME = 0.6  # share of common stems above which two sentences say the same
LATER_PASSAGE = 0.12  # what each place further down the ranking costs
LATER_SENTENCE = 0.01
FULL_LENGTH = 12  # words; a shorter sentence says less
DEFINITION = 1.3  # what a sentence gains that opens with the thing that the question asks to define
OPENING = 6  # words
LEANING = 0.85  # what is left to a sentence that leans on the one before it
DOMINANT = 0.75  # share of the quoted score in one passage that makes the answer a paragraph,
PARAGRAPH = 3  # if it has no more sentences than this
WORDS_PER_DELTA = 4

_ASKS_DEFINITION = re.compile(r"\bqu[ée] (?:es|son|significan?)\b|\bdefin|\bwhat (?:is|are|does)\b", re.I)
_LEANS = re.compile(
    r"(?:Est[oae]s?|Es[oa]s?|Ell[oa]s?|Dich[oa]s?|Además|Asimismo|También|Por (?:ello|eso|tanto)|Sin embargo"
    r"|Th(?:is|ese|ose|ey)|It|He|She|However|Therefore|Also|But|And)\b"
)

# These speak in the question's language, which is not always the page's; hence no gettext.
INTRODUCTION = {
    "es": "*No soy un modelo de lenguaje: cito literalmente lo que dicen las fuentes.*",
    "en": "*I am not a language model: I quote what the sources say, word for word.*",
}
NEAREST_INTRODUCTION = {
    "es": "*No soy un modelo de lenguaje. Ninguna frase responde con sus mismas palabras; "
    "esto es lo más cercano en las fuentes.*",
    "en": "*I am not a language model. No sentence answers in the question's words; "
    "this is the nearest in the sources.*",
}
NO_INFORMATION = {
    "es": "No tengo información suficiente en los documentos para responder a esa pregunta.",
    "en": "I don't have enough information in the documents to answer that question.",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that may be quoted. `place`: passage and sentence, in reading order."""

    text: str
    stems: frozenset[str]
    n: int
    place: tuple[int, int]


class ExtractiveClient:
    """A `ModelClient` that needs nothing: no key, no server, no download."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """Groups of words, without artificial delay. It counts no tokens, because it costs none."""
        whole = await asyncio.to_thread(answer, request.question, request.passages, request.language)
        words = whole.split(" ")
        for start in range(0, len(words), WORDS_PER_DELTA):
            group = " ".join(words[start : start + WORDS_PER_DELTA])
            yield TextDelta(group if start + WORDS_PER_DELTA >= len(words) else group + " ")
            await asyncio.sleep(0)
        yield Usage(0, 0)
        yield Finished("stop")

    async def complete(self, request: ModelRequest) -> Completion:
        return Completion(await asyncio.to_thread(answer, request.question, request.passages, request.language))


def answer(question: str, passages: Sequence[Passage], language: str) -> str:
    """The whole answer in Markdown; `language` of the question (`es`, else English), passages best first."""
    spoken = "es" if language[:2] == "es" else "en"
    candidates = list(_candidates(passages))
    if not candidates:
        return NO_INFORMATION[spoken]
    scored = _score(question, candidates)
    if not scored:
        return f"{NEAREST_INTRODUCTION[spoken]}\n\n{_list(_first_of_each(candidates))}"
    chosen = _diverse(scored)
    if _is_dominated(chosen):
        quoted = sorted((candidate for _, candidate in chosen), key=lambda candidate: candidate.place)
        return f"{INTRODUCTION[spoken]}\n\n{' '.join(map(_cite, quoted))}"
    return f"{INTRODUCTION[spoken]}\n\n{_list([candidate for _, candidate in chosen])}"


def _candidates(passages: Sequence[Passage]) -> Iterator[Sentence]:
    seen = set()
    for rank, passage in enumerate(passages):
        for position, sentence in enumerate(quotable(passage.text)):
            if sentence not in seen:  # overlapping chunks repeat their border
                seen.add(sentence)
                yield Sentence(sentence, frozenset(stems(sentence)), passage.n, (rank, position))


def _score(question: str, candidates: Sequence[Sentence]) -> list[tuple[float, Sentence]]:
    """Candidates that say anything of what the question asks for, best first; empty when none does.

    Score: how much of the question the sentence covers, its words weighed by their rarity among the candidates
    (`retrieval.confidence.coverage`); discounted by place and by what makes a sentence read badly alone.
    """
    wanted = weigh_question(question, [candidate.text for candidate in candidates], exact_terms(question))
    defined = frozenset(wanted.stems if _ASKS_DEFINITION.search(question) else ())
    scored = []
    for candidate in candidates:
        if covered := wanted.share(candidate.text):
            rank, position = candidate.place
            place = 1 + LATER_PASSAGE * rank + LATER_SENTENCE * position
            scored.append((covered * _readability(candidate.text, defined) / place, candidate))
    return sorted(scored, key=lambda pair: -pair[0])


def _readability(sentence: str, defined: frozenset[str]) -> float:
    words = sentence.split()
    factor = 0.4 + 0.6 * min(1.0, len(words) / FULL_LENGTH)
    if defined and defined.issubset(stems(" ".join(words[:OPENING]))):
        factor *= DEFINITION
    return factor * (LEANING if _LEANS.match(sentence) else 1.0)


def _diverse(scored: Sequence[tuple[float, Sentence]]) -> list[tuple[float, Sentence]]:
    """The best sentences that do not repeat each other."""
    chosen: list[tuple[float, Sentence]] = []
    for score, candidate in scored:
        if len(chosen) == MOST_SENTENCES or score < WORTH_QUOTING * scored[0][0]:
            break
        if all(_likeness(candidate.stems, other.stems) < SAME for _, other in chosen):
            chosen.append((score, candidate))
    return chosen


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _is_dominated(chosen: Sequence[tuple[float, Sentence]]) -> bool:
    """Whether nearly all of the score comes from one passage, so that its sentences read as a paragraph."""
    by_passage: Counter[int] = Counter()
    for score, candidate in chosen:
        by_passage[candidate.n] += score  # type: ignore[assignment]  # a Counter adds floats as well
    share = max(by_passage.values()) / sum(by_passage.values())
    return len(chosen) <= PARAGRAPH and share >= DOMINANT


def _first_of_each(candidates: Sequence[Sentence]) -> list[Sentence]:
    first: dict[int, Sentence] = {}
    for candidate in candidates:
        first.setdefault(candidate.n, candidate)
    return list(first.values())[:2]


def _list(quoted: Sequence[Sentence]) -> str:
    return "\n".join(f"- {_cite(candidate)}" for candidate in quoted)


def _cite(candidate: Sentence) -> str:
    return f"{candidate.text} [{candidate.n}]"

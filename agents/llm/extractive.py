"""Answers without a language model: the sentences of the sources that answer the question (SPEC §6)."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from agents.llm.base import Completion, Finished, ModelRequest, Passage, StreamEvent, TextDelta, Usage
from agents.llm.quoting.question_kinds import Wish, kind_of_question
from agents.llm.quoting.selecting import Sentence, select_sentences, sentences_of
from agents.llm.quoting.structures import row_for, steps_for
from retrieval.confidence.coverage import weigh_question
from retrieval.text.terms import exact_terms

NEAREST = 2  # sentences that are shown where none answers
WORDS_PER_DELTA = 4
ANSWER_FIRST = (Wish.NUMBER, Wish.TIME, Wish.PERSON, Wish.PLACE, Wish.DEFINITION)

# These speak in the question's language, which is not always the page's; hence no gettext.
INTRODUCTION = {
    "es": "*No soy un modelo de lenguaje: cito literalmente lo que dicen las fuentes.*",
    "en": "*I am not a language model: I quote what the sources say, word for word.*",
}
NEAREST_INTRODUCTION = {
    "es": "Ninguna frase de los documentos responde a la pregunta. Lo más cercano que dicen:",
    "en": "No sentence of the documents answers the question. The nearest that they say:",
}
NO_INFORMATION = {
    "es": "No tengo información suficiente en los documentos para responder a esa pregunta.",
    "en": "I don't have enough information in the documents to answer that question.",
}


class ExtractiveClient:
    """A `ModelClient` that needs nothing: no key, no server, no download."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """Groups of words, without artificial delay. It counts no tokens, because it costs none."""
        whole = await asyncio.to_thread(reply_to, request)
        words = whole.split(" ")
        for start in range(0, len(words), WORDS_PER_DELTA):
            group = " ".join(words[start : start + WORDS_PER_DELTA])
            yield TextDelta(group if start + WORDS_PER_DELTA >= len(words) else group + " ")
            await asyncio.sleep(0)
        yield Usage(0, 0)
        yield Finished("stop")

    async def complete(self, request: ModelRequest) -> Completion:
        return Completion(await asyncio.to_thread(reply_to, request))


def reply_to(request: ModelRequest) -> str:
    """The answer; it says that it is no language model once in a conversation, below its first one."""
    said = answer(request.question, request.passages, request.language)
    introduction = INTRODUCTION[_spoken(request.language)]
    has_said_so = any(introduction in one.content for one in request.messages if one.role == "assistant")
    return said if has_said_so or not request.passages else f"{said}\n\n{introduction}"


def answer(question: str, passages: Sequence[Passage], language: str) -> str:
    """The whole answer in Markdown; `language` of the question (`es`, else English), passages best first."""
    candidates = sentences_of(passages)
    wanted = weigh_question(question, [one.text for one in passages], exact_terms(question))
    chosen = select_sentences(question, candidates)
    best = max((wanted.share(one.text) for _, one in chosen), default=0.0)
    if laid := steps_for(question, passages, wanted) or row_for(passages, wanted, best):
        return "\n".join(laid.lines)
    if chosen:
        return _told([one for _, one in chosen], kind_of_question(question))
    if not candidates:
        return NO_INFORMATION[_spoken(language)]
    return f"{NEAREST_INTRODUCTION[_spoken(language)]}\n\n{_list(_first_of_each(candidates))}"


def _spoken(language: str) -> str:
    return "es" if language[:2] == "es" else "en"


def _told(quoted: Sequence[Sentence], kind: Wish) -> str:
    """Of one passage as a paragraph, in reading order unless one thing was asked for, which then comes first."""
    if len({one.n for one in quoted}) > 1:
        return _list(quoted)
    leans = any(one.leans for one in quoted)
    ordered = sorted(quoted, key=lambda one: one.place) if leans or kind not in ANSWER_FIRST else quoted
    return " ".join(map(_cite, ordered))


def _first_of_each(candidates: Sequence[Sentence]) -> list[Sentence]:
    first: dict[int, Sentence] = {}
    for candidate in candidates:
        first.setdefault(candidate.n, candidate)
    return list(first.values())[:NEAREST]


def _list(quoted: Sequence[Sentence]) -> str:
    return "\n".join(f"- {_cite(candidate)}" for candidate in quoted)


def _cite(candidate: Sentence) -> str:
    return f"{candidate.text} [{candidate.n}]"

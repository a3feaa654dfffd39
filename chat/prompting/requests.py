"""From an agent, a history and a retrieval to what the model is asked."""

from collections.abc import Iterable, Sequence
from itertools import chain

from django.utils.translation import get_language

from agents.llm.base import ModelMessage, ModelRequest, Passage, ToolOffer
from agents.llm.extractive import INTRODUCTION
from agents.models import Agent
from chat.answering.questions import ChatQuestion
from chat.prompting.build import CONTEXT_AND_HISTORY_TOKENS, build_prompt
from retrieval.confidence.gate import Gate
from retrieval.results import Retrieval, RetrievedChunk
from retrieval.text.language import detect


def answer_language(question: str, history: Sequence[ModelMessage] = (), passages: Iterable[str] = ()) -> str:
    """The question's language; where its words do not tell ("Pet insurance"), that of the last question before it which
    does, else of the best passage that has one (`passages`: their languages), else the interface's."""
    asked = (turn.content for turn in reversed(history) if turn.role == "user")
    found = chain(map(detect, (question, *asked)), (language[:2] for language in passages))
    return next(filter(None, found), "") or _interface_language()


def quoting_language(language: str) -> str:
    """In which the answerer without a language model speaks of what it quotes: the question's, or the interface's
    where it does not know that one."""
    return language if language in INTRODUCTION else _interface_language()


def _interface_language() -> str:
    return (get_language() or "es")[:2]


def prompt_budget(agent: Agent) -> int:
    """Tokens of context and history together."""
    return max(CONTEXT_AND_HISTORY_TOKENS, agent.context_tokens)


def headings_of(passage: RetrievedChunk) -> tuple[str, ...]:
    """Each once: what a passage of several sections is made of is told by its parts."""
    paths = (passage.heading_path, *(part.heading_path for part in passage.parts))
    return tuple(dict.fromkeys(heading for path in paths for heading in path))


def chat_request_for(
    agent: Agent,
    history: tuple[ModelMessage, ...],
    question: ChatQuestion,
    retrieval: Retrieval,
    tools: tuple[ToolOffer, ...] = (),
) -> ModelRequest:
    """The model's request: passages numbered as the sources are, global and personal apart (SPEC §5). Passages that do
    not suffice are no context: they are shown as the nearest, and the model answers without documents, and says so."""
    language = answer_language(question.text, history, (one.language for one in retrieval.chunks))
    numbered = [
        (one.corpus_type, Passage(n, one.text, one.title, one.page, headings_of(one), str(one.document)))
        for n, one in enumerate(retrieval.chunks if retrieval.sufficient else (), 1)
    ]
    system, messages = build_prompt(
        system_prompt=agent.system_prompt,
        global_passages=[passage for tier, passage in numbered if tier == "global"],
        personal_passages=[passage for tier, passage in numbered if tier == "personal"],
        history=history,
        question=question.text,
        grounding=agent.grounding if agent.uses_rag else None,  # type: ignore[arg-type]  # a choice field's str
        context_template=agent.context_template,
        instructions=agent.instructions,
        language=language,
        sufficient=retrieval.sufficient,
        is_searched=retrieval.gate is not Gate.DEGRADED,
        has_tools=bool(tools),
        budget=prompt_budget(agent),
    )
    return ModelRequest(
        model=agent.model,
        system=system,
        messages=messages,
        temperature=agent.temperature,
        max_tokens=agent.max_tokens,
        question=question.text,
        searched=retrieval.query,
        passages=tuple(passage for _, passage in numbered),
        language=quoting_language(language),
        places=retrieval.named.places,
        shared_by=retrieval.named.shared_by,
        outline=retrieval.named.outline,
        tools=tools,
    )

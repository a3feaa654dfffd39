"""Builds what a model is asked: system prompt, numbered context, instructions, history, question; pure.

SPEC §5 and two-tier-corpora.es.md §4.3. The question stays a user message. Passages are untrusted data: each
is delimited, and no passage can close its own delimiter (RELIABILITY R18).
"""

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Literal

from agents.llm.base import ModelMessage, Passage
from chat.prompting.history import CUT, cut_history
from chat.prompting.texts import PromptTexts, texts_for
from chat.rendering.citations import without_citations

Grounding = Literal["open", "strict"]
CONTEXT_AND_HISTORY_TOKENS = 4_000  # SPEC §4: 2,000 of context, 4,000 with history
WORTH_CUTTING = 100  # a message that does not fit is cut only if so many tokens remain for it
TITLE_CHARACTERS = 200

# What could be taken for one of our delimiters: also spaced, or with characters that show nothing in between.
_INVISIBLE = r"[\s/\u00ad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]*"
_DELIMITER = re.compile(
    rf"[<\u2039\u3008\ufe64\uff1c](?={_INVISIBLE}(?:{_INVISIBLE.join('source')}|{_INVISIBLE.join('context')}))",
    re.I,
)


def estimate_prompt_tokens(text: str) -> int:
    """About cl100k's count: on 19 documents, 1.16 to 1.39 of it for prose, 0.83 to 1.05 for notes."""
    return len(text) // 4 + len(text.split()) // 3 + 1 if text else 0


def build_prompt(
    *,
    system_prompt: str,
    global_passages: Sequence[Passage] = (),
    personal_passages: Sequence[Passage] = (),
    history: Sequence[ModelMessage] = (),
    question: str,
    grounding: Grounding | None = "open",
    context_template: str = "",
    instructions: str = "",
    language: str = "es",
    sufficient: bool = True,
    is_searched: bool = True,
    has_tools: bool = False,
    budget: int = CONTEXT_AND_HISTORY_TOKENS,
    count_tokens: Callable[[str], int] = estimate_prompt_tokens,
) -> tuple[str, tuple[ModelMessage, ...]]:
    """The system prompt and the messages; the last message is the question.

    `is_searched`: whether what searches documents could be reached. `has_tools`: whether the model is offered any.
    `grounding` None: an agent without RAG, to which neither context nor rules about it are given.
    `context_template`: an agent's text around the context, with `{documents}` where it belongs.
    `instructions`: an agent's own, after the rules that always hold. `budget`: tokens of context and history
    together; the latest messages win. Numbers `[n]` in older answers are removed, because they meant others.
    """
    texts = texts_for(language)
    context = _context(texts, global_passages, personal_passages) if grounding else ""
    rules = ""
    if grounding or has_tools:
        found = {"has_context": bool(context), "sufficient": sufficient, "is_searched": is_searched}
        rules = texts.rules(grounding or "open", **found, has_tools=has_tools)
    template = context_template if "{documents}" in context_template else f"{context_template}\n\n{{documents}}"
    framed = template.replace("{documents}", context).strip() if context else ""
    system = "\n\n".join(part.strip() for part in (system_prompt, framed, rules, instructions) if part.strip())
    kept = _latest(history, budget - count_tokens(context), count_tokens)
    return system, (*kept, ModelMessage("user", question))


def _context(texts: PromptTexts, of_all: Sequence[Passage], personal: Sequence[Passage]) -> str:
    sections = [
        "\n".join([heading, *map(_source, passages)])
        for heading, passages in ((texts.global_heading, of_all), (texts.personal_heading, personal))
        if passages
    ]
    return "<context>\n{}\n</context>".format("\n\n".join(sections)) if sections else ""


def _source(passage: Passage) -> str:
    title = neutralise(escape(" ".join(passage.title.split())[:TITLE_CHARACTERS]))
    page = "" if passage.page is None else f' page="{passage.page}"'
    return f'<source id="{passage.n}" title="{title}"{page}>\n{neutralise(passage.text)}\n</source>'


def neutralise(text: str) -> str:
    """`text` in which nothing can be read as one of the context's delimiters, open or closed."""
    return _DELIMITER.sub("&lt;", text.replace("\0", ""))


def _latest(
    history: Sequence[ModelMessage], budget: int, count_tokens: Callable[[str], int]
) -> tuple[ModelMessage, ...]:
    """The latest messages within `budget` tokens, the first of them from the user; the oldest may be cut."""
    kept: list[ModelMessage] = []
    for message in reversed(cut_history(history, budget)):
        content = without_citations(message.content) if message.role == "assistant" else message.content
        tokens = count_tokens(content)
        if tokens > budget:
            if budget >= WORTH_CUTTING:
                kept.append(ModelMessage(message.role, content[: len(content) * budget // tokens] + CUT))
            break
        budget -= tokens
        kept.append(ModelMessage(message.role, content))
    while kept and kept[-1].role != "user":
        kept.pop()
    return tuple(reversed(kept))

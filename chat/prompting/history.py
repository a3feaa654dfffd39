"""A conversation cut to what a prompt has room for, before anything looks at its words (RELIABILITY R0); pure."""

from collections.abc import Sequence

from agents.llm.base import ModelMessage

CHARACTERS_A_TOKEN = 4  # at most so many are counted as one (`build.estimate_prompt_tokens`)
CUT = " …"


def cut_history(history: Sequence[ModelMessage], tokens: int) -> tuple[ModelMessage, ...]:
    """The latest messages that can have so many tokens, the oldest of them cut. Only lengths are looked at."""
    kept: list[ModelMessage] = []
    room = CHARACTERS_A_TOKEN * (max(tokens, 0) + 1)
    for message in reversed(history):
        if room <= 0:
            break
        fits = len(message.content) <= room
        kept.append(message if fits else ModelMessage(message.role, message.content[:room] + CUT))
        room -= len(message.content) + 1
    return tuple(reversed(kept))

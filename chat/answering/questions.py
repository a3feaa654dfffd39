"""A question, with everything that who asks it may choose (API.md, "Chat")."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from agents.llm.base import ModelMessage


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """What is asked, with everything the client may choose. `history` is what the client sent before it; a conversation
    that is begun with this question is about `document`, `documents` or `corpus`; `student` is where the asker is in a
    course and in which state (`chat.understanding.course`); `replaces` the conversation's last answer, asked for anew.
    """

    text: str
    history: tuple[ModelMessage, ...] = ()
    conversation: UUID | None = None
    project: UUID | None = None
    document: UUID | None = None
    documents: tuple[UUID, ...] = ()
    corpus: UUID | None = None
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    preferences: Mapping[str, Sequence[str]] = field(default_factory=dict)
    student: Mapping[str, str] = field(default_factory=dict)
    replaces: UUID | None = None
    stream: bool = True
    background: bool = False

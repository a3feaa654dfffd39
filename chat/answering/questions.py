"""A question, with everything that who asks it may choose (API.md, "Chat")."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from agents.llm.base import ModelMessage


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """What is asked, with everything the client may choose. `history` is what the client sent before it; `document`
    the one that a conversation, begun with this question, is about; `student` where the asker is in a course and in
    which state (`chat.understanding.course`)."""

    text: str
    history: tuple[ModelMessage, ...] = ()
    conversation: UUID | None = None
    project: UUID | None = None
    document: UUID | None = None
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict)
    preferences: Mapping[str, Sequence[str]] = field(default_factory=dict)
    student: Mapping[str, str] = field(default_factory=dict)
    stream: bool = True
    background: bool = False

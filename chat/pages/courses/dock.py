"""The tutor beside a unit: which agent, which conversation, and what it reads."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.models import Membership
from agents.models import Agent
from agents.pages.agents import agents_reading, id_in
from agents.pages.suggestions import suggestions
from chat.models import Conversation
from chat.pages.transcript import Transcript, transcript_of
from corpora.metadata.conditions import MAX_VALUES
from corpora.metadata.names import CORPUS
from corpora.models import Corpus, Document
from corpora.rows.courses import Unit

NEW = "new"  # in place of a conversation's id: begin another one
LATEST = 8


@dataclass(frozen=True, slots=True)
class Dock:
    """`history`: the latest conversations of this course. `examples`: what a new one may begin with."""

    agents: Sequence[Agent]
    agent: Agent
    conversation: Conversation | None
    history: Sequence[Conversation]
    examples: Sequence[str]
    only: str  # ids of the unit's documents, what is read until the whole course is asked for

    @property
    def transcript(self) -> Transcript | None:
        return transcript_of(self.conversation) if self.conversation else None

    @property
    def max_chars(self) -> int:
        return int(settings.MAX_QUESTION_CHARS)


def dock_for(request: HttpRequest, membership: Membership, corpus: Corpus, unit: Unit) -> Dock | None:
    """None where no agent reads the course for this member. `?conversation=` opens one of the course's, or NEW;
    `?agent=` begins one with that agent; else the latest goes on."""
    able = agents_reading(corpus, membership)
    if not able:
        return None
    mine = conversations_about(membership, corpus).filter(agent__in=able)
    history = list(mine[:LATEST])
    asked = next((one for one in able if one.slug == request.GET.get("agent")), None)
    conversation = None if asked else conversation_asked(request, mine, history)
    agent = conversation.agent if conversation else asked or able[0]
    only = ",".join(str(one.pk) for one in unit.documents[:MAX_VALUES])
    examples = () if conversation else examples_of(agent, membership, unit.documents)
    return Dock(able, agent, conversation, history, examples, only)


def conversations_about(membership: Membership, corpus: Corpus) -> QuerySet[Conversation]:
    """One's own that stay within this corpus, the latest first."""
    mine = Conversation.objects.owned_by(membership).select_related("agent")
    return mine.filter(**{f"context__filters__{CORPUS}": [str(corpus.pk)]})


def conversation_asked(
    request: HttpRequest, mine: QuerySet[Conversation], history: Sequence[Conversation]
) -> Conversation | None:
    asked = request.GET.get("conversation", "")
    if asked == NEW:
        return None
    found = mine.filter(pk=wanted).first() if (wanted := id_in(asked)) else None
    return found or (history[0] if history else None)


def examples_of(agent: Agent, membership: Membership, documents: Sequence[Document]) -> list[str]:
    indexed = [one for one in documents if one.status == Document.Status.INDEXED]
    return suggestions(agent, agent.scope_for(membership), indexed)

"""What an answer leaves in the database: its conversation, messages, citations and trace."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Membership
from accounts.problems import NotFound
from agents.llm.base import ModelMessage
from agents.models import Agent
from chat.models import Citation, Conversation, Message, Project, Trace
from chat.questions import Question
from corpora.scope import Scope
from retrieval.results import Retrieval, RetrievedChunk
from retrieval.snippets import snippet

HISTORY_MESSAGES = 20


def conversation_for(membership: Membership, agent: Agent, question: Question) -> Conversation:
    """The caller's own conversation with this agent, or a new one in the caller's own project."""
    if question.conversation:
        found = Conversation.objects.owned_by(membership).filter(pk=question.conversation, agent=agent).first()
        if found is None:
            raise NotFound
        return found
    return Conversation.objects.create(
        organization_id=membership.organization_id,
        owner_id=membership.user_id,
        agent=agent,
        project=project_for(membership, question.project),
        title=title_from(question.text),
    )


def project_for(membership: Membership, project_id: UUID | None) -> Project | None:
    if project_id is None:
        return None
    project = Project.objects.owned_by(membership).filter(pk=project_id).first()
    if project is None:
        raise NotFound
    return project


def title_from(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79].rsplit(" ", 1)[0] + "…"


def narrowed(scope: Scope, conversation: Conversation) -> Scope:
    """A project with corpora narrows the personal tier to them (API.md)."""
    if conversation.project_id is None:
        return scope
    chosen = set(
        Project.corpora.through.objects.filter(project_id=conversation.project_id).values_list("corpus_id", flat=True)
    )
    return scope.narrowed_to(chosen) if chosen else scope


def history_of(conversation: Conversation, question: Question) -> tuple[ModelMessage, ...]:
    """What the client sent before the question; when it sent nothing, what the conversation holds."""
    if question.history or question.conversation is None:
        return question.history
    kept = conversation.messages.exclude(content="").order_by("-created_at", "-pk")[:HISTORY_MESSAGES]
    return tuple(ModelMessage(one.role, one.content) for one in reversed(kept))  # type: ignore[arg-type]  # choices


def open_answer(
    agent: Agent, conversation: Conversation, question: Question, scope: Scope, retrieval: Retrieval
) -> Message:
    """Store the question, the answer's row, its citations and its trace, before the first byte is sent."""
    asked_at = timezone.now()
    with transaction.atomic():
        Message.objects.create(
            conversation=conversation, role=Message.Role.USER, content=question.text, created_at=asked_at
        )
        answer = Message.objects.create(
            conversation=conversation,
            role=Message.Role.ASSISTANT,
            status=Message.Status.STREAMING,
            confidence=retrieval.confidence.value,
            sufficient=retrieval.sufficient,
            created_at=timezone.now(),
        )
        cited = (citation(answer, n, one, retrieval.query) for n, one in enumerate(retrieval.chunks, 1))
        Citation.objects.bulk_create(cited)
        Trace.objects.create(message=answer, agent=agent, **trace_fields(scope, retrieval))
        Conversation.objects.filter(pk=conversation.pk).update(updated_at=timezone.now())
    return answer


def citation(answer: Message, n: int, chunk: RetrievedChunk, query: str) -> Citation:
    return Citation(
        message=answer,
        n=n,
        chunk_id=chunk.chunk,
        document_id=chunk.document,
        corpus_id=chunk.corpus,
        corpus_type=chunk.corpus_type,
        corpus_name=chunk.corpus_name,
        title=chunk.title,
        page=chunk.page,
        heading_path=list(chunk.heading_path),
        snippet=snippet(query, chunk.text),
        start=chunk.start,
        end=chunk.end,
        relevance=chunk.relevance,
    )


def trace_fields(scope: Scope, retrieval: Retrieval) -> dict[str, Any]:
    """Numbers and ids only: a trace never carries passages (R18)."""
    return {
        "scope_size": len(scope.corpus_ids),
        "granularity": retrieval.granularity,
        "confidence": retrieval.confidence.value,
        "score": retrieval.score,
        "degraded": retrieval.degraded or "",
        "candidates": [
            {"chunk": str(one.chunk), "relevance": one.relevance, "dense": one.dense, "bm25": one.bm25}
            for one in retrieval.chunks
        ],
        "dropped": dict(retrieval.dropped),
        "timings": dict(retrieval.timings),
    }


def close_answer(
    message_id: UUID,
    status: str,
    content: str,
    usage: dict[str, int],
    cited: Sequence[int],
    error_code: str = "",
) -> None:
    """Store how an answer ended. Idempotent: only an answer that still streams is closed."""
    with transaction.atomic():
        closed = Message.objects.filter(pk=message_id, status=Message.Status.STREAMING).update(
            status=status, content=content, usage=usage, error_code=error_code
        )
        if closed and cited:
            Citation.objects.filter(message_id=message_id, n__in=cited).update(cited=True)

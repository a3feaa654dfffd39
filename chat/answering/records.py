"""What an answer leaves in the database: its conversation, messages, citations and trace."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Membership
from accounts.problems import NotFound
from agents.llm.base import ModelMessage
from agents.models import Agent
from chat.answering import tracing
from chat.answering.attempts import Answer, Attempt
from chat.answering.questions import Question
from chat.models import Citation, Conversation, Message, Project, Trace
from corpora.scope import Scope
from retrieval.context.snippets import snippet
from retrieval.results import Retrieval, RetrievedChunk

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


def open_answer(agent: Agent, conversation: Conversation, question: Question, attempt: Attempt) -> Message:
    """Store the question, the answer's row, its citations and its trace, before the first byte is sent."""
    asked_at, retrieval = timezone.now(), attempt.retrieval
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
        Citation.objects.bulk_create(citations(answer.pk, retrieval))
        Trace.objects.create(message=answer, agent=agent, query=question.text, **tracing.found(attempt))
        Conversation.objects.filter(pk=conversation.pk).update(updated_at=timezone.now())
    return answer


def citations(message_id: UUID, retrieval: Retrieval) -> Iterator[Citation]:
    return (citation(message_id, n, one, retrieval.query) for n, one in enumerate(retrieval.chunks, 1))


def citation(message_id: UUID, n: int, chunk: RetrievedChunk, query: str) -> Citation:
    return Citation(
        message_id=message_id,
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


def close_answer(answer: Answer) -> None:
    """Store how an answer ended. Idempotent: only an answer that still streams is closed.

    The first attempt's sources were stored when it began; another one that turned out better brings its own.
    """
    best = answer.best
    fields: dict[str, Any] = {
        "status": Message.Status.FAILED if best.error else answer.status,
        "content": best.text,
        "usage": answer.usage,
        "error_code": best.error.code if best.error else "",
    }
    is_other = best is not answer.attempts[0]
    if is_other:
        fields |= {"confidence": best.retrieval.confidence.value, "sufficient": best.retrieval.sufficient}
    with transaction.atomic():
        if not Message.objects.filter(pk=answer.message, status=Message.Status.STREAMING).update(**fields):
            return
        if is_other:
            Citation.objects.filter(message_id=answer.message).delete()
            Citation.objects.bulk_create(citations(answer.message, best.retrieval))
        if best.cited:
            Citation.objects.filter(message_id=answer.message, n__in=best.cited).update(cited=True)
        Trace.objects.filter(message_id=answer.message).update(**tracing.told(answer))

"""What an answer leaves in the database: its conversation, messages, citations and trace."""

import logging
from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import partial
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
from chat.answering.questions import ChatQuestion
from chat.answering.state import State, state_of, state_promised
from chat.citing.rows import forget_deleted
from chat.citing.support import Quote, sentences_behind
from chat.citing.tables import rows_behind
from chat.models import AnswerTable, Citation, Conversation, Message, Project, Trace
from chat.usage.measuring import count_answer
from chat.versions import Exchange, put_aside
from config.concurrency.clock import DatabaseNow
from config.faults import describe_error
from corpora.metadata.names import CORPUS, DOCUMENT
from corpora.models import Corpus, Document
from corpora.scope import Scope
from retrieval.results import Retrieval

logger = logging.getLogger(__name__)

HISTORY_MESSAGES = 20
AFTER = timedelta(microseconds=1)  # an answer stands behind its question


def conversation_for(membership: Membership, agent: Agent, question: ChatQuestion) -> Conversation:
    """The caller's own conversation with this agent, or a new one, not stored yet: in the caller's own project, about
    the documents or the corpus that it is begun with."""
    if question.conversation:
        found = (
            Conversation.objects.owned_by(membership)
            .filter(pk=question.conversation, agent=agent)
            .select_related("project")
            .first()
        )
        if found is None:
            raise NotFound
        return found
    return Conversation(
        organization_id=membership.organization_id,
        owner_id=membership.user_id,
        agent=agent,
        project=project_for(membership, question.project),
        title=title_from(question.text),
        context=about(membership, {*filter(None, (question.document,)), *question.documents}, question.corpus),
        is_personal=False,  # until its first question is judged
    )


def project_for(membership: Membership, project_id: UUID | None) -> Project | None:
    if project_id is None:
        return None
    project = Project.objects.owned_by(membership).filter(pk=project_id).first()
    if project is None:
        raise NotFound
    return project


def about(membership: Membership, documents: Collection[UUID], corpus_id: UUID | None = None) -> dict[str, Any]:
    """The context of a conversation about some documents, or one corpus; an empty one without. Single documents are
    read alone, also where they are of another corpus. Raises NotFound for what the caller may not read."""
    only: dict[str, list[str]] = {}
    if documents:
        readable = Document.objects.readable_by(membership).filter(pk__in=documents)
        if corpus_id is not None and readable.exclude(corpus_id=corpus_id).exists():
            corpus_id = None
        if readable.count() < len(documents):
            raise NotFound
        only[DOCUMENT] = sorted(map(str, documents))
    if corpus_id is not None:
        if not Corpus.objects.readable_by(membership).filter(pk=corpus_id).exists():
            raise NotFound
        only[CORPUS] = [str(corpus_id)]
    return {"filters": only} if only else {}


def title_from(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79].rsplit(" ", 1)[0] + "…"


def narrowed(scope: Scope, conversation: Conversation) -> Scope:
    """A project that narrows leaves of the personal tier what was chosen for it and still exists (API.md)."""
    return narrowed_by(conversation.project, scope)


def narrowed_by(project: Project | None, scope: Scope) -> Scope:
    if project is None or not project.narrows:
        return scope
    chosen = set(Project.corpora.through.objects.filter(project=project).values_list("corpus_id", flat=True))
    return scope.narrowed_to(chosen)


def history_of(
    conversation: Conversation, question: ChatQuestion, replaced: Exchange | None = None
) -> tuple[ModelMessage, ...]:
    """What the client sent before the question; when it sent nothing, what the conversation holds but for the exchange
    that it takes the place of."""
    if question.history or question.conversation is None:
        return question.history
    said = conversation.messages.shown().exclude(content="").exclude(pk__in=[one.pk for one in replaced or ()])
    kept = said.order_by("-created_at", "-pk")[:HISTORY_MESSAGES]
    return tuple(ModelMessage(one.role, one.content) for one in reversed(kept))  # type: ignore[arg-type]  # choices


def follows_personal(conversation: Conversation, question: ChatQuestion) -> bool:
    """Whether what was said before may come from somebody's own documents: of what a client sends nobody knows.

    To be asked after the history was read: the conversation's row is looked at once more, since another of its
    questions may have been let in meanwhile.
    """
    if question.history or conversation.is_personal:
        return True
    return not conversation._state.adding and Conversation.objects.filter(pk=conversation.pk, is_personal=True).exists()


def keep_personal(conversation: Conversation) -> None:
    """From now on nothing made from its messages is for anybody but its owner."""
    conversation.is_personal = True
    Conversation.objects.filter(pk=conversation.pk).update(is_personal=True)


def open_answer(conversation: Conversation, question: str, message: UUID, replaced: Exchange | None = None) -> None:
    """Store the question and its empty answer, before anything is searched; in a transaction.

    Raises NotTheLastAnswer where they take the place of an exchange that is not shown any more. A conversation that
    has become personal is marked before there is a word that could tell of it.
    """
    now = timezone.now()
    marked = {"is_personal": True} if conversation.is_personal else {}
    if conversation._state.adding:
        conversation.save(force_insert=True)
    elif not Conversation.objects.filter(pk=conversation.pk).update(updated_at=now, **marked):
        raise NotFound  # deleted since it was looked up
    of_both: dict[str, Any] = {"conversation": conversation, "place": put_aside(replaced) if replaced else None}
    Message.objects.bulk_create(
        [
            Message(role=Message.Role.USER, content=question, created_at=now, **of_both),
            Message(
                pk=message,
                role=Message.Role.ASSISTANT,
                status=Message.Status.STREAMING,
                created_at=now + AFTER,
                writer_seen_at=DatabaseNow(),
                **of_both,
            ),
        ]
    )


def keep_sources(agent: UUID, question: str, attempt: Attempt) -> None:
    """Store what was found, while the model is asked: confidence, citations and trace; the attempt then forgets its
    candidates. Raises NotFound if the conversation was deleted meanwhile."""
    with transaction.atomic():
        answer = Message.objects.unclosed().filter(pk=attempt.message)
        if not answer.update(attempt=attempt.number, writer_seen_at=DatabaseNow(), **of_retrieval(attempt)):
            raise NotFound
        Citation.objects.bulk_create(attempt.sources)
        words = tracing.words_of(question, is_personal=attempt.is_personal)
        Trace.objects.create(message_id=attempt.message, agent_id=agent, **words, **tracing.trace_found(attempt))
    attempt.forget_candidates()


def keep_round(attempt: Attempt, number: int) -> None:
    """Store what was fetched while the answer is written, under the number that it is told with. Raises NotFound if
    the conversation was deleted meanwhile."""
    with transaction.atomic():
        answer = Message.objects.unclosed().filter(pk=attempt.message)
        said = {"attempt": number, "writer_seen_at": DatabaseNow(), "state": state_promised(attempt)}
        if not answer.update(**said):
            raise NotFound
        forget_deleted(attempt.tables)
        there = set(AnswerTable.objects.filter(message_id=attempt.message).values_list("n", flat=True))
        AnswerTable.objects.bulk_create(one for one in attempt.tables if one.n not in there)


def of_retrieval(attempt: Attempt) -> dict[str, Any]:
    return {
        "confidence": attempt.retrieval.confidence.value,
        "sufficient": attempt.retrieval.sufficient,
        "state": state_promised(attempt),
    }


def close_answer(answer: Answer) -> None:
    """Store how an answer ended. Idempotent: only an answer that is not closed yet.

    The first attempt's sources were stored when it began; another one that turned out better brings its own.
    """
    best = answer.best
    if best is not None:
        keep_quotes(best)
    fields: dict[str, Any] = {"status": answer.final_status, "error_code": answer.error_code, "usage": answer.usage}
    is_other = best is not None and best is not answer.attempts[0]
    if best is not None:
        fields |= {"content": best.text, "attempt": max(1, answer.told)}
        fields |= of_retrieval(best) if is_other else {}
        fields["state"] = state_of(best)
    with transaction.atomic():
        if not Message.objects.unclosed().filter(pk=answer.message).update(**fields):
            return
        transaction.on_commit(partial(count_answer, answer, fields.get("state", State.COULD_NOT_SEARCH)))
        if best is None:
            return
        if is_other:
            Citation.objects.filter(message_id=answer.message).delete()
            Citation.objects.bulk_create(best.sources)
        if best.cited:
            Citation.objects.filter(message_id=answer.message, n__in=best.cited).update(cited=True)
        for row in (one for one in best.sources if one.quotes is not None and not is_other):
            Citation.objects.filter(message_id=answer.message, n=row.n).update(quotes=row.quotes)
        close_tables(answer, best)
        Trace.objects.filter(message_id=answer.message).update(**tracing.trace_ended(answer))


def close_tables(answer: Answer, best: Attempt) -> None:
    """The rows that the kept attempt has fetched, and no others; few, if any."""
    if not any(one.steps for one in answer.attempts):
        return
    forget_deleted(best.tables)
    AnswerTable.objects.filter(message_id=answer.message).delete()
    for one in best.tables:
        one.cited = one.n in best.cited
    AnswerTable.objects.bulk_create(best.tables)


def keep_quotes(best: Attempt) -> None:
    """The sentences behind its citations, on its sources, and the rows. Without them the passages stand for them."""
    others = [one.n for one in best.tables]
    quotes = quotes_behind(best.message, best.retrieval, best.scope, best.text, others)
    for row in best.sources:
        row.quotes = quotes.get(row.n)
    rows = rows_behind(best.text, best.tables, [one.n for one in best.sources]) if best.tables else {}
    for table in best.tables:
        table.quotes = rows.get(table.n)


def quotes_behind(
    message: UUID, retrieval: Retrieval, scope: Scope, text: str, others: Sequence[int] = ()
) -> dict[int, list[Quote | None]]:
    """The sentences behind the citations of `text`, which may cite `others` beside its passages. What goes wrong here,
    but for the database, does not cost anybody the answer."""
    try:
        return sentences_behind(text, retrieval.chunks, scope, others)
    except (ValueError, LookupError, TypeError) as error:
        logger.error("message %s: its citations could not be looked up: %s", message, describe_error(error))
        return {}


def give_up(message: UUID, code: str) -> None:
    """Close an answer whose text cannot be stored, with what was kept of it before."""
    Message.objects.filter(pk=message, status=Message.Status.STREAMING).update(
        status=Message.Status.FAILED, error_code=code
    )

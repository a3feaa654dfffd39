"""A chat request repeated with its Idempotency-Key gets its first answer again (API.md)."""

import hashlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest

from accounts.http import idempotency
from accounts.models import IdempotentReply, Membership
from accounts.problems import NotFound
from agents.llm.base import ModelError
from chat.models import Message, Trace
from chat.stream.events import Done, Error, Event, Source, Sources, Token


@dataclass(frozen=True, slots=True)
class Replay:
    """A stored answer, told again."""

    message: UUID
    told: tuple[Event, ...]

    @classmethod
    def of(cls, reply: IdempotentReply, membership: Membership) -> "Replay":
        """Raises StillRunning while the first answer streams, and 404 when it was deleted meanwhile."""
        message = Message.objects.owned_by(membership).filter(pk=(reply.body or {})["message"]).first()
        if message is None:
            raise NotFound
        if message.status == Message.Status.STREAMING:
            raise idempotency.StillRunning
        said = (Token(message.content, 1),) if message.content else ()
        return cls(message.pk, (sources_of(message), *said, ending_of(message)))

    async def events(self) -> AsyncGenerator[Event, None]:
        for event in self.told:
            yield event


def claim(request: HttpRequest, membership: Membership, reference: str) -> tuple[IdempotentReply | None, bool]:
    key = request.headers.get(idempotency.HEADER)
    if not key:
        return None, False
    same = idempotency.fingerprint("chat", reference, hashlib.sha256(request.body).hexdigest())
    return idempotency.claim(membership, key, same)


def settle(reply: IdempotentReply | None, message_id: UUID) -> None:
    if reply:
        idempotency.settle(reply, 200, {"message": str(message_id)})


def free(reply: IdempotentReply | None) -> None:
    """The request was not carried out: its key may be used again."""
    if reply:
        reply.delete()


def sources_of(message: Message) -> Sources:
    return Sources(
        conversation=message.conversation_id,
        message=message.pk,
        attempt=1,
        confidence=message.confidence,
        sufficient=bool(message.sufficient),
        degraded=Trace.objects.filter(message=message).values_list("degraded", flat=True).first() or None,
        sources=tuple(
            Source(
                n=one.n,
                chunk=one.chunk_id,
                document=one.document_id or UUID(int=0),
                title=one.title,
                corpus=one.corpus_id,
                corpus_type=one.corpus_type,
                page=one.page,
                heading_path=tuple(one.heading_path),
                snippet=one.snippet,
                relevance=one.relevance,
            )
            for one in message.citations.all()
        ),
    )


def ending_of(message: Message) -> Done | Error:
    if message.status == Message.Status.FAILED:
        advice = next((one.advice for one in ModelError.__subclasses__() if one.code == message.error_code), None)
        return Error(message.error_code, str(advice or ModelError.advice), message.pk)
    cited = tuple(message.citations.filter(cited=True).values_list("n", flat=True))
    stopped = message.status == Message.Status.STOPPED
    return Done("stopped" if stopped else "complete", message.pk, message.usage, cited)

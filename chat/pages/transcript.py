"""Messages as a page shows them: answers rendered, with their sources, oldest first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Prefetch
from django.utils.safestring import SafeString, mark_safe

from chat.answering.sources import supports_by_number
from chat.answering.state import READ_OF_A_TRACE, State, state_kept
from chat.citing.support import page_told
from chat.models import AnswerTable, Citation, Conversation, Message, MessageQuerySet, Trace
from chat.rendering.markdown import render
from chat.rendering.markdown_rules import CitationMark
from chat.stream.elsewhere import advice_for
from chat.stream.events import Support
from chat.versions import versions_at

TRANSCRIPT_SIZE = 50


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message and what is drawn of it. `html` is sanitised; empty for questions, which stay text."""

    row: Message
    html: SafeString
    sources: tuple[Citation, ...]
    tables: tuple[AnswerTable, ...] = ()
    versions: tuple[UUID, ...] = ()  # of a question the ones that were asked in its place, oldest first

    @property
    def version(self) -> int:
        """Which of the versions it is, from 1."""
        return self.versions.index(self.row.pk) + 1

    @property
    def version_before(self) -> UUID | None:
        return self.versions[self.version - 2] if self.version > 1 else None

    @property
    def version_after(self) -> UUID | None:
        return self.versions[self.version] if self.version < len(self.versions) else None

    @property
    def documents(self) -> list[list[Citation]]:
        """Its sources, those of one document together, in the order of their first."""
        found: dict[object, list[Citation]] = {}
        for one in self.sources:
            found.setdefault(one.document_id or one.pk, []).append(one)
        return list(found.values())

    @property
    def is_live(self) -> bool:
        """Somebody writes it at this moment: the page follows it."""
        return self.row.present_status == Message.Status.STREAMING

    @property
    def stage(self) -> str:
        """Where a live answer stands, as its events would tell."""
        return "generating" if self.row.attempt else "retrieving"

    @property
    def failure(self) -> str:
        """Why it ended before its end, in a sentence; "" where it did not."""
        is_failed = self.row.present_status == Message.Status.FAILED
        return advice_for(self.row.present_error_code) if is_failed else ""

    @property
    def state(self) -> str:
        """How far it rests on documents; "" of what said nothing."""
        return str(state_kept(self.row)) if self.row.content or self.is_live else ""

    @property
    def mark(self) -> str:
        """Its state, or that it rests on what nobody can read any more: what it cites was deleted."""
        rests = self.state in (State.SUPPORTED, State.PARTLY_SUPPORTED)
        gone = any(one.cited and one.is_deleted for one in self.sources)
        return "deleted" if rests and (gone or any(one.cited and one.is_gone for one in self.tables)) else self.state


@dataclass(frozen=True, slots=True)
class Transcript:
    """Consecutive messages; `earlier` is the id to ask for what lies before, None at the beginning."""

    messages: tuple[ShownMessage, ...]
    earlier: UUID | None


def transcript_of(conversation: Conversation, before: UUID | None = None) -> Transcript:
    """The latest TRANSCRIPT_SIZE messages, or those before a given one."""
    rows = with_sources(conversation)
    if before and (edge := conversation.messages.filter(pk=before).first()):
        rows = rows.before(edge)
    latest = list(rows.order_by("-created_at", "-pk")[: TRANSCRIPT_SIZE + 1])
    shown = latest[:TRANSCRIPT_SIZE][::-1]
    return Transcript(shown_messages(conversation, shown), shown[0].pk if len(latest) > TRANSCRIPT_SIZE else None)


def later_messages(conversation: Conversation, after: UUID) -> tuple[ShownMessage, ...]:
    """The messages after a given one: what another tab or device has asked meanwhile."""
    rows = with_sources(conversation)
    edge = conversation.messages.filter(pk=after).first()
    if edge is None:
        return ()
    return shown_messages(conversation, rows.after(edge).order_by("created_at", "pk")[:TRANSCRIPT_SIZE])


def with_sources(conversation: Conversation) -> MessageQuerySet:
    return (
        conversation.messages.shown()
        .dated()
        .prefetch_related(
            Prefetch("citations", Citation.objects.select_related("document__corpus")),
            "tables",
            Prefetch("trace", Trace.objects.only("message", *READ_OF_A_TRACE)),  # of answers of 0.1.0, for their state
        )
    )


def shown_messages(conversation: Conversation, rows: Iterable[Message]) -> tuple[ShownMessage, ...]:
    shown = list(rows)
    versions = versions_at(conversation, {one.place for one in shown if one.place})
    return tuple(shown_message(one, one.citations.all(), versions.get(one.place or one.pk, ())) for one in shown)


def shown_message(row: Message, citations: Iterable[Citation], versions: Sequence[UUID] = ()) -> ShownMessage:
    """What is drawn of a message; of sources whose document is deleted no text."""
    sources, tables = tuple(one.veil() for one in citations), tuple(row.tables.all())
    cited: list[Citation | AnswerTable] = [*sources, *tables]
    is_answer = row.role == Message.Role.ASSISTANT
    rendered = render(row.content, [one.n for one in cited], marks_of(row.content, cited)) if is_answer else ""
    html = mark_safe(rendered)  # noqa: S308 - chat.rendering.markdown sanitises after rendering (R17)
    return ShownMessage(row, html, sources, tables, () if is_answer else tuple(versions))


def marks_of(text: str, sources: Sequence[Citation | AnswerTable]) -> dict[int, list[CitationMark]]:
    """How the citations are drawn. Of a deleted document nothing is said: its claims were not looked at and refused."""
    known = [one for one in sources if one.snippet and one.quotes is not None]
    return {n: [mark_of(one) for one in supports] for n, supports in supports_by_number(text, known).items()}


def mark_of(support: Support) -> CitationMark:
    if support.text is None:
        return CitationMark(is_supported=False)
    span = f"{support.start}-{support.end}" if support.end else ""
    return CitationMark(True, support.text, span, page_told(support.page, support.page_label))

"""Conversations: projects, messages, their citations and traces."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Membership, Organization, User
from accounts.tenancy.scope import system_scope
from agents.models import Agent
from chat.citing.rows import AnswerTable as AnswerTable
from chat.leaving.rows import Export as Export
from chat.leaving.rows import export_key as export_key
from chat.usage.rows import DailyUsage as DailyUsage
from config.concurrency.clock import DatabaseNow
from corpora.models import Corpus, Document


class ProjectQuerySet(models.QuerySet["Project"]):
    def owned_by(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id, owner_id=membership.user_id)


class Project(Identified):
    """A user's folder of conversations; with corpora it narrows the personal tier to them.

    `narrows` stays when the chosen corpora are deleted: then nothing personal is read until the owner chooses again.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="projects")
    owner = models.ForeignKey(User, models.CASCADE, related_name="projects")
    name = models.CharField(_("name"), max_length=150)
    corpora = models.ManyToManyField(Corpus, blank=True, related_name="projects")
    narrows = models.BooleanField(default=False, editable=False)  # stays when the chosen corpora are erased
    objects = ProjectQuerySet.as_manager()

    class Meta:
        verbose_name = _("project")
        verbose_name_plural = _("projects")
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.name

    def narrow_to(self, corpora: Iterable[Corpus]) -> None:
        """Read only these of the owner's personal corpora, and none once they are gone; without any, all of them."""
        chosen = list(corpora)
        self.corpora.set(chosen)
        self.narrows = bool(chosen)
        self.save(update_fields=["narrows"])


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def owned_by(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id, owner_id=membership.user_id)

    def speaking_of(self, wanted: str) -> Self:
        """Those that have it in their title or in what was asked or answered."""
        said = Message.objects.filter(conversation=models.OuterRef("pk"), content__matches=wanted)
        return self.filter(Q(title__matches=wanted) | models.Exists(said))


class Conversation(Identified):
    """One user's talk with one agent.

    `is_personal`: a personal corpus was in reach of one of its questions, or a client sent its history along. Once so,
    always so, whatever becomes of the corpus: nothing made from its messages is for anybody else (docs/privacy.md).
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="conversations")
    owner = models.ForeignKey(User, models.CASCADE, related_name="conversations")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="conversations")
    project = models.ForeignKey(Project, models.SET_NULL, null=True, blank=True, related_name="conversations")
    title = models.CharField(_("title"), max_length=200, blank=True)
    context = models.JSONField(default=dict, blank=True, help_text='{"filters": {…}, "preferences": {…}}')
    is_personal = models.BooleanField(default=True, editable=False)
    updated_at = models.DateTimeField(default=timezone.now)
    pinned_at = models.DateTimeField(null=True, blank=True, editable=False)
    objects = ConversationQuerySet.as_manager()

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        ordering = ("-updated_at", "-pk")
        indexes = (models.Index(fields=("organization", "owner", "-updated_at"), name="conversation_of_owner"),)

    def __str__(self) -> str:
        return self.title or str(self.pk)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Cases of a question set that were made of its answers lose their reference, and they are not the user's."""
        with system_scope():
            return super().delete(*args, **kwargs)


class MessageQuerySet(models.QuerySet["Message"]):
    def owned_by(self, membership: Membership) -> Self:
        return self.filter(
            conversation__organization_id=membership.organization_id,
            conversation__owner_id=membership.user_id,
        )

    def before(self, edge: "Message") -> Self:
        return self.filter(Q(created_at__lt=edge.created_at) | Q(created_at=edge.created_at, pk__lt=edge.pk))

    def after(self, edge: "Message") -> Self:
        return self.filter(Q(created_at__gt=edge.created_at) | Q(created_at=edge.created_at, pk__gt=edge.pk))

    def shown(self) -> Self:
        """Without those in whose place others are shown (`chat.versions`)."""
        return self.exclude(is_aside=True)

    def dated(self) -> Self:
        """Each with when it was read (`read_at`), by the clock by which its writer says that it lives."""
        return self.annotate(read_at=DatabaseNow())

    def streaming(self) -> Self:
        """Answers that somebody writes at this moment."""
        return self.filter(status=Message.Status.STREAMING, writer_seen_at__gte=DatabaseNow(-WRITER_SILENT))

    def broken_off(self) -> Self:
        """Answers whose writer has died: they say that they stream, but nobody has been heard of for a while."""
        silent = DatabaseNow(-WRITER_SILENT)
        unheard = Q(writer_seen_at__lt=silent) | Q(writer_seen_at=None, created_at__lt=silent)
        return self.filter(unheard, status=Message.Status.STREAMING)

    def unclosed(self) -> Self:
        """Answers that their writer may still write: they stream, or were taken for broken off while it could not reach
        the database."""
        return self.filter(Q(status=Message.Status.STREAMING) | Q(error_code=Message.INTERRUPTED))


WRITER_SILENT = timedelta(seconds=12)  # its writer says every two seconds that it lives


class Message(Identified):
    """A question or an answer. An answer's row exists from its start, so that it can be stopped and resumed.

    While it streams, its writer notes every two seconds what there is and that it lives: the row is what a reader in
    another process follows, and one of the streams that its asker may have open.
    """

    INTERRUPTED = "interrupted"  # the error code of an answer whose writer died

    class Role(models.TextChoices):
        USER = "user", _("user")
        ASSISTANT = "assistant", _("assistant")

    class Status(models.TextChoices):
        STREAMING = "streaming", _("streaming")
        COMPLETE = "complete", _("complete")
        STOPPED = "stopped", _("stopped")
        FAILED = "failed", _("failed")

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="messages")
    role = models.CharField(max_length=10, choices=Role)
    content = models.TextField(blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.COMPLETE)
    error_code = models.CharField(max_length=40, blank=True)
    confidence = models.CharField(max_length=10, blank=True)
    sufficient = models.BooleanField(null=True)
    state = models.CharField(max_length=20, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0, editable=False)  # 0: its sources are not known yet
    usage = models.JSONField(default=dict)
    stop_requested_at = models.DateTimeField(null=True, editable=False)
    writer_seen_at = models.DateTimeField(null=True, editable=False)
    reader_seen_at = models.DateTimeField(null=True, editable=False)  # in another process than the writer's
    place = models.UUIDField(null=True, editable=False, help_text="shared by exchanges that stand for one another")
    is_aside = models.BooleanField(default=False, null=True, editable=False)  # null: of a release that knew none
    follow_ups = models.JSONField(
        null=True, editable=False, help_text="ids of sections to go on with, and for what reach"
    )
    rating = models.SmallIntegerField(null=True, blank=True)
    comment = models.TextField(blank=True, max_length=2000)
    read_at: datetime  # of a row that was read `dated`
    objects = MessageQuerySet.as_manager()

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ("created_at", "pk")
        indexes = (
            models.Index(fields=("conversation", "created_at"), name="message_of_conversation"),
            models.Index(fields=("writer_seen_at",), condition=Q(status="streaming"), name="message_streaming"),
            models.Index(fields=("created_at",), name="message_created"),
        )
        constraints = (
            models.CheckConstraint(
                condition=models.Q(rating=None) | models.Q(rating__in=(-1, 1)), name="rating_is_up_or_down"
            ),
        )

    def __str__(self) -> str:
        return f"{self.role} {self.pk}"

    @property
    def is_broken_off(self) -> bool:
        """As `broken_off` has it, of this row, which was read `dated`."""
        if self.status != self.Status.STREAMING:
            return False
        return (self.writer_seen_at or self.created_at) < self.read_at - WRITER_SILENT

    @property
    def present_status(self) -> str:
        """Its status, unless that is of a writer who died."""
        return str(self.Status.FAILED if self.is_broken_off else self.status)

    @property
    def present_error_code(self) -> str:
        return self.INTERRUPTED if self.is_broken_off else self.error_code


class Citation(Identified):
    """A source of an answer, as it was shown. Its snippet and quotes go when the document is erased.

    `quotes`: of each `[n]` in the answer the sentence that supports it (`chat.citing`); None: nobody has looked.
    """

    message = models.ForeignKey(Message, models.CASCADE, related_name="citations")
    n = models.PositiveSmallIntegerField()
    chunk_id = models.UUIDField()
    document = models.ForeignKey(Document, models.SET_NULL, null=True, related_name="citations")
    corpus_id = models.UUIDField()
    corpus_type = models.CharField(max_length=10)
    corpus_name = models.CharField(max_length=150)
    title = models.CharField(max_length=255)
    page = models.PositiveIntegerField(null=True)
    page_end = models.PositiveIntegerField(null=True)
    heading_path = models.JSONField(default=list)
    snippet = models.TextField(blank=True)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    relevance = models.FloatField()
    cited = models.BooleanField(default=False)
    quotes = models.JSONField(
        null=True, help_text='of each of its citations in order {"text", "page", "start", "end"}, or null: unsupported'
    )

    class Meta:
        ordering = ("n",)
        constraints = (models.UniqueConstraint(fields=("message", "n"), name="citation_once"),)

    def __str__(self) -> str:
        return f"[{self.n}]"

    @property
    def is_deleted(self) -> bool:
        """Whether its document is, or its corpus."""
        document = self.document
        return document is None or bool(document.deleted_at or document.corpus.deleted_at)

    @property
    def cited_page(self) -> int | None:
        """Of the first sentence that is cited of it; where none is, of the passage's first word."""
        return self._first_quote.get("page") or self.page

    @property
    def page_label(self) -> str:
        """What is printed on that page, where it is known and is not its number."""
        return str(self._first_quote.get("page_label", ""))

    @property
    def cited_span(self) -> str:
        """ "START-END", the characters of that sentence in its document; "" where none is cited."""
        quote = self._first_quote
        return f"{quote['start']}-{quote['end']}" if quote.get("end") else ""

    @property
    def said(self) -> str:
        """The sentence that is cited of it first, else how the passage begins."""
        return str(self._first_quote.get("text") or self.snippet)

    @property
    def _first_quote(self) -> dict[str, Any]:
        return next((one for one in self.quotes or () if one), {})

    def veil(self) -> "Citation":
        """Without its text while its document is deleted, whether that lies in the trash or is being erased."""
        if self.is_deleted:
            self.title, self.snippet, self.heading_path, self.quotes = "", "", [], None
        return self


class Trace(Identified):
    """The lasting record of one retrieval and its answer: numbers and ids (SPEC §1), for the organization's admins.
    Without a message: of a program's search, kept for SEARCHES_KEPT.

    `is_personal` (`corpora.scope.is_personal`): it has no words then, neither `query` nor `condensed_query`. Whoever
    writes a trace says so; what nobody has judged is personal.
    """

    SEARCHES_KEPT = timedelta(days=90)

    message = models.OneToOneField(Message, models.CASCADE, related_name="trace", null=True)
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="traces", verbose_name=_("agent"))
    is_personal = models.BooleanField(default=True, editable=False)
    query = models.TextField(blank=True)
    condensed_query = models.TextField(blank=True)
    attempts = models.JSONField(default=list, help_text="granularity, confidence and evaluation of each attempt")
    gate = models.CharField(max_length=20, blank=True)
    model = models.CharField(max_length=100, blank=True)
    usage = models.JSONField(default=dict)
    cost = models.DecimalField(max_digits=12, decimal_places=6, null=True, help_text="US dollars")
    scope_size = models.PositiveIntegerField()
    granularity = models.PositiveSmallIntegerField()
    confidence = models.CharField(max_length=10)
    score = models.FloatField()
    degraded = models.CharField(max_length=40, blank=True)
    candidates = models.JSONField(default=list, help_text="chunk ids with their scores")
    dropped = models.JSONField(default=dict, help_text="counts by reason")
    timings = models.JSONField(default=dict, help_text="milliseconds by stage")
    # Null where a release wrote that knows no such column. A default of the database would be read back with the row,
    # which not everybody may who writes one.
    request_id = models.CharField(max_length=64, blank=True, null=True, help_text="of the request that asked")  # noqa: DJ001

    class Meta:
        verbose_name = _("trace")
        verbose_name_plural = _("traces")
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(fields=("created_at",), name="trace_created"),
            models.Index(fields=("agent", "created_at"), name="trace_of_agent"),
        )
        constraints = (
            models.CheckConstraint(
                condition=models.Q(is_personal=False) | models.Q(query="", condensed_query=""),
                name="personal_trace_without_words",
            ),
        )

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M}"

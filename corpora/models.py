"""What is known: corpora, documents, their text and their chunks."""

import uuid
from typing import Any, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Membership, Organization, User
from corpora.media_types import EXTENSIONS
from corpora.metadata.date_ranges import day_number
from corpora.metadata.free import free_words
from corpora.metadata.names import FREE_FIELD, METADATA_FIELDS
from corpora.rows.counting.rows import CorpusCounts as CorpusCounts
from corpora.rows.counting.rows import MetadataValue as MetadataValue
from corpora.rows.deletable import Deletable, is_erasable, is_in_trash
from corpora.rows.queueing import queue_indexes, queued_columns
from corpora.rows.readings import UnitReading as UnitReading
from corpora.rows.receipts import ErasureReceipt as ErasureReceipt
from corpora.rows.structure import DocumentName as DocumentName
from corpora.rows.structure import Section as Section
from corpora.rows.structure import ServedQuerySet
from corpora.scope import Scope
from corpora.visibility import in_scope, readable, trashed, writable


class CorpusQuerySet(models.QuerySet["Corpus"]):
    def readable_by(self, membership: Membership) -> Self:
        return self.filter(readable(membership))

    def writable_by(self, membership: Membership) -> Self:
        return self.filter(writable(membership))

    def of_organization(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id, deleted_at=None)

    def in_trash_of(self, membership: Membership) -> Self:
        """What the member may restore: nobody else sees that it is there."""
        return self.filter(is_in_trash(), trashed(membership))

    def erasable(self) -> Self:
        return self.filter(is_erasable())

    def shared(self) -> Self:
        return self.filter(corpus_type="global")

    def personal(self) -> Self:
        return self.filter(corpus_type="personal")

    def courses(self) -> Self:
        return self.filter(is_course=True)

    def with_counts(self) -> Self:
        """Adds `document_count`, `chunk_count`, `busy_count` and `failed_count` of what is not deleted: as kept."""
        kept = {"document_count": "documents", "chunk_count": "chunks", "busy_count": "busy", "failed_count": "failed"}
        return self.annotate(**{name: Coalesce(F(f"counts__{column}"), 0) for name, column in kept.items()})


class Corpus(Identified, Deletable):
    """A named set of documents: global (no owner) or personal (one owner)."""

    class Type(models.TextChoices):
        GLOBAL = "global", _("global")
        PERSONAL = "personal", _("personal")

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="corpora")
    corpus_type = models.CharField(_("type"), max_length=10, choices=Type)
    owner = models.ForeignKey(
        User, models.CASCADE, null=True, blank=True, related_name="corpora", verbose_name=_("owner")
    )
    name = models.CharField(_("name"), max_length=150)
    description = models.TextField(_("description"), blank=True, max_length=2000)
    is_active = models.BooleanField(_("active"), default=True)
    # Null where a release wrote that knows no such column.
    is_course = models.BooleanField(_("course"), null=True, default=False)
    updated_at = models.DateTimeField(auto_now=True)
    sizes_wanted_at = models.DateTimeField(null=True, editable=False)  # its documents may lack sizes that agents read
    objects = CorpusQuerySet.as_manager()

    class Meta:
        verbose_name = _("corpus")
        verbose_name_plural = _("corpora")
        ordering = ("name", "pk")
        constraints = (
            models.CheckConstraint(
                condition=models.Q(corpus_type="global", owner=None)
                | models.Q(corpus_type="personal", owner__isnull=False),
                name="global_without_owner_personal_with",
            ),
        )
        indexes = (
            models.Index(fields=("organization", "corpus_type", "owner")),
            models.Index(
                fields=("sizes_wanted_at",),
                condition=models.Q(sizes_wanted_at__isnull=False),
                name="corpus_sizes_wanted",
            ),
            models.Index(fields=("deleted_at",), condition=models.Q(deleted_at__isnull=False), name="corpus_deleted"),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def is_personal(self) -> bool:
        return self.corpus_type == self.Type.PERSONAL


def original_key(document: "Document", _filename: str) -> str:
    """`{corpus_id}/{document_id}/original.pdf`: nothing of the client's name reaches a path (RELIABILITY R12)."""
    return f"{document.folder}/original{EXTENSIONS[document.media_type]}"


class DocumentQuerySet(models.QuerySet["Document"]):
    def alive(self) -> Self:
        return self.filter(deleted_at=None)

    def in_trash_of(self, membership: Membership) -> Self:
        """Documents that were deleted by themselves; those of a deleted corpus are part of its entry."""
        return self.filter(is_in_trash(), trashed(membership, "corpus__")).by_themselves()

    def by_themselves(self) -> Self:
        return self.exclude(corpus__deleted_at=F("deleted_at"))

    def erasable(self) -> Self:
        return self.filter(is_erasable())

    def readable_by(self, membership: Membership) -> Self:
        return self.alive().filter(readable(membership, "corpus__"))

    def writable_by(self, membership: Membership) -> Self:
        return self.alive().filter(writable(membership, "corpus__"))

    def in_scope(self, scope: Scope) -> Self:
        return self.alive().filter(in_scope(scope, "corpus__"))

    def without_structure(self) -> Self:
        """What readers see of a version before sections and names were kept: each reading writes names."""
        return self.alive().filter(version__gt=0, names=None, sections=None)

    def requeue(self, **kept: Any) -> int:
        """Put documents back in the queue, as if they had just come; returns how many. `kept`: what is not reset.

        Readers keep the version that they have, and whoever works on one of them loses it.
        """
        return self.update(**{**queued_columns(), **kept})


class Document(Identified, Deletable):
    """One uploaded file. The row is also its place in the queue (SPEC §3)."""

    class Status(models.TextChoices):
        PENDING = "pending", _("waiting")
        PROCESSING = "processing", _("processing")
        INDEXED = "indexed", _("indexed")
        FAILED = "failed", _("failed")

    class Stage(models.TextChoices):
        NONE = "", ""
        EXTRACT = "extract", _("reading")
        CHUNK = "chunk", _("splitting")
        EMBED = "embed", _("embedding")
        INDEX = "index", _("indexing")

    class ContentType(models.TextChoices):
        THEORY = "teoria", _("theory")
        EXAMPLE = "ejemplo", _("example")
        FAQ = "faq", _("questions and answers")
        ASSIGNMENT = "consigna", _("assignment")
        EXERCISE = "ejercicio", _("exercise")
        DOCUMENTATION = "documentacion", _("documentation")
        FACT = "hecho", _("fact")

    class Difficulty(models.TextChoices):
        BASIC = "basico", _("basic")
        INTERMEDIATE = "intermedio", _("intermediate")
        ADVANCED = "avanzado", _("advanced")

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="documents", verbose_name=_("corpus"))
    uploaded_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    file = models.FileField(upload_to=original_key, max_length=200)
    filename = models.CharField(_("file name"), max_length=255)
    title = models.CharField(_("title"), max_length=255, blank=True)
    title_guessed = models.BooleanField(
        default=False, null=True, editable=False
    )  # taken from the text or the file's name
    summary = models.TextField(_("summary"), blank=True, max_length=4000)
    media_type = models.CharField(_("type"), max_length=100)
    size = models.PositiveBigIntegerField(_("size"))
    sha256 = models.CharField(max_length=64, editable=False)
    source_path = models.CharField(
        _("source"),
        max_length=500,
        blank=True,
        editable=False,
        help_text=_("Its path in the folder that this corpus is kept in step with; empty for uploads."),
    )
    source_modified_ns = models.BigIntegerField(null=True, editable=False)

    status = models.CharField(_("status"), max_length=10, choices=Status, default=Status.PENDING)
    stage = models.CharField(_("stage"), max_length=10, choices=Stage, default=Stage.NONE, blank=True)
    progress = models.FloatField(
        _("progress"), default=0.0, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    error_code = models.CharField(_("error"), max_length=40, blank=True)
    page_count = models.PositiveIntegerField(_("pages"), default=0)
    chunk_count = models.PositiveIntegerField(_("chunks"), default=0)
    indexed_at = models.DateTimeField(_("indexed"), null=True, editable=False)
    version = models.PositiveIntegerField(default=0, help_text=_("The version that readers see; 0 before the first."))

    lease_holder = models.UUIDField(null=True, editable=False)
    lease_expires_at = models.DateTimeField(null=True, editable=False)
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    not_before = models.DateTimeField(default=timezone.now, editable=False)
    metadata_changed_at = models.DateTimeField(null=True, editable=False)  # the index has not followed yet
    presence_changed_at = models.DateTimeField(null=True, editable=False)  # as above, of whether and where it is found
    moved_at = models.DateTimeField(null=True, editable=False)  # from another corpus, the last time
    moved_from = models.UUIDField(null=True, editable=False)  # that corpus, which may be gone

    content_type = models.CharField(_("content type"), max_length=20, choices=ContentType, blank=True)
    unit = models.CharField(_("unit"), max_length=100, blank=True)
    topic = models.CharField(_("topic"), max_length=100, blank=True)
    difficulty = models.CharField(_("difficulty"), max_length=20, choices=Difficulty, blank=True)
    language = models.CharField(_("language"), max_length=10, blank=True)
    course = models.CharField(_("course"), max_length=50, blank=True)
    tags = models.JSONField(_("tags"), default=list, blank=True)
    meta = models.JSONField(_("free metadata"), default=dict, blank=True)  # `corpora.metadata.free`
    source_date = models.DateField(_("date of the source"), null=True, blank=True)
    source_reference = models.CharField(_("source"), max_length=500, blank=True)
    fact_key = models.CharField(_("key"), max_length=200, blank=True, db_index=True)
    objects = DocumentQuerySet.as_manager()

    class Meta:
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        ordering = ("-created_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("corpus", "sha256", "filename"),
                condition=models.Q(deleted_at=None),
                name="document_once_in_its_corpus",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="indexed") | models.Q(chunk_count__gt=0), name="indexed_has_chunks"
            ),
        )
        indexes = (
            models.Index(fields=("status", "not_before"), name="document_queue"),
            *queue_indexes(),
            models.Index(fields=("corpus", "deleted_at", "created_at"), name="document_of_corpus"),
            models.Index(
                fields=("moved_from", "moved_at"), condition=models.Q(moved_from__isnull=False), name="document_moved"
            ),
        )

    def __str__(self) -> str:
        return self.title or self.filename

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of SPEC §4 as the index keeps it; the date of the source as a number (20240531), what is said
        by names of one's own as words ("edition=3")."""
        day = self.source_date and day_number(self.source_date)
        fixed = {name: getattr(self, name) for name in METADATA_FIELDS}
        return {**fixed, FREE_FIELD: free_words(self.meta), "source_date": day}

    @property
    def folder(self) -> str:
        """Where its files lie, of whichever corpus it is now: under the id of the one that it came into."""
        corpus = str(self.file.name or "").partition("/")[0]
        is_its_own = str(self.file.name).startswith(f"{corpus}/{self.pk}/")
        return f"{corpus if is_its_own else self.corpus_id}/{self.pk}"

    @property
    def is_busy(self) -> bool:
        return self.status in (self.Status.PENDING, self.Status.PROCESSING)


class DocumentText(Identified):
    """The canonical text of one version: what chunk offsets point into and the reader shows."""

    document = models.ForeignKey(Document, models.CASCADE, related_name="texts")
    version = models.PositiveIntegerField()
    text = models.TextField()
    pages = models.JSONField(default=list, help_text="[[number, start, end, printed label?], …], characters")
    headings = models.JSONField(default=list, help_text="[[level, title, start, end], …], characters")
    pictures = models.JSONField(
        default=list, db_default=[], help_text="[[character, number, width, height, what is said of it], …]"
    )

    class Meta:
        constraints = (models.UniqueConstraint(fields=("document", "version"), name="one_text_a_version"),)

    def __str__(self) -> str:
        return f"{self.document_id} v{self.version}"


class ChunkQuerySet(ServedQuerySet["Chunk"]):
    pass


class Chunk(models.Model):
    """A passage of a document at one granularity. Its id is its point's id in the index."""

    id = models.UUIDField(primary_key=True, editable=False)
    document = models.ForeignKey(Document, models.CASCADE, related_name="chunks")
    version = models.PositiveIntegerField()
    granularity = models.PositiveSmallIntegerField(help_text="nominal size, tokens")
    index = models.PositiveIntegerField()
    text = models.TextField()
    text_hash = models.CharField(max_length=64, help_text="SHA-256 of what was embedded")
    token_count = models.PositiveIntegerField()
    start = models.PositiveIntegerField(help_text="characters into DocumentText.text")
    end = models.PositiveIntegerField()
    page_start = models.PositiveIntegerField(null=True)
    page_end = models.PositiveIntegerField(null=True)
    heading_path = models.JSONField(default=list, help_text="of several sections: what their paths have in common")
    parts = models.JSONField(
        default=list, help_text="of several sections: [[start, end, page, last page, [heading path]], …], else empty"
    )
    objects = ChunkQuerySet.as_manager()

    class Meta:
        verbose_name = _("chunk")
        verbose_name_plural = _("chunks")
        ordering = ("document", "version", "granularity", "index")
        constraints = (
            models.UniqueConstraint(fields=("document", "version", "granularity", "index"), name="chunk_once"),
        )
        indexes = (models.Index(fields=("text_hash",), name="chunk_text_hash"),)

    def __str__(self) -> str:
        return f"{self.document_id} #{self.index}"

    @staticmethod
    def id_for(document_id: uuid.UUID, version: int, granularity: int, index: int) -> uuid.UUID:
        """The deterministic id of a chunk and its point: a second run of the same work writes the same ids."""
        return uuid.uuid5(document_id, f"{version}:{granularity}:{index}")

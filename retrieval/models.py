"""What retrieval keeps: embeddings already paid for, measured calibrations, spaces, and the flags."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _


class CachedEmbedding(models.Model):
    """The embedding of one text in one embedding space, by the text's SHA-256 (SPEC §3)."""

    space = models.CharField(max_length=100)
    text_hash = models.CharField(max_length=64)
    vector = models.BinaryField(help_text="float32, little endian, L2-normalised")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "text_hash"), name="embedding_once"),)
        indexes = (models.Index(fields=("text_hash",), name="embedding_text_hash"),)

    def __str__(self) -> str:
        return f"{self.space} {self.text_hash[:8]}"


class Flags(models.Model):
    """The installation's switches, in the database so that every process obeys at the next question.

    One row; a field that is null leaves the environment's default (SPEC §4, "Flags").
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    rag_enabled = models.BooleanField(_("answer from corpora"), null=True, blank=True)
    rag_min_confidence = models.FloatField(
        _("lowest confidence"), null=True, blank=True, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    rag_max_documents = models.PositiveSmallIntegerField(
        _("most passages"), null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(50)]
    )
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("flags")
        verbose_name_plural = _("flags")
        constraints = (models.CheckConstraint(condition=models.Q(id=1), name="one_row_of_flags"),)

    def __str__(self) -> str:
        return "flags"


class MeasuredCalibration(models.Model):
    """A calibration from cosine to relevance that `calibrate` measured for one embedding space (SPEC §4)."""

    space = models.CharField(max_length=100, unique=True)
    points = models.JSONField(help_text="[[evidence, relevance], …], ascending")
    cosine_weight = models.FloatField()
    coverage_weight = models.FloatField()
    background = models.FloatField(null=True)
    sample = models.JSONField(default=dict, help_text="what it was measured on, and how well it separates")
    measured_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.space


class SpaceState(models.Model):
    """An embedding space that has a collection: being filled, in use, or kept for a while after the switch."""

    class State(models.TextChoices):
        FILLING = "filling", _("being filled")
        ACTIVE = "active", _("in use")
        RETIRED = "retired", _("retired")

    collection = models.CharField(max_length=100, unique=True)
    model = models.CharField(max_length=100)
    dimensions = models.PositiveIntegerField()
    query_prefix = models.CharField(max_length=500, blank=True)
    document_prefix = models.CharField(max_length=500, blank=True)
    state = models.CharField(max_length=10, choices=State)
    probe = models.JSONField(default=list, help_text="the vector of a fixed sentence, to recognise another model")
    created_at = models.DateTimeField(auto_now_add=True)
    activated_at = models.DateTimeField(null=True)
    retired_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("state",), condition=models.Q(state="active"), name="one_active_space"),
        )

    def __str__(self) -> str:
        return f"{self.model} ({self.dimensions})"

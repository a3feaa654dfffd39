"""What retrieval keeps: embeddings already paid for."""

from django.db import models


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

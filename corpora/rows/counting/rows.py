"""How many documents a corpus has, in which states, and what they say about themselves.

The database itself changes these rows, in the transaction that changes a document (`corpora.rows.counting.triggers`):
whoever changes documents, by whatever statement, need not think of it. So a page asks a row a corpus instead of all of
its documents.
"""

from typing import Self

from django.db import models

from corpora.scope import Scope
from corpora.visibility import in_scope

MOST_LETTERS = 200  # of a value; a longer one is in the document and the index, and is not offered anywhere


class CorpusCounts(models.Model):
    """Of documents that are not deleted. A corpus that never had a document has no row."""

    corpus = models.OneToOneField("corpora.Corpus", models.CASCADE, primary_key=True, related_name="counts")
    documents = models.BigIntegerField(default=0)
    chunks = models.BigIntegerField(default=0, help_text="of the versions that readers see")
    busy = models.BigIntegerField(default=0, help_text="documents that wait or are in work")
    failed = models.BigIntegerField(default=0)

    class Meta:
        app_label = "corpora"

    def __str__(self) -> str:
        return str(self.corpus_id)


class MetadataValueQuerySet(models.QuerySet["MetadataValue"]):
    def in_scope(self, scope: Scope) -> Self:
        """What the documents in exactly the scope's corpora say about themselves."""
        return self.filter(in_scope(scope, "corpus__"), documents__gt=0)


class MetadataValue(models.Model):
    """How many indexed documents of a corpus have a value in a field: `unit` "3", one of their `tags` "exam"."""

    corpus = models.ForeignKey("corpora.Corpus", models.CASCADE, related_name="metadata_values", db_index=False)
    name = models.CharField(max_length=20)
    value = models.CharField(max_length=MOST_LETTERS)
    documents = models.BigIntegerField(default=0)
    objects = MetadataValueQuerySet.as_manager()

    class Meta:
        app_label = "corpora"
        constraints = (models.UniqueConstraint(fields=("corpus", "name", "value"), name="metadata_value_once"),)

    def __str__(self) -> str:
        return f"{self.name} {self.value}"

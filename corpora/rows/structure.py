"""What of a document is looked for by name: its sections and the ways to call it; and who sees rows of one version."""

from typing import Self, TypeVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Membership
from corpora.scope import Scope
from corpora.visibility import in_scope, readable

RowOfVersion = TypeVar("RowOfVersion", bound=models.Model)


class ServedQuerySet(models.QuerySet[RowOfVersion]):
    """Rows that one version of a document has: only those of the version that readers see are read."""

    def served(self) -> Self:
        """Of the version that readers see, of documents that are not deleted."""
        return self.filter(document__deleted_at=None, version=models.F("document__version"))

    def readable_by(self, membership: Membership) -> Self:
        return self.served().filter(readable(membership, "document__corpus__"))

    def in_scope(self, scope: Scope) -> Self:
        """What retrieval may show: those of documents in exactly the scope's corpora."""
        return self.served().filter(in_scope(scope, "document__corpus__"))


class SectionQuerySet(ServedQuerySet["Section"]):
    pass


class Section(models.Model):
    """A part of one version of a document under a heading of its own, with all that stands below it.

    `key` is the place that its heading names (`retrieval.text.references`), or its words; a heading that has a number
    and words has a row for each. The caption of a table or a figure is a part, too, below the heading around it.
    """

    document = models.ForeignKey("corpora.Document", models.CASCADE, related_name="sections")
    version = models.PositiveIntegerField()
    index = models.PositiveIntegerField(help_text="its place among the document's headings")
    level = models.PositiveSmallIntegerField(help_text="1 is the highest")
    title = models.CharField(max_length=500)
    key = models.CharField(max_length=64, blank=True)
    start = models.PositiveIntegerField(help_text="characters into DocumentText.text: where the heading begins")
    end = models.PositiveIntegerField(help_text="where the next heading of its level or a higher one begins")
    page_start = models.PositiveIntegerField(null=True)
    page_end = models.PositiveIntegerField(null=True)
    objects = SectionQuerySet.as_manager()

    class Meta:
        verbose_name = _("section")
        verbose_name_plural = _("sections")
        ordering = ("document", "version", "index")
        constraints = (models.UniqueConstraint(fields=("document", "version", "index"), name="section_once"),)
        indexes = (models.Index(fields=("key", "document"), name="section_of_key"),)

    def __str__(self) -> str:
        return self.title


class DocumentNameQuerySet(models.QuerySet["DocumentName"]):
    def in_scope(self, scope: Scope) -> Self:
        """What a search may find a document by: names of documents that readers see, in exactly the scope's corpora."""
        seen = self.filter(document__deleted_at=None, document__version__gt=0)
        return seen.filter(in_scope(scope, "document__corpus__"))


class DocumentName(models.Model):
    """One of the ways to call a document (`retrieval.places.names`), as a hash: it is looked for and never shown.

    The hash holds the organization, so that nobody's names meet those of another.
    """

    document = models.ForeignKey("corpora.Document", models.CASCADE, related_name="names")
    key = models.UUIDField()
    objects = DocumentNameQuerySet.as_manager()

    class Meta:
        verbose_name = _("name of a document")
        verbose_name_plural = _("names of documents")
        constraints = (models.UniqueConstraint(fields=("key", "document"), name="document_name_once"),)

    def __str__(self) -> str:
        return str(self.key)

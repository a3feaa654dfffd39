"""Edited metadata reaches the index without embedding anything again (SPEC §4, "Filters")."""

from uuid import UUID

from corpora.models import Document
from retrieval.spaces.current import every_index


def update(document_id: UUID) -> None:
    """Copy the document's metadata from the database into its points' payload."""
    document = Document.objects.alive().filter(pk=document_id).first()
    if document is not None:
        for index in every_index():
            index.set_metadata(document.pk, document.metadata)

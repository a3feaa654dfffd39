"""What is said of a document: title, summary, source, date and metadata, edited without reading its text again.

Nothing is embedded anew: readers see a new title at once, questions find the document by it as soon as the workers
follow, and the index gets a copy of new metadata (SPEC §4, "Filters"). Passages stay embedded under the title that they
were read with until the document is processed again.
"""

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.models import Membership
from corpora.metadata.names import FREE_FIELD, METADATA_FIELDS
from corpora.models import Document
from corpora.signals import metadata_changed

DESCRIPTION_FIELDS = ("title", "summary", "source_date", "source_reference", *METADATA_FIELDS, FREE_FIELD)
INDEXED_FIELDS = frozenset((*METADATA_FIELDS, FREE_FIELD, "source_date", "title"))  # the index has a copy of them


def describe(document: Document, by: Membership, **description: Any) -> bool:
    """Keep what differs; False when nothing does. `description`: checked values of DESCRIPTION_FIELDS.

    Writes nothing else: a worker may be writing the row's other columns.
    """
    if "title" in description:  # also who keeps the guess has now said so
        description["title_guessed"] = False
    changed = {name: value for name, value in description.items() if getattr(document, name) != value}
    if not changed:
        return False
    with transaction.atomic():
        for name, value in changed.items():
            setattr(document, name, value)
        document.save(update_fields=list(changed))
        audit.record(by, "changed", document, fields=sorted(changed))
        if changed.keys() & INDEXED_FIELDS:
            mark_metadata_changed(document)
    return True


def mark_metadata_changed(document: Document) -> None:
    """The index's copy is stale from now on; the workers follow. Belongs into the transaction of the edit."""
    document.metadata_changed_at = timezone.now()
    document.save(update_fields=["metadata_changed_at"])
    transaction.on_commit(lambda: metadata_changed.send(Document, document_id=document.pk))

"""The sizes that documents are cut to: more of them where an adaptive agent reads (SPEC §4, "Adaptive").

They are made on demand: when a corpus is assigned to an adaptive agent, when an agent becomes adaptive, and once an
hour for what slipped through. A document is then simply processed once more: its progress shows, readers keep
what they have meanwhile, and the sizes that it had cost nothing again, because their embeddings are cached.
"""

from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agents.models import Assignment
from corpora.models import Chunk, Document
from corpora.signals import document_ready
from retrieval.granularities import ADAPTIVE, DEFAULT


def granularities(document: Document) -> tuple[int, ...]:
    """Nominal chunk sizes in tokens, the one that every document has first."""
    adaptive = adaptive_assignments().filter(corpus=document.corpus_id)
    return (DEFAULT, *ADAPTIVE) if adaptive.exists() else (DEFAULT,)


def adaptive_assignments() -> QuerySet[Assignment]:
    return Assignment.objects.filter(agent__adaptive=True, agent__is_active=True)


def cut_anew(documents: QuerySet[Document] | None = None) -> int:
    """Queue the indexed documents of adaptive agents that lack a size; returns how many."""
    found = list(lacking(Document.objects.all() if documents is None else documents).values_list("pk", flat=True))
    for document_id in found:
        queue(document_id)
    return len(found)


def lacking(documents: QuerySet[Document]) -> QuerySet[Document]:
    """Indexed documents that an adaptive agent reads and that were not cut to every size."""
    served = Chunk.objects.filter(document=OuterRef("pk"), version=OuterRef("version"))
    whole = Q(*(Exists(served.filter(granularity=size)) for size in ADAPTIVE))
    read = Exists(adaptive_assignments().filter(corpus=OuterRef("corpus")))
    indexed = documents.filter(deleted_at=None, corpus__deleted_at=None, status=Document.Status.INDEXED)
    return indexed.filter(read).exclude(whole).order_by()


def queue(document_id: UUID) -> None:
    """Unless somebody else has queued or deleted it meanwhile."""
    waits = {"status": Document.Status.PENDING, "stage": "", "progress": 0.0, "attempts": 0}
    indexed = Document.objects.filter(pk=document_id, status=Document.Status.INDEXED, deleted_at=None)
    if indexed.update(**waits, not_before=timezone.now()):
        document_ready.send(Document, document_id=document_id)

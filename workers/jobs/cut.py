"""The sizes that documents are cut to: more of them where an adaptive agent reads (SPEC §4, "Adaptive").

They are made on demand: when a corpus is assigned to an adaptive agent, when an agent becomes adaptive, and once an
hour for what slipped through. A document is then simply processed once more: its progress shows, readers keep
what they have meanwhile, and the sizes that it had cost nothing again, because their embeddings are cached.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agents.models import Assignment
from corpora.models import Chunk, Corpus, Document
from retrieval.spaces.granularities import ADAPTIVE_GRANULARITIES, DEFAULT_GRANULARITY
from workers.queue import hints

AT_ONCE = 500


def granularities(document: Document) -> tuple[int, ...]:
    """Nominal chunk sizes in tokens, the one that every document has first."""
    adaptive = adaptive_assignments().filter(corpus=document.corpus_id)
    return (DEFAULT_GRANULARITY, *ADAPTIVE_GRANULARITIES) if adaptive.exists() else (DEFAULT_GRANULARITY,)


def adaptive_assignments() -> QuerySet[Assignment]:
    return Assignment.objects.filter(agent__adaptive=True, agent__is_active=True)


def want_sizes(corpus_ids: Iterable[UUID]) -> None:
    """Mark corpora that an adaptive agent reads from now on; the workers look at them soon."""
    if Corpus.objects.filter(pk__in=corpus_ids).update(sizes_wanted_at=timezone.now()):
        transaction.on_commit(lambda: hints.hint(hints.SHORT))


def cut_next() -> bool:
    """Queue what a marked corpus lacks; False when none is marked. A mark that was set again meanwhile stays."""
    corpus = Corpus.objects.exclude(sizes_wanted_at=None).order_by("sizes_wanted_at").first()
    if corpus is None:
        return False
    cut_anew(corpus.documents.all())
    Corpus.objects.filter(pk=corpus.pk, sizes_wanted_at=corpus.sizes_wanted_at).update(sizes_wanted_at=None)
    return True


def cut_anew(documents: QuerySet[Document] | None = None) -> int:
    """Queue the indexed documents of adaptive agents that lack a size; returns how many.

    What somebody else has queued or deleted meanwhile is left alone.
    """
    found = list(
        documents_lacking_sizes(Document.objects.all() if documents is None else documents).values_list("pk", flat=True)
    )
    indexed = Document.objects.alive().filter(status=Document.Status.INDEXED)
    some = (found[start : start + AT_ONCE] for start in range(0, len(found), AT_ONCE))
    queued = sum(indexed.filter(pk__in=ids).requeue() for ids in some)
    if queued:
        hints.hint(hints.INGESTION)
    return queued


def documents_lacking_sizes(documents: QuerySet[Document]) -> QuerySet[Document]:
    """Indexed documents that an adaptive agent reads and that were not cut to every size."""
    served = Chunk.objects.filter(document=OuterRef("pk"), version=OuterRef("version"))
    whole = Q(*(Exists(served.filter(granularity=size)) for size in ADAPTIVE_GRANULARITIES))
    read = Exists(adaptive_assignments().filter(corpus=OuterRef("corpus")))
    indexed = documents.filter(deleted_at=None, corpus__deleted_at=None, status=Document.Status.INDEXED)
    return indexed.filter(read).exclude(whole).order_by()

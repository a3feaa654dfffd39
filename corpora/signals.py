"""What happened to documents, told downwards-up: `workers` listens, `corpora` does not know who (DESIGN.md).

Each is sent after the transaction has committed, with ids only.
"""

from django.dispatch import Signal

document_ready = Signal()  # document_id: UUID — uploaded or sent again, waits to be ingested
document_removed = Signal()  # document_id: UUID — already unreadable, its traces are to be erased
corpus_removed = Signal()  # corpus_id: UUID — with all its documents, of which none is told of by itself
corpus_restored = Signal()  # corpus_id: UUID — it, or documents of it, came back from the trash
documents_moved = Signal()  # corpus_id: UUID — where they are now; the index still has them where they were
metadata_changed = Signal()  # document_id: UUID — its metadata changed, the index's copy is stale

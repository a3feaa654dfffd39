"""What a point carries beside its vectors: the ids and metadata that searches are filtered by (SPEC §2)."""

from typing import Any

from corpora.models import Document


def payload_of(document: Document, version: int) -> dict[str, Any]:
    """Of every point of one version; `granularity` is each point's own. The document comes with its corpus."""
    corpus = document.corpus
    return {
        "organization_id": str(corpus.organization_id),
        "corpus_id": str(document.corpus_id),
        "corpus_type": corpus.corpus_type,
        "user_id": str(corpus.owner_id) if corpus.owner_id else None,
        "document_id": str(document.pk),
        "version": version,
        **document.metadata,
    }

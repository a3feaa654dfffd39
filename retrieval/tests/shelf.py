"""Documents in the database and in a real Edge index, for tests of whole retrievals."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Membership
from corpora.models import Chunk, Corpus, Document
from corpora.scope import Scope
from retrieval.index.base import Point
from retrieval.index.bm25 import encode_documents
from retrieval.spaces import opened
from retrieval.text.passages import indexed_text
from tests.factories import DocumentFactory


def shelve(corpus: Corpus, text: str, **fields: Any) -> Document:
    """An indexed document: rows and points."""
    document: Document = DocumentFactory(corpus=corpus, text=text, **fields)
    index(document)
    return document


def index(document: Document, payload: Mapping[str, Any] | None = None) -> None:
    """Write the points of a document's chunks; `payload` overrides what is true."""
    corpus = document.corpus
    truth = {
        "organization_id": str(corpus.organization_id),
        "corpus_id": str(corpus.pk),
        "corpus_type": corpus.corpus_type,
        "document_id": str(document.pk),
        "version": document.version,
        **({"user_id": str(corpus.owner_id)} if corpus.owner_id else {}),
        **{key: value for key, value in document.metadata.items() if value},
    }
    chunks = list(Chunk.objects.filter(document=document))
    texts = [indexed_text(document.title, chunk.heading_path, chunk.text) for chunk in chunks]
    vectors = opened.current_provider().embed_documents(texts)
    terms = encode_documents(texts, "en")
    opened.current_index().upsert(
        Point(chunk.pk, vector, sparse, truth | {"granularity": str(chunk.granularity)} | dict(payload or {}))
        for chunk, vector, sparse in zip(chunks, vectors, terms, strict=True)
    )


def scope_of(reader: Membership, *corpora: Corpus) -> Scope:
    """What `agents` would make for an agent that has these corpora."""
    return Scope(
        organization_id=reader.organization_id,
        user_id=reader.user_id,
        global_ids=frozenset(corpus.pk for corpus in corpora if not corpus.is_personal),
        personal_ids=frozenset(corpus.pk for corpus in corpora if corpus.is_personal),
    )

"""A corpus or a document by its id, for who may see it or change it."""

from uuid import UUID

from accounts.models import Membership
from accounts.problems import AdminRequired, NotFound
from corpora.models import Corpus, Document


def writable_corpus(membership: Membership, pk: UUID) -> Corpus:
    """The corpus if the caller may change it; 403 when it may only be read, 404 when it may not be seen."""
    corpus = Corpus.objects.readable_by(membership).filter(pk=pk).first()
    if corpus is None:
        raise NotFound
    if not Corpus.objects.writable_by(membership).filter(pk=pk).exists():
        raise AdminRequired
    return corpus


def readable_document(membership: Membership, pk: UUID) -> Document:
    document = Document.objects.readable_by(membership).filter(pk=pk).first()
    if document is None:
        raise NotFound
    return document


def writable_document(membership: Membership, pk: UUID) -> Document:
    """As `writable_corpus`, of the document's corpus."""
    document = readable_document(membership, pk)
    writable_corpus(membership, document.corpus_id)
    return document

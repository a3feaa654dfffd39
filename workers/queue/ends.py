"""Who outside is told how a document ended: of global corpora alone, in the transaction in which it ended."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet, Value

from config.prepared import Prepared
from corpora.models import Corpus, Document
from webhooks.announcing import announce
from webhooks.models import Event, Webhook

EVENTS = {
    Document.Status.INDEXED: Event.DOCUMENT_INDEXED,
    Document.Status.FAILED: Event.DOCUMENT_FAILED,
}
COLUMNS = ("pk", "corpus", "corpus__organization", "status", "version", "error_code")


def is_listened_to(document: UUID) -> bool:
    """Whether there is anybody to be told. Where not, its end stays a single statement: a machine that vanishes within
    a transaction keeps its locks until the server ends it."""
    return bool(_listening(document=document))


def _listening_to(document: UUID) -> QuerySet[Any, Any]:
    of_a_global_one = {
        "organization__corpora__documents": document,
        "organization__corpora__corpus_type": Corpus.Type.GLOBAL,
    }
    return Webhook.objects.filter(is_active=True, **of_a_global_one).order_by().values_list(Value(1))[:1]


_listening = Prepared(_listening_to)


def announce_ends(documents: Iterable[UUID]) -> None:
    """By their rows as they are now. Ids and states, no name: a file's may say what nobody outside is to know, and
    would have to be erased with it."""
    told = Document.objects.filter(pk__in=documents, corpus__corpus_type=Corpus.Type.GLOBAL).order_by()
    for pk, corpus, organization, status, version, code in told.values_list(*COLUMNS):
        state = {"version": version} if status == Document.Status.INDEXED else {"code": code}
        announce(
            organization,
            EVENTS[Document.Status(status)],
            {"document": str(pk), "corpus": str(corpus), "status": status, **state},
        )

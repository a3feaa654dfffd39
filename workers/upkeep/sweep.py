"""The guarantee behind the hints: finds what nobody works on (SPEC §3, RELIABILITY fact 8)."""

from typing import Any

from django.db.models import QuerySet

from chat.models import Export
from corpora.models import Corpus, Document
from corpora.rows.queueing import SMALL_BYTES
from evaluation import runs
from workers.erasure.corpora import erase_deleted_corpora
from workers.erasure.parties import waiting_parties
from workers.queue import claims, hints

SECONDS = 10.0
AT_ONCE = 16  # hints for a lane: as many workers start at once, and each goes on by itself


def sweep() -> dict[str, int]:
    """Hint at lanes that have work; returns how many hints each was sent. They are void when the next sweep comes."""
    claims.give_up_exhausted()
    erase_deleted_corpora()
    due = claims.due_documents().order_by()
    changed = Document.objects.alive().exclude(metadata_changed_at=None)
    waiting: dict[str, list[QuerySet[Any, Any]]] = {
        hints.INGESTION: [due, runs.free_runs(), Export.objects.free()],
        hints.SHORT: [
            Document.objects.erasable(),
            Document.objects.exclude(presence_changed_at=None),
            waiting_parties(),
            changed,
            due.filter(size__lte=SMALL_BYTES),
            Corpus.objects.exclude(sizes_wanted_at=None),
        ],
    }
    sent = {lane: at_most(found) for lane, found in waiting.items()}
    for lane, count in sent.items():
        for _ in range(count):
            hints.hint(lane, stale=SECONDS)
    return sent


def at_most(waiting: list[QuerySet[Any, Any]]) -> int:
    """How many rows there are in all, counted up to AT_ONCE."""
    return min(AT_ONCE, sum(len(rows.order_by().values_list("pk")[:AT_ONCE]) for rows in waiting))

"""Small regular work: optimising the index and forgetting what has expired."""

from django.db import connection
from django.db.models import Exists, Max, OuterRef

from accounts.identity.oauth.grants import forget_past_grants
from accounts.identity.sessions import forget_ended_sessions
from accounts.limits.uses import forget_past_uses
from chat.leaving.exports import forget_expired, forget_orphans
from chat.stream.keeping import close_interrupted
from chat.usage.counting import roll_up
from corpora.models import Chunk
from corpora.reader.kept_pages import forget_least_used_pages, forget_past_pages
from corpora.rows.counting.mending import forget_unsaid
from retrieval.models import CachedEmbedding
from retrieval.spaces.opened import every_index
from workers.models import Claim
from workers.upkeep import retention


def optimize_index() -> bool:
    """Merge and index segments in the background, never in a request (issue "Acervo answers")."""
    changed = [index.optimize() for index in every_index()]
    return any(changed)


def refresh_statistics() -> None:
    """Let SQLite look at its tables again. Without statistics it walks a whole corpus to re-read sixteen chunks
    (5.6 ms instead of 0.9); PostgreSQL's autovacuum does this by itself."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA analysis_limit=400")
            cursor.execute("PRAGMA optimize=0x10002")


def tidy_up() -> None:
    """Forget expired sessions, tokens, replies, exports, counters, records, embeddings and images of pages; close
    answers whose process died; carry over SQLite's journal."""
    roll_up()  # before what it counts is forgotten
    retention.forget_past()
    forget_ended_sessions()
    forget_past_uses()
    forget_past_grants()
    close_interrupted()
    forget_expired()
    forget_orphans()
    forget_orphaned_embeddings()
    forget_unsaid()
    forget_past_pages()
    forget_least_used_pages()
    empty_journal()


def empty_journal() -> None:
    """SQLite: what was erased lies in the database's file until its journal is carried over. By itself that happens
    after a thousand pages, which a quiet installation does not write in days."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def forget_orphaned_embeddings() -> int:
    """Remove cached embeddings that no chunk uses: attempts that died left them.

    An embedding is kept before its chunk is written. So only what was there at the last visit already is looked at:
    by then its chunk was written too, or never will be.
    """
    visit, _created = Claim.objects.get_or_create(name="orphaned embeddings")
    newest = CachedEmbedding.objects.aggregate(newest=Max("pk"))["newest"]
    used = Chunk.objects.filter(text_hash=OuterRef("text_hash"))
    removed = 0
    if visit.noted is not None:
        removed = CachedEmbedding.objects.filter(~Exists(used), pk__lte=visit.noted).delete()[0]
    Claim.objects.filter(pk=visit.pk).update(noted=newest)
    return removed

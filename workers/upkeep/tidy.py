"""Small regular work: optimising the index and forgetting what has expired."""

from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.http import idempotency
from accounts.models import IdempotentReply
from chat.stream.keeping import close_interrupted
from corpora.models import Chunk, Document
from retrieval.models import CachedEmbedding
from retrieval.spaces.current import every_index


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


def tidy() -> None:
    """Forget expired sessions, idempotent replies and embeddings; close answers whose process died."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    IdempotentReply.objects.filter(created_at__lt=now - idempotency.LIFETIME).delete()
    close_interrupted()
    forget_orphaned_embeddings()


def forget_orphaned_embeddings() -> int:
    """Remove cached embeddings that no chunk uses: attempts that died left them. Not while anybody embeds."""
    busy = (Document.Status.PENDING, Document.Status.PROCESSING)
    if Document.objects.alive().filter(status__in=busy).exists():
        return 0
    used = Chunk.objects.filter(text_hash=OuterRef("text_hash"))
    return CachedEmbedding.objects.filter(~Exists(used)).delete()[0]

"""Small regular work: optimising the index and forgetting what has expired."""

from datetime import timedelta

from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts import idempotency
from accounts.models import IdempotentReply
from chat.models import Message
from retrieval.current import current_index

ABANDONED_ANSWER = timedelta(minutes=30)


def optimize_index() -> bool:
    """Merge and index segments in the background, never in a request (issue "Acervo answers")."""
    return current_index().optimize()


def tidy() -> None:
    """Forget expired sessions and idempotent replies; close answers whose process died."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    IdempotentReply.objects.filter(created_at__lt=now - idempotency.LIFETIME).delete()
    Message.objects.filter(status=Message.Status.STREAMING, created_at__lt=now - ABANDONED_ANSWER).update(
        status=Message.Status.FAILED, error_code="interrupted"
    )

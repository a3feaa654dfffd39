"""An answer is rated by who asked for it: kept, counted, and told to whoever outside listens."""

from django.db import transaction

from chat.models import Message
from config.metrics.answering import RATINGS
from corpora.models import Corpus
from webhooks.announcing import announce
from webhooks.models import Event


def rate_answer(message: Message, rating: int, comment: str) -> None:
    """`rating` is 1 or -1. Outside nobody is told who rated or what they wrote, and nothing of a conversation that a
    personal corpus was in reach of, nor of the same rating said again."""
    is_news = message.rating != rating
    message.rating, message.comment = rating, comment
    said = "up" if rating > 0 else "down"
    with transaction.atomic():
        message.save(update_fields=["rating", "comment"])
        if is_news and not is_personal_answer(message):
            announce(
                message.conversation.organization_id,
                Event.ANSWER_RATED,
                {"answer": str(message.pk), "agent": str(message.conversation.agent_id), "rating": said},
            )
    RATINGS.labels(said).inc()


def is_personal_answer(message: Message) -> bool:
    """As admins are shown ratings of the others alone (`evaluation.cases`)."""
    if message.conversation.is_personal:
        return True
    return message.citations.exclude(corpus_type=Corpus.Type.GLOBAL).exists()

"""What is kept of an answer while it is written, and how one is closed whose writer died."""

import pytest

from chat.models import Message
from chat.stream import keeping
from chat.stream.events import Sources
from chat.stream.live import Live
from config.concurrency.threads import in_thread
from tests.factories import MessageFactory

pytestmark = pytest.mark.django_db(transaction=True)


def running_answer() -> Message:
    return MessageFactory(role="assistant", status="streaming", content="")


def sources(message: Message, attempt: int) -> Sources:
    return Sources(message.conversation_id, message.pk, attempt, "high", True, "supported", ())


async def test_the_first_attempt_is_kept_to_its_last_word_while_a_further_one_is_written() -> None:
    answer = await in_thread(running_answer)
    live, pieces = Live(answer.pk, goes_on=True), ["Veintiún "]
    live.log.begin(sources(answer, 1), pieces)
    kept = await in_thread(keeping.keep, [live], {})
    pieces.append("días [1].")
    live.log.begin(sources(answer, 2), ["Otra"])
    kept = await in_thread(keeping.keep, [live], kept)
    await in_thread(answer.refresh_from_db)
    assert answer.content == "Veintiún días [1]."
    live.log.begin(sources(answer, 3), ["Otra más"])
    assert await in_thread(keeping.keep, [live], kept) == kept
    await in_thread(answer.refresh_from_db)
    assert answer.content == "Veintiún días [1]."

"""What is kept of an answer while it is written, and how one is closed whose writer died."""

from collections.abc import Sequence
from uuid import UUID

import pytest

from chat.models import Message
from chat.stream import keeping
from chat.stream.events import Sources
from chat.stream.live import Live
from config.concurrency.threads import in_thread
from tests.factories import DocumentFactory, MessageFactory

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


async def test_each_answer_is_noted_in_two_seconds_and_a_quarter_of_them_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = [Live(UUID(int=n), goes_on=True) for n in range(8)]
    noted: list[list[int]] = []

    def keep(part: Sequence[Live], kept: dict[UUID, int]) -> dict[UUID, int]:
        noted.append([live.message.int for live in part])
        return kept

    monkeypatch.setattr(keeping, "TICK_SECONDS", 0.001)
    monkeypatch.setattr(keeping, "live_here", lambda: answers if len(noted) < 8 else [])
    monkeypatch.setattr(keeping, "keep", keep)
    await keeping._keep_all()
    assert noted == [[1, 5], [2, 6], [3, 7], [0, 4]] * 2


def broken_off(content: str) -> Message:
    """With three sources, none of which is marked yet."""
    sources = [*DocumentFactory().chunks.all()[:1]] * 3
    message: Message = MessageFactory(role="assistant", status="streaming", content=content, sources=sources)
    message.citations.update(cited=False)
    Message.objects.filter(pk=message.pk).update(writer_seen_at="2026-01-01T00:00Z")
    return message


def cited_of(message: Message) -> list[int]:
    return [one.n for one in message.citations.filter(cited=True)]


def test_an_answer_that_broke_off_is_closed_with_the_sources_that_it_cites() -> None:
    one, other, silent = broken_off("Veintiún días [3], y tres más [1][7]. Y ["), broken_off("[2]"), broken_off("")
    assert keeping.close_interrupted() == 3
    assert [cited_of(message) for message in (one, other, silent)] == [[1, 3], [2], []]
    one.refresh_from_db()
    assert (one.status, one.error_code) == ("failed", "interrupted")


def test_a_visit_closes_a_bounded_number_and_the_next_one_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "CLOSED_AT_ONCE", 2)
    messages = [broken_off("[1]") for _ in range(3)]
    assert [keeping.close_interrupted() for _ in range(3)] == [2, 1, 0]
    assert [cited_of(message) for message in messages] == [[1]] * 3

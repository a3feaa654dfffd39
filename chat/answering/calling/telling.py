"""The sources of an attempt as readers are told them: before it is written, and again with what was fetched since."""

from chat.answering.attempts import Answer, Attempt
from chat.answering.sources import source_of
from chat.answering.state import state_promised
from chat.stream.events import Sources, Status
from chat.stream.live import Live


def tell_sources(answer: Answer, attempt: Attempt, live: Live) -> None:
    """Under the number that the answer is told with now."""
    live.log.begin(sources_event(answer, attempt, answer.told), attempt.parts)
    live.log.add(Status("generating", answer.told))


def sources_event(answer: Answer, attempt: Attempt, number: int) -> Sources:
    retrieval = attempt.retrieval
    return Sources(
        conversation=answer.conversation,
        message=answer.message,
        attempt=number,
        confidence=retrieval.confidence.value,
        sufficient=retrieval.sufficient,
        state=state_promised(attempt),
        degraded=retrieval.degraded,
        sources=tuple(source_of(one) for one in attempt.all_sources),
    )

"""An answer that has ended, told to the metrics (`config.metrics.answering`)."""

from chat.answering.attempts import Answer, Attempt
from chat.understanding.kinds import question_kind
from config.metrics import answering


def count_answer(answer: Answer, state: str) -> None:
    """Once it is stored."""
    answering.count_end(state, answer.final_status, answer.error_code)
    before: Attempt | None = None
    for attempt in answer.attempts:
        metrics, size = attempt.metrics, attempt.retrieval.granularity
        answering.count_attempt(
            size,
            is_kept=attempt is answer.best,
            decision=attempt.decision.reason.value if attempt.decision else "",
            scores=[(name, getattr(metrics, name)) for name in metrics.__slots__] if metrics else (),
        )
        if before is not None:
            answering.count_retry(size, question_kind(attempt.request.question).value, gain(before, attempt))
        before = attempt


def gain(before: Attempt, after: Attempt) -> float | None:
    """None where one of them was not judged."""
    if before.metrics is None or after.metrics is None:
        return None
    return after.metrics.overall - before.metrics.overall

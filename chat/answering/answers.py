"""A question's way to its answer: admission → search → prompt → model → log (DESIGN.md, "The way of a question").

`ask` starts it in a task of its own, because an answer belongs to its conversation, not to the connection that asked
for it (ADR 0013). No thread and no database connection is held while a model is waited for.
"""

import asyncio
from functools import partial

from accounts.problems import InternalError
from agents.llm.metering import metered
from chat.answering import adaptive, records
from chat.answering.admission import Admission, Asking
from chat.answering.attempting import attempt_from, stream_first_attempt
from chat.answering.attempts import Answer, Attempt
from chat.answering.condensing import AS_ASKED, Rewriting
from chat.answering.inquiry import Inquiry
from chat.models import Message
from chat.stream.live import Live, Reader
from config.concurrency.threads import in_thread

DEADLINE_SECONDS = 600.0
CLOSING_SECONDS = 1.0  # for which a refusal waits until what was held is given back; a database may be away for longer
_under_way: set[asyncio.Task[None]] = set()


async def ask(asking: Asking, *, goes_on: bool) -> tuple[Admission, Reader]:
    """The admitted question, and whoever asks as the first reader of its answer. Raises Problems.

    Somebody who leaves meanwhile is a reader who left; the question is closed by its own task, like any other.
    """
    admission = Admission(goes_on)
    admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    reader = admission.live.listen()
    task = asyncio.get_running_loop().create_task(carry_out(admission, asking, admitted))
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)
    try:
        await asyncio.shield(admitted)
    except asyncio.CancelledError:
        reader.leave()
        raise
    except Exception:
        reader.leave()
        await asyncio.wait([task], timeout=CLOSING_SECONDS)  # what was held is free when the caller hears of it
        raise
    return admission, reader


async def carry_out(admission: Admission, asking: Asking, admitted: "asyncio.Future[None]") -> None:
    """The whole life of a question. Whatever happens on the way, `close` closes it."""
    try:
        inquiry = await admission.open(asking)
        decide(admitted)
        if inquiry is not None and admission.answer is not None:
            answering = give(admission.answer, inquiry, admission.live)
            del asking, inquiry  # it is for `give` to say how long they are held
            with metered(admission.meter):
                await answering
    except Exception as error:
        admission.fail(error)
        decide(admitted, error)
    finally:
        decide(admitted, InternalError())
        await admission.close()


def decide(admitted: "asyncio.Future[None]", error: Exception | None = None) -> None:
    """Let in, or not: the first word counts. Nobody may be there any more to hear it."""
    if admitted.done():
        return
    if error is None:
        admitted.set_result(None)
    else:
        admitted.set_exception(error)
        admitted.exception()


async def give(answer: Answer, inquiry: Inquiry, live: Live) -> None:
    """Search, speak, and with adaptive retrieval do better. `answer` says afterwards how it ended.

    While a model speaks, which hundreds do at once, nothing is held of who asked whom and where, some ten kilobytes of
    rows; but for a further search.
    """
    rewriting, first = await search_first(answer, inquiry, live)
    if first is None:
        return
    deadline = asyncio.get_running_loop().time() + DEADLINE_SECONDS
    keep = partial(records.keep_sources, inquiry.agent.pk, inquiry.question.text, first)
    improve = partial(adaptive.improve, answer, inquiry, rewriting, live) if inquiry.agent.adaptive else None
    del inquiry
    await stream_first_attempt(answer, first, keep, live, deadline)
    if improve is not None:
        await improve()
    answer.status = Message.Status.STOPPED if live.stopped else Message.Status.COMPLETE


async def search_first(answer: Answer, inquiry: Inquiry, live: Live) -> tuple[Rewriting, Attempt | None]:
    """What was searched for, and the first attempt; None where the answer was stopped before. The attempt alone holds
    what was found, so that what it lets go of while its model speaks is gone."""
    rewriting, retrieval = AS_ASKED, None
    if not live.stopped:
        with live.until_stopped():
            rewriting = await inquiry.rewrite()
            answer.condensed, answer.rewriting = rewriting.question, rewriting.usage
            retrieval = await inquiry.plan.retrieve(inquiry.question.text, rewriting)
    if retrieval is None:
        return rewriting, None
    return rewriting, await in_thread(attempt_from, answer, inquiry, inquiry.plan, retrieval, 1)

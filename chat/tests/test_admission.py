"""Whatever raises on a question's way: its stream slot, its Idempotency-Key and its message are closed (B5)."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import DatabaseError, OperationalError

from accounts.http import idempotency
from accounts.models import IdempotentReply
from accounts.problems import Problem
from chat.answering import adaptive, admission, answers, attempting, inquiry, records, storing
from chat.answering.admission import Asking
from chat.answering.calling import hearing, telling
from chat.answering.questions import ChatQuestion
from chat.models import Message
from chat.stream import keeping, live
from chat.stream.collected import Whole, collect
from chat.stream.events import Done, Error
from chat.stream.log import Cursor
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from tests.limits import limit, reserved
from tests.live import eventually

pytestmark = pytest.mark.django_db(transaction=True)

ERRORS = [RuntimeError("unexpected"), DatabaseError("broken"), OperationalError("away"), asyncio.CancelledError()]

STEPS: list[tuple[Any, str]] = [
    (idempotency, "claim_key"),
    (admission, "prepare"),
    (records, "conversation_for"),
    (admission.spending, "most_spent_by"),
    (admission.stock, "make_room"),
    (admission.reserving, "reserve_here"),
    (records, "open_answer"),
    (idempotency, "keep_reply"),
    (keeping, "look_after_answers"),
    (inquiry.condensing, "rewrite"),
    (inquiry, "aretrieve"),
    (attempting.requests, "chat_request_for"),
    (attempting, "refusal_for"),
    (records, "keep_sources"),
    (hearing, "client_for"),
    (telling, "source_of"),
    (attempting, "stream_attempt"),
    (adaptive, "improve"),
    (records, "close_answer"),
]


@pytest.fixture(autouse=True)
def strict(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One stream for each user; a database that is away is not waited for."""
    limit(settings, streams=1)
    monkeypatch.setattr(storing, "PAUSES", ())


@pytest.fixture
def library(library: Library, chat_model: ModelServer) -> Library:
    """The writer goes every way there is: a follow-up is rewritten, the answer is judged."""
    chat_model.script(text="Veintiún días [1].")
    library.writer.expand_queries = library.writer.condense = library.writer.adaptive = True
    library.writer.save()
    return library


def ask(library: Library, key: str = "") -> Whole | BaseException:
    """The answer as its first reader is told it, or what was raised instead of one."""

    async def asking() -> Whole | BaseException:
        asked = Asking(library.alicia, "writer", ChatQuestion(ABOUT_LOANS), key, b"{}")
        try:
            _, reader = await answers.ask(asked, goes_on=True)
            whole = await collect(reader.batches(Cursor()))
        except Exception as error:
            whole = error  # type: ignore[assignment]
        await asyncio.gather(*answers._under_way, return_exceptions=True)
        return whole

    return async_to_sync(asking)()


def raising(error: BaseException, after: Callable[..., Any] | None = None) -> Callable[..., Any]:
    def fail(*args: Any, **kwargs: Any) -> Any:
        if after is not None:
            after(*args, **kwargs)
        raise error

    return fail


def assert_nothing_is_held() -> None:
    assert not live._live
    assert not Message.objects.filter(status="streaming").exists()
    assert not IdempotentReply.objects.filter(status=None).exists()
    assert not reserved()


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(("module", "step"), STEPS, ids=lambda one: one if isinstance(one, str) else "")
def test_an_error_at_any_step_leaves_nothing_held(
    library: Library, monkeypatch: pytest.MonkeyPatch, module: Any, step: str, error: BaseException
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module, step, raising(error))
        ended = ask(library, "key")
    is_away = step == "close_answer" and isinstance(error, OperationalError)
    if is_away:  # nobody can store it now: it is broken off as soon as nothing is heard of it
        Message.objects.filter(status="streaming").update(writer_seen_at="2026-01-01T00:00Z")
        assert keeping.close_interrupted() == 1
    assert_nothing_is_held()
    assert isinstance(ended, Exception) or isinstance(ended.ending, Done | Error)
    again = ask(library, "another")
    assert isinstance(again, Whole)
    assert isinstance(again.ending, Done)
    assert again.ending.status == "complete"


def every_call(work: Callable[..., Any], error: BaseException, number: int, *, after: bool) -> Callable[..., Any]:
    """`in_thread`, whose `number`th call raises, before or after its work is done."""
    calls = itertools.count(1)

    async def in_thread(*args: Any, **kwargs: Any) -> Any:
        if next(calls) != number:
            return await work(*args, **kwargs)
        if after:
            await work(*args, **kwargs)
        raise error

    return in_thread


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_at_any_wait_for_the_database_leaves_nothing_held(
    library: Library, monkeypatch: pytest.MonkeyPatch, error: BaseException, after: bool
) -> None:
    in_thread = admission.in_thread
    for number in (1, 2):
        with monkeypatch.context() as patch:
            failing = every_call(in_thread, error, number, after=after)
            for module in (admission, answers, storing, adaptive):
                patch.setattr(module, "in_thread", failing)
            ask(library, f"key {number}")
        assert_nothing_is_held()
    ended = ask(library)
    assert isinstance(ended, Whole)
    assert isinstance(ended.ending, Done)


def test_the_model_is_asked_while_the_sources_are_stored(
    library: Library, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = records.keep_sources

    def slow(*args: Any) -> None:
        eventually(lambda: bool(chat_model.stats()["active"]))
        keep(*args)

    chat_model.script(text="Veintiún días [1].", pace=0.2)
    library.writer.expand_queries = library.writer.condense = library.writer.adaptive = False
    library.writer.save()
    monkeypatch.setattr(records, "keep_sources", slow)
    ended = ask(library)
    assert isinstance(ended, Whole)
    assert isinstance(ended.ending, Done)
    assert [one.cited for one in Message.objects.get(role="assistant").citations.order_by("n")][:1] == [True]


def test_an_answer_whose_sources_cannot_be_stored_is_cut_short(
    library: Library, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_args: Any) -> None:
        eventually(lambda: bool(chat_model.stats()["active"]))
        raise OperationalError("away")

    chat_model.script(endless=True, pace=0.02)
    library.writer.expand_queries = library.writer.condense = False
    library.writer.save()
    monkeypatch.setattr(records, "keep_sources", failing)
    ended = ask(library)
    assert isinstance(ended, Whole)
    assert isinstance(ended.ending, Error)
    assert ended.ending.code == "database_unavailable"
    eventually(lambda: chat_model.stats()["active"] == 0, 1.0)
    assert_nothing_is_held()


def cancelled_at() -> Iterator[float]:
    """Moments of an answer's first half second, more of them at its beginning."""
    return (0.005 * n for n in range(1, 25))


def test_an_answer_that_is_cancelled_at_any_moment_leaves_nothing_held(library: Library) -> None:
    """As a server does with its tasks when it shuts down."""

    async def cut(seconds: float) -> None:
        asked = Asking(library.alicia, "writer", ChatQuestion(ABOUT_LOANS), f"key {seconds}", b"{}")
        asking = asyncio.ensure_future(answers.ask(asked, goes_on=True))
        await asyncio.sleep(seconds)
        for task in tuple(answers._under_way):
            task.cancel()
        await asyncio.gather(asking, *answers._under_way, return_exceptions=True)

    for seconds in cancelled_at():
        async_to_sync(cut)(seconds)
        assert_nothing_is_held()


def test_a_question_that_outlived_its_lease_is_not_asked_twice(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process stood still for so long that another took the key: what it would write now is not written."""
    prepare = admission.prepare

    def late(*args: Any, **kwargs: Any) -> Any:
        IdempotentReply.objects.all().delete()
        return prepare(*args, **kwargs)

    monkeypatch.setattr(admission, "prepare", late)
    refused = ask(library, "key")
    assert isinstance(refused, idempotency.StillRunning)
    assert not Message.objects.exists()


def test_a_second_question_beyond_the_quota_is_refused_in_every_process(library: Library) -> None:
    first = ask(library)
    assert isinstance(first, Whole)
    Message.objects.filter(role="assistant").update(status="streaming")  # as another process would write it
    refused = ask(library, "key")
    assert isinstance(refused, Problem)
    assert refused.code == "quota_exceeded"
    assert not IdempotentReply.objects.exists()
    Message.objects.update(writer_seen_at="2026-01-01T00:00Z")
    ended = ask(library)
    assert isinstance(ended, Whole), "one whose writer has died is no longer counted"


def test_of_many_questions_at_once_exactly_the_allowed_ones_are_admitted(
    library: Library, chat_model: ModelServer, settings: Any
) -> None:
    limit(settings, streams=3)
    chat_model.script(endless=True, pace=0.02)

    async def at_once() -> list[Any]:
        asked = Asking(library.alicia, "writer", ChatQuestion(ABOUT_LOANS))
        made = await asyncio.gather(*(answers.ask(asked, goes_on=True) for _ in range(12)), return_exceptions=True)
        for one in tuple(live._live.values()):
            one.stop()
        await asyncio.gather(*answers._under_way, return_exceptions=True)
        return made

    made = async_to_sync(at_once)()
    assert sum(isinstance(one, tuple) for one in made) == 3
    assert {type(one).__name__ for one in made if not isinstance(one, tuple)} == {"QuotaExceeded"}
    assert_nothing_is_held()

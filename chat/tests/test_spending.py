"""What answers spend is reserved before a question is admitted and settled when it ends, however it ends (R21)."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.limits.reserving import Spending
from accounts.limits.rows import SpendingReservation
from agents.llm.base import ModelMessage
from agents.models import Agent
from chat.answering.inquiry import prepare
from chat.answering.questions import ChatQuestion
from chat.answering.spending import most_spent_by
from chat.models import Message
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from tests.limits import limit, reserved, stop_the_clock, used
from tests.live import Caller, LiveServer, eventually

pytestmark = pytest.mark.django_db(transaction=True)

PRICES = {"fake": [1, 10]}


@pytest.fixture(autouse=True)
def counted(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    limit(settings)
    settings.MODEL_PRICES = PRICES
    stop_the_clock(monkeypatch)


@pytest.fixture
def alicia(server: LiveServer, library: Library) -> Caller:
    return server.by_key(library.alicia)


def spent(library: Library, name: str = "tokens_day") -> int:
    return used(name, library.alicia.user_id)


def test_an_answer_is_settled_with_what_its_model_counted(
    alicia: Caller, library: Library, chat_model: ModelServer
) -> None:
    chat_model.script(text="Veintiún días [1].")
    usage = alicia.answers("writer", ABOUT_LOANS)[-1].data["usage"]
    eventually(lambda: not reserved())
    assert spent(library) == used("tokens_month", library.alicia.organization_id) == usage["total_tokens"]
    price = usage["prompt_tokens"] * 1 + usage["completion_tokens"] * 10
    assert spent(library, "dollars_day") == used("dollars_month", library.alicia.organization_id) == price


def test_a_stopped_answer_is_settled_by_its_text(alicia: Caller, library: Library, chat_model: ModelServer) -> None:
    chat_model.script(endless=True, pace=0.02)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        stream.until("token")
        most = SpendingReservation.objects.get()
        assert most.pk == Message.objects.get(role="assistant").pk
    eventually(lambda: not reserved())
    assert 100 < spent(library) < most.tokens
    assert 0 < spent(library, "dollars_day") < most.microdollars


def test_a_model_that_refuses_costs_nothing(alicia: Caller, library: Library, chat_model: ModelServer) -> None:
    chat_model.script(status=400)
    assert alicia.answers("writer", ABOUT_LOANS)[-1].name == "error"
    eventually(lambda: not reserved())
    assert spent(library) == 0


def test_every_call_of_an_adaptive_answer_is_on_the_bill(
    alicia: Caller, library: Library, chat_model: ModelServer, settings: Any
) -> None:
    Agent.objects.update(adaptive=True, expand_queries=True, rerank=True)
    chat_model.script(text="Veintiún días [1].")
    usage = alicia.answers("writer", ABOUT_LOANS)[-1].data["usage"]
    eventually(lambda: not reserved())
    assert spent(library) > usage["total_tokens"] > 0, "the re-ranker's tokens are on no answer's own bill"


def test_the_tokens_of_a_day_end_where_the_most_that_a_question_may_take_no_longer_fits(
    alicia: Caller, library: Library, chat_model: ModelServer, settings: Any
) -> None:
    chat_model.script(text="Veintiún días [1].")
    most = most_of(library, ChatQuestion(ABOUT_LOANS)).tokens
    limit(settings, tokens_day=most)
    assert alicia.answers("writer", ABOUT_LOANS)[-1].name == "done"
    eventually(lambda: not reserved())
    with alicia.ask("writer", ABOUT_LOANS) as second:
        told = second.problem()
        assert (second.status, told["code"], told["limit"]) == (429, "quota_exceeded", "tokens_day")
        assert int(second.headers["retry-after"]) <= 86_400
    assert Message.objects.filter(role="user").count() == 1, "nothing of it is stored"


def test_the_reservation_of_an_answer_whose_writer_died_expires_and_its_stream_is_free(
    alicia: Caller, library: Library, chat_model: ModelServer, settings: Any
) -> None:
    most = most_of(library, ChatQuestion(ABOUT_LOANS)).tokens
    limit(settings, tokens_day=most, streams=1)
    chat_model.script(text="Veintiún días [1].")
    assert alicia.answers("writer", ABOUT_LOANS)[-1].name == "done"
    eventually(lambda: not reserved())
    # As a process leaves it that is killed in the middle of an answer.
    Message.objects.filter(role="assistant").update(status="streaming", writer_seen_at="2026-01-01T00:00Z")
    SpendingReservation.objects.create(
        pk=Message.objects.get(role="assistant").pk, organization=library.alicia.organization,
        user=library.alicia.user_id, tokens=most, microdollars=0, expires_at=timezone.now() + timedelta(minutes=5),
    )  # fmt: skip
    limit(settings, tokens_day=2 * most, streams=1)
    with alicia.ask("writer", ABOUT_LOANS) as refused:
        assert refused.problem()["limit"] == "tokens_day"
    SpendingReservation.objects.update(expires_at=timezone.now())
    assert alicia.answers("writer", ABOUT_LOANS)[-1].name == "done"


def test_the_extractive_answerer_reserves_and_spends_nothing(alicia: Caller, library: Library, settings: Any) -> None:
    limit(settings, tokens_day=1)
    assert alicia.answers("writer", ABOUT_LOANS)[-1].name == "done"
    assert spent(library) == reserved() == 0


def test_what_runs_at_once_is_reserved_at_once(
    server: LiveServer, library: Library, chat_model: ModelServer, settings: Any
) -> None:
    """Two answers, neither of which has ended: together they may not take more than there is."""
    chat_model.script(endless=True, pace=0.02)
    most = most_of(library, ChatQuestion(ABOUT_LOANS)).tokens
    limit(settings, organization={"tokens_day": 2 * most})
    askers = [server.by_key(one) for one in (library.alicia, library.bob, library.admin)]
    statuses: list[int] = []
    done = threading.Event()

    def ask(caller: Caller) -> None:
        with caller.ask("writer", ABOUT_LOANS) as stream:
            statuses.append(stream.status)
            done.wait(20)

    threads = [threading.Thread(target=ask, args=(one,)) for one in askers]
    for thread in threads:
        thread.start()
    eventually(lambda: len(statuses) == 3, 10)
    done.set()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 200, 429]


def most_of(library: Library, question: ChatQuestion) -> Spending:
    return most_spent_by(prepare(library.alicia, "writer", question), "")


def test_the_most_that_an_answer_may_take_covers_its_settings(library: Library, chat_model: ModelServer) -> None:
    plain = most_of(library, ChatQuestion(ABOUT_LOANS))
    assert plain.microdollars > plain.tokens, "its price is known"
    assert most_of(library, ChatQuestion("¿" + "ab " * 2_000)).tokens > plain.tokens + 1_500
    Agent.objects.update(max_tokens=32_000)
    assert most_of(library, ChatQuestion(ABOUT_LOANS)).tokens >= plain.tokens + 30_000
    Agent.objects.update(max_tokens=1024, context_tokens=50_000)
    assert most_of(library, ChatQuestion(ABOUT_LOANS)).tokens > 50_000
    Agent.objects.update(context_tokens=2_000)
    after = ChatQuestion("¿Y después?", history=(ModelMessage("user", "¿Qué?"), ModelMessage("assistant", "Eso.")))
    assert most_of(library, after).tokens > plain.tokens, "a model makes it stand alone"
    Agent.objects.update(adaptive=True, rerank=True)
    inquiry = prepare(library.alicia, "writer", ChatQuestion(ABOUT_LOANS))
    assert most_spent_by(inquiry, "fake").tokens > 5 * plain.tokens

"""What an open answer holds while its model speaks: hundreds of them stand open at once."""

import gc
from collections.abc import Iterator

import pytest
from django.core.handlers.asgi import ASGIRequest

from accounts.http.frames import FramedResponse
from accounts.models import Membership
from agents.models import Agent
from chat.answering.inquiry import Inquiry
from chat.models import Trace
from retrieval.results import TracedCandidate
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from tests.live import Caller, LiveServer, eventually

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alicia(server: LiveServer, library: Library) -> Caller:
    return server.by_key(library.alicia)


HELD_BEFORE = (TracedCandidate, ASGIRequest, FramedResponse, Inquiry, Membership, Agent)


@pytest.fixture
def others() -> Iterator[list[object]]:
    """What tests before have left of them; without the garbage collector, which comes round seldom in a web process
    (config.asgi)."""
    gc.collect()
    gc.disable()
    yield held(*HELD_BEFORE)
    gc.enable()


def held(*kinds: type) -> list[object]:
    return [one for one in gc.get_objects() if type(one) in kinds]


def test_while_a_model_speaks_its_request_is_gone_and_the_candidates_are_in_the_trace_alone(
    alicia: Caller, chat_model: ModelServer, others: list[object]
) -> None:
    known = set(map(id, others))
    chat_model.script(endless=True, pace=0.02)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        stream.until("token")
        eventually(lambda: Trace.objects.exists())
        assert any(one["reason"] == "kept" for one in Trace.objects.get().candidates)
        eventually(lambda: known.issuperset(map(id, held(TracedCandidate))))
        eventually(lambda: known.issuperset(map(id, held(ASGIRequest, FramedResponse))))


def test_while_a_model_speaks_who_asks_whom_is_held_by_an_adaptive_agent_alone_which_may_search_again(
    alicia: Caller, library: Library, chat_model: ModelServer, others: list[object]
) -> None:
    library.writer.adaptive = False
    library.writer.save()
    known = set(map(id, others))
    chat_model.script(endless=True, pace=0.02)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        stream.until("token")
        eventually(lambda: Trace.objects.exists())
        for kind in (Inquiry, Membership, Agent):
            eventually(lambda kind=kind: known.issuperset(map(id, held(kind))))
    assert Trace.objects.get().agent_id == library.writer.pk

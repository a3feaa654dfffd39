"""A trace in the admin: what became of each candidate, without a word of anybody's own documents."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from chat.admin.statistics import adaptive_statistics
from chat.admin.trace import stages
from chat.models import Trace
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, ABOUT_NOVEL, Library
from tests.live import LiveServer
from tests.people import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin(library: Library) -> Client:
    return signed_in(library.admin)


def page_of(admin: Client) -> str:
    trace = Trace.objects.latest("created_at")
    return admin.get(reverse("admin:chat_trace_change", args=[trace.pk])).content.decode()


def test_candidates_of_global_corpora_have_titles_and_personal_ones_do_not(
    admin: Client, library: Library, server: LiveServer
) -> None:
    server.by_key(library.alicia).answers("writer", f"{ABOUT_LOANS} {ABOUT_NOVEL}")
    page = page_of(admin)
    assert "Préstamos" in page
    assert "un documento personal" in page
    assert not any(word in page for word in ("Personajes", "novela.md", "relojera", "Cronología"))
    assert ABOUT_LOANS in page


def test_a_query_condensed_from_a_talk_about_personal_documents_is_not_shown(
    admin: Client, library: Library, server: LiveServer, chat_model: ModelServer
) -> None:
    alone = "¿Dónde guarda Ofelia Marchena el reloj de péndulo?"
    for agent, asked, visible in (("writer", ABOUT_NOVEL, False), ("researcher", ABOUT_LOANS, True)):
        chat_model.script(
            path="chat", json_answer={"question": alone if not visible else asked, "phrasings": []}, times=1
        )
        said = [{"role": "user", "content": "hola"}, {"role": "assistant", "content": "hola"}]
        body = {"messages": [*said, {"role": "user", "content": "¿Y eso?"}], "stream": False}
        assert server.by_key(library.alicia).call("POST", f"/api/agents/{agent}/chat/", body).status == 200
        assert Trace.objects.latest("created_at").condensed_query
        assert (("guarda Ofelia" in page_of(admin)), (asked in page_of(admin))) == (False, visible)


def test_an_old_trace_without_the_newer_keys_is_shown_too(admin: Client, library: Library, server: LiveServer) -> None:
    server.by_key(library.alicia).answers("writer", ABOUT_LOANS)
    Trace.objects.update(candidates=[{"chunk": "gone"}, {}], attempts=[{"attempt": 1}], timings={}, usage={}, gate="")
    assert "ya no está" in page_of(admin)


def test_the_stages_tile_the_whole() -> None:
    found = stages({"embed": 1.0, "search": 3.0, "total": 4.0})
    assert [(one.name, one.start, one.percent) for one in found] == [("embed", 0, 25), ("search", 25, 75)]
    assert stages({}) == []


def attempt(n: int, mean: float | None, *, kept: bool = False, **more: Any) -> dict[str, Any]:
    metrics = mean if mean is None else dict.fromkeys(("faithfulness", "context_precision", "context_recall"), mean)
    return {"attempt": n, "granularity": 512, "kept": kept, "metrics": metrics, "decision": "accepted", **more}


def test_statistics_count_strategies_retries_and_gains() -> None:
    found = adaptive_statistics(
        [
            [attempt(1, 0.9, kept=True)],
            [attempt(1, 0.4, decision="low_recall"), attempt(2, 0.8, kept=True, granularity=1024)],
            [attempt(1, 0.6, kept=True, decision="low_precision"), attempt(2, 0.5, granularity=256)],
            [attempt(1, None, kept=True, decision="", fault="evaluator_failed")],
            [attempt(1, None, kept=True, decision="")],
            [],
        ]
    )
    assert (found.answers, found.tried_again, found.unjudged) == (4, 2, 1)
    assert found.gain == pytest.approx((0.4 + 0.0) / 2)
    assert found.by_attempts == {1: 2, 2: 2}
    assert found.sizes == {512: 3, 1024: 1}
    assert found.decisions == {"accepted": 3, "low_recall": 1, "low_precision": 1}
    assert adaptive_statistics([]).gain is None

"""A trace in the admin: what became of each candidate, without a word of anybody's own documents."""

import html
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from agents import assignments
from agents.models import Agent, Assignment
from chat.admin.statistics import adaptive_statistics
from chat.admin.trace import stages
from chat.answering.inquiry import Inquiry
from chat.models import Conversation, Trace
from corpora import removal
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, ABOUT_NOVEL, Library
from tests.live import Caller, LiveServer
from tests.people import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin(library: Library) -> Client:
    return signed_in(library.admin)


def page_of(admin: Client, language: str = "es") -> str:
    trace = Trace.objects.latest("created_at")
    path = reverse("admin:chat_trace_change", args=[trace.pk])
    return admin.get(path, headers={"Accept-Language": language}).content.decode()


def test_candidates_of_global_corpora_have_titles_and_personal_ones_do_not(
    admin: Client, library: Library, server: LiveServer
) -> None:
    server.by_key(library.alicia).answers("writer", f"{ABOUT_LOANS} {ABOUT_NOVEL}")
    page = page_of(admin)
    assert "Préstamos" in page
    assert "un documento personal" in page
    assert not any(word in page for word in ("Personajes", "novela.md", "relojera", "Cronología"))


def test_a_line_of_a_log_leads_to_the_answers_record_and_back(
    admin: Client, library: Library, server: LiveServer
) -> None:
    alicia = server.by_key(library.alicia)
    question = {"messages": [{"role": "user", "content": ABOUT_LOANS}], "stream": False}
    with_id = replace(alicia, headers={**alicia.headers, "X-Request-ID": "the-request-0001"})
    for address, asked in (("chat", question), ("retrieve", {"query": ABOUT_LOANS})):
        told = with_id.call("POST", f"/api/agents/researcher/{address}/", asked)
        assert {name.lower(): value for name, value in told.headers.items()}["x-request-id"] == "the-request-0001"
        assert Trace.objects.latest("created_at").request_id == "the-request-0001"
    assert "the-request-0001" in page_of(admin)
    found = admin.get(reverse("admin:chat_trace_changelist"), {"q": "the-request-0001"}).content.decode()
    assert found.count("/admin/chat/trace/") >= 2
    nothing = admin.get(reverse("admin:chat_trace_changelist"), {"q": "the-request-0002"}).content.decode()
    assert all(str(trace.pk) not in nothing for trace in Trace.objects.all())


def ask(caller: Caller, agent: str, *said: str, **fields: Any) -> Any:
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(said)]
    answer = caller.call("POST", f"/api/agents/{agent}/chat/", {"messages": messages, "stream": False, **fields})
    assert answer.status == 200
    return answer.body["conversation"]


def words() -> tuple[bool, str, str]:
    trace = Trace.objects.latest("created_at")
    return trace.is_personal, trace.query, trace.condensed_query


def test_the_words_of_a_question_are_kept_where_nobodys_own_documents_are_in_reach(
    admin: Client, library: Library, server: LiveServer, chat_model: ModelServer
) -> None:
    chat_model.script(copying=True)
    alicia = server.by_key(library.alicia)
    talk = ask(alicia, "researcher", ABOUT_LOANS)
    assert words() == (False, ABOUT_LOANS, "")
    ask(alicia, "researcher", "¿Y eso?", conversation=talk)
    is_personal, query, condensed = words()
    assert (is_personal, query, condensed.startswith("¿Y eso? (about: answerx")) == (False, "¿Y eso?", True)
    assert condensed[:60] in html.unescape(page_of(admin))


def test_of_a_question_that_a_personal_corpus_was_in_reach_of_no_word_is_kept(
    admin: Client, library: Library, server: LiveServer
) -> None:
    """Also where nothing of the corpus was found, or could be."""
    for fields in ({}, {"filters": {"tags": ["normas"]}}, {"filters": {"tags": ["nada"]}}):
        ask(server.by_key(library.alicia), "writer", ABOUT_LOANS, **fields)
        assert words() == (True, "", "")
        assert ABOUT_LOANS not in page_of(admin)
        assert "not kept" in page_of(admin, "en")
    ask(server.by_key(library.bob), "writer", ABOUT_LOANS)
    assert words() == (False, ABOUT_LOANS, ""), "Bob keeps nothing of his own"


@pytest.mark.parametrize("taken_back", ["assignment", "agent", "corpus"])
def test_what_was_personal_once_stays_so_whatever_becomes_of_the_corpus(
    admin: Client, library: Library, server: LiveServer, chat_model: ModelServer, taken_back: str
) -> None:
    """Finding 4: the follow-up finds nothing personal any more, but its condensed question repeats what was said."""
    chat_model.script(copying=True)
    alicia = server.by_key(library.alicia)
    talk = ask(alicia, "writer", ABOUT_NOVEL)
    if taken_back == "assignment":
        assignments.unassign_corpus(library.writer, library.notes.pk, library.alicia)
    elif taken_back == "agent":
        Agent.objects.filter(pk=library.writer.pk).update(allows_personal_corpus=False)
    else:
        removal.remove_corpus(library.notes, library.alicia)
    ask(alicia, "writer", "¿Y eso?", conversation=talk)
    assert "relojera" in chat_model.requests()[-2]["body"]["messages"][-1]["content"], "it was condensed from that"
    assert words() == (True, "", "")
    ask(alicia, "writer", ABOUT_LOANS)
    assert words() == (False, ABOUT_LOANS, ""), "a new conversation knows nothing of it"


def test_what_a_client_sends_along_may_come_from_anywhere(
    library: Library, server: LiveServer, chat_model: ModelServer
) -> None:
    chat_model.script(copying=True)
    alicia = server.by_key(library.alicia)
    talk = ask(alicia, "researcher", "hola", "Ofelia es la relojera.", "¿Y eso?")
    assert words() == (True, "", "")
    ask(alicia, "researcher", "¿Y eso?", conversation=talk)
    assert words() == (True, "", ""), "it is in the conversation now"


def test_a_corpus_that_is_assigned_between_two_attempts_makes_the_conversation_personal(
    library: Library, server: LiveServer, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat_model.script(copying=True)
    assignments.unassign_corpus(library.writer, library.notes.pk, library.alicia)
    Agent.objects.filter(pk=library.writer.pk).update(adaptive=True)
    plan_anew = Inquiry.plan_anew

    def assigned_meanwhile(inquiry: Inquiry, strategy: Any) -> Any:
        if not Assignment.objects.filter(corpus=library.notes).exists():
            assignments.assign_corpus(library.writer, library.notes.pk, library.alicia)
        return plan_anew(inquiry, strategy)

    monkeypatch.setattr(Inquiry, "plan_anew", assigned_meanwhile)
    talk = ask(server.by_key(library.alicia), "writer", ABOUT_LOANS)
    assert words() == (True, "", "")
    assert Conversation.objects.get(pk=talk).is_personal


def test_the_database_keeps_no_words_of_a_personal_trace(library: Library, server: LiveServer) -> None:
    ask(server.by_key(library.alicia), "writer", ABOUT_LOANS)
    with pytest.raises(IntegrityError), transaction.atomic():
        Trace.objects.update(query=ABOUT_LOANS)


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

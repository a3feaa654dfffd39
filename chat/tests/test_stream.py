"""The streamed answer on the wire: events, fields, headers and refusals as API.md, "Chat", promises them."""

import json
from typing import Any
from uuid import UUID, uuid4

import pytest

from accounts.models import ApiKey
from agents.models import Assignment
from chat.models import Citation, Conversation, Message, Project, Trace
from chat.stream import live
from tests import factories
from tests import library as sample
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, ABOUT_NOVEL, Library
from tests.limits import limit
from tests.live import Caller, LiveServer, SseEvent, asked, text_of

pytestmark = pytest.mark.django_db(transaction=True)
SOURCE_FIELDS = {
    "kind", "n", "chunk", "document", "title", "corpus", "corpus_type", "page", "page_end", "heading_path", "snippet",
    "relevance",
}  # fmt: skip


@pytest.fixture
def alicia(server: LiveServer, library: Library) -> Caller:
    return server.by_key(library.alicia)


def names(events: list[SseEvent]) -> list[str]:
    """The events' names with runs of tokens folded into one."""
    kept: list[str] = []
    for event in events:
        if not kept or event.name != kept[-1]:
            kept.append(event.name)
    return kept


def test_under_a_key_the_events_come_in_the_order_of_the_contract(alicia: Caller) -> None:
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        events = list(stream)
    assert names(events) == ["sources", "status", "token", "done"]
    assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert stream.headers["cache-control"] == "no-store, no-transform"
    assert stream.headers["x-accel-buffering"] == "no"
    assert stream.headers["x-message"] == events[0].data["message"]
    assert stream.headers["x-conversation"] == events[0].data["conversation"]


def test_each_event_has_the_fields_of_the_contract(alicia: Caller, library: Library) -> None:
    sources, status, *tokens, done = alicia.answers("writer", ABOUT_LOANS)
    found = sources.data
    assert set(found) == {"conversation", "message", "attempt", "confidence", "sufficient", "state", "sources"}
    assert (found["attempt"], found["confidence"], found["sufficient"]) == (1, "high", True)
    assert all(set(source) == SOURCE_FIELDS for source in found["sources"])
    first = found["sources"][0]
    assert (first["n"], first["title"], first["corpus_type"]) == (1, "Préstamos", "global")
    assert first["corpus"] == str(library.loans.pk)
    assert status.data == {"stage": "generating", "attempt": 1}
    assert all(set(token.data) == {"token", "attempt"} for token in tokens)
    assert set(done.data) == {"status", "state", "message", "usage", "cited", "citations"}
    assert (found["state"], done.data["state"]) == ("supported", "supported")
    assert set(done.data["citations"][0]) == {"n", "text", "page", "start", "end"}
    assert (done.data["status"], done.data["message"]) == ("complete", found["message"])
    assert done.data["cited"]
    assert set(done.data["cited"]) <= {source["n"] for source in found["sources"]}


def test_under_a_session_finished_blocks_come_as_html(server: LiveServer, library: Library) -> None:
    events = server.by_session(library.alicia).answers("writer", ABOUT_LOANS)
    blocks = [event.data for event in events if event.name == "html"]
    assert [block["block"] for block in blocks] == list(range(len(blocks)))
    assert "veintiún días" in "".join(block["html"] for block in blocks)
    assert 'data-n="1"' in "".join(block["html"] for block in blocks)
    assert events[-1].name == "done"


def test_a_session_without_a_csrf_token_is_refused(server: LiveServer, library: Library) -> None:
    caller = server.by_session(library.alicia)
    del caller.headers["X-CSRFToken"]
    with caller.ask("writer", ABOUT_LOANS) as stream:
        assert (stream.status, stream.problem()["code"]) == (403, "csrf_failed")


def test_a_key_does_not_look_at_cookies(server: LiveServer, library: Library) -> None:
    with_both = server.by_session(library.alicia)
    with_both.headers |= {"Authorization": "Bearer acv_wrong"}
    assert with_both.call("POST", "/api/agents/writer/chat/", {}).status == 401, "the question is looked at last"
    with with_both.ask("writer", ABOUT_LOANS) as stream:
        assert (stream.status, stream.problem()["code"]) == (401, "not_authenticated")
    good = server.by_key(library.bob)
    good.headers |= {"Cookie": with_both.headers["Cookie"]}
    owner = Conversation.objects.get(pk=good.answers("writer", ABOUT_LOANS)[0].data["conversation"]).owner
    assert owner == library.bob.user


def test_a_token_costs_at_most_100_bytes(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(text=" ".join(f"palabra{n}" for n in range(200)), pace=0.001)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        stream.until("status")
        before = stream.received
        events = list(stream)
    tokens = 200
    assert text_of(events).split()[-1] == "palabra199"
    assert (stream.received - before) / tokens <= 100


def test_without_streaming_the_answer_is_one_object(alicia: Caller) -> None:
    answer = alicia.call(
        "POST",
        "/api/agents/writer/chat/",
        {"messages": [{"role": "user", "content": ABOUT_LOANS}], "stream": False},
    )
    assert answer.status == 200
    fields = {
        "message",
        "conversation",
        "content",
        "sources",
        "citations",
        "state",
        "confidence",
        "sufficient",
        "usage",
    }
    assert set(answer.body) == fields
    assert "veintiún días" in answer.body["content"]
    assert set(answer.body["sources"][0]) == SOURCE_FIELDS
    assert Message.objects.get(pk=answer.body["message"]).content == answer.body["content"]
    assert answer.headers["cache-control"] == "no-store"


def test_an_answer_is_kept_with_its_citations_and_its_trace(alicia: Caller, library: Library) -> None:
    events = alicia.answers("writer", ABOUT_LOANS)
    question, answer = Message.objects.filter(conversation=events[0].data["conversation"]).order_by("created_at")
    assert (question.role, question.content) == ("user", ABOUT_LOANS)
    assert (answer.role, answer.status, answer.content) == ("assistant", "complete", text_of(events))
    assert (answer.confidence, answer.sufficient) == ("high", True)
    kept = Citation.objects.filter(message=answer)
    assert [str(one.chunk_id) for one in kept] == [source["chunk"] for source in events[0].data["sources"]]
    assert list(kept.filter(cited=True).values_list("n", flat=True)) == sorted(events[-1].data["cited"])
    trace = Trace.objects.get(message=answer)
    assert (trace.agent, trace.scope_size, trace.confidence) == (library.writer, 2, "high")
    shown = [one["chunk"] for one in trace.candidates if one["reason"] == "kept"]
    assert shown == [str(one.chunk_id) for one in kept]
    assert (trace.is_personal, trace.gate, trace.attempts[0]["kept"]) == (True, "sufficient", True)
    assert trace.timings["total"] > 0


def test_the_title_is_the_first_question_cut_between_words(alicia: Caller) -> None:
    long = "palabra " * 20
    conversation = Conversation.objects.get(pk=alicia.answers("writer", long)[0].data["conversation"])
    assert len(conversation.title) <= 80
    assert conversation.title.endswith("palabra…")


def sent_messages(model: ModelServer) -> list[dict[str, Any]]:
    return model.requests()[-1]["body"]["messages"]


def test_a_conversation_goes_on_with_its_history(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(text="Veintiún días [1].")
    conversation = alicia.answers("writer", ABOUT_LOANS)[0].data["conversation"]
    again = alicia.answers("writer", "¿Y se puede renovar?", conversation=conversation)
    assert again[0].data["conversation"] == conversation
    roles = [(one["role"], one["content"]) for one in sent_messages(chat_model)[1:]]
    assert roles == [("user", ABOUT_LOANS), ("assistant", "Veintiún días."), ("user", "¿Y se puede renovar?")]
    assert Message.objects.filter(conversation=conversation).count() == 4


def test_history_that_the_client_sends_takes_the_place_of_the_kept_one(alicia: Caller, chat_model: ModelServer) -> None:
    conversation = alicia.answers("writer", ABOUT_LOANS)[0].data["conversation"]
    said = [{"role": "user", "content": "Hola"}, {"role": "assistant", "content": "Buenas"}]
    asked = {"messages": [*said, {"role": "user", "content": ABOUT_NOVEL}], "conversation": conversation}
    with alicia.stream("/api/agents/writer/chat/", asked) as stream:
        list(stream)
    assert sent_messages(chat_model)[1:] == [*said, {"role": "user", "content": ABOUT_NOVEL}]


def test_a_strangers_conversation_or_project_does_not_exist(
    server: LiveServer, alicia: Caller, library: Library
) -> None:
    mine = alicia.answers("writer", ABOUT_LOANS)[0].data["conversation"]
    project = factories.ProjectFactory(of=library.alicia)
    bob = server.by_key(library.bob)
    bodies = []
    for fields in ({"conversation": mine}, {"conversation": str(uuid4())}, {"project": str(project.pk)}):
        with bob.ask("writer", ABOUT_LOANS, **fields) as stream:
            bodies.append((stream.status, stream.problem()))
    assert bodies[0][0] == 404
    assert bodies[0] == bodies[1] == bodies[2]
    assert Conversation.objects.filter(owner=library.bob.user).count() == 0


def test_a_conversation_belongs_to_its_agent(alicia: Caller) -> None:
    conversation = alicia.answers("writer", ABOUT_LOANS)[0].data["conversation"]
    with alicia.ask("researcher", ABOUT_LOANS, conversation=conversation) as stream:
        assert stream.status == 404


def tiers(events: list[SseEvent]) -> set[str]:
    return {source["corpus_type"] for source in events[0].data["sources"]}


def test_a_project_with_corpora_narrows_the_personal_tier(alicia: Caller, library: Library) -> None:
    other = factories.CorpusFactory(personal_of=library.alicia)
    Assignment.objects.create(agent=library.writer, corpus=other)
    elsewhere, here, bare = (factories.ProjectFactory(of=library.alicia) for _ in range(3))
    elsewhere.narrow_to([other])
    here.narrow_to([library.notes])
    assert "personal" not in tiers(alicia.answers("writer", ABOUT_NOVEL, project=str(elsewhere.pk)))
    assert "personal" in tiers(alicia.answers("writer", ABOUT_NOVEL, project=str(here.pk)))
    events = alicia.answers("writer", ABOUT_NOVEL, project=str(bare.pk))
    assert "personal" in tiers(events)
    assert Conversation.objects.get(pk=events[0].data["conversation"]).project == bare


def test_a_project_narrows_a_conversation_to_its_end(alicia: Caller, library: Library) -> None:
    other = factories.CorpusFactory(personal_of=library.alicia)
    project: Project = factories.ProjectFactory(of=library.alicia)
    project.narrow_to([other])
    conversation = alicia.answers("writer", ABOUT_NOVEL, project=str(project.pk))[0].data["conversation"]
    assert "personal" not in tiers(alicia.answers("writer", ABOUT_NOVEL, conversation=conversation))


def test_a_project_whose_corpora_are_gone_reads_no_personal_corpus(alicia: Caller, library: Library) -> None:
    chosen = factories.CorpusFactory(personal_of=library.alicia)
    project: Project = factories.ProjectFactory(of=library.alicia)
    project.narrow_to([chosen])
    chosen.delete()
    assert "personal" not in tiers(alicia.answers("writer", ABOUT_NOVEL, project=str(project.pk)))
    alicia.call("PATCH", f"/api/projects/{project.pk}/", {"corpora": []})
    assert "personal" in tiers(alicia.answers("writer", ABOUT_NOVEL, project=str(project.pk)))


def test_filters_are_requirements(alicia: Caller) -> None:
    def titles(**filters: Any) -> set[str]:
        return {one["title"] for one in alicia.answers("writer", ABOUT_NOVEL, filters=filters)[0].data["sources"]}

    assert titles(tags=["novela"]) == {"Personajes"}
    assert titles(tags="normas") <= {"Préstamos"}
    assert titles(tags=["nada"]) == set()


def test_an_open_agent_without_context_says_so_in_the_events(alicia: Caller) -> None:
    found = alicia.answers("writer", sample.ABOUT_NOTHING)[0].data
    assert (found["confidence"], found["sufficient"]) == ("none", False)


QUESTION = {"role": "user", "content": "x"}
NO_QUESTIONS: list[Any] = [
    b"{",
    b"\xff",
    [],
    {},
    {"messages": []},
    {"messages": "hola"},
    {"messages": [{"role": "system", "content": "Obedece"}]},
    {"messages": [{"role": "assistant", "content": "Hola"}]},
    {"messages": [{"role": "user", "content": "  "}]},
    {"messages": [{"role": "user", "content": "a\0b"}]},
    {"messages": [{"role": "user", "content": "x" * 8_001}]},
    {"messages": [QUESTION] * 201},
    {"messages": [QUESTION], "conversation": "no"},
    {"messages": [QUESTION], "filters": {"owner": "x"}},
    {"messages": [QUESTION], "filters": {"unit": []}},
]


def test_a_question_that_is_none_is_a_problem(alicia: Caller) -> None:
    for body in NO_QUESTIONS:
        answer = alicia.call("POST", "/api/agents/writer/chat/", body)
        code = "parse_error" if isinstance(body, bytes) else "invalid_input"
        assert (answer.status, answer.body["code"]) == (400, code), body
        assert answer.headers["content-type"] == "application/problem+json"
        assert {"type", "title", "status", "detail", "code"} <= set(answer.body)
    assert Message.objects.count() == 0


def test_who_asks_and_whom_are_checked(server: LiveServer, alicia: Caller, library: Library) -> None:
    body = {"messages": [{"role": "user", "content": ABOUT_LOANS}]}
    anonymous = server.anonymous().call("POST", "/api/agents/writer/chat/", body)
    assert (anonymous.status, anonymous.headers["www-authenticate"]) == (401, "Bearer")
    strange = server.by_key(library.carla).call("POST", "/api/agents/writer/chat/", body)
    unknown = alicia.call("POST", f"/api/agents/{uuid4()}/chat/", body)
    by_id_of_another = server.by_key(library.carla).call("POST", f"/api/agents/{library.writer.pk}/chat/", body)
    assert strange.status == 404
    assert strange.body == unknown.body == by_id_of_another.body
    assert alicia.call("GET", "/api/agents/writer/chat/").status == 405
    ApiKey.objects.update(revoked_at="2026-01-01T00:00Z")
    assert alicia.call("POST", "/api/agents/writer/chat/", body).status == 401


def test_a_deactivated_user_asks_nothing(alicia: Caller, library: Library) -> None:
    library.alicia.user.is_active = False
    library.alicia.user.save()
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        assert stream.status == 401


def test_a_deactivated_agent_does_not_answer_members(alicia: Caller, library: Library) -> None:
    library.writer.is_active = False
    library.writer.save()
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        assert stream.status == 404


def test_the_same_idempotency_key_replays_the_first_answer(alicia: Caller, chat_model: ModelServer) -> None:
    key = {"Idempotency-Key": "question-1"}
    first = alicia.answers("writer", ABOUT_LOANS, headers=key)
    again = alicia.answers("writer", ABOUT_LOANS, headers=key)
    assert text_of(again) == text_of(first)
    assert again[0].data["message"] == first[0].data["message"]
    assert [one["chunk"] for one in again[0].data["sources"]] == [one["chunk"] for one in first[0].data["sources"]]
    assert (again[-1].data["status"], again[-1].data["cited"]) == ("complete", first[-1].data["cited"])
    assert asked(chat_model) == 1
    assert Conversation.objects.count() == 1


def test_an_idempotency_key_belongs_to_one_body_and_one_person(
    server: LiveServer, alicia: Caller, library: Library
) -> None:
    key = {"Idempotency-Key": "question-1"}
    alicia.answers("writer", ABOUT_LOANS, headers=key)
    with alicia.ask("writer", ABOUT_NOVEL, headers=key) as stream:
        assert (stream.status, stream.problem()["code"]) == (422, "idempotency_key_reused")
    events = server.by_key(library.bob).answers("writer", ABOUT_LOANS, headers=key)
    assert Conversation.objects.get(pk=events[0].data["conversation"]).owner == library.bob.user


def test_a_repetition_while_the_first_answer_streams_is_a_conflict(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(endless=True, pace=0.02)
    key = {"Idempotency-Key": "question-1"}
    with alicia.ask("writer", ABOUT_LOANS, headers=key) as stream:
        stream.until("token")
        with alicia.ask("writer", ABOUT_LOANS, headers=key) as repeated:
            assert (repeated.status, repeated.problem()["code"]) == (409, "request_in_progress")


def test_a_failed_answer_is_replayed_with_its_code_and_advice(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(status=400)
    key = {"Idempotency-Key": "question-1"}
    first, again = (alicia.answers("writer", ABOUT_LOANS, headers=key) for _ in range(2))
    assert first[-1].name == again[-1].name == "error"
    assert again[-1].data["code"] == first[-1].data["code"] == "model_rejected"
    assert again[-1].data["detail"]
    assert "token" not in names(again)


def test_a_refused_request_frees_its_idempotency_key(alicia: Caller, settings: Any) -> None:
    limit(settings, streams=1)
    key = {"Idempotency-Key": "question-1"}
    with alicia.ask("nobody", ABOUT_LOANS, headers=key) as stream:
        assert stream.status == 404
    with alicia.ask("nobody", ABOUT_LOANS, headers=key) as stream:
        assert stream.status == 404
    assert alicia.answers("writer", ABOUT_LOANS)[-1].name == "done"


def test_silence_is_filled_with_comments(
    alicia: Caller, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SILENCE_SECONDS", 0.05)
    chat_model.script(stall_before=0.5)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        events = list(stream)
    assert stream.comments >= 5
    assert events[-1].name == "done"


def test_questions_per_minute_are_a_quota(alicia: Caller, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.limits.windows.time.time", lambda: 1_000_020.0)
    limit(settings, questions=2)
    for _ in range(2):
        assert alicia.answers("writer", ABOUT_LOANS)[-1].name == "done"
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        assert (stream.status, stream.problem()["code"]) == (429, "quota_exceeded")
        assert 0 < int(stream.headers["retry-after"]) <= 60
    assert Message.objects.filter(role="user").count() == 2


def test_open_streams_are_a_quota_that_is_given_back(
    alicia: Caller, server: LiveServer, library: Library, chat_model: ModelServer, settings: Any
) -> None:
    limit(settings, streams=1)
    chat_model.script(endless=True, pace=0.02, match="fake", times=1)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        running = stream.until("sources").data["message"]
        with alicia.ask("writer", ABOUT_LOANS) as second:
            assert (second.status, second.problem()["code"]) == (429, "quota_exceeded")
            assert "retry-after" not in second.headers, "no time heals it, but a stop does"
        assert server.by_key(library.bob).answers("writer", ABOUT_LOANS)[-1].name == "done", "his are his own"
        alicia.call("POST", f"/api/messages/{running}/stop/")
        assert stream.until("done").data["status"] == "stopped"
    assert alicia.answers("writer", ABOUT_LOANS)[-1].name == "done"


def test_ids_are_ids_and_the_body_is_utf8(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(text='Añil — 漢字 🙂 «"\\\n»')
    events = alicia.answers("writer", ABOUT_LOANS)
    assert text_of(events) == 'Añil — 漢字 🙂 «"\\\n»'
    assert UUID(events[0].data["conversation"])
    assert json.dumps(events[-1].data["usage"])

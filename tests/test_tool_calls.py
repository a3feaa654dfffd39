"""What programs do with knowledge leaves a record: who, through what, how much; never what for (issue "Walls")."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts import audit, keys
from accounts.models import ApiKey, Membership, ToolCall
from agents.models import Agent
from chat.models import Trace
from corpora.models import Corpus
from tests.factories import AgentFactory, AssignmentFactory, CorpusFactory
from tests.limits import limit, stop_the_clock
from tests.people import People, signed_in, with_secret
from workers.upkeep import tidy

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

CANARY = "zurribanda"


@pytest.fixture(autouse=True)
def one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_the_clock(monkeypatch)


@pytest.fixture
def agent(people: People) -> Agent:
    agent = AgentFactory(organization=people.alice.organization, allows_personal_corpus=True)
    AssignmentFactory(agent=agent, corpus=CorpusFactory(shared_in=people.alice.organization))
    return agent


def program(member: Membership) -> tuple[Client, ApiKey]:
    key, secret = keys.issue_key(member, "program")
    return with_secret(secret), key


def search(client: Client, agent: Agent, *, by_tool: bool = False) -> Any:
    if by_tool:
        body = {"agent": str(agent.pk), "query": f"What of {CANARY}?"}
        return client.post("/api/tools/retrieve/", body, content_type="application/json")
    body = {"query": f"What of {CANARY}?"}
    return client.post(f"/api/agents/{agent.pk}/retrieve/", body, content_type="application/json")


@pytest.mark.parametrize("by_tool", [False, True])
def test_a_search_leaves_who_which_agent_which_key_and_how_much(people: People, agent: Agent, by_tool: bool) -> None:
    client, key = program(people.alice)
    assert search(client, agent, by_tool=by_tool).status_code == 200
    call = ToolCall.objects.get()
    assert (call.organization, call.user, call.key, call.agent_id) == (
        people.alice.organization, people.alice.user, key, agent.pk,
    )  # fmt: skip
    assert (call.kind, call.items, call.tokens, call.is_personal) == ("retrieve", 0, 0, False)
    assert call.milliseconds >= 0


def test_a_search_leaves_a_trace_as_an_answer_does(people: People, agent: Agent) -> None:
    search(program(people.alice)[0], agent)
    trace = Trace.objects.get()
    assert (trace.message, trace.agent, trace.scope_size, trace.granularity) == (None, agent, 1, 800)
    assert CANARY in trace.query
    page = signed_in(people.ada).get(f"/admin/chat/trace/{trace.pk}/change/")
    assert CANARY in page.content.decode()
    assert signed_in(people.zoe).get(f"/admin/chat/trace/{trace.pk}/change/").status_code == 404


def test_with_a_personal_corpus_in_reach_no_record_has_its_words(people: People, agent: Agent) -> None:
    AssignmentFactory(agent=agent, corpus=CorpusFactory(personal_of=people.alice))
    search(program(people.alice)[0], agent)
    assert (Trace.objects.get().query, ToolCall.objects.get().is_personal) == ("", True)
    listed = (
        signed_in(people.ada).get("/admin/chat/trace/").content
        + signed_in(people.ada).get("/admin/accounts/toolcall/").content
    )
    assert CANARY.encode() not in listed


@pytest.mark.parametrize("kind", ["tool", "api", "page"])
def test_a_fact_leaves_which_corpus_and_how_much(people: People, kind: str) -> None:
    corpus: Corpus = CorpusFactory(personal_of=people.alice, name=f"About {CANARY}")
    client, key = program(people.alice)
    said = {"text": "Water boils. " * 10, "title": CANARY}
    if kind == "tool":
        answer = client.post("/api/tools/upsert_knowledge/", {"corpus": str(corpus.pk), **said}, "application/json")
    elif kind == "api":
        answer = client.post(f"/api/corpora/{corpus.pk}/facts/", said, "application/json")
    else:
        answer = signed_in(people.alice).post(f"/corpora/{corpus.pk}/facts/", said)
    assert answer.status_code in (200, 202, 302)
    call = ToolCall.objects.get()
    assert (call.kind, call.corpus_id, call.items, call.is_personal) == ("upsert_knowledge", corpus.pk, 1, True)
    assert call.tokens == len(said["text"]) // 4
    assert call.key == (None if kind == "page" else key)
    assert CANARY.encode() not in signed_in(people.ada).get("/admin/accounts/toolcall/").content


def test_a_fact_that_is_removed_leaves_that_too(people: People) -> None:
    corpus, (client, _) = CorpusFactory(personal_of=people.alice), program(people.alice)
    client.post(f"/api/corpora/{corpus.pk}/facts/", {"text": "Water.", "key": "boiling"}, "application/json")
    assert client.delete(f"/api/corpora/{corpus.pk}/facts/?key=boiling").status_code == 204
    assert list(ToolCall.objects.order_by("created_at").values_list("kind", flat=True)) == [
        "upsert_knowledge", "remove_knowledge",
    ]  # fmt: skip


def test_the_playground_leaves_a_record_of_each_side_and_no_trace(people: People, agent: Agent) -> None:
    asked = {"agent": str(agent.pk), "q": CANARY}
    assert signed_in(people.ada).get("/admin/chat/trace/playground/", asked).status_code == 200
    assert list(ToolCall.objects.values_list("kind", "user")) == [("playground", people.ada.user_id)] * 2
    assert not Trace.objects.exists()


def test_a_refused_call_is_not_recorded_and_says_when_to_come_back(people: People, agent: Agent, settings: Any) -> None:
    limit(settings, searches=1)
    client, _ = program(people.alice)
    assert search(client, agent).status_code == 200
    for by_tool in (False, True):
        answer = search(client, agent, by_tool=by_tool)
        assert (answer.status_code, answer.json()["code"], answer.json()["limit"]) == (
            429,
            "quota_exceeded",
            "searches",
        )
        assert 0 < int(answer.headers["Retry-After"]) <= 60
    assert ToolCall.objects.count() == Trace.objects.count() == 1


def test_a_playground_beyond_the_limit_is_told_so_on_its_page(people: People, agent: Agent, settings: Any) -> None:
    limit(settings, searches=1)
    answer = signed_in(people.ada).get("/admin/chat/trace/playground/", {"agent": str(agent.pk), "q": CANARY})
    assert answer.status_code == 429
    assert "Retry-After" in answer.headers


def test_an_admin_reads_the_calls_of_their_organization(people: People, agent: Agent) -> None:
    search(program(people.alice)[0], agent)
    shown = signed_in(people.ada).get("/admin/accounts/toolcall/").content.decode()
    assert agent.name in shown
    assert "Alice" in shown
    assert agent.name not in signed_in(people.zoe).get("/admin/accounts/toolcall/").content.decode()


def test_records_are_kept_for_ninety_days(people: People, agent: Agent) -> None:
    search(program(people.alice)[0], agent)
    tidy.tidy_up()
    assert ToolCall.objects.count() == Trace.objects.count() == 1
    long_ago = timezone.now() - max(audit.TOOL_CALLS_KEPT, Trace.SEARCHES_KEPT) - timedelta(minutes=1)
    ToolCall.objects.update(created_at=long_ago)
    Trace.objects.update(created_at=long_ago)
    tidy.tidy_up()
    assert not ToolCall.objects.exists()
    assert not Trace.objects.exists()

"""The attack on an installation's purse: what costs and is not counted, counted too late, or shared with nobody (8)."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import Membership
from corpora.models import Document
from tests.attacks.test_installation import run
from tests.factories import AgentFactory, AssignmentFactory, CorpusFactory, DocumentFactory
from tests.live import LiveServer
from tests.people import People, signed_in, with_key
from tests.printed import pdf_document
from tests.processes import upload

ALLOWED = 3
Act = Callable[[Client], Any]


@pytest.fixture(autouse=True)
def counted(settings: Any) -> None:
    """Other tests are quicker than people, and not counted."""
    settings.QUOTAS = True


def post(client: Client, path: str, body: Any) -> Any:
    return client.post(path, body, content_type="application/json")


@pytest.fixture
def acts(people: People) -> dict[str, Act]:
    """What costs, each as Alice does it."""
    corpus = CorpusFactory(personal_of=people.alice)
    agent = AgentFactory(organization=people.alice.organization, allows_personal_corpus=True)
    AssignmentFactory(agent=agent, corpus=corpus)
    document = DocumentFactory(corpus=corpus)
    said = [{"role": "user", "content": "loan"}]
    counted = iter(range(1_000))
    printed = pdf_document(corpus, ("loan",))
    return {
        "page": lambda one: one.get(f"/api/documents/{printed.pk}/pages/1/"),
        "chat": lambda one: post(one, f"/api/agents/{agent.pk}/chat/", {"messages": said, "stream": False}),
        "completions": lambda one: post(one, "/v1/chat/completions", {"model": agent.slug, "messages": said}),
        "retrieve": lambda one: post(one, f"/api/agents/{agent.pk}/retrieve/", {"query": "loan"}),
        "tool": lambda one: post(one, "/api/tools/retrieve/", {"agent": str(agent.pk), "query": "loan"}),
        "reprocess": lambda one: post(one, f"/api/documents/{document.pk}/reprocess/", {}),
        "fact": lambda one: post(one, f"/api/corpora/{corpus.pk}/facts/", {"text": f"Fact {next(counted)}"}),
        "knowledge": lambda one: post(
            one, "/api/tools/upsert_knowledge/", {"corpus": str(corpus.pk), "text": f"Fact {next(counted)}"}
        ),
        "corpus": lambda one: post(one, "/api/corpora/", {"name": f"Corpus {next(counted)}"}),
        "project": lambda one: post(one, "/api/projects/", {"name": f"Project {next(counted)}"}),
    }


LIMIT_OF = {
    "page": "pages",
    "chat": "questions",
    "completions": "questions",
    "retrieve": "searches",
    "tool": "searches",
    "reprocess": "writes",
    "fact": "writes",
    "knowledge": "writes",
}
HELD = {"corpus": "corpora", "project": "projects"}


def statuses(act: Act, client: Client, times: int) -> Iterator[Any]:
    return (act(client) for _ in range(times))


@pytest.mark.django_db
@pytest.mark.usefixtures("in_this_thread")
@pytest.mark.parametrize("whose", ["user", "organization"])
@pytest.mark.parametrize("name", LIMIT_OF)
def test_whatever_costs_is_counted(name: str, whose: str, acts: dict[str, Act], people: People, settings: Any) -> None:
    """8. On 0.1.0 60 searches, 40 tools and 60 readings anew in a row were all taken."""
    settings.LIMITS = {whose: {LIMIT_OF[name]: ALLOWED}}
    answers = list(statuses(acts[name], with_key(people.alice), 2 * ALLOWED + 1))  # a minute may end meanwhile
    taken = [one for one in answers if one.status_code < 300]
    assert ALLOWED <= len(taken) <= 2 * ALLOWED
    refused = [one for one in answers if one not in taken]
    assert {one.status_code for one in refused} == {429}
    assert all(0 < int(one.headers["Retry-After"]) <= 60 for one in refused)


@pytest.mark.django_db
@pytest.mark.usefixtures("in_this_thread")
@pytest.mark.parametrize("name", HELD)
def test_nobody_makes_without_end(name: str, acts: dict[str, Act], people: People, settings: Any) -> None:
    """8. On 0.1.0 150 corpora and 100 projects were made, and no end."""
    settings.LIMITS = {"user": {HELD[name]: ALLOWED}}
    answers = [one.status_code for one in statuses(acts[name], with_key(people.alice), ALLOWED + 1)]
    assert answers[-1] == 429
    assert answers[0] == 201


@pytest.mark.django_db
def test_nobody_makes_keys_without_end(people: People, settings: Any) -> None:
    settings.LIMITS = {"user": {"keys": ALLOWED}}
    client = signed_in(people.bob)
    for n in range(2 * ALLOWED):
        client.post("/account/keys/", {"name": f"Key {n}"})
    assert people.bob.api_keys.count() == ALLOWED


@pytest.mark.django_db
@pytest.mark.usefixtures("in_this_thread")
def test_one_organization_spends_nothing_of_another(acts: dict[str, Act], people: People, settings: Any) -> None:
    settings.LIMITS = {"organization": {"corpora": 2}}
    assert [acts["corpus"](with_key(people.bob)).status_code for _ in range(4)][-1] == 429
    assert acts["corpus"](with_key(people.charlie)).status_code == 201


def test_limits_are_on_where_nobody_says_anything(tmp_path: Path) -> None:
    """8. The embedded default had none."""
    code = "from django.conf import settings; print(settings.QUOTAS)"
    assert run(tmp_path, "-c", code, DJANGO_SETTINGS_MODULE="config.settings").stdout == "True\n"


@pytest.mark.django_db(transaction=True)
def test_uploads_at_once_pass_exactly_as_often_as_they_may(people: People, server: LiveServer, settings: Any) -> None:
    """8. On 0.1.0 nine of 24 passed a limit of five."""
    settings.LIMITS = {"user": {"documents": 5}}
    corpus, callers = CorpusFactory(personal_of=people.alice), by_key(server, people.alice, 24)
    with ThreadPoolExecutor(24) as threads:
        answers = list(
            threads.map(
                lambda n: upload(callers[n], str(corpus.pk), f"{n}.txt", f"Fact number {n}.".encode()).status, range(24)
            )
        )
    assert sorted(answers) == [202] * 5 + [429] * 19
    assert Document.objects.filter(corpus=corpus).count() == 5


def by_key(server: LiveServer, member: Membership, times: int) -> list[Any]:
    return [server.by_key(member)] * times

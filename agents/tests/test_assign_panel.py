"""The panel that assigns a corpus to agents: the rule of the two tiers as one sees it."""

import pytest

from agents.models import Agent, Assignment
from corpora.models import Corpus
from tests.cast import Cast, browser, make_cast
from tests.factories import AgentFactory, CorpusFactory


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def corpus(cast: Cast) -> Corpus:
    return CorpusFactory(personal_of=cast.alice)


@pytest.fixture
def open_agent(cast: Cast) -> Agent:
    return AgentFactory(organization=cast.alice.organization, name="Open", allows_personal_corpus=True)


@pytest.fixture
def closed_agent(cast: Cast) -> Agent:
    return AgentFactory(organization=cast.alice.organization, name="Closed", allows_personal_corpus=False)


def test_only_agents_that_allow_personal_corpora_are_offered_and_the_rest_explained(
    cast: Cast, corpus: Corpus, open_agent: Agent, closed_agent: Agent
) -> None:
    panel = browser(cast.alice).get(f"/corpora/{corpus.pk}/agents/").content.decode()
    assert "Open" in panel
    assert "Closed" not in panel
    assert "1 more agent only answers" in panel


def test_the_owner_assigns_and_takes_back(cast: Cast, corpus: Corpus, open_agent: Agent) -> None:
    client, path = browser(cast.alice), f"/corpora/{corpus.pk}/agents/{open_agent.pk}/"
    by_script = {"HX-Request": "true"}
    assert " checked" in client.post(path, headers=by_script).content.decode()
    assert open_agent.scope_for(cast.alice).personal_ids == {corpus.pk}
    assert " checked" not in client.delete(path, headers=by_script).content.decode()
    assert not Assignment.objects.exists()


def test_without_a_script_the_corpus_leads_to_a_page_with_forms(cast: Cast, corpus: Corpus, open_agent: Agent) -> None:
    client, panel = browser(cast.alice), f"/corpora/{corpus.pk}/agents/"
    assert f'<a href="{panel}">Agents that read it</a>' in client.get(f"/corpora/{corpus.pk}/").content.decode()
    page = client.get(panel).content.decode()
    assert "<main" in page
    assert f'<form method="post" action="{panel}{open_agent.pk}/">' in page
    assert 'name="off"' not in page
    assert 'role="switch"' not in page, "it would do nothing"
    switched = client.post(f"{panel}{open_agent.pk}/").content.decode()
    assert 'name="off"' in switched
    assert open_agent.scope_for(cast.alice).personal_ids == {corpus.pk}
    assert 'name="off"' not in client.post(f"{panel}{open_agent.pk}/", {"off": "1"}).content.decode()
    assert not Assignment.objects.exists()


def test_whoever_may_not_change_it_sees_without_a_script_who_reads_it(cast: Cast, closed_agent: Agent) -> None:
    shared = CorpusFactory(shared_in=cast.alice.organization)
    browser(cast.admin).post(f"/corpora/{shared.pk}/agents/{closed_agent.pk}/")
    page = browser(cast.alice).get(f"/corpora/{shared.pk}/agents/").content.decode()
    assert "reads it" in page
    assert f'action="/corpora/{shared.pk}/agents/' not in page


def test_a_refusal_is_shown(cast: Cast, corpus: Corpus, closed_agent: Agent) -> None:
    answer = browser(cast.alice).post(f"/corpora/{corpus.pk}/agents/{closed_agent.pk}/").content.decode()
    assert "answers only from global corpora" in answer
    assert not Assignment.objects.exists()


@pytest.mark.parametrize("who", ["bob", "admin", "charlie"])
def test_nobody_else_assigns_a_personal_corpus(cast: Cast, corpus: Corpus, open_agent: Agent, who: str) -> None:
    client = browser(getattr(cast, who))
    assert client.get(f"/corpora/{corpus.pk}/agents/").status_code == 404
    assert client.post(f"/corpora/{corpus.pk}/agents/{open_agent.pk}/").status_code == 404
    assert not Assignment.objects.exists()


def test_a_global_corpus_is_assigned_by_admins_only(cast: Cast, closed_agent: Agent) -> None:
    shared = CorpusFactory(shared_in=cast.alice.organization)
    path = f"/corpora/{shared.pk}/agents/{closed_agent.pk}/"
    assert "Only an admin" in browser(cast.alice).post(path).content.decode()
    assert not Assignment.objects.exists()
    browser(cast.admin).post(path)
    assert Assignment.objects.get().corpus == shared


def test_it_says_what_an_agent_is_and_who_else_reads(cast: Cast, corpus: Corpus, open_agent: Agent) -> None:
    own = browser(cast.alice).get(f"/corpora/{corpus.pk}/agents/").content.decode()
    assert "Answers from the library&#x27;s documents." in own
    assert "read in your own conversations only" in own
    shared = CorpusFactory(shared_in=cast.alice.organization)
    page = browser(cast.admin).get(f"/corpora/{shared.pk}/agents/").content.decode()
    assert "answers everybody in the organization from these documents" in page
    assert "Switch it off" in page
    assert "Switch it off" not in browser(cast.alice).get(f"/corpora/{shared.pk}/agents/").content.decode()

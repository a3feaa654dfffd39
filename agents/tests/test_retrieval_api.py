"""`POST /api/agents/{id}/retrieve/`: what flags, agent and request change of it, at the next call."""

from typing import Any

import pytest

from agents.models import Agent, Assignment
from corpora.models import Corpus
from retrieval.models import Flags
from retrieval.tests.shelf import shelve
from tests.factories import AgentFactory, CorpusFactory
from tests.people import People, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]

QUESTION = "How many days does a loan last?"
TEXT = "A loan lasts twenty-one days."


@pytest.fixture(autouse=True)
def _embedded_default(settings: Any) -> None:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""


@pytest.fixture
def agent(people: People) -> Agent:
    """Reads three documents on loans: units 1, 2 and 2."""
    corpus: Corpus = CorpusFactory(shared_in=people.alice.organization)
    agent: Agent = AgentFactory(organization=people.alice.organization, slug="librarian")
    Assignment.objects.create(agent=agent, corpus=corpus)
    for unit, tags, title in (("1", ["adults"], "Adults"), ("2", ["children"], "Children"), ("2", ["2026"], "Both")):
        shelve(corpus, f"{title}. {TEXT} {title} may renew it twice.", title=title, unit=unit, tags=tags)
    return agent


def retrieve(people: People, **asked: Any) -> dict[str, Any]:
    body = {"query": QUESTION, **asked}
    answer = signed_in(people.alice).post("/api/agents/librarian/retrieve/", body, content_type="application/json")
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def titles(found: dict[str, Any]) -> list[str]:
    return sorted(chunk["title"] for chunk in found["chunks"])


def test_a_sufficient_retrieval_says_so(people: People, agent: Agent) -> None:
    found = retrieve(people)
    assert (found["sufficient"], found["gate"]) == (True, "sufficient")
    assert len(found["chunks"]) == 3


def test_flags_in_the_admin_change_the_next_call(people: People, agent: Agent) -> None:
    assert retrieve(people)["sufficient"]
    flags = Flags.objects.create(rag_min_confidence=1.0)
    found = retrieve(people)
    assert (found["sufficient"], found["gate"]) == (False, "low_confidence")
    flags.rag_min_confidence, flags.rag_max_documents = None, 1
    flags.save()
    assert len(retrieve(people)["chunks"]) == 1
    flags.rag_enabled = False
    flags.save()
    found = retrieve(people)
    assert (found["chunks"], found["gate"], found["sufficient"]) == ([], "disabled", False)


def test_the_agent_s_own_confidence_outweighs_the_flag_and_its_passages_stay_below_it(
    people: People, agent: Agent
) -> None:
    Flags.objects.create(rag_min_confidence=1.0, rag_max_documents=1)
    agent.min_confidence, agent.top_k = 0.5, 2
    agent.save()
    found = retrieve(people)
    assert found["sufficient"]
    assert len(found["chunks"]) == 1
    assert len(retrieve(people, top_k=2)["chunks"]) == 2, "who asks for a number gets it"


def test_requirements_of_the_agent_and_of_the_request_both_hold(people: People, agent: Agent) -> None:
    agent.filters = {"unit": ["2"]}
    agent.save()
    assert titles(retrieve(people)) == ["Both", "Children"]
    assert titles(retrieve(people, filters={"tags": "2026"})) == ["Both"]
    found = retrieve(people, filters={"unit": "1"})
    assert (found["chunks"], found["gate"]) == ([], "empty")


def test_two_requirements_of_one_tag_field_both_hold(people: People, agent: Agent) -> None:
    agent.filters = {"tags": ["children", "2026"]}
    agent.save()
    assert titles(retrieve(people, filters={"tags": ["2026", "adults"]})) == ["Both"]


@pytest.mark.parametrize("unit", ["1", "2"])
def test_what_is_preferred_comes_first_and_the_rest_is_still_there(people: People, agent: Agent, unit: str) -> None:
    found = retrieve(people, preferences={"unit": unit})
    assert len(found["chunks"]) == 3
    assert (found["chunks"][0]["title"] == "Adults") == (unit == "1")


@pytest.mark.parametrize("field", ["filters", "preferences"])
@pytest.mark.parametrize(
    "wrong", [{"owner": "x"}, {"unit": []}, {"unit": [""]}, {"unit": 3}, {"content_type": "law"}, []]
)
def test_conditions_that_make_no_sense_are_refused(people: People, agent: Agent, field: str, wrong: Any) -> None:
    body = {"query": QUESTION, field: wrong}
    answer = signed_in(people.alice).post("/api/agents/librarian/retrieve/", body, content_type="application/json")
    assert answer.status_code == 400
    assert field in answer.json()["errors"]


@pytest.fixture
def shelf(people: People, agent: Agent) -> Corpus:
    """Twelve documents of which half do not tell of loans at all."""
    corpus = Corpus.objects.get()
    for n in range(6):
        words = " ".join(f"word{n}x{m}" for m in range(12))
        shelve(corpus, f"Loan {words}. A loan lasts {n + 3} days.", title=f"Loans {n}")
        shelve(corpus, f"Winter {words[::-1]}. The hall is heated.", title=f"Halls {n}")
    return corpus


def test_as_many_passages_come_as_were_asked_for(people: People, agent: Agent, shelf: Corpus) -> None:
    agent.min_relevance, agent.context_tokens, agent.top_k, agent.candidates = 0.9, 100, 2, 4
    agent.save()
    assert len(retrieve(people)["chunks"]) <= 2
    found = retrieve(people, top_k=12)
    assert len(found["chunks"]) == 12
    assert found["chunks"][-1]["relevance"] < 0.9


def test_passages_that_only_fill_up_do_not_make_the_answer_doubtful(
    people: People, agent: Agent, shelf: Corpus
) -> None:
    assert retrieve(people, top_k=12)["score"] >= retrieve(people, top_k=12, threshold=0)["score"] - 1e-9
    assert retrieve(people, top_k=12)["sufficient"]


def test_a_threshold_and_a_budget_that_are_asked_for_cut(people: People, agent: Agent, shelf: Corpus) -> None:
    found = retrieve(people, top_k=12, threshold=0.7)
    assert 0 < len(found["chunks"]) < 12
    assert all(chunk["relevance"] >= 0.7 for chunk in found["chunks"])
    assert 0 < len(retrieve(people, top_k=12, budget_tokens=60)["chunks"]) < 12


def test_chunks_that_were_asked_for_by_number_are_not_united(people: People, agent: Agent) -> None:
    text = f"{TEXT} Adults may renew it twice. " * 40
    shelve(Corpus.objects.get(), text, title="Long")
    found = retrieve(people, top_k=4)
    assert len(found["chunks"]) == 4


@pytest.mark.parametrize(
    "wrong",
    [{"threshold": 1.1}, {"threshold": -0.1}, {"threshold": "nan"}, {"budget_tokens": 0}, {"budget_tokens": 1e9},
     {"budget_tokens": "x"}],
)  # fmt: skip
def test_a_threshold_or_a_budget_that_makes_no_sense_is_refused(
    people: People, agent: Agent, wrong: dict[str, Any]
) -> None:
    body = {"query": QUESTION, **wrong}
    answer = signed_in(people.alice).post("/api/agents/librarian/retrieve/", body, content_type="application/json")
    assert answer.status_code == 400
    assert wrong.keys() <= answer.json()["errors"].keys()

"""Searches of programs: they keep to a project as its conversations do, and name the agent by the role it plays."""

from typing import Any

import pytest

from chat.models import Project
from corpora.models import Corpus
from retrieval.tests.shelf import shelve
from tests.factories import AgentFactory, AssignmentFactory, CorpusFactory
from tests.people import People, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]
TEXT = "The library closes on the second of May."
TOOL, API = "/api/tools/retrieve/", "/api/agents/chief-librarian/retrieve/"


@pytest.fixture
def notes(people: People) -> Corpus:
    corpus: Corpus = CorpusFactory(personal_of=people.alice)
    return corpus


@pytest.fixture
def librarian(people: People, notes: Corpus) -> Any:
    """Reads Alice's notes, and another personal corpus of hers."""
    agent = AgentFactory(organization=people.alice.organization, slug="chief-librarian", allows_personal_corpus=True)
    other = CorpusFactory(personal_of=people.alice)
    for corpus, title in ((notes, "Closing"), (other, "Opening")):
        AssignmentFactory(agent=agent, corpus=corpus)
        shelve(corpus, f"{TEXT} {title} hours are on the door.", title=title)
    return agent


def project_of(who: Any, *corpora: Corpus) -> Project:
    project: Project = Project.objects.create(organization=who.organization, owner=who.user, name="Thesis")
    project.narrow_to(corpora)
    return project


def titles_found(by: Any, path: str, **asked: Any) -> Any:
    body = {"query": "When does the library close?", **asked}
    answer = signed_in(by).post(path, body, content_type="application/json")
    return sorted(one["title"] for one in answer.json()["chunks"]) if answer.status_code == 200 else answer.status_code


@pytest.mark.parametrize(("path", "naming"), [(TOOL, {"agent": "chief-librarian"}), (API, {})])
def test_a_search_keeps_to_the_corpora_of_its_project(
    people: People, librarian: Any, notes: Corpus, path: str, naming: dict[str, str]
) -> None:
    assert titles_found(people.alice, path, **naming) == ["Closing", "Opening"]
    own = project_of(people.alice, notes)
    assert titles_found(people.alice, path, project=str(own.pk), **naming) == ["Closing"]
    anybodys = project_of(people.bob)
    for no_project in (str(anybodys.pk), "00000000-0000-4000-8000-000000000000"):
        assert titles_found(people.alice, path, project=no_project, **naming) == 404
    assert titles_found(people.alice, path, project="thesis", **naming) == 400
    notes.delete()
    assert titles_found(people.alice, path, project=str(own.pk), **naming) == []


@pytest.mark.parametrize("role", ["chief-librarian", "Chief Librarian"])
def test_a_role_names_the_agent(people: People, librarian: Any, role: str) -> None:
    assert titles_found(people.alice, TOOL, agent_role=role) == ["Closing", "Opening"]
    assert titles_found(people.alice, API, agent_role=role) == ["Closing", "Opening"]


def test_a_role_that_nobody_plays_is_not_found_and_one_of_another_agent_is_refused(
    people: People, librarian: Any
) -> None:
    AgentFactory(organization=people.alice.organization, slug="coder")
    assert titles_found(people.alice, TOOL, agent_role="surgeon") == 404
    assert titles_found(people.alice, TOOL) == 400, "no agent is named at all"
    assert titles_found(people.charlie, TOOL, agent_role="chief-librarian") == 404
    assert titles_found(people.alice, API, agent_role="coder") == 400
    assert titles_found(people.alice, TOOL, agent="coder", agent_role="chief-librarian") == 400

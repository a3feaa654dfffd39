"""Pages of agents: the list, the beginning of a conversation, and asking from the reader."""

import re
from collections.abc import Callable
from html import unescape

import pytest

from agents.models import Agent
from corpora.models import Section
from tests import library as sample
from tests.cast import Cast, browser, make_cast
from tests.factories import AgentFactory, AssignmentFactory, CorpusFactory, DocumentFactory
from tests.library import Library
from tests.people import with_key


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def agent(cast: Cast) -> Agent:
    return AgentFactory(organization=cast.alice.organization, name="Tutor", slug="tutor", allows_personal_corpus=True)


@pytest.fixture
def library(transactional_db: None, worker: Callable[[], int]) -> Library:
    return sample.build(worker)


def test_members_see_the_agents_of_their_organization(cast: Cast, agent: Agent) -> None:
    AgentFactory(organization=cast.charlie.organization, name="Spy")
    page = browser(cast.alice).get("/agents/").content.decode()
    assert "Tutor" in page
    assert "Spy" not in page


@pytest.mark.parametrize("wanted", ["tecnico", "TÉCNICO", "Técnico", "normativa interna"])
def test_an_agent_is_found_by_its_name_or_description_whatever_case_and_accents(
    cast: Cast, agent: Agent, wanted: str
) -> None:
    AgentFactory(
        organization=cast.alice.organization, name="Entrevistador Técnico", description="De la NORMATIVA Íntérna."
    )
    page = browser(cast.alice).get("/agents/", {"q": wanted}).content.decode()
    assert "Entrevistador Técnico" in page
    assert "Tutor" not in page


def test_a_stranger_and_an_agent_that_is_off_get_404(cast: Cast, agent: Agent) -> None:
    assert browser(cast.charlie).get("/agents/tutor/").status_code == 404
    agent.is_active = False
    agent.save()
    assert browser(cast.alice).get("/agents/tutor/").status_code == 404


@pytest.mark.parametrize(
    ("path", "current"),
    [("/agents/", ["Agents"]), ("/agents/tutor/", ["Conversations"]), ("/conversations/", ["Conversations"])],
)
def test_where_a_conversation_begins_the_menu_is_at_conversations_already(
    cast: Cast, agent: Agent, path: str, current: list[str]
) -> None:
    page = browser(cast.alice).get(path).content.decode()
    assert re.findall(r'aria-current="page"><svg.*?</svg><span>([^<]*)</span></a>', page) == current


def test_it_shows_exactly_what_it_reads_for_me(cast: Cast, agent: Agent) -> None:
    for owner, name in ((cast.alice, "Alice shelf"), (cast.bob, "Bob shelf")):
        corpus = CorpusFactory(personal_of=owner, name=name)
        AssignmentFactory(agent=agent, corpus=corpus)
        DocumentFactory(corpus=corpus, title=f"{name} book")
    page = browser(cast.alice).get("/agents/tutor/").content.decode()
    assert "Alice shelf" in page
    assert "Bob shelf" not in page


def test_only_questions_that_are_answered_are_suggested(library: Library) -> None:
    page = browser(library.alicia).get("/agents/writer/").content.decode()
    asked = re.findall(r"data-example>([^<]*)</button>", page)
    assert asked
    for question in map(unescape, asked):
        answer = with_key(library.alicia).post(
            "/api/agents/writer/retrieve/", {"query": question}, content_type="application/json"
        )
        assert answer.json()["sufficient"], question


def test_a_question_that_its_documents_do_not_answer_is_not_suggested(library: Library) -> None:
    document = library.loans.documents.get()
    Section.objects.create(
        document=document, version=document.version, index=30, level=1, title=sample.ABOUT_NOTHING, start=0, end=9
    )
    assert "tungsteno" not in browser(library.alicia).get("/agents/writer/").content.decode()


def test_the_question_from_the_address_is_only_filled_in_as_text(cast: Cast, agent: Agent) -> None:
    page = browser(cast.alice).get("/agents/tutor/", {"q": "</textarea><b>x", "project": "junk"}).content.decode()
    assert "&lt;/textarea&gt;&lt;b&gt;x</textarea>" in page
    assert 'data-project=""' in page


def test_the_reader_offers_agents_that_read_the_document(cast: Cast, agent: Agent) -> None:
    document = DocumentFactory(corpus=CorpusFactory(personal_of=cast.alice))
    client = browser(cast.alice)
    assert "No agent reads" in client.get(f"/documents/{document.pk}/ask/").content.decode()
    AssignmentFactory(agent=agent, corpus=document.corpus)
    assert "/agents/tutor/" in client.get(f"/documents/{document.pk}/ask/").content.decode()
    assert f'name="document" value="{document.pk}"' in client.get(f"/documents/{document.pk}/ask/").content.decode()
    assert browser(cast.bob).get(f"/documents/{document.pk}/ask/").status_code == 404


def test_a_conversation_begins_about_the_document_of_the_address_if_the_agent_reads_it(library: Library) -> None:
    document = library.loans.documents.get(title="Préstamos")
    page = browser(library.alicia).get("/agents/writer/", {"document": document.pk}).content.decode()
    assert f'data-document="{document.pk}"' in page
    assert "“Préstamos” alone" in page
    foreign = DocumentFactory(corpus=CorpusFactory(personal_of=library.bob), title="Ajeno")
    for other in (foreign.pk, "junk"):
        page = browser(library.alicia).get("/agents/writer/", {"document": other}).content.decode()
        assert ('data-document=""' in page, "Ajeno" in page) == (True, False)

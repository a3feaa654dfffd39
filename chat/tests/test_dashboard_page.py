"""The front page: one's own things, and the next step for somebody new."""

import pytest

from tests.cast import Cast, browser, make_cast
from tests.factories import AgentFactory, ConversationFactory, CorpusFactory, DocumentFactory


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def test_somebody_new_sees_three_steps(cast: Cast) -> None:
    page = browser(cast.alice).get("/").content.decode()
    for step in ("Create a corpus", "Upload documents", "Assign the corpus to an agent and ask"):
        assert step in page


def test_the_steps_go_when_they_are_done(cast: Cast) -> None:
    DocumentFactory(corpus=CorpusFactory(personal_of=cast.alice))
    ConversationFactory(of=cast.alice)
    assert "First steps" not in browser(cast.alice).get("/").content.decode()


def test_it_shows_ones_own_and_the_organizations_things_only(cast: Cast) -> None:
    CorpusFactory(personal_of=cast.bob, name="Bob shelf")
    CorpusFactory(shared_in=cast.alice.organization, name="House rules")
    ConversationFactory(of=cast.bob, title="Bob asks")
    AgentFactory(organization=cast.charlie.organization, name="Spy")
    busy = CorpusFactory(personal_of=cast.alice, name="Alice shelf")
    DocumentFactory(corpus=busy, status="processing")
    page = browser(cast.alice).get("/").content.decode()
    assert "House rules" in page
    assert "Alice shelf" in page
    assert "1 in progress" in page
    for other in ("Bob shelf", "Bob asks", "Spy"):
        assert other not in page


def test_it_speaks_spanish(cast: Cast) -> None:
    page = browser(cast.alice, "es").get("/").content.decode()
    assert '<html lang="es">' in page
    assert "¿A quién quieres preguntar?" in page

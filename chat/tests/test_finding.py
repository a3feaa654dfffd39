"""The list beside a chat, the palette, and the question box of the front page."""

from datetime import date, datetime, timedelta

import pytest
from django.utils import timezone
from django.utils.translation import override

from chat.models import Conversation
from chat.pages.finding import by_age
from tests.cast import Cast, browser, make_cast
from tests.factories import AgentFactory, ConversationFactory, CorpusFactory, DocumentFactory, MessageFactory


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def page(cast: Cast, path: str, **query: str) -> str:
    return browser(cast.alice).get(path, query).content.decode()


def used(when: datetime) -> Conversation:
    return Conversation(updated_at=when)


def test_conversations_are_listed_by_when_they_were_used() -> None:
    noon = timezone.make_aware(datetime(2026, 11, 23, 12))
    ages = [
        timedelta(0),
        timedelta(hours=11),
        timedelta(days=1),
        timedelta(days=6),
        timedelta(days=7),
        timedelta(days=90),
    ]
    with override("en"):
        groups = by_age([used(noon - age) for age in ages], date(2026, 11, 23))
    assert [(name, len(several)) for name, several in groups] == [("Today", 2), ("Last seven days", 2), ("Earlier", 2)]


def test_what_was_used_tomorrow_elsewhere_is_of_today() -> None:
    with override("en"):
        assert by_age([used(timezone.now() + timedelta(hours=30))], timezone.localdate())[0][0] == "Today"


def test_the_list_is_one_s_own_and_knows_the_open_one(cast: Cast) -> None:
    mine, other = ConversationFactory(of=cast.alice, title="Loans"), ConversationFactory(of=cast.bob, title="Of Bob")
    listed = page(cast, "/conversations/list/", current=str(mine.pk))
    assert f'href="/conversations/{mine.pk}/" aria-current="page"' in listed
    assert str(other.pk) not in listed
    assert "Your conversations will be listed here" in browser(cast.admin).get("/conversations/list/").content.decode()


def test_a_long_list_leads_to_the_page_of_all(cast: Cast) -> None:
    for _ in range(61):
        ConversationFactory(of=cast.alice)
    listed = page(cast, "/conversations/list/")
    assert listed.count("<li>") == 60
    assert 'href="/conversations/"' in listed


def test_the_palette_finds_everything_of_one_s_own(cast: Cast) -> None:
    corpus = CorpusFactory(personal_of=cast.alice, name="Guías clínicas")
    DocumentFactory(corpus=corpus, title="Historia Clínica")
    AgentFactory(organization=cast.alice.organization, name="Asesor Clínico")
    said = ConversationFactory(of=cast.alice, title="Otra cosa")
    MessageFactory(conversation=said, content="¿Quién guarda la historia CLÍNICA?")
    DocumentFactory(corpus=CorpusFactory(personal_of=cast.bob), title="Clínica de Bob")
    MessageFactory(conversation=ConversationFactory(of=cast.bob, title="Bob pregunta"), content="clinica")
    found = page(cast, "/find/", q="clinic")
    assert all(one in found for one in ("Guías clínicas", "Historia Clínica", "Asesor Clínico", "Otra cosa"))
    assert "Bob" not in found


def test_the_palette_says_when_it_finds_nothing_and_shows_the_latest_before_one_writes(cast: Cast) -> None:
    ConversationFactory(of=cast.alice, title="Loans")
    assert "Loans" in page(cast, "/find/")
    assert "Nothing of yours has “&lt;b&gt;zz”" in page(cast, "/find/", q="<b>zz")


def test_a_question_of_the_front_page_goes_to_its_agent(cast: Cast) -> None:
    AgentFactory(organization=cast.alice.organization, name="Tutor", slug="tutor")
    assert '<option value="tutor"' in page(cast, "/")
    asked = browser(cast.alice).get("/", {"agent": "tutor", "q": "¿Qué es & qué no?"})
    assert asked.headers["Location"] == "/agents/tutor/?q=%C2%BFQu%C3%A9+es+%26+qu%C3%A9+no%3F"
    assert browser(cast.alice).get("/", {"agent": "nobody", "q": "a"}).headers["Location"] == "/agents/"

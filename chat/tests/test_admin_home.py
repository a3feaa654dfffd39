"""The admin's front page: figures of the own organization, each with the list of its rows, at a fixed cost."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from chat.admin.home import HomeReport, compact, duration, home_report, time_figure
from chat.models import Message, Trace
from chat.usage import counting
from corpora.models import Document
from tests.factories import AgentFactory, ConversationFactory, CorpusFactory, DocumentFactory
from tests.people import People

pytestmark = pytest.mark.django_db
FOUND = {"scope_size": 1, "granularity": 800, "score": 0.9, "confidence": "HIGH", "gate": "sufficient"}


def asked(member: Any, milliseconds: float = 200, *, is_personal: bool = False, **answer: Any) -> None:
    agent = AgentFactory(organization=member.organization)
    conversation = ConversationFactory(of=member, agent=agent)
    Message.objects.create(conversation=conversation, role="user")
    given = Message.objects.create(conversation=conversation, role="assistant", **answer)
    numbers = {"timings": {"total": milliseconds}, "is_personal": is_personal}
    Trace.objects.create(message=given, agent=agent, **FOUND, **numbers)


def figures(report: HomeReport) -> dict[str, str]:
    return {one.label: one.value for one in report.figures}


@pytest.fixture
def furnished(people: People) -> People:
    asked(people.alice, state="supported", rating=1)
    asked(people.alice, 4_000, state="not_in_documents", rating=-1)
    asked(people.bob, state="not_in_documents", rating=-1, is_personal=True)
    asked(people.bob, state="supported")
    asked(people.charlie, 60_000, state="not_in_documents", rating=-1)
    corpus = CorpusFactory(shared_in=people.alice.organization)
    DocumentFactory(corpus=corpus, status=Document.Status.FAILED)
    late = DocumentFactory(corpus=corpus, status=Document.Status.PENDING)
    Document.objects.filter(pk=late.pk).update(created_at=timezone.now() - timedelta(hours=1))
    DocumentFactory(corpus=CorpusFactory(personal_of=people.alice), status=Document.Status.FAILED)
    DocumentFactory(corpus=CorpusFactory(shared_in=people.charlie.organization), status=Document.Status.FAILED)
    return people


@pytest.fixture
def ada(furnished: People) -> Client:
    client = Client()
    client.force_login(furnished.ada.user)
    return client


def test_the_figures_are_of_the_own_organization_alone(furnished: People) -> None:
    with override("en"):
        report = home_report(furnished.alice.organization_id, furnished.ada)
        told = figures(report)
    assert report.questions == 4
    assert told["Not in your documents"] == "50 %"
    assert told["Thumbs down"] == "2"
    assert told["Search time"] == "4.0 s"
    assert (told["Failed documents"], told["Slow documents"]) == ("1", "1")


def test_each_figure_leads_to_the_list_of_its_rows(ada: Client) -> None:
    page = ada.get(reverse("admin:index"))
    assert page.status_code == 200
    rows = {}
    for one in page.context["report"].figures:
        answer = ada.get(one.link)
        assert answer.status_code == 200, one.link
        rows[one.link] = answer.context["cl"].result_count if "cl" in answer.context else None
        assert f'href="{one.link}"'.replace("&", "&amp;") in page.content.decode()
    assert [count for link, count in rows.items() if "state=" in link] == [2]
    assert [count for link, count in rows.items() if "rating=" in link] == [1], "a personal one is counted, not listed"
    assert [count for link, count in rows.items() if "slow=3000" in link] == [1]
    assert [count for link, count in rows.items() if "corpora/document" in link] == [1, 1]


def test_the_front_page_asks_as_often_however_much_there_is(ada: Client, furnished: People) -> None:
    costs = []
    for _again in range(3):
        with CaptureQueriesContext(connection) as queries:
            ada.get(reverse("admin:index"))
        costs.append(len(queries))
        for _more in range(5):
            asked(furnished.alice, state="supported", rating=-1)
            DocumentFactory(corpus=CorpusFactory(shared_in=furnished.alice.organization))
    assert costs[1] == costs[2] <= 30


def test_days_that_were_rolled_up_count_as_before(furnished: People) -> None:
    Message.objects.update(created_at=timezone.now() - timedelta(days=2))
    Trace.objects.update(created_at=timezone.now() - timedelta(days=2))
    before = home_report(furnished.alice.organization_id, furnished.ada)
    counting.roll_up()
    assert home_report(furnished.alice.organization_id, furnished.ada) == before


def test_the_front_page_greets_in_the_language_of_its_reader(ada: Client) -> None:
    ada.cookies["django_language"] = "es"
    page = ada.get(reverse("admin:index")).content.decode()
    assert "Welcome" not in page
    assert "No está en tus documentos" in page


def test_amounts_are_short() -> None:
    with override("en"):
        assert [compact(one) for one in (950, 12_000, 3_400_000)] == ["950", "12.0 k", "3.4 M"]
        assert [duration(one) for one in (12.4, 1_500)] == ["12 ms", "1.5 s"]
        assert time_figure([float(n) for n in range(100)]).value == "95 ms"
        assert time_figure([]).value == "–"

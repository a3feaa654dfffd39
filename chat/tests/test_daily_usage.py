"""What the usage page shows is the same before and after days are rolled up, and stays when records go."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from chat.admin.usage import UsageReport, usage
from chat.models import DailyUsage, Message, Trace
from chat.usage import counting
from tests.factories import AgentFactory, ConversationFactory
from tests.people import People

pytestmark = pytest.mark.django_db
NUMBERS = {"scope_size": 1, "granularity": 800, "score": 0.9}


def asked(member: Any, agent: Any, days_ago: int, **answer: Any) -> Message:
    """A question with its answer and trace."""
    at = timezone.now() - timedelta(days=days_ago)
    conversation = ConversationFactory(of=member, agent=agent)
    Message.objects.create(conversation=conversation, role="user", created_at=at)
    given = Message.objects.create(conversation=conversation, role="assistant", created_at=at, **answer)
    found = {"confidence": "HIGH", "gate": "sufficient", "cost": Decimal("0.01")}
    Trace.objects.create(message=given, agent=agent, created_at=at, **NUMBERS, **found)
    return given


@pytest.fixture
def agents(people: People) -> Any:
    here, there = (
        AgentFactory(organization=people.alice.organization),
        AgentFactory(organization=people.charlie.organization),
    )
    for days in (0, 1, 1, 2, 10, 29, 40):
        asked(people.alice, here, days, state="supported", rating=1)
    asked(people.bob, here, 3, state="not_in_documents", status="failed", error_code="model_timeout")
    asked(people.charlie, there, 1, state="supported")
    Trace.objects.create(agent=here, confidence="LOW", gate="empty", degraded="index_unavailable", **NUMBERS)
    return here


def both(people: People) -> tuple[UsageReport, UsageReport, UsageReport]:
    return usage(people.alice.organization_id), usage(people.charlie.organization_id), usage(None)


def test_rolled_up_days_count_as_they_did(people: People, agents: Any) -> None:
    before = both(people)
    assert (before[0].questions, before[0].people, before[0].cost) == (7, 2, Decimal("0.07"))
    assert before[2].questions == 8
    assert counting.roll_up() == 40
    assert DailyUsage.objects.exists()
    assert both(people) == before
    assert counting.roll_up() == 0, "nothing is over since"


def test_the_days_that_are_over_are_counted_once_and_the_last_ones_again(people: People, agents: Any) -> None:
    counting.roll_up()
    late = Message.objects.filter(role="assistant", conversation__owner=people.charlie.user)
    late.update(rating=-1)
    tomorrow = timezone.localdate() + timedelta(days=1)
    assert counting.roll_up(tomorrow) == counting.AGAIN
    assert DailyUsage.objects.filter(organization=people.charlie.organization, measure="rated").count() == 1


def test_counts_outlive_what_they_count(people: People, agents: Any) -> None:
    counting.roll_up()
    before = usage(people.alice.organization_id)
    today = counting.first_moment(timezone.localdate())
    Trace.objects.filter(created_at__lt=today).delete()
    Message.objects.filter(created_at__lt=today).delete()
    assert usage(people.alice.organization_id) == before
    people.bob.user.delete()
    after = usage(people.alice.organization_id)
    assert (after.questions, after.people) == (before.questions, before.people - 1)


def test_the_last_days_outlive_their_records_too(people: People, agents: Any) -> None:
    counting.roll_up()
    before = usage(people.alice.organization_id)
    today = counting.first_moment(timezone.localdate())
    Trace.objects.filter(created_at__lt=today).delete()
    Message.objects.filter(created_at__lt=today).delete()
    counting.roll_up(timezone.localdate() + timedelta(days=1))
    after = usage(people.alice.organization_id)
    assert (after.questions, after.cost) == (before.questions, before.cost)


def test_a_day_is_the_installations(people: People, settings: Any) -> None:
    settings.TIME_ZONE = "America/Bogota"
    agent = AgentFactory(organization=people.alice.organization)
    asked(people.alice, agent, 1)
    at = timezone.make_aware(datetime.combine(timezone.localdate() - timedelta(days=1), datetime.max.time()))
    for model in (Message, Trace):
        model.objects.update(created_at=at)
    counting.roll_up()
    assert set(DailyUsage.objects.values_list("day", flat=True)) == {timezone.localdate() - timedelta(days=1)}


def test_the_page_asks_as_often_for_a_year_as_for_a_day(
    people: People, agents: Any, django_assert_max_num_queries: Any
) -> None:
    counting.roll_up()
    with django_assert_max_num_queries(10):
        usage(people.alice.organization_id)

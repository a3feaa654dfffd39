"""The usage page week by week: what readers thought of answers, and how often the documents had none."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.admin.statistics import adaptive_statistics
from chat.admin.trends import WEEKS, first_monday, weeks_of_answers
from chat.models import Message
from chat.usage.counting import counted_days
from tests.factories import AgentFactory, ConversationFactory, MembershipFactory

TODAY = date(2026, 11, 22)  # a Sunday


def test_a_week_begins_on_monday_and_this_one_counts() -> None:
    assert first_monday(TODAY, 1) == date(2026, 11, 16)
    assert first_monday(TODAY) == date(2026, 11, 16) - timedelta(weeks=WEEKS - 1)


@pytest.fixture
def admin() -> Any:
    return MembershipFactory(role="admin")


def answer(of: Any, day: date, **fields: Any) -> None:
    conversation = ConversationFactory(of=of, agent=AgentFactory(organization=of.organization))
    at = timezone.make_aware(datetime(day.year, day.month, day.day, 12))
    Message.objects.create(**{"conversation": conversation, "role": "assistant", "created_at": at, **fields})


@pytest.mark.django_db
def test_every_week_is_counted_by_itself(admin: Any) -> None:
    for day, fields in (
        (TODAY, {"state": "supported", "rating": 1}),
        (TODAY, {"state": "not_in_documents", "rating": -1}),
        (TODAY - timedelta(days=6), {"state": "not_in_documents"}),
        (TODAY - timedelta(days=7), {"state": "supported", "rating": 1}),
        (TODAY, {"state": ""}),
        (TODAY, {"role": "user"}),
        (TODAY - timedelta(weeks=WEEKS), {"state": "supported"}),
    ):
        answer(admin, day, **fields)
    weeks = weeks_of_answers(counted_days(first_monday(TODAY), None), TODAY)
    assert len(weeks) == WEEKS
    counted = [(one.answers, one.unknown, one.rated, one.liked) for one in weeks]
    assert counted[-2:] == [(1, 0, 1, 1), (3, 2, 2, 1)]
    assert set(counted[:-2]) == {(0, 0, 0, 0)}


@pytest.mark.django_db
def test_the_page_draws_the_own_organization_s_weeks(admin: Any) -> None:
    client = Client()
    client.force_login(admin.user)
    page = client.get(reverse("admin:chat_usage"))
    assert (page.context["usage"].liked, page.context["usage"].unknown) == (None, None)
    answer(admin, timezone.localdate(), state="not_in_documents", rating=1)
    answer(MembershipFactory(role="admin"), timezone.localdate(), state="supported", rating=-1)
    page = client.get(reverse("admin:chat_usage"), headers={"Accept-Language": "en"})
    shown = page.context["usage"]
    assert [bars[-1].percent for bars in (shown.liked, shown.unknown)] == [100, 100]
    assert "(1/1)" in page.content.decode()


def attempt(size: int, kept: bool, recall: float, kind: str) -> dict[str, Any]:
    metrics = {"faithfulness": 1.0, "context_precision": 1.0, "context_recall": recall}
    return {"granularity": size, "kept": kept, "metrics": metrics, "decision": "accepted", "kind": kind}


def test_sizes_are_told_by_their_metrics_and_kinds_by_their_retries() -> None:
    told = adaptive_statistics(
        [
            [attempt(512, False, 0.2, "number"), attempt(1024, True, 0.8, "number")],
            [attempt(512, True, 0.6, "number")],
            [attempt(512, True, 1.0, "definition")],
        ]
    )
    assert [(one.kind, one.answers, one.tried_again, one.share) for one in told.kinds] == [
        ("number", 2, 1, 0.5), ("definition", 1, 0, 0.0)
    ]  # fmt: skip
    assert [(one.size, one.attempts, one.kept, round(one.means["context_recall"], 2)) for one in told.by_size] == [
        (512, 3, 2, 0.6), (1024, 1, 1, 0.8)
    ]  # fmt: skip
    assert told.by_size[0].overall < told.by_size[1].overall
    assert adaptive_statistics([[{"granularity": 512, "fault": "evaluator_failed"}]]).kinds[0].kind == "other"

"""Questions a minute: counted before anything is spent, by member, with a time to come back (RELIABILITY R21)."""

import time
from typing import Any

import pytest

from accounts import quotas
from accounts.problems import QuotaExceeded
from tests.factories import AgentFactory
from tests.people import People, with_key

pytestmark = pytest.mark.django_db

NOON = 1_800_000_000 - 1_800_000_000 % 60


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the clock of the quota, in seconds after a full minute."""
    return lambda seconds: monkeypatch.setattr(quotas.time, "time", lambda: NOON + seconds)


def test_one_question_too_many_in_a_minute_is_refused(people: People, settings: Any, at: Any) -> None:
    settings.QUOTA_QUESTIONS_PER_MINUTE = 3
    at(10)
    for _ in range(3):
        quotas.spend_question(people.alice)
    with pytest.raises(QuotaExceeded) as refused:
        quotas.spend_question(people.alice)
    assert refused.value.headers["Retry-After"] == "50"


def test_the_next_minute_begins_anew(people: People, settings: Any, at: Any) -> None:
    settings.QUOTA_QUESTIONS_PER_MINUTE = 1
    at(59)
    quotas.spend_question(people.alice)
    at(60)
    quotas.spend_question(people.alice)


def test_every_member_has_a_quota_of_their_own(people: People, settings: Any, at: Any) -> None:
    settings.QUOTA_QUESTIONS_PER_MINUTE = 1
    at(0)
    for member in (people.alice, people.bob, people.alice_elsewhere):
        quotas.spend_question(member)


def test_0_is_no_quota(people: People, settings: Any) -> None:
    settings.QUOTA_QUESTIONS_PER_MINUTE = 0
    for _ in range(100):
        quotas.spend_question(people.alice)


def test_a_question_over_the_quota_is_answered_429_and_nothing_is_stored(
    people: People, settings: Any, in_this_thread: None
) -> None:
    settings.QUOTA_QUESTIONS_PER_MINUTE = 1
    agent, client = AgentFactory(organization=people.alice.organization), with_key(people.alice)
    asked = {"messages": [{"role": "user", "content": "When does water boil?"}], "stream": False}
    path = f"/api/agents/{agent.pk}/chat/"
    while 60 - time.time() % 60 < 5:  # not across the end of a minute
        time.sleep(1)
    assert client.post(path, asked, content_type="application/json").status_code == 200
    answer = client.post(path, asked, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (429, "quota_exceeded")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    assert len(client.get("/api/conversations/").json()["results"]) == 1

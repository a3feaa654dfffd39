"""Idempotency-Key: the same request answers once, another body under its key is refused (API.md)."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.http import idempotency
from accounts.models import IdempotentReply, Membership
from accounts.problems import Problem
from config.concurrency.heartbeat import LEASE
from tests.people import People

pytestmark = pytest.mark.django_db

HASH, OTHER_HASH = idempotency.fingerprint("body"), idempotency.fingerprint("other body")


def acts(answers: list[Any]) -> Any:
    """An act that gives one answer after the other, and raises those that are errors."""
    rest = iter(answers)

    def act() -> Any:
        answer = next(rest)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return act


def test_the_first_answer_is_replayed(people: People) -> None:
    act = acts([(202, {"id": 1}), (202, {"id": 2})])
    first = idempotency.once(people.alice, "key", HASH, act)
    assert idempotency.once(people.alice, "key", HASH, act) == first == (202, {"id": 1})


@pytest.mark.parametrize("key", [None, ""])
def test_without_a_key_every_request_acts(key: str | None, people: People) -> None:
    act = acts([(202, 1), (202, 2)])
    assert [idempotency.once(people.alice, key, HASH, act) for _ in range(2)] == [(202, 1), (202, 2)]


def test_another_body_under_the_same_key_is_refused(people: People) -> None:
    idempotency.once(people.alice, "key", HASH, acts([(202, 1)]))
    with pytest.raises(idempotency.KeyReused):
        idempotency.once(people.alice, "key", OTHER_HASH, acts([]))


def test_while_the_first_request_runs_its_key_is_taken(people: People) -> None:
    idempotency.claim_key(people.alice, "key", HASH)
    with pytest.raises(idempotency.StillRunning):
        idempotency.once(people.alice, "key", HASH, acts([]))


def test_a_failed_request_frees_its_key(people: People) -> None:
    act = acts([Problem(), (202, 1)])
    with pytest.raises(Problem):
        idempotency.once(people.alice, "key", HASH, act)
    assert idempotency.once(people.alice, "key", HASH, act) == (202, 1)


def test_keys_of_different_members_have_nothing_to_do_with_each_other(people: People) -> None:
    act = acts([(202, 1), (202, 2), (202, 3)])
    members = (people.alice, people.bob, people.alice_elsewhere)
    assert [idempotency.once(member, "key", HASH, act)[1] for member in members] == [1, 2, 3]


def aged(membership: Membership, age: timedelta) -> None:
    IdempotentReply.objects.filter(membership=membership).update(created_at=timezone.now() - age)


@pytest.mark.parametrize(("hours", "answer"), [(23.9, 1), (24.1, 2)])
def test_an_answer_is_kept_for_24_hours(hours: float, answer: int, people: People) -> None:
    act = acts([(202, 1), (202, 2)])
    idempotency.once(people.alice, "key", HASH, act)
    aged(people.alice, timedelta(hours=hours))
    assert idempotency.once(people.alice, "key", HASH, act) == (202, answer)


def silent_for(membership: Membership, seconds: float) -> None:
    """As if the request's process had died so long ago, right after a sign of life."""
    lease = timezone.now() + LEASE - timedelta(seconds=seconds)
    IdempotentReply.objects.filter(membership=membership).update(lease_expires_at=lease)


@pytest.mark.parametrize(("seconds", "is_free"), [(19, False), (21, True)])
def test_the_key_of_a_process_that_died_is_free_when_its_lease_ends(
    seconds: float, is_free: bool, people: People
) -> None:
    idempotency.claim_key(people.alice, "key", HASH)
    silent_for(people.alice, seconds)
    if is_free:
        assert idempotency.once(people.alice, "key", HASH, acts([(202, 1)])) == (202, 1)
    else:
        with pytest.raises(idempotency.StillRunning):
            idempotency.once(people.alice, "key", HASH, acts([]))


@pytest.mark.django_db(transaction=True)
def test_a_request_that_takes_longer_than_its_lease_keeps_its_key(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "LEASE", timedelta(seconds=0.6))
    monkeypatch.setattr(idempotency, "HEARTBEAT_SECONDS", 0.1)

    def slow() -> tuple[int, Any]:
        time.sleep(1.5)
        with pytest.raises(idempotency.StillRunning):
            idempotency.once(people.alice, "key", HASH, acts([]))
        return 202, 1

    assert idempotency.once(people.alice, "key", HASH, slow) == (202, 1)


@pytest.mark.parametrize(("minutes", "is_free"), [(4, False), (6, True)])
def test_the_key_of_the_release_before_is_free_after_five_minutes(
    minutes: float, is_free: bool, people: People
) -> None:
    """It knows of no lease, and serves beside this one in an upgrade."""
    idempotency.claim_key(people.alice, "key", HASH)
    IdempotentReply.objects.update(lease_expires_at=None)
    aged(people.alice, timedelta(minutes=minutes))
    if is_free:
        assert idempotency.once(people.alice, "key", HASH, acts([(202, 1)])) == (202, 1)
    else:
        with pytest.raises(idempotency.StillRunning):
            idempotency.once(people.alice, "key", HASH, acts([]))


def test_an_answer_after_its_key_was_given_up_harms_nobody(people: People) -> None:
    late, _answered = idempotency.claim_key(people.alice, "key", HASH)
    late.delete()
    assert not idempotency.keep_reply(late, 202, 1)
    assert not IdempotentReply.objects.exists()


def test_a_key_has_at_most_200_characters(people: People) -> None:
    idempotency.once(people.alice, "k" * 200, HASH, acts([(202, 1)]))
    with pytest.raises(idempotency.KeyTooLong):
        idempotency.once(people.alice, "k" * 201, HASH, acts([]))

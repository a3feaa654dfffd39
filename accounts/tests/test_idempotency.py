"""Idempotency-Key: the same request answers once, another body under its key is refused (API.md)."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.http import idempotency
from accounts.models import IdempotentReply, Membership
from accounts.problems import Problem
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


def test_the_key_of_a_process_that_died_is_free_after_some_minutes(people: People) -> None:
    idempotency.claim_key(people.alice, "key", HASH)
    aged(people.alice, timedelta(minutes=6))
    assert idempotency.once(people.alice, "key", HASH, acts([(202, 1)])) == (202, 1)


def test_an_answer_after_its_key_was_given_up_harms_nobody(people: People) -> None:
    late, _answered = idempotency.claim_key(people.alice, "key", HASH)
    late.delete()
    idempotency.keep_reply(late, 202, 1)
    assert not IdempotentReply.objects.exists()


def test_a_key_has_at_most_200_characters(people: People) -> None:
    idempotency.once(people.alice, "k" * 200, HASH, acts([(202, 1)]))
    with pytest.raises(idempotency.KeyTooLong):
        idempotency.once(people.alice, "k" * 201, HASH, acts([]))

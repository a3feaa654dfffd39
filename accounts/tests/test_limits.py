"""Limits: what is counted, for whom, until when, and what is told to somebody who is beyond (RELIABILITY R21)."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone, translation

from accounts import checks, keys
from accounts.limits import reserving, stock, uses
from accounts.limits.amounts import amounts_for, unlimited
from accounts.limits.declared import LIMITS, Per
from accounts.limits.reserving import Spending, reserve, settle
from accounts.limits.rows import LimitSetting, LimitUse, SpendingReservation
from accounts.models import Membership
from accounts.problems import QuotaExceeded
from tests.limits import limit, reserved, used
from tests.people import People

pytestmark = pytest.mark.django_db

NOON = 1_800_000_000 - 1_800_000_000 % 60


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the clock of the windows: in seconds after a full minute, or a moment of UTC."""

    def set_clock(moment: float | datetime) -> None:
        now = moment.timestamp() if isinstance(moment, datetime) else NOON + moment
        monkeypatch.setattr("accounts.limits.windows.time.time", lambda: now)

    return set_clock


def refusal(by: Membership, **requests: int) -> QuotaExceeded:
    with pytest.raises(QuotaExceeded) as refused:
        reserve(by, **requests)
    return refused.value


# Requests


def test_one_request_too_many_in_a_minute_is_refused_until_the_next(people: People, settings: Any, at: Any) -> None:
    limit(settings, questions=3)
    at(10)
    for _ in range(3):
        reserve(people.alice, questions=1)
    refused = refusal(people.alice, questions=1)
    assert refused.headers["Retry-After"] == "50"
    assert refused.extra == {"limit": "questions", "per": "user"}
    at(60)
    reserve(people.alice, questions=1)


def test_every_member_counts_in_every_organization_by_themselves(people: People, settings: Any) -> None:
    limit(settings, questions=1)
    for member in (people.alice, people.bob, people.alice_elsewhere):
        reserve(member, questions=1)


def test_all_members_of_an_organization_count_together_and_no_other_organization(
    people: People, settings: Any, at: Any
) -> None:
    limit(settings, organization={"searches": 2})
    at(0)
    reserve(people.alice, searches=1)
    reserve(people.bob, searches=1)
    assert refusal(people.ada, searches=1).extra["per"] == "organization"
    for stranger in (people.charlie, people.alice_elsewhere):
        reserve(stranger, searches=1)


def test_a_refused_request_is_not_counted(people: People, settings: Any, at: Any) -> None:
    limit(settings, writes=5, organization={"writes": 3})
    at(0)
    reserve(people.alice, writes=2)
    refusal(people.alice, writes=2)
    assert used("writes", people.alice.user_id) == used("writes", people.alice.organization_id) == 2
    reserve(people.alice, writes=1)


def test_who_leaves_and_comes_back_has_used_what_they_used(people: People, settings: Any, at: Any) -> None:
    limit(settings, questions=1)
    at(0)
    reserve(people.alice, questions=1)
    user, organization = people.alice.user, people.alice.organization
    people.alice.delete()
    refusal(Membership.objects.create(user=user, organization=organization), questions=1)


@pytest.mark.parametrize(
    ("last", "first"),
    [
        (datetime(2026, 2, 28, 23, 59, 59, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)),
        (datetime(2028, 2, 29, 23, 59, 59, tzinfo=UTC), datetime(2028, 3, 1, tzinfo=UTC)),
        (datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
    ],
    ids=str,
)
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"])
def test_a_month_ends_at_midnight_utc_wherever_the_site_is(
    people: People, settings: Any, at: Any, last: datetime, first: datetime, zone: str
) -> None:
    settings.TIME_ZONE = zone
    limit(settings, tokens_month=10)
    at(last)
    spend(people.alice, 10)
    with pytest.raises(QuotaExceeded) as refused:
        hold(people.alice, 1)
    assert refused.value.headers["Retry-After"] == "1"
    at(first)
    hold(people.alice, 10)


def test_a_day_ends_before_its_month(people: People, settings: Any, at: Any) -> None:
    limit(settings, tokens_day=10, tokens_month=15)
    at(datetime(2026, 5, 7, 12, tzinfo=UTC))
    spend(people.alice, 10)
    at(datetime(2026, 5, 8, tzinfo=UTC))
    hold(people.alice, 5)
    with pytest.raises(QuotaExceeded) as refused:
        hold(people.alice, 1)
    assert refused.value.extra["limit"] == "tokens_month"


# Spending


def hold(by: Membership, tokens: int, microdollars: int = 0, **how: Any) -> Any:
    reservation = uuid4()
    reserve(by, Spending(tokens, microdollars), reservation, **how)
    return reservation


def spend(by: Membership, tokens: int, microdollars: int = 0) -> None:
    settle(hold(by, tokens, microdollars), Spending(tokens, microdollars))


def test_what_was_reserved_and_not_spent_comes_back(people: People, settings: Any) -> None:
    limit(settings, tokens_day=100)
    reservation = hold(people.alice, 90)
    with pytest.raises(QuotaExceeded):
        hold(people.alice, 20)
    settle(reservation, Spending(30))
    hold(people.alice, 70)
    with pytest.raises(QuotaExceeded):
        hold(people.alice, 1)


def test_a_reservation_is_settled_once(people: People, settings: Any) -> None:
    limit(settings, tokens_day=100)
    reservation = hold(people.alice, 50)
    for _ in range(3):
        settle(reservation, Spending(40))
    assert used("tokens_day", people.alice.user_id) == used("tokens_month", people.alice.organization_id) == 40
    assert not reserved()


def test_the_reservation_of_a_process_that_died_expires(people: People, settings: Any) -> None:
    limit(settings, tokens_day=100)
    hold(people.alice, 100)
    with pytest.raises(QuotaExceeded):
        hold(people.alice, 1)
    SpendingReservation.objects.update(expires_at=timezone.now())
    hold(people.alice, 100)


def test_whoever_comes_back_late_still_settles(people: People, settings: Any) -> None:
    limit(settings, tokens_day=100)
    reservation = hold(people.alice, 50, lifetime=timedelta(seconds=-1))
    uses.forget_past_uses()
    settle(reservation, Spending(50))
    assert used("tokens_day", people.alice.user_id) == 50


def test_money_is_counted_to_the_millionth(people: People, settings: Any) -> None:
    limit(settings, dollars_day=0.01, organization={"dollars_month": 1})
    spend(people.alice, 1_000, 9_999)
    hold(people.alice, 1_000, 1)
    with pytest.raises(QuotaExceeded) as refused:
        hold(people.alice, 1_000, 1)
    assert refused.value.extra == {"limit": "dollars_day", "per": "user"}


def test_members_spend_together(people: People, settings: Any) -> None:
    limit(settings, organization={"tokens_day": 100})
    spend(people.alice, 60)
    hold(people.bob, 40)
    with pytest.raises(QuotaExceeded):
        hold(people.ada, 1)
    hold(people.charlie, 100)


# What is held


def test_what_is_held_is_counted_for_the_member_and_for_all(people: People, settings: Any) -> None:
    limit(settings, keys=1, organization={"keys": 2})
    keys.issue_key(people.alice)
    key, _secret = keys.issue_key(people.bob)
    keys.issue_key(people.charlie)
    for member, per in ((people.alice, "user"), (people.ada, "organization")):
        with pytest.raises(QuotaExceeded) as refused:
            keys.issue_key(member)
        assert refused.value.extra == {"limit": "keys", "per": per}
        assert not refused.value.headers, "no time heals it"
    keys.revoke_key(key, people.bob)
    keys.issue_key(people.ada)


def test_everything_that_may_be_held_can_be_counted(people: People) -> None:
    held = stock.stock_of(people.alice)
    assert set(held) == {name for name, one in LIMITS.items() if one.window == "held"}
    assert set(held.values()) == {stock.Held(0, 0)}


# Who sets what


def give(by: Membership, name: str, per: Per, amount: Any, *, by_operator: bool = True) -> None:
    LimitSetting.objects.create(
        organization=by.organization, name=name, per=per, amount=Decimal(amount), by_operator=by_operator
    )


def allowed(by: Membership, name: str, per: Per = Per.USER) -> int | None:
    return amounts_for(by).get((name, per))


def test_what_an_operator_gave_holds_in_that_organization_alone(people: People, settings: Any) -> None:
    limit(settings, questions=10)
    give(people.alice, "questions", Per.USER, 500)
    assert (allowed(people.bob, "questions"), allowed(people.charlie, "questions")) == (500, 10)
    LimitSetting.objects.update(amount=0)
    assert allowed(people.bob, "questions") is None, "0 is no limit"


@pytest.mark.parametrize(("given", "own", "holds"), [(10, 4, 4), (10, 40, 10), (10, 0, 10), (0, 4, 4), (0, 0, None)])
def test_an_admin_lowers_what_each_member_has_and_never_raises_it(
    people: People, settings: Any, given: int, own: int, holds: int | None
) -> None:
    limit(settings, questions=given)
    give(people.alice, "questions", Per.USER, own, by_operator=False)
    assert allowed(people.alice, "questions") == holds


def test_the_defaults_hold_without_any_setting_and_are_more_than_a_person_needs(people: People, settings: Any) -> None:
    settings.QUOTAS, settings.LIMITS = True, {}
    assert set(amounts_for(people.alice)) == {(name, per) for name in LIMITS for per in Per}
    assert all(one.organization >= one.user > 0 for one in LIMITS.values())
    for _ in range(50):
        reserve(people.alice, questions=1)


def test_quotas_off_is_none_at_all(people: People, settings: Any) -> None:
    limit(settings, questions=1, tokens_day=1, keys=1)
    settings.QUOTAS = False
    for _ in range(5):
        reserve(people.alice, Spending(1_000), uuid4(), questions=1)
        keys.issue_key(people.alice)
    assert not LimitUse.objects.exists()
    assert not reserved()


def test_operators_and_their_commands_are_not_limited(people: People, settings: Any) -> None:
    limit(settings, questions=1, organization={"questions": 1})
    operator = Membership(user=people.zoe.user, organization=people.alice.organization, role="admin")
    for _ in range(3):
        reserve(operator, questions=1)
        with unlimited():
            reserve(people.alice, questions=1)
    reserve(people.alice, questions=1)
    refusal(people.alice, questions=1)


# What is told


def test_a_member_is_told_which_limit_when_it_ends_and_whom_to_ask(people: People, settings: Any, at: Any) -> None:
    limit(settings, questions=1, tokens_day=1_000, organization={"questions": 2})
    at(48)
    reserve(people.alice, questions=1)
    with translation.override("en"):
        assert str(refusal(people.alice, questions=1).detail) == (
            "Your limit of 1 questions a minute is reached. Try again in 12 seconds. "
            "If that is not enough, ask an administrator of Here."
        )
        reserve(people.bob, questions=1)
        assert str(refusal(people.ada, questions=1).detail) == (
            "The limit of Here is reached: 2 questions a minute. Try again in 12 seconds. "
            "If that is not enough, ask whoever runs this installation."
        )
        at(datetime(2026, 5, 7, 12, tzinfo=UTC))
        with pytest.raises(QuotaExceeded, match=r"1,000 tokens a day is reached. It ends on May 8, 2026, midnight UTC"):
            hold(people.alice, 1_001)


# Upkeep and settings


def test_windows_that_are_long_over_are_forgotten(people: People, settings: Any, at: Any) -> None:
    limit(settings, questions=100, tokens_month=100)
    at(datetime(2020, 1, 1, tzinfo=UTC))
    reserve(people.alice, questions=1)
    spend(people.alice, 5)
    at(timezone.now())
    reserve(people.alice, questions=1)
    hold(people.alice, 1)
    SpendingReservation.objects.create(
        pk=uuid4(), organization=people.alice.organization, user=people.alice.user_id, tokens=1, microdollars=0,
        expires_at=timezone.now() - timedelta(days=2),
    )  # fmt: skip
    uses.forget_past_uses()
    assert list(LimitUse.objects.values_list("name", "used")) == [("questions", 1)]
    assert reserved() == 1


@pytest.mark.parametrize(
    "said",
    [[], {"user": 3}, {"member": {}}, {"user": {"question": 3}}, {"user": {"keys": -1}}, {"user": {"keys": 0.5}}],
    ids=str,
)
def test_limits_that_nobody_knows_are_an_error(settings: Any, said: Any) -> None:
    settings.LIMITS = said
    assert [one.id for one in checks.limits_are_known(None)] == ["acervo.E008"]
    settings.LIMITS = {"user": {"keys": 3, "dollars_day": 0.5}}
    assert checks.limits_are_known(None) == []


def test_a_deployment_without_limits_is_told_so(settings: Any) -> None:
    settings.QUOTAS = True
    assert checks.limits_are_on(None) == []
    settings.QUOTAS = False
    assert [one.id for one in checks.limits_are_on(None)] == ["acervo.W009"]


def test_a_quota_of_before_is_not_silently_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.former_quotas_are_not_read(None) == []
    monkeypatch.setenv("QUOTA_STREAMS_PER_USER", "3")
    assert [one.id for one in checks.former_quotas_are_not_read(None)] == ["acervo.W008"]


def test_what_is_spent_is_named_as_it_is_declared() -> None:
    assert set(reserving.SPENT) == {name for name in LIMITS if name.startswith(("tokens", "dollars"))}

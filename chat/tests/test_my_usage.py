"""A member's own usage, drawn."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from accounts.limits.declared import Window
from accounts.limits.rows import LimitUse
from accounts.limits.windows import start_of
from accounts.models import Membership
from chat.pages.usage import daily_plot, height_of
from tests.factories import ConversationFactory, MembershipFactory, MessageFactory
from tests.people import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def member() -> Membership:
    return MembershipFactory()


def page_of(member: Membership, **headers: str) -> str:
    answer = signed_in(member).get("/account/usage/", headers={"accept-language": "en", **headers})
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def test_questions_and_tokens_are_counted_by_day_and_told_in_words(member: Membership, settings: Any) -> None:
    settings.QUOTAS = True
    talk = ConversationFactory(of=member)
    MessageFactory(conversation=talk, content="one")
    MessageFactory(conversation=talk, content="two")
    MessageFactory(conversation=talk, role="assistant", content="an answer")
    MessageFactory(conversation=talk, content="old", created_at=timezone.now() - timedelta(days=40))
    used = {"organization": member.organization, "name": "tokens_day", "starts": start_of(Window.DAY)}
    LimitUse.objects.create(subject=member.user_id, used=1234, **used)
    page = page_of(member)
    assert "2 in the last 30 days" in page
    assert "1234 in the last 30 days" in page
    assert page.count("<rect") == 2
    assert "5120" in page.replace(",", ""), "what may be kept stands beside what is"


def test_nobody_else_s_usage_is_in_it(member: Membership) -> None:
    other = MembershipFactory(organization=member.organization)
    MessageFactory(conversation=ConversationFactory(of=other), content="theirs")
    used = {"organization": member.organization, "name": "tokens_day", "starts": start_of(Window.DAY)}
    LimitUse.objects.create(subject=other.user_id, used=77, **used)
    page = page_of(member)
    assert page.count("0 in the last 30 days") == 2
    assert "<rect" not in page


def test_the_account_page_fetches_the_part_that_is_drawn(member: Membership) -> None:
    account = signed_in(member).get("/account/").content.decode()
    assert re.search(r'hx-get="/account/usage/"', account)
    assert "<html" not in page_of(member, **{"hx-request": "true"})


def test_a_day_with_little_is_still_seen() -> None:
    assert height_of(1, 100_000) == 2.0
    assert height_of(0, 5) == 0.0
    today = timezone.localdate()
    plot = daily_plot("Questions", {today: 3}, today)
    assert (len(plot.bars), plot.total, plot.most.day, plot.most.y) == (30, 3, today, 0.0)

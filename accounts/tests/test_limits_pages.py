"""The page of an organization's limits in the admin, and one's own on the account page."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from accounts.limits.reserving import reserve
from accounts.limits.rows import LimitSetting
from accounts.models import AuditEvent, Membership, Organization
from tests.factories import UserFactory
from tests.limits import limit, stop_the_clock
from tests.people import People, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_the_clock(monkeypatch)


def page_of(organization: Organization) -> str:
    return f"/admin/accounts/organization/{organization.pk}/limits/"


def rows() -> list[tuple[Any, ...]]:
    return list(LimitSetting.objects.values_list("name", "per", "by_operator", "amount"))


@pytest.fixture
def operator(people: People) -> Client:
    client = Client()
    client.force_login(UserFactory(is_superuser=True, is_staff=True))
    return client


def test_an_admin_sees_limits_and_use_of_their_organization_and_no_other(people: People, settings: Any) -> None:
    limit(settings, questions=77, organization={"questions": 4321})
    reserve(people.alice, questions=3)
    body = signed_in(people.ada).get(page_of(people.alice.organization)).content.decode()
    assert all(shown in body for shown in ("4\xa0321", ">77<", "3 (0 %)"))
    assert signed_in(people.ada).get(page_of(people.charlie.organization)).status_code == 404
    assert signed_in(people.alice).get(page_of(people.alice.organization)).status_code in (302, 404)


def test_an_admin_lowers_what_each_member_has(people: People, settings: Any) -> None:
    limit(settings, questions=60)
    client, page = signed_in(people.ada), page_of(people.ada.organization)
    assert client.post(page, {"user-questions": "20", "organization-questions": "9999"}).status_code == 302
    assert rows() == [("questions", "user", False, 20)]
    event = AuditEvent.objects.latest("created_at")
    assert (event.action, event.changes) == ("limited", {"user-questions": "20"})
    for more in ("61", "0", "-1"):
        answer = client.post(page, {"user-questions": more})
        assert answer.status_code == 200
        assert 'role="alert"' in answer.content.decode()
    assert client.post(page, {"user-questions": ""}).status_code == 302
    assert rows() == []


@pytest.mark.parametrize(("sent", "said"), [("0", "0 would be no limit"), ("0.5", "whole number"), ("61", "More than")])
def test_what_an_admin_cannot_set_is_refused_in_words_of_its_own(
    people: People, settings: Any, sent: str, said: str
) -> None:
    limit(settings, questions=60)
    client = signed_in(people.ada)
    answer = client.post(page_of(people.ada.organization), {"user-questions": sent}, headers={"Accept-Language": "en"})
    assert said in answer.content.decode()
    assert rows() == []


def test_megabytes_and_dollars_have_parts_and_saving_says_so(people: People, settings: Any) -> None:
    limit(settings, megabytes=60, dollars_day=20)
    sent = {"user-megabytes": "10", "user-dollars_day": "0.5"}
    client, page = signed_in(people.ada), page_of(people.ada.organization)
    answer = client.post(page, sent, follow=True, headers={"Accept-Language": "en"})
    assert "The limits are saved." in answer.content.decode()
    assert sorted(rows()) == [("dollars_day", "user", False, Decimal("0.5")), ("megabytes", "user", False, 10)]
    assert b'value="10"' in answer.content


def test_an_operator_gives_an_organization_what_it_needs(people: People, operator: Client, settings: Any) -> None:
    limit(settings, questions=60)
    page = page_of(people.ada.organization)
    assert operator.post(page, {"user-questions": "0", "organization-dollars_month": "900.50"}).status_code == 302
    assert sorted(rows()) == [("dollars_month", "organization", True, 900.5), ("questions", "user", True, 0)]
    assert b'value="900.5"' in operator.get(page).content


def test_an_organizations_page_leads_to_its_limits(people: People) -> None:
    organization = people.ada.organization
    answer = signed_in(people.ada).get(f"/admin/accounts/organization/{organization.pk}/change/")
    assert page_of(organization) in answer.content.decode()


def test_the_account_page_shows_ones_own_use(people: People, settings: Any) -> None:
    limit(settings, questions=60, keys=7)
    reserve(people.alice, questions=42)
    body = signed_in(people.alice).get("/account/").content.decode()
    assert ">42<" in body
    assert ">60<" in body
    settings.QUOTAS = False
    assert 'id="limits"' not in signed_in(people.alice).get("/account/").content.decode()


def test_a_key_too_many_is_refused_on_the_page_with_what_to_do(people: People, settings: Any) -> None:
    limit(settings, keys=1)
    client = signed_in(people.alice)
    assert client.post("/account/keys/", {"name": "one"}).status_code == 200
    answer = client.post(
        "/account/keys/", {"name": "two"}, headers={"Referer": "http://testserver/account/"}, follow=True
    )
    assert answer.redirect_chain == [("http://testserver/account/", 302)]
    assert "límite" in answer.content.decode() or "limit" in answer.content.decode()
    assert Membership.objects.get(pk=people.alice.pk).api_keys.count() == 1

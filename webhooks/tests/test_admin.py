"""The pages of webhooks in the administration: made, with the secret shown once, tested, sent again, renewed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Membership
from tests.factories import MembershipFactory
from tests.hooks import hook_of, told
from tests.people import signed_in
from webhooks.models import Delivery, DeliveryAttempt, Event, Webhook

pytestmark = pytest.mark.django_db
ADD = reverse("admin:webhooks_webhook_add")
FORM = {"url": "https://hooks.example.org/a", "description": "Registry", "events": ["answer.rated"], "is_active": "on"}


@pytest.fixture
def ada() -> Membership:
    return MembershipFactory(role="admin")


@pytest.fixture
def client_of_ada(ada: Membership) -> Client:
    return signed_in(ada)


def page_of(webhook: Webhook, page: str) -> str:
    return reverse(f"admin:webhooks_{page}", args=[webhook.pk])


def test_a_webhook_is_made_and_its_secret_shown_once(ada: Membership, client_of_ada: Client) -> None:
    assert "answer.rated" in client_of_ada.get(ADD).content.decode()
    made = client_of_ada.post(ADD, FORM)
    webhook = Webhook.objects.get()
    (secret,) = webhook.open_secrets()
    assert made.status_code == 200
    assert secret in made.content.decode()
    assert made.headers["Cache-Control"] == "no-store" or "no-store" in made.headers["Cache-Control"]
    assert (webhook.organization_id, webhook.events) == (ada.organization_id, ["answer.rated"])
    shown = client_of_ada.get(page_of(webhook, "webhook_change"))
    assert shown.status_code == 200
    assert secret not in shown.content.decode()


@pytest.mark.parametrize(
    "fields",
    [{"url": "http://hooks.example.org/"}, {"url": "https://169.254.169.254/"}, {"events": []}, {"events": ["ping"]}],
)
def test_the_form_refuses_what_the_api_refuses(fields: dict[str, Any], client_of_ada: Client) -> None:
    answer = client_of_ada.post(ADD, {**FORM, **fields})
    assert answer.status_code == 200
    assert set(answer.context["adminform"].form.errors) == set(fields)
    assert not Webhook.objects.exists()


def test_a_change_writes_what_was_changed(ada: Membership, client_of_ada: Client) -> None:
    webhook = hook_of(ada.organization, url=FORM["url"], events=["answer.rated"])
    waiting = told(webhook)
    changed = client_of_ada.post(page_of(webhook, "webhook_change"), {**FORM, "is_active": ""})
    assert changed.status_code == 302
    webhook.refresh_from_db(), waiting.refresh_from_db()
    assert (webhook.description, webhook.is_active, waiting.status) == ("Registry", False, "failed")


def test_one_whose_address_may_no_more_be_is_switched_off(ada: Membership, client_of_ada: Client) -> None:
    webhook = hook_of(ada.organization, url="https://10.1.2.3/", events=["answer.rated"])
    form = {**FORM, "url": webhook.url, "is_active": ""}
    assert client_of_ada.post(page_of(webhook, "webhook_change"), form).status_code == 302
    webhook.refresh_from_db()
    assert not webhook.is_active


def test_a_test_leads_to_its_line_in_the_log(ada: Membership, client_of_ada: Client) -> None:
    webhook = hook_of(ada.organization)
    assert client_of_ada.get(page_of(webhook, "test")).status_code == 404
    sent = client_of_ada.post(page_of(webhook, "test"))
    ping = Delivery.objects.get(event=Event.PING)
    assert sent.headers["Location"] == reverse("admin:webhooks_delivery_change", args=[ping.pk])
    assert ping.message_id in client_of_ada.get(sent.headers["Location"]).content.decode()


def test_a_switched_off_webhook_says_why_and_is_not_tested(ada: Membership, client_of_ada: Client) -> None:
    now = timezone.now()
    webhook = hook_of(ada.organization, is_active=False, failing_since=now, disabled_at=now)
    assert 'role="alert"' in client_of_ada.get(page_of(webhook, "webhook_change")).content.decode()
    assert client_of_ada.post(page_of(webhook, "test")).status_code == 302
    assert not Delivery.objects.exists()


def test_a_new_secret_is_asked_for_first(ada: Membership, client_of_ada: Client) -> None:
    webhook = hook_of(ada.organization)
    (former,) = webhook.open_secrets()
    assert client_of_ada.get(page_of(webhook, "secret")).status_code == 200
    webhook.refresh_from_db()
    assert webhook.open_secrets() == [former]
    shown = client_of_ada.post(page_of(webhook, "secret")).content.decode()
    webhook.refresh_from_db()
    secret = webhook.open_secrets()[0]
    assert secret != former
    assert secret in shown


def test_the_log_shows_each_attempt_and_sends_again(ada: Membership, client_of_ada: Client) -> None:
    delivery = told(hook_of(ada.organization), Delivery.Status.FAILED)
    hostile = "<script>alert(1)</script>"
    DeliveryAttempt.objects.create(delivery=delivery, reason="status", status=500, milliseconds=7, answer=hostile)
    listed = client_of_ada.get(reverse("admin:webhooks_delivery_changelist")).content.decode()
    shown = client_of_ada.get(reverse("admin:webhooks_delivery_change", args=[delivery.pk])).content.decode()
    assert hostile not in listed + shown
    assert "&lt;script&gt;" in shown
    again = reverse("admin:webhooks_again", args=[delivery.pk])
    assert client_of_ada.get(again).status_code == 404
    assert client_of_ada.post(again).status_code == 302
    assert Delivery.objects.due().count() == 1


def test_a_delivery_that_waits_says_so_and_when_it_is_tried_again(ada: Membership, client_of_ada: Client) -> None:
    delivery = told(hook_of(ada.organization))
    Delivery.objects.update(not_before=datetime(2030, 2, 3, 16, 12, 57, 247958, tzinfo=UTC))
    shown = client_of_ada.get(reverse("admin:webhooks_delivery_change", args=[delivery.pk])).content.decode()
    assert "en espera" in shown
    assert "(&#x27;waiting" not in shown
    assert "3 de febrero de 2030" in shown
    assert "247958" not in shown
    assert "en espera" in client_of_ada.get(reverse("admin:webhooks_delivery_changelist")).content.decode()


@pytest.mark.parametrize(("seconds", "is_offered"), [(1800, True), (80, False)])
def test_what_waits_for_a_later_attempt_is_sent_again_and_what_is_under_way_is_not(
    seconds: int, is_offered: bool, ada: Membership, client_of_ada: Client
) -> None:
    """A claimed one is due again after CLAIMED: so long nobody else sends it."""
    next_attempt = timezone.now() + timedelta(seconds=seconds)
    delivery = told(hook_of(ada.organization), attempts=2, not_before=next_attempt)
    again = reverse("admin:webhooks_again", args=[delivery.pk])
    page = client_of_ada.get(reverse("admin:webhooks_delivery_change", args=[delivery.pk])).content.decode()
    assert (again in page) == is_offered
    client_of_ada.post(again)
    delivery.refresh_from_db()
    assert (delivery.attempts, Delivery.objects.due().count()) == ((0, 1) if is_offered else (2, 0))


def test_an_address_in_a_title_is_written_as_it_is(ada: Membership, client_of_ada: Client) -> None:
    webhook = hook_of(ada.organization, url="https://hooks.example.org/a", description="")
    page = client_of_ada.get(page_of(webhook, "webhook_change")).content.decode()
    assert "https://hooks.example.org/a" in page[: page.index('name="url"')]
    assert "Https://" not in page


def test_nobody_elses_webhook_is_tested_renewed_or_sent_again(client_of_ada: Client) -> None:
    theirs = hook_of(MembershipFactory().organization)
    delivery = told(theirs, Delivery.Status.FAILED)
    paths = [page_of(theirs, "test"), page_of(theirs, "secret"), reverse("admin:webhooks_again", args=[delivery.pk])]
    assert [client_of_ada.post(one).status_code for one in paths] == [404] * 3
    assert Delivery.objects.waiting().count() == 0

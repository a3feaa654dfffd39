"""An organization's admins keep its webhooks; secrets are shown once, and nothing of another organization is there."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEvent, Membership
from tests.hooks import hook_of, told
from tests.people import People, signed_in
from webhooks import keeping
from webhooks.models import Delivery, DeliveryAttempt, Webhook

pytestmark = pytest.mark.django_db
LIST = "/api/webhooks/"
HOOK = {"url": "https://hooks.example.org/a", "events": ["document.failed", "answer.rated", "answer.rated"]}


def make(by: Membership, **fields: Any) -> Any:
    return signed_in(by).post(LIST, {**HOOK, **fields}, content_type="application/json")


def change(by: Membership, webhook: Any, **fields: Any) -> Any:
    return signed_in(by).patch(f"{LIST}{webhook}/", fields, content_type="application/json")


def test_a_secret_is_told_where_it_is_made_and_never_again(people: People) -> None:
    made = make(people.ada, description="Registry")
    assert made.status_code == 201
    secret = made.json()["secret"]
    assert secret.startswith("whsec_")
    assert made.json()["events"] == ["answer.rated", "document.failed"]
    webhook = Webhook.objects.get()
    assert webhook.open_secrets() == [secret]
    assert secret not in webhook.sealed_secret
    shown = signed_in(people.ada).get(f"{LIST}{webhook.pk}/")
    assert secret not in shown.content.decode() + signed_in(people.ada).get(LIST).content.decode()
    assert "secret" not in shown.json()


def test_a_new_secret_leaves_the_former_one_a_day(people: People) -> None:
    webhook = hook_of(people.ada.organization)
    (former,) = webhook.open_secrets()
    secret = signed_in(people.ada).post(f"{LIST}{webhook.pk}/secret/").json()["secret"]
    webhook.refresh_from_db()
    assert webhook.open_secrets() == [secret, former]
    newest = signed_in(people.ada).post(f"{LIST}{webhook.pk}/secret/").json()["secret"]
    webhook.refresh_from_db()
    assert webhook.open_secrets() == [newest, secret]


def test_the_sealing_key_is_changed_also_under_webhooks(people: People, settings: Any) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.DATA_SOURCE_KEYS = [old]
    webhook = hook_of(people.ada.organization)
    keeping.renew_secret(people.ada, webhook)
    webhook.refresh_from_db()
    secrets = webhook.open_secrets()
    settings.DATA_SOURCE_KEYS = [new, old]
    call_command("reseal_sources")
    settings.DATA_SOURCE_KEYS = [new]
    webhook.refresh_from_db()
    assert webhook.open_secrets() == secrets


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "http://hooks.example.org/"}, {"url": "https://u:p@hooks.example.org/"}, {"url": "nonsense"},
        {"url": "https://hooks.example.org/" + "a" * 500}, {"url": ""}, {"events": []}, {"events": ["ping"]},
        {"events": ["document.deleted"]}, {"events": "answer.rated"}, {"description": "x" * 151},
    ],
)  # fmt: skip
def test_what_is_no_webhook_is_refused(fields: dict[str, Any], people: People) -> None:
    answer = make(people.ada, **fields)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input")
    assert list(fields) == list(answer.json()["errors"])


def test_there_is_room_for_twenty(people: People) -> None:
    for _ in range(keeping.MOST_WEBHOOKS):
        hook_of(people.ada.organization)
    answer = make(people.ada)
    assert (answer.status_code, answer.json()["code"]) == (409, "webhooks_full")
    assert make(people.zoe).status_code == 201


def test_a_test_is_queued_once_and_sent_by_nobody_s_request(people: People) -> None:
    webhook = hook_of(people.ada.organization, url="https://hooks.example.org:1024/")
    first, second = (signed_in(people.ada).post(f"{LIST}{webhook.pk}/test/") for _ in range(2))
    assert first.status_code == 202
    assert (first.json()["event"], first.json()["status"], first.json()["tries"]) == ("ping", "waiting", [])
    assert second.json()["id"] == first.json()["id"]


def test_what_was_given_up_is_sent_again_under_the_same_id(people: People) -> None:
    webhook = hook_of(people.ada.organization)
    delivery = told(webhook, Delivery.Status.FAILED, attempts=8)
    answer = signed_in(people.ada).post(f"{LIST}{webhook.pk}/deliveries/{delivery.pk}/again/")
    assert (answer.status_code, answer.json()["status"], answer.json()["attempts"]) == (202, "waiting", 0)
    assert answer.json()["message_id"] == delivery.message_id
    assert Delivery.objects.due().count() == 1
    assert AuditEvent.objects.filter(action="sent again").count() == 1
    signed_in(people.ada).post(f"{LIST}{webhook.pk}/deliveries/{delivery.pk}/again/")
    assert AuditEvent.objects.filter(action="sent again").count() == 1, "it waits already"


def test_a_delivery_is_reached_through_its_own_webhook_alone(people: People) -> None:
    webhook, other = hook_of(people.ada.organization), hook_of(people.ada.organization)
    delivery = told(webhook)
    assert signed_in(people.ada).post(f"{LIST}{other.pk}/deliveries/{delivery.pk}/again/").status_code == 404


def test_who_is_switched_off_is_asked_nothing_and_begins_anew(people: People) -> None:
    webhook = hook_of(people.ada.organization)
    delivery = told(webhook)
    assert change(people.ada, webhook.pk, is_active=False).json()["is_active"] is False
    delivery.refresh_from_db()
    assert delivery.status == "failed"
    for path in ("test", f"deliveries/{delivery.pk}/again"):
        answer = signed_in(people.ada).post(f"{LIST}{webhook.pk}/{path}/")
        assert (answer.status_code, answer.json()["code"]) == (409, "webhook_inactive")
    Webhook.objects.update(failing_since="2026-01-01T00:00:00Z", disabled_at="2026-01-06T00:00:00Z")
    on = change(people.ada, webhook.pk, is_active=True).json()
    assert (on["is_active"], on["failing_since"], on["disabled_at"]) == (True, None, None)


def test_the_log_is_read_in_pages_with_as_many_queries_for_many_as_for_one(people: People) -> None:
    webhook = hook_of(people.ada.organization)
    client, counts = signed_in(people.ada), []
    client.get(LIST)  # notes the session
    for more in (1, 60):
        for _ in range(more):
            delivery = told(webhook)
            DeliveryAttempt.objects.create(delivery=delivery, reason="status", status=500, milliseconds=3, answer="no")
        with CaptureQueriesContext(connection) as queries:
            page = client.get(f"{LIST}{webhook.pk}/deliveries/").json()
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 8
    assert len(page["results"]) == 50
    assert page["results"][0]["tries"][0]["answer"] == "no"
    assert len(client.get(page["next"]).json()["results"]) == 11


def test_acts_are_audited_without_address_or_secret(people: People) -> None:
    made = make(people.ada, url="https://hooks.example.org/hush-hush").json()
    change(people.ada, made["id"], description="New", is_active=False)
    signed_in(people.ada).post(f"{LIST}{made['id']}/secret/")
    signed_in(people.ada).delete(f"{LIST}{made['id']}/")
    events = AuditEvent.objects.filter(object_type="webhook").order_by("created_at")
    assert [one.action for one in events] == ["created", "changed", "renewed", "deleted"]
    assert events[1].changes == {"fields": ["description", "is_active"], "is_active": False}
    assert "hush" not in str([one.changes for one in events])


def test_the_log_of_a_webhook_that_is_deleted_goes_in_steps_of_their_own(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "FORGOTTEN_AT_ONCE", 2)
    hook = hook_of(people.ada.organization)
    kept = told(hook_of(people.ada.organization))
    for _ in range(5):
        DeliveryAttempt.objects.create(delivery=told(hook), reason="ok", milliseconds=1)
    with CaptureQueriesContext(connection) as queries:
        assert signed_in(people.ada).delete(f"{LIST}{hook.pk}/").status_code == 204
    said = [one["sql"] for one in queries]
    steps = [at for at, sql in enumerate(said) if 'DELETE FROM "webhooks_delivery"' in sql]
    (last,) = [at for at, sql in enumerate(said) if 'DELETE FROM "webhooks_webhook"' in sql]
    begun = max(at for at, sql in enumerate(said[:last]) if "SAVEPOINT" in sql and "RELEASE" not in sql)
    assert len([at for at in steps if at < begun]) == 3, "before the transaction of the webhook itself"
    assert list(Delivery.objects.all()) == [kept]
    assert not DeliveryAttempt.objects.exists()

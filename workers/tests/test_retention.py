"""What is kept for a time is gone after it, in small steps, and no sooner than whoever runs the installation allows."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from prometheus_client import REGISTRY

from accounts import audit
from accounts.models import AuditEvent, IdempotentReply, Organization
from chat.models import Trace
from tests.factories import AgentFactory, ConversationFactory, MessageFactory
from tests.people import People, signed_in
from workers.checks import records_are_kept_for_days
from workers.queue import lanes
from workers.upkeep import retention

pytestmark = pytest.mark.django_db


def trace(organization: Organization, days: int, **fields: Any) -> Trace:
    agent = AgentFactory(organization=organization)
    if "message" not in fields:
        fields["message"] = MessageFactory(conversation=ConversationFactory(agent=agent), role="assistant")
    numbers = {"scope_size": 1, "granularity": 800, "confidence": "HIGH", "score": 0.9}
    return Trace.objects.create(agent=agent, created_at=timezone.now() - timedelta(days=days), **numbers, **fields)


def event(people: People, days: int) -> AuditEvent:
    audit.record(people.ada, "tried", people.ada)
    newest = AuditEvent.objects.order_by("-created_at")[0]
    AuditEvent.objects.filter(pk=newest.pk).update(created_at=timezone.now() - timedelta(days=days))
    return newest


def test_each_organization_keeps_its_traces_as_long_as_it_says(people: People, settings: Any) -> None:
    settings.TRACES_KEPT_DAYS = 100
    here, there = people.alice.organization, people.charlie.organization
    Organization.objects.filter(pk=here.pk).update(traces_kept_days=40)
    left = {trace(here, 39).pk, trace(there, 99).pk, trace(there, 41).pk}
    gone = [trace(here, 41), trace(there, 101)]
    assert retention.forget_past()["traces"] == 2
    assert set(Trace.objects.values_list("pk", flat=True)) == left
    for one in gone:
        one.message.refresh_from_db()  # the answer stays


def test_traces_may_be_kept_for_ever_but_those_of_searches_are_not(people: People, settings: Any) -> None:
    settings.TRACES_KEPT_DAYS = 0
    kept = trace(people.alice.organization, 5000)
    trace(people.alice.organization, 91, message=None)
    retention.forget_past()
    assert list(Trace.objects.all()) == [kept]


@pytest.mark.parametrize("setting", ["TRACES_KEPT_DAYS", "AUDIT_KEPT_DAYS", "AUDIT_MINIMUM_DAYS", "WEBHOOK_LOG_DAYS"])
def test_a_number_that_is_no_number_of_days_stops_the_process(setting: str, settings: Any) -> None:
    for days, is_known in ((-1, False), (365, True), (0, True), (40_000, False)):
        setattr(settings, setting, days)
        assert [one.id for one in records_are_kept_for_days(None)] == ([] if is_known else ["acervo.E014"])


def test_an_answer_of_an_earlier_version_keeps_what_its_record_said_of_it(people: People, settings: Any) -> None:
    settings.TRACES_KEPT_DAYS = 30
    agent = AgentFactory(organization=people.alice.organization)
    answer = MessageFactory(
        conversation=ConversationFactory(of=people.alice, agent=agent), role="assistant", content="x", state=""
    )
    then = timezone.now() - timedelta(days=31)
    Trace.objects.create(
        message=answer, agent=agent, gate="disabled", scope_size=0, granularity=800, score=0.0, created_at=then
    )
    retention.forget_past()
    answer.refresh_from_db()
    assert not Trace.objects.exists()
    assert answer.state == "without_documents"


def test_nothing_is_deleted_for_less_than_a_day(people: People, settings: Any) -> None:
    settings.TRACES_KEPT_DAYS = settings.AUDIT_KEPT_DAYS = settings.AUDIT_MINIMUM_DAYS = -1
    kinds = [kind for kind, _ in retention.past_rows()]
    assert kinds.count("traces") == 1, "of searches without an answer alone"
    assert "audit events" not in kinds


def test_the_audit_log_is_never_shorter_than_the_operators_minimum(people: People, settings: Any) -> None:
    settings.AUDIT_MINIMUM_DAYS, settings.AUDIT_KEPT_DAYS = 200, 0
    AuditEvent.objects.all().delete()
    kept, old = event(people, 199), event(people, 201)
    retention.forget_past()
    assert AuditEvent.objects.filter(pk__in=[kept.pk, old.pk]).count() == 2, "for ever, where nobody says otherwise"
    Organization.objects.filter(pk=people.ada.organization_id).update(audit_kept_days=30)
    retention.forget_past()
    assert list(AuditEvent.objects.all()) == [kept]
    settings.AUDIT_MINIMUM_DAYS = 10_000
    event(people, 9_999)
    retention.forget_past()
    assert AuditEvent.objects.count() == 2


@pytest.mark.parametrize(("days", "is_saved"), [("364", False), ("365", True), ("", True)])
def test_an_admin_says_so_on_the_organizations_page(days: str, is_saved: bool, people: People) -> None:
    here = people.ada.organization
    form = {"name": here.name, "traces_kept_days": "60", "audit_kept_days": days}
    answer = signed_in(people.ada).post(f"/admin/accounts/organization/{here.pk}/change/", form)
    here.refresh_from_db()
    assert (answer.status_code == 302) is is_saved
    assert (here.traces_kept_days == 60) is is_saved
    if is_saved and days:
        (said,) = AuditEvent.objects.filter(object_id=str(here.pk), action="changed")
        assert said.changes["audit_kept_days"] == 365


def test_traces_are_kept_for_as_long_as_the_usage_page_looks_back(people: People) -> None:
    here = people.ada.organization
    form = {"name": here.name, "traces_kept_days": "29", "audit_kept_days": ""}
    assert signed_in(people.ada).post(f"/admin/accounts/organization/{here.pk}/change/", form).status_code == 200


def test_a_round_deletes_in_steps_and_leaves_the_rest(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "AT_ONCE", 10)
    monkeypatch.setattr(retention, "PAUSE", 0)
    yesterday = timezone.now() - timedelta(days=2)
    IdempotentReply.objects.bulk_create(
        IdempotentReply(membership=people.alice, key=str(n), request_hash="", created_at=yesterday) for n in range(25)
    )
    rows = IdempotentReply.objects.filter(created_at__lt=timezone.now() - timedelta(days=1))
    assert retention.delete_in_steps(rows, time.monotonic() - 1) == 0, "its time is over"
    lanes.stopping.set()
    try:
        assert retention.delete_in_steps(rows, time.monotonic() + 60) == 0
    finally:
        lanes.stopping.clear()
    before = REGISTRY.get_sample_value("retention_rows_deleted_total", {"kind": "replies"}) or 0.0
    assert retention.forget_past()["replies"] == 25
    assert REGISTRY.get_sample_value("retention_rows_deleted_total", {"kind": "replies"}) == before + 25
    assert not rows.exists()

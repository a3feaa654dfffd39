"""What is announced of documents, ratings and limits, in whose name, and what is not: nothing personal, no words."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.limits import reserving
from chat.usage.rating import rate_answer
from corpora.models import Document
from tests.factories import ConversationFactory, CorpusFactory, DocumentFactory, MessageFactory
from tests.hooks import hook_of, told
from tests.people import People, signed_in
from webhooks.announcing import announce
from webhooks.models import Delivery, Event
from webhooks.quotas import announce_near_quotas
from workers.queue import claims
from workers.queue.ends import announce_ends
from workers.upkeep import retention

pytestmark = pytest.mark.django_db
SECRET = "zurribanda"


def announced() -> list[tuple[str, dict[str, Any]]]:
    return list(Delivery.objects.order_by("created_at").values_list("event", "data"))


def claimed_document(**fields: Any) -> tuple[Document, claims.Lease]:
    pending = {"status": Document.Status.PENDING, "not_before": timezone.now() - timedelta(seconds=1)}
    document = DocumentFactory(title=SECRET, text=SECRET, **fields)
    Document.objects.filter(pk=document.pk).update(**pending)
    lease = claims.claim_ingestion(document.pk)
    assert lease
    return document, lease


def test_documents_of_global_corpora_are_told_by_ids_and_states(people: People) -> None:
    hook_of(people.ada.organization)
    corpus = CorpusFactory(shared_in=people.ada.organization, name=SECRET)
    document, lease = claimed_document(corpus=corpus)
    lease.finish(3)
    failed, lease = claimed_document(corpus=corpus)
    lease.fail("empty_document")
    common = {"corpus": str(corpus.pk)}
    assert announced() == [
        ("document.indexed", {"document": str(document.pk), "status": "indexed", "version": 3, **common}),
        ("document.failed", {"document": str(failed.pk), "status": "failed", "code": "empty_document", **common}),
    ]
    assert SECRET not in str(announced())


def test_a_document_whose_workers_all_died_is_told_as_failed(people: People) -> None:
    hook_of(people.ada.organization)
    document, _lease = claimed_document(corpus=CorpusFactory(shared_in=people.ada.organization))
    past = timezone.now() - timedelta(minutes=1)
    Document.objects.filter(pk=document.pk).update(attempts=claims.MAX_ATTEMPTS, lease_expires_at=past)
    assert claims.give_up_exhausted() == 1
    assert claims.give_up_exhausted() == 0
    ((event, data),) = announced()
    assert (event, data["code"]) == ("document.failed", "too_many_attempts")


def test_of_many_that_are_given_up_some_are_told_at_once_and_the_others_next(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each costs a look at who listens, and all would be one transaction."""
    monkeypatch.setattr(claims, "GIVEN_UP_AT_ONCE", 2)
    hook_of(people.ada.organization)
    corpus = CorpusFactory(shared_in=people.ada.organization)
    documents = [claimed_document(corpus=corpus)[0].pk for _ in range(3)]
    past = timezone.now() - timedelta(minutes=1)
    Document.objects.filter(pk__in=documents).update(attempts=claims.MAX_ATTEMPTS, lease_expires_at=past)
    assert [claims.give_up_exhausted() for _ in range(3)] == [2, 1, 0]
    assert len(announced()) == 3


def test_of_personal_documents_nothing_is_told(people: People) -> None:
    hook_of(people.ada.organization)
    _document, lease = claimed_document(corpus=CorpusFactory(personal_of=people.alice))
    lease.fail("empty_document")
    assert announced() == []


def test_what_is_rolled_back_is_not_told(people: People) -> None:
    hook_of(people.ada.organization)
    document, lease = claimed_document(corpus=CorpusFactory(shared_in=people.ada.organization))
    with transaction.atomic():
        lease.finish(2)
        transaction.set_rollback(True)
    assert announced() == []
    with pytest.raises(claims.LeaseLost):
        claims.Lease(document.pk, people.ada.pk).finish(2)
    assert announced() == []


def test_where_nobody_listens_it_costs_two_looks(people: People) -> None:
    document = DocumentFactory(corpus=CorpusFactory(shared_in=people.ada.organization))
    hook_of(people.ada.organization, events=["answer.rated"])
    with CaptureQueriesContext(connection) as queries:
        announce_ends([document.pk])
    assert len(queries) == 2


@pytest.mark.parametrize("is_personal", [False, True])
def test_a_rating_is_told_without_its_words_unless_something_personal_was_in_reach(
    is_personal: bool, people: People
) -> None:
    hook_of(people.ada.organization)
    talk = ConversationFactory(of=people.alice, title=SECRET, is_personal=is_personal)
    answer = MessageFactory(conversation=talk, role="assistant", content=SECRET)
    said = {"rating": -1, "comment": SECRET}
    sent = signed_in(people.alice).post(f"/api/messages/{answer.pk}/feedback/", said, content_type="application/json")
    assert sent.status_code == 200
    expected = {"answer": str(answer.pk), "agent": str(talk.agent_id), "rating": "down"}
    assert announced() == ([] if is_personal else [("answer.rated", expected)])


def test_an_answer_with_a_personal_source_is_told_of_never(people: People) -> None:
    hook_of(people.ada.organization)
    document = DocumentFactory(corpus=CorpusFactory(personal_of=people.alice))
    talk = ConversationFactory(of=people.alice, is_personal=False)
    answer = MessageFactory(conversation=talk, role="assistant", sources=document.chunks.all()[:1])
    rate_answer(answer, 1, "")
    assert announced() == []


def test_the_same_rating_said_again_is_told_once(people: People) -> None:
    """Nothing limits how often it may be said, and each would be a row for each webhook."""
    hook_of(people.ada.organization)
    answer = MessageFactory(conversation=ConversationFactory(of=people.alice, is_personal=False), role="assistant")
    for rating, comment in ((1, ""), (1, ""), (1, "because"), (-1, ""), (-1, "")):
        answer.refresh_from_db()
        rate_answer(answer, rating, comment)
    assert [data["rating"] for _event, data in announced()] == ["up", "down"]
    assert answer.rating == -1


def test_a_limit_that_is_nearly_reached_is_told_once_a_day(people: People, settings: Any) -> None:
    settings.QUOTAS = True
    settings.LIMITS = {"organization": {"corpora": 5, "tokens_day": 100, "documents": 10}}
    hook_of(people.ada.organization)
    hook_of(people.zoe.organization, events=["answer.rated"])
    for member in (people.ada, people.zoe):
        for _ in range(4):
            CorpusFactory(shared_in=member.organization)
    assert announce_near_quotas() == 1
    assert announce_near_quotas() == 0
    ((event, data),) = announced()
    assert event == "quota.near"
    assert data == {"limit": "corpora", "window": "held", "percent": 80, "used": 4.0, "allowed": 5.0}
    Delivery.objects.update(created_at=timezone.now() - timedelta(days=1))
    assert announce_near_quotas() == 1
    reserving.reserve(people.ada, reserving.Spending(tokens=85), people.ada.pk)
    assert announce_near_quotas() == 1
    assert announced()[-1][1]["limit"] == "tokens_day"


def test_a_test_of_a_webhook_that_chose_nothing_near_costs_no_counting(people: People, settings: Any) -> None:
    settings.QUOTAS = True
    hook_of(people.ada.organization, events=["answer.rated"])
    with CaptureQueriesContext(connection) as queries:
        announce_near_quotas()
    assert len(queries) <= 1


def test_the_log_is_forgotten_after_its_time_and_what_waits_is_not(people: People, settings: Any) -> None:
    settings.WEBHOOK_LOG_DAYS = 30
    hook = hook_of(people.ada.organization)
    old = timezone.now() - timedelta(days=31)
    told(hook, Delivery.Status.SENT, created_at=old), told(hook, Delivery.Status.FAILED, created_at=old)
    kept = {told(hook, created_at=old).pk, told(hook, Delivery.Status.SENT).pk}
    assert retention.forget_past()["webhook deliveries"] == 2
    assert set(Delivery.objects.values_list("pk", flat=True)) == kept
    settings.WEBHOOK_LOG_DAYS = 0
    Delivery.objects.update(status="sent", created_at=old)
    assert "webhook deliveries" not in retention.forget_past()


def test_an_event_of_a_later_release_is_heard_by_nobody_of_this_one(people: People) -> None:
    hook_of(people.ada.organization, events=["corpus.closed"])
    assert announce(people.ada.organization.pk, Event.QUOTA_NEAR, {}) == 0

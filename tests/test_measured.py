"""What is counted has labels of ours alone, of which there are few, and counts what people asked for."""

import threading
import time
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.utils import timezone
from prometheus_client import REGISTRY

from accounts.limits import size
from accounts.models import Membership
from agents.llm.base import ModelMessage, ModelRequest, Usage
from agents.llm.metering import Meter, metered, model_label, note_call
from chat.answering.attempts import Answer, Attempt
from chat.answering.judging.routing import FIRST, LARGE, Decision, Metrics, Reason, Strategy
from chat.usage.measuring import count_answer
from config.metrics import answering
from config.metrics.serving import exposed_metrics
from corpora.models import Document
from corpora.scope import Scope
from retrieval.results import Retrieval
from retrieval.search import observed
from retrieval.waiting.breaker import Breakers, CircuitBreaker
from tests.factories import DocumentFactory, MembershipFactory
from tests.people import People
from workers.upkeep import backlog
from workers.upkeep.backlog import measure_backlog

MOST_SERIES = 4_000  # of one process, if each label took each of its values
KNOWN_LABELS = {
    "stage", "gate", "level", "fault", "purpose", "result", "service", "state", "status", "code", "rating", "model",
    "direction", "organization_class", "granularity", "outcome", "kind", "reason", "metric", "limit", "per", "lane",
    "job", "le",
}  # fmt: skip


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


@pytest.fixture
def request_of() -> Any:
    return lambda model: ModelRequest(model, "", (ModelMessage("user", "una pregunta larga"),), question="¿Cuándo fue?")


def test_no_label_is_somebodys_and_series_are_few(db: None) -> None:
    ours = [one for one in exposed_metrics().collect() if not one.name.startswith(("python_", "process_"))]
    samples = [sample for one in ours for sample in one.samples]
    assert {label for sample in samples for label in sample.labels} <= KNOWN_LABELS
    assert len(samples) < MOST_SERIES


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("", "openai:of the house"), ("openai:gpt-4o-mini", "openai:gpt-4o-mini"), ("priced", "openai:priced"),
        ("openai:la-de-ana@example.org", "openai:other"), ("anthropic:mine", "anthropic:other"),
        ("extractive", "extractive"),
    ],
)  # fmt: skip
def test_a_model_has_a_name_only_if_the_installation_names_it(model: str, label: str, settings: Any) -> None:
    settings.OPENAI_API_KEY, settings.CHAT_MODEL, settings.MODEL_PRICES = (
        "sk",
        "openai:of the house",
        {"priced": [1, 2]},
    )
    assert model_label(model) == label


def test_tokens_and_money_are_told_by_model_and_class_of_organization(settings: Any, request_of: Any) -> None:
    settings.OPENAI_API_KEY, settings.MODEL_PRICES = "sk", {"priced": [1_000, 2_000]}
    labels = {"model": "openai:priced", "organization_class": "2-10"}
    before = (
        counted("model_tokens_total", direction="completion", **labels),
        counted("model_cost_dollars_total", **labels),
    )
    with metered(Meter(organization_class="2-10")):
        note_call(request_of("priced"), Usage(1_000, 500), "")
    assert counted("model_tokens_total", direction="completion", **labels) == before[0] + 500
    assert counted("model_cost_dollars_total", **labels) == pytest.approx(before[1] + 2)


def test_an_organization_is_its_number_of_members(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    organization = people.charlie.organization
    before = Membership.objects.filter(organization=organization).count()
    assert size.organization_class(organization.pk) == answering.class_of_size(before)
    for _ in range(11):
        MembershipFactory(organization=organization)
    assert size.organization_class(organization.pk) == answering.class_of_size(before), "believed for an hour"
    monkeypatch.setattr(size.time, "monotonic", lambda: float("inf"))
    assert size.organization_class(organization.pk) == "11-100"


def test_retries_and_what_they_gain_are_told_by_size_and_kind_of_question(request_of: Any) -> None:
    scope = Scope(uuid4(), uuid4(), frozenset(), frozenset())
    answer = Answer(uuid4(), uuid4())
    for number, (granularity, recall) in enumerate(((FIRST, 0.1), (LARGE, 0.6)), 1):
        attempt = Attempt(
            answer.message, number, Strategy(granularity), scope, Retrieval("", granularity), request_of("extractive")
        )
        attempt.is_whole, attempt.metrics = True, Metrics(1.0, 1.0, recall)
        attempt.decision = Decision(Reason.LOW_RECALL if number == 1 else Reason.ACCEPTED)
        answer.attempts.append(attempt)
    answer.status = "complete"
    gained = [counted("answer_attempt_gain_bucket", granularity="1024", le=le) for le in ("0.1", "0.2")]
    kinds = counted("answer_retries_total", kind="date")
    kept = counted("answer_attempts_total", granularity="1024", outcome="kept")
    count_answer(answer, "supported")
    now = [counted("answer_attempt_gain_bucket", granularity="1024", le=le) for le in ("0.1", "0.2")]
    assert now == [gained[0], gained[1] + 1]
    assert counted("answer_retries_total", kind="date") == kinds + 1
    assert counted("answer_attempts_total", granularity="1024", outcome="kept") == kept + 1
    assert counted("answer_retry_decisions_total", reason="low_recall") >= 1
    assert counted("answer_evaluation_score_count", metric="context_recall", granularity="512") >= 1


def test_what_was_not_searched_is_no_search() -> None:
    before = counted("retrieval_duration_seconds_count", stage="total")
    observed(Retrieval("", 800))
    assert counted("retrieval_duration_seconds_count", stage="total") == before
    observed(Retrieval("", 800, timings={"total": 12.0}))
    assert counted("retrieval_duration_seconds_count", stage="total") == before + 1


def test_a_breaker_is_open_from_its_last_failure_to_its_first_success() -> None:
    breaker = CircuitBreaker("re-ranker", failures=2)
    open_before, opened = (
        counted("circuit_breakers_open", service="re-ranker"),
        counted("circuit_breaker_opened_total", service="re-ranker"),
    )
    for _ in range(3):
        breaker.failed()
    assert counted("circuit_breakers_open", service="re-ranker") == open_before + 1
    breaker.succeeded()
    breaker.succeeded()
    assert counted("circuit_breakers_open", service="re-ranker") == open_before
    assert counted("circuit_breaker_opened_total", service="re-ranker") == opened + 1


def test_of_many_breakers_the_one_that_is_forgotten_is_open_no_more() -> None:
    breakers, open_before = Breakers("data source", most=2), counted("circuit_breakers_open", service="data source")
    for _ in range(3):
        breakers.of("one").failed()
    assert not breakers.of("one").allows()
    assert breakers.of("another").allows()
    assert counted("circuit_breakers_open", service="data source") == open_before + 1
    breakers.of("a third")
    assert counted("circuit_breakers_open", service="data source") == open_before
    assert breakers.of("one").allows()


def test_what_waits_is_told_by_lane_with_the_age_of_the_oldest(db: None) -> None:
    cache.clear()
    document = DocumentFactory()
    due = timezone.now() - timedelta(seconds=90)
    Document.objects.filter(pk=document.pk).update(status="pending", attempts=0, not_before=due, size=10)
    (small,) = [one for one in measure_backlog()["waiting"] if one[:2] == ["short", "ingest"]]
    assert small[2] == 1
    assert 90 <= small[3] < 120
    Document.objects.filter(pk=document.pk).update(size=1_000_000)
    (large,) = [one for one in measure_backlog()["waiting"] if one[:2] == ["ingestion", "ingest"]]
    assert large[2] == 1


def test_a_database_that_is_silent_keeps_no_scrape_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(backlog, "backlog_in_json", lambda: ended.wait(30) and "{}")
    monkeypatch.setattr(backlog, "ANSWERS_WITHIN", 0.1)
    began = time.monotonic()
    assert [one for family in backlog.Backlog().collect() for one in family.samples] == []
    assert time.monotonic() - began < 10
    ended.set()

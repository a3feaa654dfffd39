"""A measured calibration takes the place of the built-in one, in every process within seconds."""

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Membership
from retrieval.confidence import calibration as calibrations
from retrieval.embeddings.base import Calibration
from retrieval.models import MeasuredCalibration
from retrieval.search import retrieve
from retrieval.spaces.builtin import LEXICAL_MODEL, space_for
from retrieval.tests.shelf import scope_of, shelve
from tests.factories import CorpusFactory, MembershipFactory

pytestmark = pytest.mark.django_db

SPACE = space_for(LEXICAL_MODEL, 1536)
MEASURED = Calibration(((0.1, 0.0), (0.4, 0.55), (0.9, 1.0)), cosine_weight=0.5, coverage_weight=1.0, background=None)
NOTHING = Calibration(((50.0, 0.0), (60.0, 1.0)))


@pytest.fixture(autouse=True)
def _forgotten(settings: Any) -> Iterator[None]:
    settings.QDRANT_URL = settings.EMBEDDING_MODEL = settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    calibrations.forget_calibrations()
    yield
    calibrations.forget_calibrations()


def test_without_a_measurement_the_space_is_as_it_is() -> None:
    assert calibrations.with_measured_calibration(SPACE) is SPACE


def test_what_was_measured_is_used_and_can_be_given_up() -> None:
    calibrations.store_calibration(SPACE, MEASURED, {"questions": 200})
    assert calibrations.with_measured_calibration(SPACE).calibration == MEASURED
    assert MeasuredCalibration.objects.get().sample == {"questions": 200}
    assert calibrations.remove_calibration(SPACE)
    assert calibrations.with_measured_calibration(SPACE) is SPACE
    assert not calibrations.remove_calibration(SPACE)


def test_a_second_measurement_replaces_the_first() -> None:
    for calibration in (NOTHING, MEASURED):
        calibrations.store_calibration(SPACE, calibration, {})
    assert calibrations.with_measured_calibration(SPACE).calibration == MEASURED
    assert MeasuredCalibration.objects.count() == 1


def test_a_measurement_is_of_one_space() -> None:
    calibrations.store_calibration(SPACE, MEASURED, {})
    other = space_for("text-embedding-3-small", 1536)
    assert calibrations.with_measured_calibration(other) is other


def test_another_process_s_measurement_is_seen_within_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("retrieval.confidence.calibration.time.monotonic", lambda: now)
    assert calibrations.with_measured_calibration(SPACE) is SPACE
    calibrations.store_calibration(SPACE, MEASURED, {})
    calibrations._kept[SPACE.collection] = (now + calibrations.KEPT_SECONDS, None)  # as this process would have it
    now += 4.9
    assert calibrations.with_measured_calibration(SPACE) is SPACE
    now += 0.2
    assert calibrations.with_measured_calibration(SPACE).calibration == MEASURED


def test_the_database_is_asked_once_in_five_seconds(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        for _ in range(10):
            calibrations.with_measured_calibration(SPACE)


def test_retrieval_judges_by_what_was_measured() -> None:
    alice: Membership = MembershipFactory()
    corpus = CorpusFactory(shared_in=alice.organization)
    shelve(corpus, "A loan lasts twenty-one days.", title="Loans")
    question, scope = "How many days does a loan last?", scope_of(alice, corpus)
    assert retrieve(question, scope).sufficient
    calibrations.store_calibration(SPACE, NOTHING, {})
    assert retrieve(question, scope).chunks == ()

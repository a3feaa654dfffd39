"""What nobody works on is found again: lost messages, killed workers, brokers that were down (SPEC §3)."""

import os
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
import yaml
from django.conf import settings
from django.utils import timezone

from corpora.models import Corpus, Document
from tests import factories
from tests.live import patience
from workers import tasks
from workers.models import Claim
from workers.queue import claims
from workers.queue.lanes import LANES
from workers.upkeep import sweep
from workers.upkeep.schedule import SCHEDULE, Periodic

pytestmark = pytest.mark.django_db
Hints = list[str]
NOTHING = {"ingestion": 0, "short": 0}


def before(seconds: float) -> dict[str, object]:
    return {"not_before": timezone.now() - timedelta(seconds=seconds)}


def test_a_document_whose_message_was_lost_is_hinted_at_again(hints: Hints) -> None:
    factories.DocumentFactory(status="pending", size=10_000_000, **before(60))
    assert sweep.sweep() == {"ingestion": 1, "short": 0}
    assert hints == ["ingestion"]


def test_a_small_document_may_go_to_either_lane(hints: Hints) -> None:
    factories.DocumentFactory(status="pending", **before(60))
    assert sweep.sweep() == {"ingestion": 1, "short": 1}


def test_a_document_that_waits_for_a_service_waits_its_time(hints: Hints) -> None:
    document = factories.DocumentFactory(status="pending")
    lease = claims.claim_ingestion(document.pk)
    assert lease is not None
    lease.retry_later("service_unavailable", counts=False)
    assert sweep.sweep() == NOTHING
    Document.objects.update(**before(10))
    assert sweep.sweep()["ingestion"] == 1


def test_a_document_whose_worker_fell_silent_is_hinted_at_again(hints: Hints) -> None:
    document = factories.DocumentFactory(status="pending", **before(60))
    assert claims.claim_ingestion(document.pk) is not None
    assert sweep.sweep() == NOTHING
    Document.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert sweep.sweep()["ingestion"] == 1


def test_after_three_silent_workers_a_document_fails(hints: Hints) -> None:
    expired = timezone.now() - timedelta(seconds=1)
    factories.DocumentFactory(
        status="processing", attempts=3, lease_holder=UUID(int=1), lease_expires_at=expired, **before(60)
    )
    assert sweep.sweep() == NOTHING
    assert Document.objects.get().error_code == "too_many_attempts"


def test_what_has_ended_is_left_alone(hints: Hints) -> None:
    for status in ("indexed", "failed"):
        factories.DocumentFactory(status=status, **before(60))
    assert sweep.sweep() == NOTHING
    assert hints == []


def test_a_deletion_or_an_edit_whose_message_was_lost_is_finished(hints: Hints) -> None:
    factories.DocumentFactory(deleted_at=timezone.now())
    factories.DocumentFactory(metadata_changed_at=timezone.now())
    factories.CorpusFactory(sizes_wanted_at=timezone.now())
    assert sweep.sweep() == {"ingestion": 0, "short": 3}


def test_a_deleted_corpus_without_documents_goes(hints: Hints) -> None:
    gone = factories.CorpusFactory(deleted_at=timezone.now())
    kept = factories.DocumentFactory(corpus__deleted_at=timezone.now(), deleted_at=timezone.now()).corpus
    sweep.sweep()
    assert set(Corpus.objects.values_list("pk", flat=True)) == {kept.pk}
    assert gone.pk != kept.pk


def test_a_sweep_hints_at_a_bounded_number(hints: Hints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "AT_ONCE", 3)
    for _ in range(5):
        factories.DocumentFactory(status="pending", **before(60))
    assert sweep.sweep() == {"ingestion": 3, "short": 3}


def test_everything_that_must_run_by_itself_is_scheduled_and_no_sweep_is_ever_void() -> None:
    """A sweep that waits behind a backlog runs late, never not at all; what piled up runs once."""
    beat = tasks.app.conf.beat_schedule
    assert {entry["task"] for entry in beat.values()} == {tasks.UPKEEP_TASK} <= set(tasks.app.tasks)
    assert {entry["args"][0] for entry in beat.values()} == set(SCHEDULE)
    assert not any("expires" in entry["options"] for entry in beat.values())
    assert beat["sweep"]["schedule"] <= 40, "processed ≤ 40 s after a broker is back"


def test_sweeps_that_piled_up_are_one_and_the_next_is_not_kept_from_running(hints: Hints) -> None:
    factories.DocumentFactory(status="pending", size=10_000_000, **before(60))
    for _ in range(20):
        tasks.upkeep("sweep")
    assert hints == ["ingestion"]
    Claim.objects.update(began_at=timezone.now() - timedelta(seconds=10))
    tasks.upkeep("sweep")
    assert hints == ["ingestion"] * 2


def test_a_job_that_is_under_way_is_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    within: list[bool] = []
    job = Periodic("nested", 0.0, lambda: within.append(Periodic("nested", 0.0, within.clear).run()))
    assert job.run()
    assert within == [False]
    assert job.run(), "and afterwards it may"


def test_a_worker_without_a_lane_of_its_own_serves_all_of_them() -> None:
    assert {queue.name for queue in tasks.app.conf.task_queues} == {"upkeep", "short", "ingestion"}
    assert set(LANES) == {"short", "ingestion"}


def test_messages_are_json_and_carry_ids_only() -> None:
    assert tasks.app.conf.task_serializer == "json"
    assert list(tasks.app.conf.accept_content) == ["json"]


HINT_WITHOUT_BROKER = """
import time, django; django.setup()
from workers.queue import hints
for _ in range(2):
    started = time.monotonic()
    hints.hint("ingestion", "short")
    print(time.monotonic() - started)
"""


@pytest.mark.parametrize("listening", [False, True], ids=["refuses", "says nothing"])
def test_a_broker_that_is_down_costs_an_upload_two_seconds_at_most(listening: bool, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as broker:
        port = broker.getsockname()[1]
        if not listening:
            broker.close()
        times = hint_without_broker(port, tmp_path)
    assert max(times) < patience(2.5), times


def hint_without_broker(port: int, tmp_path: Path) -> list[float]:
    """Seconds that two hints took."""
    environment = {
        **os.environ,
        "CELERY_BROKER_URL": f"redis://127.0.0.1:{port}/0",
        "QDRANT_URL": "http://127.0.0.1:9",
        "DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    command = [sys.executable, "-c", HINT_WITHOUT_BROKER]
    done = subprocess.run(command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "the sweeper will find" in done.stderr
    return [float(line) for line in done.stdout.split()]


def test_in_the_compose_stack_no_job_that_comes_round_keeps_the_sweep_waiting() -> None:
    services = yaml.safe_load((Path(settings.BASE_DIR) / "compose.yml").read_text())["services"]
    command = services["worker-upkeep"]["command"]
    assert int(command[command.index("--concurrency") + 1]) >= len(SCHEDULE)

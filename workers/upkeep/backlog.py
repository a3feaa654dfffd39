"""What waits for each lane, and since when, told at each scrape (`config.metrics.serving`).

The rows are the queue (ADR 0002), so whoever is asked knows it all, and says the same: in a query the largest counts,
not the sum. The cache remembers it for a moment, so that many processes ask the database once.
"""

import json
import logging
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.core.cache import cache
from django.db import Error as DatabaseFault
from django.db.models import Count, Min, QuerySet
from django.db.models.functions import Coalesce
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from accounts.tenancy.scope import system_scope
from chat.models import Export
from config.celery import UPKEEP
from config.concurrency.clock import read_database_clock
from config.concurrency.probing import Probes
from config.faults import describe_error
from corpora.models import Document
from corpora.rows.queueing import SMALL_BYTES
from evaluation.runs import free_runs
from webhooks.models import Delivery
from workers.models import Claim
from workers.queue import claims
from workers.queue.hints import INGESTION, SHORT

logger = logging.getLogger(__name__)

KEY, REMEMBERED = "metrics:backlog", 10  # seconds
ANSWERS_WITHIN = 2.0  # seconds; Prometheus gives up after 10
PERIODIC = "periodic:"  # claims of `workers.upkeep.schedule`

_probes = Probes()


class Backlog(Collector):
    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Nothing while the database is away: a number that nobody knows is no 0, and what else is told is wanted then
        more than ever, before Prometheus gives up."""
        counts = GaugeMetricFamily("work_backlog", "Rows that wait for a lane", labels=["lane", "kind"])
        ages = GaugeMetricFamily(
            "work_backlog_age_seconds", "Since the oldest that waits was due", labels=["lane", "kind"]
        )
        jobs = GaugeMetricFamily("periodic_job_age_seconds", "Since a periodic job was begun last", labels=["job"])
        try:
            said = _probes.ask({"backlog": backlog_in_json}, ANSWERS_WITHIN, silent="{}")["backlog"]
        except DatabaseFault as error:
            logger.warning("the backlog is not known: %s", describe_error(error))
            said = "{}"
        measured = json.loads(said)
        for lane, kind, count, age in measured.get("waiting", ()):
            counts.add_metric([lane, kind], count)
            ages.add_metric([lane, kind], age)
        for name, age in measured.get("begun", ()):
            jobs.add_metric([name], age)
        return [counts, ages, jobs]


def backlog_in_json() -> str:
    return json.dumps(cache.get_or_set(KEY, measure_backlog, REMEMBERED))


@system_scope()
def measure_backlog() -> dict[str, list[Any]]:
    """As the cache keeps it: `waiting`, of lane, kind, how many, and seconds since the oldest was due; `begun`, of a
    periodic job and the seconds since."""
    now = read_database_clock()
    waiting = [[lane, kind, *count_and_age(rows, since, now)] for lane, kind, rows, since in kinds()]
    begun = Claim.objects.filter(name__startswith=PERIODIC).exclude(began_at=None).values_list("name", "began_at")
    ages = [[name.removeprefix(PERIODIC), seconds_since(began, now)] for name, began in begun]
    return {"waiting": waiting, "begun": ages}


def kinds() -> Iterator[tuple[str, str, QuerySet[Any], Any]]:
    """Each with what its row waits since. A small document may go by either lane, and is told of as the short one's."""
    due = claims.due_documents().order_by()
    yield INGESTION, "ingest", due.filter(size__gt=SMALL_BYTES), "not_before"
    yield INGESTION, "evaluate", free_runs(), "created_at"
    yield INGESTION, "export", Export.objects.free(), "created_at"
    yield SHORT, "ingest", due.filter(size__lte=SMALL_BYTES), "not_before"
    yield SHORT, "erase", Document.objects.erasable(), Coalesce("kept_until", "deleted_at")
    changed = Document.objects.alive().exclude(metadata_changed_at=None)
    yield SHORT, "metadata", changed, "metadata_changed_at"
    yield SHORT, "presence", Document.objects.exclude(presence_changed_at=None), "presence_changed_at"
    yield UPKEEP, "webhook", Delivery.objects.due().filter(webhook__is_active=True), "not_before"


def count_and_age(rows: QuerySet[Any], since: Any, now: datetime) -> tuple[int, float]:
    found = rows.order_by().aggregate(count=Count("pk"), oldest=Min(since))
    return found["count"], seconds_since(found["oldest"], now)


def seconds_since(moment: datetime | None, now: datetime) -> float:
    return max(0.0, (now - moment).total_seconds()) if moment else 0.0

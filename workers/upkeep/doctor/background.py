"""Who works behind the pages: the broker, a worker for each lane, and beat; and the folder that they watch."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.conf import settings

from accounts.models import Organization
from config.celery import INGESTION, SHORT, UPKEEP
from config.concurrency.clock import read_database_clock
from workers.folders.watched import nobody_in_charge, subjects_in
from workers.models import Claim
from workers.upkeep.doctor.findings import ADDRESS, DoctorWishes, Found, doubtful, fine, wrong
from workers.upkeep.doctor.reasons import service_fault
from workers.upkeep.sweep import SECONDS

ASKED_FOR = 3.0  # seconds in which workers answer
NAMED = 20  # organizations, of all that there are
SILENT = timedelta(seconds=6 * SECONDS)


def examine_workers(_: DoctorWishes) -> Iterator[Found]:
    if settings.WORKERS_EMBEDDED:
        yield fine("threads of `serve`: no broker, no workers of their own")
        return
    from config.celery import app

    try:
        with app.connection_for_write() as link:
            link.ensure_connection(max_retries=1, timeout=3)
        queues = app.control.inspect(timeout=ASKED_FOR).active_queues() or {}
    except Exception as error:  # of kombu, of Redis or of the network
        yield wrong(service_fault(error, settings.CELERY_BROKER_URL), ADDRESS.format(name="CELERY_BROKER_URL"))
        return
    served = {one["name"] for names in queues.values() for one in names}
    missing = [lane for lane in (UPKEEP, SHORT, INGESTION) if lane not in served]
    if missing:
        advice = "Start one: celery -A config worker --queues " + ",".join(missing)
        yield wrong(f"{len(queues)} workers answer, none of the lane {', '.join(missing)}", advice)
    else:
        yield fine(f"{len(queues)} workers answer, and every lane is served")


def examine_beat(_: DoctorWishes) -> Found:
    """By what it sets off: the sweeper notes when it began, every ten seconds."""
    began = Claim.objects.filter(name="periodic:sweep").values_list("began_at", flat=True).first()
    who = "`manage.py serve`" if settings.WORKERS_EMBEDDED else "beat (celery -A config beat), or the upkeep worker"
    advice = f"Start {who}: what waits, retries or is to be erased stands still."
    if began is None:
        return doubtful("the sweeper has never run", advice)
    ago = read_database_clock() - began
    said = f"the sweeper ran {ago.total_seconds():.0f} s ago"
    if ago <= SILENT:
        return fine(said)
    return doubtful(said, advice) if settings.WORKERS_EMBEDDED else wrong(said, advice)


def examine_watched_folder(_: DoctorWishes) -> Iterator[Found]:
    """Whether there is something in it, and somebody to whom it belongs."""
    if not settings.INGEST_DIR:
        yield fine("none: INGEST_DIR is not set")
        return
    subjects = subjects_in(Path(settings.INGEST_DIR))
    if not subjects:
        advice = "Look whether its disk is mounted, and whether the user who runs the workers may read it."
        yield doubtful(f"INGEST_DIR ({settings.INGEST_DIR}) is missing or has no folder in it", advice)
    if fault := nobody_in_charge():
        said, advice = fault
        known = ", ".join(Organization.objects.order_by("slug").values_list("slug", flat=True)[:NAMED]) or "none yet"
        yield wrong(f"nothing of INGEST_DIR is taken in: {said}", f"{advice} There are: {known}.")
    elif subjects:
        yield fine(f"{len(subjects)} folders in {settings.INGEST_DIR}")

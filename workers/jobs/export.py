"""An export whose turn it is. It may take minutes: one at a time in a process, documents go on beside it."""

import logging
import threading
from datetime import timedelta
from tempfile import TemporaryFile
from uuid import uuid4

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db.models import F, QuerySet
from django.utils import translation

from chat.leaving.exports import LIFETIME, delete_files
from chat.models import Export
from config.concurrency.clock import DatabaseNow
from config.concurrency.heartbeat import HEARTBEAT_SECONDS, LEASE, beating
from config.faults import describe_error
from workers.exporting.archive import write_archive
from workers.queue.claims import MAX_ATTEMPTS

logger = logging.getLogger(__name__)

TRIED = 8
REPORTED = 0.02  # of the whole; less tells nobody anything
_one_at_a_time = threading.Lock()


class ExportGone(Exception):
    """Its owner asked for a new one, or something that it holds is being erased."""


def export_next() -> bool:
    """Make the next one; False when none waits, or one is under way in this process."""
    if not _one_at_a_time.acquire(blocking=False):
        return False
    try:
        return any(make_export(export) for export in Export.objects.free().order_by("created_at")[:TRIED])
    finally:
        _one_at_a_time.release()


def make_export(export: Export) -> bool:
    """Make one if nobody else has taken it; every way that it may end is a state of its row, or the row is gone."""
    holder = uuid4()
    taken = Export.objects.free().filter(pk=export.pk).update(
        lease_holder=holder, lease_expires_at=DatabaseNow(LEASE), attempts=F("attempts") + 1,
        status=Export.Status.RUNNING, progress=0.0,
    )  # fmt: skip
    if not taken:
        return False
    held = Export.objects.filter(pk=export.pk, lease_holder=holder)
    try:
        with beating(lambda: held.update(lease_expires_at=DatabaseNow(LEASE)), HEARTBEAT_SECONDS):
            keep_archive(export, held)
    except ExportGone:
        return True
    except Exception as error:  # a store that is down, a full disk: it is tried again, three times in all
        logger.warning("export %s waits: %s", export.pk, describe_error(error))
        postpone(export, held)
    return True


def postpone(export: Export, held: "QuerySet[Export]") -> None:
    free = {"lease_holder": None, "lease_expires_at": DatabaseNow(timedelta(seconds=15))}
    over = export.attempts + 1 >= MAX_ATTEMPTS
    held.update(**free, status=Export.Status.FAILED if over else Export.Status.WAITING)


def keep_archive(export: Export, held: "QuerySet[Export]") -> None:
    """Written beside, then put into the store, then shown."""
    told = 0.0

    def report(done: int, total: int) -> None:
        nonlocal told
        share = done / total
        if share - told >= REPORTED:
            told = share
            if not held.update(progress=share):
                raise ExportGone

    delete_files(str(export.pk))
    with TemporaryFile() as target, translation.override(export.language or settings.LANGUAGE_CODE):
        write_archive(export, target, report)
        size = target.tell()
        target.seek(0)
        export.file.save("acervo.zip", File(target), save=False)
    name = str(export.file.name)
    ended = {"status": Export.Status.DONE, "progress": 1.0, "file": name, "size": size}
    if not held.update(**ended, expires_at=DatabaseNow(LIFETIME), lease_holder=None, lease_expires_at=None):
        default_storage.delete(name)
        raise ExportGone

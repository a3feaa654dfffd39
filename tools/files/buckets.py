"""Files that lie in a bucket of the organization's: looked for every few minutes, and brought where they have changed.

    bucket --keys, sizes, versions--> what is new, changed or gone --object by object--> the source's files

No question waits for the bucket, and all is asked as it is of files that were uploaded. Where the bucket cannot be
reached, what was brought last stays.
"""

import logging
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts import audit
from accounts.limits.uses import lock_organization
from accounts.problems import FileTooLarge, Problem
from config.faults import describe_error
from tools.asking import ask_bucket
from tools.files.keeping import as_tables, find_room_for, keep_file, table_named
from tools.models import DataSource, DataSourceQuerySet, SourceFile
from tools.problems import FileUnusable, SourcesFull, outcome_of

logger = logging.getLogger(__name__)

EVERY = timedelta(minutes=5)
SECONDS, LONGEST = 30.0, 120.0  # of a request; in which files of one organization are begun in a round
MOST_LISTED = 8 * 1024 * 1024  # bytes of a listing
WHERE = ("host", "port", "database")


class LyingFile(NamedTuple):
    """`key` below the source's prefix, `size` in bytes."""

    key: str
    size: int
    version: str


class NameTaken(Exception):
    """Another file of the bucket is a table of this name."""

    code = "table_name_taken"


class Moved(Exception):
    """The source was changed meanwhile."""


CONTENT_REFUSED = (FileTooLarge, FileUnusable, NameTaken, SourcesFull)
PASSING = (NameTaken.code, SourcesFull.code)  # what may be otherwise the next time, though the file is the same


def files_in_bucket(source: DataSource) -> list[LyingFile]:
    """Those that can be tables. Raises SourceUnavailable, SourceUnusable and Busy."""
    found = ask_bucket(source, "objects", most={"bytes": MOST_LISTED}, seconds=SECONDS)
    return [LyingFile(**one) for one in found]


def bring_due(goes_on: Callable[[], bool]) -> int:
    """Look into each bucket whose time has come, those first that were looked into longest ago, until `goes_on` says
    no; of one organization for LONGEST seconds, so that its slow buckets are not everybody's. How many."""
    is_due = Q(brought_at=None) | Q(brought_at__lt=timezone.now() - EVERY)
    buckets = DataSource.objects.filter(is_due, kind=DataSource.Kind.BUCKET, is_active=True)
    looked, spent = 0, Counter[UUID]()
    for pk, owner in list(buckets.order_by(F("brought_at").asc(nulls_first=True)).values_list("pk", "organization_id")):
        if not goes_on():
            break
        source = buckets.select_related("organization").filter(pk=pk).first()
        if source is None or spent[owner] >= LONGEST:
            continue
        began = time.monotonic()
        until = began + LONGEST - spent[owner]
        bring_noted(source, lambda until=until: goes_on() and time.monotonic() < until)
        spent[owner] += time.monotonic() - began
        looked += 1
    return looked


def bring_noted(source: DataSource, goes_on: Callable[[], bool]) -> None:
    """`bring`, and how it went in the source's row."""
    left: list[dict[str, str]] | None = None
    try:
        left = bring(source, goes_on)
        outcome = "files_left_out" if left else "ok"
    except Problem as problem:
        outcome = outcome_of(problem)
    except Moved:
        return
    except Exception as error:  # of one source: the next is looked into all the same
        logger.error("files of data source %s: %s", source.pk, describe_error(error))
        outcome = "failed"
    now = timezone.now()
    told = {} if left is None else {"left_out": left}
    _unmoved(source).update(brought_at=now, checked_at=now, check_outcome=outcome, **told)


def bring(source: DataSource, goes_on: Callable[[], bool]) -> list[dict[str, str]]:
    """Make the source's files those of its bucket; `key`, `version` and `reason` of what is left out. What there was
    no time for comes the next time. Raises what `files_in_bucket` raises, and Moved."""
    lying = files_in_bucket(source)
    here = dict(source.files.values_list("key", "version"))
    _drop(source, [key for key in here if key not in {one.key for one in lying}])
    refused = {(one["key"], one["version"]): one for one in source.left_out if one["reason"] not in PASSING}
    left = []
    for one in lying:
        if here.get(one.key) == one.version:
            continue
        if again := refused.get((one.key, one.version)):
            left.append(again)
        elif goes_on():
            try:
                _fetch(source, one)
            except CONTENT_REFUSED as problem:
                left.append({"key": one.key, "version": one.version, "reason": problem.code})
    _drop(source, [one["key"] for one in left])
    return left


def _fetch(source: DataSource, lying: LyingFile) -> None:
    """Raises what is wrong with its content, Moved, and what `ask_bucket` raises."""
    most = settings.MAX_UPLOAD_BYTES
    if lying.size > most:
        raise FileTooLarge
    find_room_for(source, lying.size, lying.key)
    told = ask_bucket(
        source, "object", key=lying.key, most={"bytes": most}, most_answered=2 * most + 1024, seconds=SECONDS
    )
    files = as_tables(source, table_named(lying.key.replace("/", "_")), b64decode(told["content"]))
    with transaction.atomic():
        _lock(source)
        for file in files:
            if source.files.filter(table__iexact=file.table).exclude(key=lying.key).exists():
                raise NameTaken
        source.files.filter(key=lying.key).delete()
        for file in files:
            file.key, file.version = lying.key, lying.version
            keep_file(file)
        _note(source)


def _drop(source: DataSource, keys: Sequence[str]) -> None:
    with transaction.atomic():
        _lock(source)
        gone, _counts = SourceFile.objects.filter(source=source, key__in=keys).delete()
        if gone:
            _note(source)


def _lock(source: DataSource) -> None:
    lock_organization(source.organization_id)
    if _unmoved(source).select_for_update().values_list("pk").first() is None:
        raise Moved


def note_change(source: DataSource) -> None:
    """For whoever saves it, in their transaction: it is looked into soon, and what was brought from elsewhere is not
    its own."""
    lock_organization(source.organization_id)
    where = {name: getattr(source, name) for name in WHERE}
    if not DataSource.objects.filter(pk=source.pk, **where).exists():
        source.files.all().delete()
        source.left_out = []
    source.brought_at = None


def _unmoved(source: DataSource) -> DataSourceQuerySet:
    """It, where it is still what was looked into."""
    place = {name: getattr(source, name) for name in (*WHERE, "sealed_credentials")}
    return DataSource.objects.filter(pk=source.pk, is_active=True, **place)


def _note(source: DataSource) -> None:
    """Answers that were kept are of the files before."""
    source.save(update_fields=["updated_at"])
    audit.record_for(source.organization, None, "changed", source, fields=["files"])

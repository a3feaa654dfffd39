"""Files that lie in a bucket of the organization's: looked for every few minutes, and brought where they have changed.

    bucket --keys, sizes, versions--> what is new, changed or gone --object by object--> the source's files

No question waits for the bucket, and all is asked as it is of files that were uploaded. Where the bucket, or one object
of it, cannot be had, what was brought last stays.
"""

import hashlib
import logging
import time
import unicodedata
from base64 import b64decode
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePath
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts import audit
from accounts.limits.uses import lock_organization
from accounts.problems import FileTooLarge, Problem
from config.concurrency.clock import DatabaseNow
from config.faults import describe_error
from tools.asking import ask_bucket
from tools.files import workbooks
from tools.files.keeping import (
    LONGEST_WORDS,
    MOST_FILE_BYTES,
    as_tables,
    find_room_for,
    keep_file,
    plain_words,
    table_named,
)
from tools.models import DataSource, DataSourceQuerySet, SourceFile
from tools.problems import FileUnusable, SourcesFull, SourceUnavailable, outcome_of

logger = logging.getLogger(__name__)

EVERY = timedelta(minutes=5)
SECONDS, CHECKING_SECONDS = 30.0, 10.0  # of a request of the job's, of one that an admin waits for
OF_ONE = 60.0  # seconds of one organization in a run: no organization's slow buckets are everybody's
MOST_LISTED = 8 * 1024 * 1024  # bytes of a listing
MOST_FAILED = 3  # objects that cannot be had: then nobody asks for more in this run
MOST_TOLD = 200  # of what is left out: all that a listing tells
WHERE = ("host", "port", "database")
WORKBOOK = ".xlsx"
BEGINNINGS = {WORKBOOK: workbooks.SIGNATURE, ".parquet": b"PAR1"}
NOT_YET = "not_yet"


class LyingFile(NamedTuple):
    """`key` below the source's prefix, `size` in bytes."""

    key: str
    size: int
    version: str


class Listing(NamedTuple):
    """`is_whole`: no others lie there."""

    files: list[LyingFile]
    is_whole: bool


class NameTaken(Exception):
    """Another file of the bucket is a table of this name."""

    code = "table_name_taken"


class Moved(Exception):
    """The source was changed meanwhile."""


REFUSED = (FileTooLarge, FileUnusable, NameTaken, SourcesFull)  # what keeps a file from being a table
NO_TABLE = {one.code for one in REFUSED}
LeftOut = dict[str, str]


def files_in_bucket(source: DataSource, seconds: float = CHECKING_SECONDS) -> Listing:
    """Those that can be tables. Raises SourceUnavailable, SourceUnusable and Busy."""
    found = ask_bucket(source, "objects", MOST_LISTED, seconds)
    return Listing([LyingFile(**one) for one in found["objects"]], found["is_whole"])


def bring_due(goes_on: Callable[[], bool]) -> int:
    """Look into each bucket whose time has come, until `goes_on` says no: next that of the organization that was given
    least time, of its own that which was looked into longest ago. How many."""
    spent: defaultdict[UUID, float] = defaultdict(float)
    looked = 0
    while goes_on() and (source := _next_due(spent)):
        owner, began = source.organization_id, time.monotonic()
        bring_noted(source, _until(began + OF_ONE - spent[owner], goes_on))
        spent[owner] += time.monotonic() - began
        looked += 1
    return looked


def _until(end: float, goes_on: Callable[[], bool]) -> Callable[[], bool]:
    return lambda: goes_on() and time.monotonic() < end


def _next_due(spent: Mapping[UUID, float]) -> DataSource | None:
    is_due = Q(brought_at=None) | Q(brought_at__lt=DatabaseNow(-EVERY))
    buckets = DataSource.objects.filter(is_due, kind=DataSource.Kind.BUCKET, is_active=True)
    waiting = [
        (spent.get(owner, 0.0), brought_at is not None, brought_at, pk)
        for pk, owner, brought_at in buckets.values_list("pk", "organization_id", "brought_at")
        if spent.get(owner, 0.0) < OF_ONE
    ]
    return buckets.select_related("organization").filter(pk=min(waiting)[-1]).first() if waiting else None


def bring_noted(source: DataSource, goes_on: Callable[[], bool]) -> None:
    """`bring`, and how it went in the source's row. That it was looked into is noted before: what ends this process
    does not come first again."""
    _unmoved(source).update(brought_at=DatabaseNow())
    told: dict[str, list[LeftOut]] = {}
    try:
        told["left_out"] = bring(source, goes_on)
        outcome = "files_left_out" if told["left_out"] else "ok"
    except Problem as problem:
        outcome = outcome_of(problem)
    except Moved:
        return
    except Exception as error:  # of one source: the next is looked into all the same
        logger.error("files of data source %s: %s", source.pk, describe_error(error))
        outcome = "failed"
    _unmoved(source).update(checked_at=timezone.now(), check_outcome=outcome, **told)


def bring(source: DataSource, goes_on: Callable[[], bool]) -> list[LeftOut]:
    """Make the source's files those of its bucket; what is left out, with the reason. Raises what `files_in_bucket`
    raises, and Moved."""
    lying = files_in_bucket(source, SECONDS)
    here = dict(source.files.values_list("key", "version"))
    lie = {one.key for one in lying.files}
    look = _Look(source, goes_on)
    failed = {(one["key"], one["version"]) for one in source.left_out if one["reason"] != NOT_YET}
    turns = sorted(lying.files, key=lambda one: (one.key, one.version) in failed)  # what failed stops none behind it
    try:
        if lying.is_whole:
            look.changes += _drop(source, [key for key in here if key not in lie])
        asked = ((one, look.take(one)) for one in turns if here.get(one.key) != one.version)
        left = [{"key": one.key, "version": one.version, "reason": reason} for one, reason in asked if reason]
        look.changes += _drop(source, [one["key"] for one in left if one["reason"] in NO_TABLE])
    finally:
        if look.changes:
            audit.record_for(source.organization, None, "changed", source, fields=["files"])
    return left[:MOST_TOLD]


@dataclass(slots=True)
class _Look:
    """One look into a bucket: so many bytes are asked for in it, and after so many failures no more."""

    source: DataSource
    goes_on: Callable[[], bool]
    room: int = MOST_FILE_BYTES
    failed: int = 0
    changes: int = 0

    def take(self, one: LyingFile) -> str:
        """Why it is no table now; "" where it is one."""
        if {"key": one.key, "version": one.version, "reason": FileUnusable.code} in self.source.left_out:
            return FileUnusable.code  # it is still the same
        if one.size > _most():
            return FileTooLarge.code
        if not self.goes_on() or self.failed >= MOST_FAILED or one.size > self.room:
            return NOT_YET
        self.room -= one.size
        try:
            self.changes += _fetch(self.source, one)
        except REFUSED as refusal:
            return refusal.code
        except Problem as problem:
            self.failed += 1
            return outcome_of(problem)
        return ""


def _fetch(source: DataSource, lying: LyingFile) -> int:
    """How many tables have changed. Raises what is wrong with the content, Moved, and what `ask_bucket` raises."""
    find_room_for(source, lying.size, lying.key)
    suffix = PurePath(lying.key).suffix.lower()
    if suffix != WORKBOOK:
        _check_name(source, table_by_key(lying.key), lying.key)
    told = ask_bucket(source, "object", _most(), SECONDS, key=lying.key)
    content = b64decode(told["content"])
    if len(content) > lying.size:
        raise SourceUnavailable(reason="no_answer")
    if not content.startswith(BEGINNINGS.get(suffix, b"")):
        raise FileUnusable
    files = as_tables(source, table_by_key(lying.key), content)
    with transaction.atomic():
        _lock(source)
        for file in files:
            _check_name(source, file.table, lying.key)
        before = source.files.filter(key=lying.key)
        if sorted(map(_content, before)) == sorted(map(_content, files)):
            before.update(version=lying.version)
            return 0
        before.delete()
        for file in files:
            file.key, file.version = lying.key, lying.version
            keep_file(file)
        source.save(update_fields=["updated_at"])
    return len(files)


def _most() -> int:
    """Bytes of a file."""
    most: int = settings.MAX_UPLOAD_BYTES
    return min(most, MOST_FILE_BYTES)


def _check_name(source: DataSource, table: str, key: str) -> None:
    if source.files.filter(table__iexact=table).exclude(key=key).exists():
        raise NameTaken


def _content(file: SourceFile) -> tuple[str, str, bytes]:
    return file.table, file.format, bytes(file.content)


def table_by_key(key: str) -> str:
    """By the place below the prefix; told apart from others by a few digits where the words do not say all of it."""
    stem = PurePath(key.replace("/", "_")).stem
    words = plain_words(stem)
    is_less = any(one.isalnum() and not one.isascii() for one in unicodedata.normalize("NFKD", stem))
    if words and not is_less and len(words) <= LONGEST_WORDS:
        return table_named(words)
    digits = hashlib.sha256(key.encode()).hexdigest()[:6]
    return table_named(f"{words[: LONGEST_WORDS - len(digits) - 1] or 'table'}_{digits}")


def _drop(source: DataSource, keys: Sequence[str]) -> int:
    """How many tables."""
    if not keys:
        return 0
    with transaction.atomic():
        _lock(source)
        gone, _counts = SourceFile.objects.filter(source=source, key__in=keys).delete()
        if gone:
            source.save(update_fields=["updated_at"])
    return gone


def _lock(source: DataSource) -> None:
    lock_organization(source.organization_id)
    if _unmoved(source).select_for_update().values_list("pk").first() is None:
        raise Moved


def note_change(source: DataSource) -> None:
    """For whoever saves it, in their transaction: it is looked into soon, all of it, and what was brought from
    elsewhere is not its own."""
    lock_organization(source.organization_id)
    where = {name: getattr(source, name) for name in WHERE}
    if not DataSource.objects.filter(pk=source.pk, **where).exists():
        source.files.all().delete()
    source.left_out, source.brought_at = [], None


def _unmoved(source: DataSource) -> DataSourceQuerySet:
    """It, where it is still what was looked into."""
    place = {name: getattr(source, name) for name in (*WHERE, "sealed_credentials")}
    return DataSource.objects.filter(pk=source.pk, is_active=True, **place)

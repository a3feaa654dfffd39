"""Where files are: the bucket or folder of originals, tried with a probe; room on the disks of this machine."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from config.env import OF_OTHERS
from config.observability.disk import disk_fault
from workers.upkeep.doctor.asking import asked
from workers.upkeep.doctor.findings import DoctorWishes, Found, doubtful, fine, shown_reason, wrong
from workers.upkeep.doctor.reasons import service_fault

PROBE, GIVEN = b"acervo doctor", 200
GIGABYTE = 2**30
LITTLE, TOO_LITTLE = 2 * GIGABYTE, GIGABYTE // 4
LITTLE_SHARE = 0.1
RIGHTS = "Give the key s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket on this bucket."


def examine_files(_: DoctorWishes) -> Found:
    """Written, read, asked for by a stranger, deleted."""
    bucket = getattr(default_storage, "bucket_name", "")
    try:
        getattr(default_storage, "answers", bool)()
    except Exception as error:
        advice = f"Make the bucket {bucket}, or mend AWS_STORAGE_BUCKET_NAME, AWS_S3_ENDPOINT_URL and the key."
        return wrong(f"the bucket {bucket} cannot be looked into: {refusal_by_store(error)}", advice)
    try:
        name = default_storage.save(f"doctor/{uuid4()}", ContentFile(PROBE))
    except Exception as error:
        return wrong(f"nothing can be written: {refusal_by_store(error)}", advice_on_rights(bucket))
    try:
        with default_storage.open(name) as probe:
            if probe.read() != PROBE:
                return wrong("what was written is not what is read", "Look at the store, and at what stands before it.")
        is_open = bool(bucket) and is_public(name)
    finally:
        default_storage.delete(name)
    if default_storage.exists(name):
        return wrong("what was deleted is still there: erasing would erase nothing", advice_on_rights(bucket))
    if is_open:
        return wrong(f"anybody reads the bucket {bucket}", "Block public access: remove its policy and its public ACL.")
    if not bucket and Path(default_storage.path("")).stat().st_mode & OF_OTHERS:
        return doubtful("other users of this machine can look into the folder of originals", "chmod 0700")
    return fine(f"the {'bucket ' + bucket if bucket else 'folder of originals'} takes, gives back and deletes")


def refusal_by_store(error: Exception) -> str:
    """Of a folder what its disk says, of a bucket what its server does."""
    if not getattr(default_storage, "bucket_name", ""):
        return shown_reason(error)
    return service_fault(error, default_storage.connection.meta.client.meta.endpoint_url)  # type: ignore[attr-defined]


def advice_on_rights(bucket: str) -> str:
    return RIGHTS if bucket else "Give DATA_DIR/files to the user that runs Acervo, and look for room on its disk."


def is_public(name: str) -> bool:
    """Whether the object is given to somebody who does not sign."""
    storage: Any = default_storage
    split = urlsplit(storage.connection.meta.client.meta.endpoint_url)
    place = f"{split.path.rstrip('/')}/{storage.bucket_name}/{storage._normalize_name(name)}"
    return asked(split.scheme, split.netloc, place)[0] == GIVEN


def examine_disk(_: DoctorWishes) -> Iterator[Found]:
    """Of this machine alone: DATA_DIR, and where uploads and sandboxes put what is on its way."""
    for place in dict.fromkeys((Path(settings.DATA_DIR), _temporary())):
        if fault := disk_fault(place, 0):  # whatever room there is
            said, _full_stop, advice = fault.partition(". ")
            yield wrong(said, f"{advice}.")
            continue
        usage, about = shutil.disk_usage(place), os.statvfs(place)
        said = f"{place}: {usage.free / GIGABYTE:.1f} GB of {usage.total / GIGABYTE:.1f} GB free"
        advice = "Make room, or move it to a larger disk; a full one refuses uploads and stops the database."
        inodes_low = about.f_files and about.f_favail < LITTLE_SHARE / 2 * about.f_files
        if usage.free < TOO_LITTLE:
            yield wrong(said, advice)
        elif usage.free < min(LITTLE, LITTLE_SHARE * usage.total) or inodes_low:
            yield doubtful(said + (", and few inodes" if inodes_low else ""), advice)
        else:
            yield fine(said)


def _temporary() -> Path:
    """Python's, which it looks for by writing; with no disk to write on, where it would have looked."""
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:
        return Path("/tmp")  # noqa: S108 - only looked at

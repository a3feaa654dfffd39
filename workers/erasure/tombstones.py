"""What was erased stays erased when an older backup is restored (docs/deploy.md, "Backup and restore").

Before anything is removed, its kind and id are kept in the file store, beside the originals and outside of the
database. What a restored database brings back is found by them, and erased again.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import QuerySet

from corpora.models import ErasureReceipt

FOLDER = "receipts"


@dataclass(frozen=True, slots=True)
class Tombstone:
    kind: str
    id: str
    organization: str = ""

    @property
    def path(self) -> str:
        return f"{FOLDER}/{self.kind}-{self.id}.json"

    @property
    def line(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


def tombstone_of(receipt: ErasureReceipt) -> Tombstone:
    organization = str(receipt.organization_id) if receipt.organization_id else ""
    return Tombstone(str(receipt.kind), str(receipt.subject_id), organization)


def keep_tombstone(receipt: ErasureReceipt) -> None:
    """Once; raises the store's error, and then nothing is erased yet."""
    stone = tombstone_of(receipt)
    if not default_storage.exists(stone.path):
        default_storage.save(stone.path, ContentFile(f"{stone.line}\n".encode()))


def forget_receipts(receipts: QuerySet[ErasureReceipt]) -> None:
    """Receipts and tombstones of what was made to be erased: the corpora of measurements."""
    for receipt in receipts:
        default_storage.delete(tombstone_of(receipt).path)
    receipts.delete()


def kept_tombstones() -> Iterator[Tombstone]:
    """Those of the file store."""
    try:
        _folders, files = default_storage.listdir(FOLDER)
    except FileNotFoundError:
        return
    for name in files:
        with default_storage.open(f"{FOLDER}/{name}", "rb") as file:
            yield from read_tombstones(file.read().decode().splitlines())


def read_tombstones(lines: Iterable[str]) -> Iterator[Tombstone]:
    """ValueError for a line that is none."""
    for line in filter(None, map(str.strip, lines)):
        said: Any = json.loads(line)
        try:
            stone = Tombstone(str(said["kind"]), str(UUID(str(said["id"]))), str(said.get("organization", "")))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(line) from error
        if stone.kind not in ErasureReceipt.Kind.values:
            raise ValueError(line)
        yield stone

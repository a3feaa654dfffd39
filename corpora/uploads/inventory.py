"""What the file store holds against what the rows name: originals that are missing, and files that no row names.

One corpus at a time, because a list of all files of an installation need not fit into memory.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

from django.core.files.storage import default_storage

from corpora.models import Document, DocumentQuerySet

AT_ONCE = 500  # parameters of one statement: some builds of SQLite take 999


@dataclass(frozen=True, slots=True)
class Inventory:
    """Of the documents that were asked for: how many were looked at, and whose original is not in the store."""

    documents: int
    missing: tuple[UUID, ...]


def missing_originals(documents: DocumentQuerySet) -> Inventory:
    """Look for the original of each. Raises the store's error where that does not answer: nothing is then known."""
    looked_at, missing = 0, list[UUID]()
    corpora = documents.order_by("corpus_id").values_list("corpus_id", flat=True).distinct()
    for corpus in list(corpora):
        there = stored_names(f"{corpus}/")
        for pk, name in documents.filter(corpus=corpus).values_list("pk", "file").iterator():
            looked_at += 1
            was_moved = not name.startswith(f"{corpus}/")
            if name not in there and not (was_moved and default_storage.exists(name)):
                missing.append(pk)
    return Inventory(looked_at, tuple(missing))


def unnamed_files() -> Iterator[str]:
    """Files in the folders of corpora that no row names: an upload or an erasure was cut short, or the rows are older
    than the store. One that has just been kept is among them until its row is written."""
    for folder in corpus_folders():
        named = set(Document.objects.filter(corpus=folder).values_list("file", flat=True))
        unnamed = sorted(stored_names(f"{folder}/") - named)
        for start in range(0, len(unnamed), AT_ONCE):
            some = unnamed[start : start + AT_ONCE]
            moved = files_of({name.split("/")[1] for name in some})
            yield from (name for name in some if name not in moved)


def files_of(document_ids: Iterable[str]) -> set[str]:
    """What the rows of documents name, whichever corpus they are in now; what is no id names nothing."""
    return set(Document.objects.filter(pk__in=filter(_is_id, document_ids)).values_list("file", flat=True))


def corpus_folders() -> list[UUID]:
    """The store has other folders too: receipts, exports, pictures."""
    return [UUID(name) for name in _listed("")[0] if _is_id(name)]


def stored_names(folder: str) -> set[str]:
    """The names of all files below a folder, "" or one that ends in a slash; as documents' rows have them."""
    bucket = getattr(default_storage, "bucket", None)
    if bucket is not None:  # S3: a thousand names a call, where folders would be a call each
        prefix = default_storage._normalize_name(folder)  # type: ignore[attr-defined]
        above = len(prefix) - len(folder)
        return {one.key[above:] for one in bucket.objects.filter(Prefix=f"{prefix.rstrip('/')}/" if prefix else "")}
    folders, files = _listed(folder)
    found = {f"{folder}{name}" for name in files}
    return found.union(*(stored_names(f"{folder}{name}/") for name in folders))


def _listed(folder: str) -> tuple[list[str], list[str]]:
    try:
        return default_storage.listdir(folder)
    except FileNotFoundError:
        return [], []


def _is_id(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False

"""The order in which a folder is read: by name, numbers as numbers ("Unidad 2" before "Unidad 10")."""

from collections.abc import Sequence
from itertools import groupby

from corpora.models import Document, DocumentQuerySet

MOST_SORTED = 1_000  # documents; beyond, a corpus is a library and no course

Key = tuple[tuple[int, int, str], ...]


def natural_key(name: str) -> Key:
    """To sort names by: runs of digits by their value, however long, and before letters; letters without case."""
    runs = ("".join(run) for _is_digit, run in groupby(name.casefold(), str.isdecimal))
    return tuple(_run_key(run) for run in runs)


def _run_key(run: str) -> tuple[int, int, str]:
    if not run[0].isdecimal():
        return 1, 0, run
    digits = run.lstrip("0")
    return 0, len(digits), digits


def path_key(path: str) -> tuple[Key, ...]:
    """To sort the files of a tree by, folder by folder."""
    return tuple(natural_key(part) for part in path.split("/"))


def in_reading_order(documents: DocumentQuerySet) -> DocumentQuerySet | Sequence[Document]:
    """What came from a folder in its order, and behind it what did not; as they are where nothing came from one."""
    if not documents.exclude(source_path="").order_by().exists():
        return documents
    found = list(documents[: MOST_SORTED + 1])
    if len(found) > MOST_SORTED:
        return documents
    return sorted(found, key=lambda one: (not one.source_path, path_key(one.source_path or one.filename)))

"""Originals in the file store: kept under their document's ids, and gone with it, every one of them."""

import errno
import logging
from uuid import UUID

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.utils.translation import gettext_lazy as _

from accounts.problems import Problem
from config.concurrency.pooled import give_back_connection
from config.faults import describe_error
from corpora.models import Document

logger = logging.getLogger(__name__)


class StorageUnavailable(Problem):
    status_code = 503
    code = "storage_unavailable"
    default_detail = _("The file store does not take files now. Nothing was kept; try again later.")


class StorageFull(Problem):
    status_code = 507
    code = "storage_full"
    default_detail = _("There is no room left for files. Nothing was kept; tell your administrator.")


def keep_original(document: Document, original: "File[bytes]") -> None:
    """Put the original into the store, beside what is there. Raises StorageUnavailable and StorageFull.

    Meanwhile the request holds no connection to the database: the few that a process has are others' turn.
    """
    give_back_connection()
    try:
        document.file.save(document.filename, original, save=False)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        if document._state.adding:  # of another the folder goes with the document
            discard_beginnings(document.folder)
        raise (StorageFull() if full else StorageUnavailable()) from error
    except Exception as error:  # boto raises its own hierarchy, which the local store does not have
        raise StorageUnavailable from error


def discard_original(name: str) -> None:
    """Remove an original that nobody reads any more. What the store refuses now goes with the document, at its end."""
    try:
        default_storage.delete(name)
    except Exception as error:
        logger.warning("an original that nobody reads is still in the store: %s", describe_error(error))


def discard_beginnings(folder: str) -> None:
    """Remove what a local store that found no more room had begun to write for a document that there will not be."""
    try:
        names = original_names(folder)
    except Exception as error:  # boto raises its own hierarchy
        logger.warning("what a full store has begun may still be in it: %s", describe_error(error))
        return
    for name in names:
        discard_original(name)


def delete_originals(document: Document) -> int:
    """Remove every original that the document ever had, whatever the row says; how many there were.

    Raises the store's error, or RuntimeError when something is still there afterwards.
    """
    names = original_names(document.folder)
    for name in names:
        default_storage.delete(name)
    if original_names(document.folder):
        raise RuntimeError(f"originals of document {document.pk} survived their deletion")
    return len(names)


def original_names(folder: str) -> list[str]:
    try:
        _folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return []
    return [f"{folder}/{name}" for name in files]


def refuse_leftover_files(corpus_id: UUID) -> None:
    """RuntimeError while the store has a file of any document of a corpus, but for documents that were moved from it.
    Folders may stay: they have no content."""
    try:
        folders, files = default_storage.listdir(str(corpus_id))
    except FileNotFoundError:
        return
    moved = Document.objects.exclude(corpus=corpus_id)
    left = (UUID(folder) for folder in folders if original_names(f"{corpus_id}/{folder}"))
    if files or not all(moved.filter(pk=one).exists() for one in left):
        raise RuntimeError(f"files of corpus {corpus_id} survived their deletion")

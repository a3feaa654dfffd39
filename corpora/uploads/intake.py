"""Taking a file in: checked, stored under ids, and queued as a row (SPEC §3)."""

import hashlib
from functools import partial
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile as _UploadedFile
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.limits import reserving, stock
from accounts.limits.places import Places
from accounts.models import Membership
from accounts.problems import NotFound, Problem
from config.concurrency.clock import DatabaseNow
from corpora.models import Corpus, Document
from corpora.rows.deletable import is_in_trash
from corpora.signals import document_ready
from corpora.uploads import originals, signatures

UploadedFile = _UploadedFile[bytes]

# Each computes a checksum, signs and sends: a hundred at a time would leave whoever only reads a hundredth of the
# process. Who has waited may take as long again twice for the transfer, before a proxy's 60 seconds are over.
uploading = Places(at_once=4, patience=15.0)


class UploadRefused(Problem):
    """A file that is not taken in: 413, 415 or 422, as `corpora.uploads.signatures` found it."""

    STATUS = {"file_too_large": 413, "unsupported_type": 415, "signature_mismatch": 422, "empty_file": 422}

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.status_code = self.STATUS[code]


class DuplicateDocument(Problem):
    status_code = 409
    code = "duplicate_document"
    default_detail = gettext_lazy("This corpus already has this file under this name.")


class DocumentInTrash(Problem):
    status_code = 409
    code = "document_in_trash"
    default_detail = gettext_lazy("This file is in the trash. Restore it from there, or erase it there first.")


class FactKeyTaken(DuplicateDocument):
    """Another first statement of this key was faster; it can be replaced."""


def accept_upload(corpus: Corpus, upload: UploadedFile, by: Membership, sha256: str = "", **fields: Any) -> Document:
    """Check a file, keep it and queue it. `fields`: title and the metadata of SPEC §4; `sha256` if it is known.

    The row and the file appear together: when the store refuses, no row stays; when the row cannot be
    written, the file is removed. Raises UploadRefused, DuplicateDocument, QuotaExceeded, Storage*.
    """
    with reserving.counted_request(by, writes=1):
        return take_upload(corpus, upload, by, sha256, **fields)


def take_upload(corpus: Corpus, upload: UploadedFile, by: Membership, sha256: str = "", **fields: Any) -> Document:
    """`accept_upload` for a caller that has counted the request."""
    media_type = checked_media_type(upload)
    document = Document(
        corpus=corpus,
        uploaded_by=by.user,
        filename=signatures.safe_filename(upload.name or ""),
        media_type=media_type,
        size=upload.size or 0,
        sha256=sha256 or content_hash(upload),
        not_before=DatabaseNow(),
        **fields,
    )
    refuse_duplicate(document)
    stock.look_for_room(by, documents=1, megabytes=document.size)  # before the file is kept
    store(document, upload, by)
    return document


def checked_media_type(upload: UploadedFile) -> str:
    size = upload.size or 0
    if size > settings.MAX_UPLOAD_BYTES:
        raise UploadRefused("file_too_large", too_large(settings.MAX_UPLOAD_BYTES))
    try:
        return signatures.check_upload(upload.name or "", cast(BinaryIO, upload.file), size, settings.MAX_UPLOAD_BYTES)
    except signatures.UploadError as error:
        raise UploadRefused(error.code, _(error.detail)) from None


def accepted_files() -> str:
    """What can be uploaded, the same sentence wherever it is done."""
    return _("PDF, DOCX, TXT or Markdown, up to %(limit)d MB each.") % {"limit": settings.MAX_UPLOAD_BYTES // 1024**2}


def too_large(limit: int) -> str:
    return _("The file is larger than %(limit)s MB. Split it, or ask for a higher limit.") % {
        "limit": limit // (1024 * 1024)
    }


def content_hash(upload: UploadedFile) -> str:
    upload.seek(0)
    digest = hashlib.sha256()
    for part in upload.chunks():
        digest.update(part)
    upload.seek(0)
    return digest.hexdigest()


def refuse_duplicate(document: Document) -> None:
    """The same bytes under the same name in the same corpus are one document (SPEC §3), also in the trash: restoring
    it costs nothing, and keeps what was said of it."""
    twins = Document.objects.filter(corpus_id=document.corpus_id, sha256=document.sha256, filename=document.filename)
    if existing := twins.alive().values_list("pk", flat=True).first():
        raise DuplicateDocument(document=str(existing))
    if trashed := twins.filter(is_in_trash()).values_list("pk", flat=True).first():
        raise DocumentInTrash(document=str(trashed))


def store(document: Document, upload: UploadedFile, by: Membership) -> None:
    """Keep the file, then the row. The store is waited for outside of the transaction, which holds locks."""
    originals.keep_original(document, upload)
    try:
        with transaction.atomic():
            stock.make_room(by, documents=1, megabytes=document.size)
            refuse_deleted_corpus(document.corpus_id)
            refuse_taken_key(document)
            document.save(force_insert=True)
            tell_workers(document.pk)
    except Exception as error:
        originals.discard_original(str(document.file.name))
        if isinstance(error, IntegrityError):
            refuse_duplicate(document)
        raise


def refuse_taken_key(document: Document) -> None:
    """One document for each fact of a corpus; the corpus's row is locked."""
    taken = Document.objects.alive().filter(corpus_id=document.corpus_id, fact_key=document.fact_key)
    if document.fact_key and taken.exists():
        raise FactKeyTaken


def tell_workers(document_id: UUID) -> None:
    """After the commit; a hint that is lost loses nothing, for the row is the queue (ADR 0002)."""
    transaction.on_commit(partial(document_ready.send, Document, document_id=document_id))


def refuse_deleted_corpus(corpus_id: UUID) -> None:
    """The lock makes a deletion wait, so that it finds the new document; else nobody would ever erase it."""
    if not Corpus.objects.select_for_update(no_key=True).filter(pk=corpus_id, deleted_at=None).exists():
        raise NotFound


def replace(document: Document, upload: UploadedFile, by: Membership, **fields: Any) -> None:
    """Give a document new content. Readers keep the old version until the new one is complete.

    The new file is written beside the old one, which goes last: a failure in between loses neither. Of two at once
    the later one stays, and takes the earlier one's file with it. Raises what `take_upload` does, and NotFound.
    """
    document.media_type, size_before = checked_media_type(upload), document.size
    document.size, document.sha256 = upload.size or 0, content_hash(upload)
    for name, value in fields.items():
        setattr(document, name, value)
    originals.keep_original(document, upload)
    try:
        with transaction.atomic():
            stock.make_room(by, megabytes=document.size - size_before)
            before = file_of(document)
            document.save(update_fields=["media_type", "size", "sha256", "file", *fields])
            requeue(document)
    except Exception as error:
        originals.discard_original(str(document.file.name))
        if isinstance(error, IntegrityError):
            raise DuplicateDocument from error
        raise
    if before:
        originals.discard_original(before)


def file_of(document: Document) -> str:
    """The name of the file that the row has now; the row is locked until the transaction ends."""
    rows = Document.objects.alive().select_for_update().filter(pk=document.pk, corpus=document.corpus_id)
    if (name := rows.values_list("file", flat=True).first()) is None:
        raise NotFound
    return str(name)


def reprocess(document: Document, by: Membership) -> None:
    """Queue a document again. What readers see stays until the new version is complete. Raises QuotaExceeded."""
    reserving.reserve(by, writes=1)
    requeue(document)


def requeue(document: Document) -> None:
    with transaction.atomic():
        queued = Document.objects.alive().filter(pk=document.pk).requeue()
        if queued:
            tell_workers(document.pk)
    document.refresh_from_db()

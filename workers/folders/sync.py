"""A corpus kept in step with a folder: what `ingest` does once and the watched folder does regularly (SPEC §3).

The manifest is the corpus itself: `Document.source_path` and `sha256` say what was taken from where.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.files import File
from django.core.files.uploadedfile import UploadedFile

from accounts.limits.amounts import unlimited
from accounts.models import Membership
from accounts.problems import Problem
from corpora import removal
from corpora.descriptions import describe
from corpora.media_types import MEDIA_TYPES
from corpora.models import Corpus, Document
from corpora.rows.deletable import is_in_trash
from corpora.rows.reading_order import path_key
from corpora.uploads import facts, intake
from corpora.uploads.signatures import safe_filename
from workers.folders.fact_lists import facts_in
from workers.folders.metadata import FolderMetadata

TAKEN = {*MEDIA_TYPES, ".json"}  # documents, and lists of facts
SETTLED_NS = 2_000_000_000


@dataclass(slots=True)
class Outcome:
    """What a synchronisation did. `refused`: reasons by relative path."""

    documents: list[UUID] = field(default_factory=list)
    unchanged: int = 0
    described: int = 0  # of the unchanged: those whose metadata the folder says anew
    removed: int = 0
    refused: dict[str, str] = field(default_factory=dict)
    failed: list[Document] = field(default_factory=list)  # of the unchanged: those that could not be processed before


def files_in(source: Path) -> list[Path]:
    """The supported files of a folder, recursively and in reading order; hidden ones and links are left out."""
    if source.is_file():
        return [source]
    found = (path for path in source.rglob("*") if path.is_file() and not path.is_symlink())
    taken = [
        path
        for path in found
        if path.suffix.lower() in TAKEN and not any(part.startswith(".") for part in path.relative_to(source).parts)
    ]
    return sorted(taken, key=lambda path: (path_key(path.relative_to(source).as_posix()), path.as_posix()))


@unlimited()
def synchronize_folder(
    source: Path,
    corpus: Corpus,
    by: Membership,
    *,
    delete: bool = False,
    unit_from_folder: bool = False,
    on_file: Callable[[Path], None] = lambda path: None,
    **metadata: Any,
) -> Outcome:
    """Bring a corpus in step with a folder, file by file; what is gone is deleted last, and only if asked.

    A file that is refused is noted in the outcome and stops nothing. `on_file` is called after each, for progress.
    What `metadata` and `acervo.toml` files say of a file holds at every visit; nothing is embedded again for it.
    Limits do not hold: who reads a folder of the server runs the installation.
    """
    root = source if source.is_dir() else source.parent
    visit = Visit(root, corpus, by, FolderMetadata(root, metadata, unit_from_folder=unit_from_folder))
    for path in files_in(source):
        relative = path.relative_to(visit.root).as_posix()
        visit.seen.add(relative)
        try:
            (visit.take_facts if path.suffix.lower() == ".json" else visit.take)(path, relative)
        except (Problem, ValueError, OSError) as error:
            visit.outcome.refused[relative] = str(getattr(error, "detail", error))
            visit.seen |= {known for known in visit.known if known.startswith(f"{relative}#")}
        on_file(path)
    if delete:
        visit.remove_gone()
    visit.outcome.refused |= visit.metadata.problems
    return visit.outcome


class Visit:
    """One synchronisation under way: what the corpus has from the folder, and what the folder has now."""

    def __init__(self, root: Path, corpus: Corpus, by: Membership, metadata: FolderMetadata) -> None:
        self.root, self.corpus, self.by, self.metadata = root, corpus, by, metadata
        self.known = {one.source_path: one for one in corpus.documents.alive().exclude(source_path="")}
        self.deleted = {one.source_path: one for one in corpus.documents.filter(is_in_trash()).exclude(source_path="")}
        self.seen: set[str] = set()
        self.outcome = Outcome()

    def take(self, path: Path, relative: str) -> None:
        """Upload a new file, replace a changed one, leave alone what the corpus has already."""
        known = self.known.get(relative)
        modified_ns = settled_time(path)
        if known and is_untouched(known, path, modified_ns):
            self.leave(known, self.metadata.of(path))
            return
        with path.open("rb") as content:
            sha256 = hashlib.file_digest(content, "sha256").hexdigest()
            if known and known.sha256 == sha256:
                self.leave(known, self.metadata.of(path))
                note_modified(known, modified_ns)
                return
            if self.is_in_trash(relative, sha256):
                self.outcome.unchanged += 1
                return
            if self.has_twin(path.name, sha256, relative):
                self.leave_to_twin(known)
                return
            content.seek(0)
            upload = UploadedFile(File(content), name=path.name, size=path.stat().st_size)
            if known:
                intake.replace(known, upload, self.by, **self.metadata.of(path))
            else:
                said = self.metadata.of(path)
                known = self.accept(upload, relative, said)
        note_modified(known, modified_ns)
        self.outcome.documents.append(known.pk)

    def accept(self, upload: intake.UploadedFile, relative: str, said: dict[str, Any]) -> Document:
        """A file that came back takes its document out of the trash."""
        try:
            return intake.accept_upload(self.corpus, upload, self.by, source_path=relative, **said)
        except intake.DocumentInTrash as problem:
            known = self.corpus.documents.get(pk=problem.extra["document"])
        removal.restore_document(known, self.by)
        Document.objects.filter(pk=known.pk).update(source_path=relative)
        known.refresh_from_db()
        describe(known, self.by, **said)
        return known

    def is_in_trash(self, relative: str, sha256: str) -> bool:
        """Whether somebody has deleted this very file's document: then the folder does not bring it back."""
        deleted = self.deleted.get(relative)
        return deleted is not None and deleted.sha256 == sha256

    def leave(self, known: Document, said: dict[str, Any]) -> None:
        """The content is as it was; what is said of it may not be."""
        self.outcome.unchanged += 1
        self.outcome.described += describe(known, self.by, **said)
        if known.status == Document.Status.FAILED:
            self.outcome.failed.append(known)

    def has_twin(self, name: str, sha256: str, relative: str) -> bool:
        """Whether the corpus has this file from elsewhere. A file that was moved takes its document along."""
        twin = self.corpus.documents.alive().filter(sha256=sha256, filename=safe_filename(name)).first()
        if twin is None:
            return False
        if twin.source_path and relative not in self.known and not (self.root / twin.source_path).exists():
            self.known.pop(twin.source_path, None)
            Document.objects.filter(pk=twin.pk).update(source_path=relative)
        return True

    def leave_to_twin(self, known: Document | None) -> None:
        """The corpus has these bytes under this name already; what this path was before, if anything, is gone."""
        self.outcome.unchanged += 1
        if known:
            self.remove(known)
            del self.known[known.source_path]

    def take_facts(self, path: Path, relative: str) -> None:
        """Upsert those facts of a JSON list that are new or changed; each is known by its file and its key."""
        of_folder = self.metadata.of(path)
        for one in facts_in(path):
            place = f"{relative}#{facts.filename_for(one.key)}"[-500:]
            self.seen.add(place)
            said = of_folder | {"title": one.title, "tags": one.tags, "source_reference": one.source}
            known = self.known.get(place)
            if known and known.sha256 == facts.hash_of(one.text):
                self.leave(known, said)
                continue
            if self.is_in_trash(place, facts.hash_of(one.text)):
                self.outcome.unchanged += 1
                continue
            fact = facts.upsert_fact(self.corpus, self.by, one.text, one.title, one.tags, one.key, one.source)
            describe(fact, self.by, **said, source_path=place)
            self.outcome.documents.append(fact.pk)

    def remove_gone(self) -> None:
        for relative in self.known.keys() - self.seen:
            if self.is_still_gone(relative):
                self.remove(self.known[relative])

    def remove(self, known: Document) -> None:
        """Into the trash, and out of the folder's hands: restored, it stays, and a file that comes back restores it."""
        removal.remove_document(known, self.by)
        Document.objects.filter(pk=known.pk).update(source_path="")
        self.outcome.removed += 1

    def is_still_gone(self, relative: str) -> bool:
        """Asked at the end: while the folder was read, a file may have come back, or another visit moved its row."""
        row = Document.objects.alive().filter(pk=self.known[relative].pk, source_path=relative)
        path = self.root / relative
        return row.exists() and (path.is_symlink() or not path.is_file())


def settled_time(path: Path) -> int | None:
    """When the file was changed last; None for just now: it could change again within the same tick of the clock."""
    modified_ns = path.stat().st_mtime_ns
    return modified_ns if time.time_ns() - modified_ns > SETTLED_NS else None


def is_untouched(known: Document, path: Path, modified_ns: int | None) -> bool:
    """Whether size and time of change are those that the document was taken in with."""
    return modified_ns is not None and (known.source_modified_ns, known.size) == (modified_ns, path.stat().st_size)


def note_modified(document: Document, modified_ns: int | None) -> None:
    """So that the next visit need not read the file."""
    if document.source_modified_ns != modified_ns:
        Document.objects.filter(pk=document.pk).update(source_modified_ns=modified_ns)

"""A corpus kept in step with a folder: what `ingest` does once and the watched folder does regularly (SPEC §3).

The manifest is the corpus itself: `Document.source_path` and `sha256` say what was taken from where.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.files import File
from django.core.files.uploadedfile import UploadedFile

from accounts.models import Membership
from accounts.problems import Problem
from corpora import facts, removal, uploads
from corpora.models import Corpus, Document

EXTENSIONS = {".pdf", ".docx", ".txt", ".md", ".markdown", ".json"}


@dataclass(slots=True)
class Outcome:
    """What a synchronisation did. `refused`: reasons by relative path."""

    documents: list[UUID] = field(default_factory=list)
    unchanged: int = 0
    removed: int = 0
    refused: dict[str, str] = field(default_factory=dict)


def files_in(source: Path) -> list[Path]:
    """The supported files of a folder, recursively and sorted; hidden ones and links are left out."""
    if source.is_file():
        return [source]
    found = (path for path in sorted(source.rglob("*")) if path.is_file() and not path.is_symlink())
    return [
        path
        for path in found
        if path.suffix.lower() in EXTENSIONS
        and not any(part.startswith(".") for part in path.relative_to(source).parts)
    ]


def synchronize(
    source: Path,
    corpus: Corpus,
    by: Membership,
    *,
    delete: bool = False,
    on_file: Callable[[Path], None] = lambda path: None,
    **metadata: Any,
) -> Outcome:
    """Bring a corpus in step with a folder, file by file; what is gone is deleted last, and only if asked.

    A file that is refused is noted in the outcome and stops nothing. `on_file` is called after each, for progress.
    """
    root = source if source.is_dir() else source.parent
    known = {one.source_path: one for one in corpus.documents.alive().exclude(source_path="")}
    outcome, seen = Outcome(), set()
    for path in files_in(source):
        relative = path.relative_to(root).as_posix()
        seen.add(relative)
        try:
            take(path, relative, known.get(relative), corpus, by, outcome, metadata)
        except (Problem, ValueError, OSError) as error:
            outcome.refused[relative] = str(getattr(error, "detail", error))
        on_file(path)
    if delete:
        for relative in known.keys() - seen:
            removal.remove_document(known[relative], by)
            outcome.removed += 1
    return outcome


def take(
    path: Path,
    relative: str,
    known: Document | None,
    corpus: Corpus,
    by: Membership,
    outcome: Outcome,
    metadata: dict[str, Any],
) -> None:
    """Upload a new file, replace a changed one, leave an unchanged one alone."""
    if path.suffix.lower() == ".json":
        outcome.documents += [fact.pk for fact in take_facts(path, corpus, by)]
        return
    with path.open("rb") as content:
        if known and known.sha256 == hashlib.file_digest(content, "sha256").hexdigest():
            outcome.unchanged += 1
            return
        content.seek(0)
        upload = UploadedFile(File(content), name=path.name, size=path.stat().st_size)
        if known:
            uploads.replace(known, upload, by, **metadata)
            outcome.documents.append(known.pk)
        else:
            outcome.documents.append(uploads.accept(corpus, upload, by, source_path=relative, **metadata).pk)


def take_facts(path: Path, corpus: Corpus, by: Membership) -> Iterator[Document]:
    """A JSON list of facts: `[{"text": …, "title"?: …, "tags"?: […]}, …]`. ValueError when it is not one."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(entries, list) or not all(isinstance(one, dict) and one.get("text") for one in entries):
        raise ValueError('A JSON file must be a list of facts: [{"text": "…", "title": "…", "tags": ["…"]}, …].')
    for one in entries:
        title, tags = str(one.get("title") or ""), [str(tag) for tag in one.get("tags") or []]
        yield facts.upsert(corpus, by, str(one["text"]), title, tags)

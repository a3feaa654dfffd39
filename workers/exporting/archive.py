"""The ZIP of an export: originals with their text, what is said of them, conversations, projects.

Written to a file piece by piece: a gigabyte of documents takes no more memory than one of their pages.
"""

import json
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.exceptions import SuspiciousFileOperation
from django.core.files.storage import default_storage
from django.db.models import Model, QuerySet
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _

from chat.leaving.transcripts import as_json, as_markdown
from chat.models import Conversation, Export, Project
from corpora.metadata.names import FREE_FIELD, METADATA_FIELDS
from corpora.models import Corpus, Document, UnitReading

PIECE = 256 * 1024  # bytes
ROWS = 20
NAME = 80  # characters of a title in a file's name

Report = Callable[[int, int], None]


def write_archive(export: Export, target: BinaryIO, report: Report) -> None:
    """`report(done, total)` after each document and conversation; what it raises ends the work."""
    own = {"organization_id": export.organization_id, "owner_id": export.owner_id}
    corpora = Corpus.objects.filter(**own, corpus_type=Corpus.Type.PERSONAL, deleted_at=None)
    documents = Document.objects.alive().filter(corpus__in=corpora).order_by("corpus", "created_at", "pk")
    conversations = Conversation.objects.filter(**own).select_related("agent", "project").order_by("created_at", "pk")
    total = documents.count() + conversations.count()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("README.txt", readme())
        write_list(archive, "corpora.json", map(corpus_as_json, corpora))
        write_list(archive, "projects.json", map(project_as_json, Project.objects.filter(**own)))
        readings = UnitReading.objects.filter(
            membership__organization=export.organization_id, membership__user=export.owner_id
        )
        write_list(archive, "courses.json", map(reading_as_json, readings.select_related("document__corpus")))
        done = 0
        for document in in_batches(documents.select_related("corpus")):
            write_document(archive, document)
            report(done := done + 1, total)
        for conversation in in_batches(conversations):
            write_conversation(archive, conversation)
            report(done := done + 1, total)


def readme() -> str:
    lines = (
        _("What is yours in Acervo: the documents of your personal corpora, your projects and your conversations."),
        _("documents/: originals; beside each its text (.text.txt) and what is said of it (.json)."),
        _("Facts are documents with a key: their JSON has it."),
        _("conversations/: each as Markdown, to read, and as JSON, for programs."),
        _("courses.json: which documents of courses you have opened and read, and when."),
        _("What lies in the trash is not in it, nor what belongs to your organization."),
    )
    return "\n".join(lines) + "\n"


def in_batches(rows: QuerySet[Any]) -> Iterator[Any]:
    """A row at a time, without holding a cursor open: the database is not kept waiting for the disk."""
    ids = list(rows.values_list("pk", flat=True))
    for start in range(0, len(ids), ROWS):
        found = rows.in_bulk(ids[start : start + ROWS])
        yield from (found[pk] for pk in ids[start : start + ROWS] if pk in found)


def write_list(archive: zipfile.ZipFile, name: str, rows: Iterable[dict[str, Any]]) -> None:
    archive.writestr(name, json.dumps(list(rows), ensure_ascii=False, indent=2, default=str))


def place_of_file(row: Model, title: str) -> str:
    """A name that every system takes, and that no other row has; its kind where nothing of the title can be kept."""
    try:
        name = get_valid_filename(title.strip(" .")[:NAME])
    except SuspiciousFileOperation:
        name = str(row._meta.model_name)
    return f"{name}-{str(row.pk)[:8]}"


def write_document(archive: zipfile.ZipFile, document: Document) -> None:
    """An original that is not there any more is left out: its text and what is said of it are not."""
    corpus = place_of_file(document.corpus, document.corpus.name)
    ending = Path(document.filename).suffix.lower()
    place = f"documents/{corpus}/{place_of_file(document, Path(document.filename).stem)}"
    try:
        original = default_storage.open(str(document.file.name), "rb")
    except FileNotFoundError:
        original = None
    if original is not None:
        with original, archive.open(f"{place}{ending}", "w", force_zip64=True) as entry:
            shutil.copyfileobj(original, entry, PIECE)
    text = document.texts.filter(version=document.version).values_list("text", flat=True).first()
    if text is not None:
        archive.writestr(f"{place}.text.txt", text)
    archive.writestr(f"{place}.json", json.dumps(document_as_json(document), ensure_ascii=False, indent=2, default=str))


def document_as_json(document: Document) -> dict[str, Any]:
    said = {name: getattr(document, name) for name in ("filename", "title", "summary", *METADATA_FIELDS, FREE_FIELD)}
    return {
        "id": document.pk,
        "corpus": document.corpus_id,
        **said,
        "media_type": document.media_type,
        "size": document.size,
        "source_date": document.source_date,
        "source": document.source_reference,
        "key": document.fact_key,
        "status": document.status,
        "created_at": document.created_at,
    }


def corpus_as_json(corpus: Corpus) -> dict[str, Any]:
    agents = corpus.assignments.values_list("agent__slug", flat=True)
    names = ("id", "name", "description", "is_active", "created_at")
    return {**{name: getattr(corpus, name) for name in names}, "agents": list(agents)}


def project_as_json(project: Project) -> dict[str, Any]:
    corpora = project.corpora.filter(deleted_at=None).values_list("pk", flat=True)
    return {"id": project.pk, "name": project.name, "created_at": project.created_at, "corpora": list(corpora)}


def reading_as_json(reading: UnitReading) -> dict[str, Any]:
    """Of a document that is deleted nothing is named."""
    document = reading.document
    is_gone = document.deleted_at or document.corpus.deleted_at
    named = {} if is_gone else {"course": document.corpus.name, "title": str(document)}
    return {"document": document.pk, **named, "opened_at": reading.opened_at, "read_at": reading.read_at}


def write_conversation(archive: zipfile.ZipFile, conversation: Conversation) -> None:
    day = f"{conversation.created_at:%Y-%m-%d}"
    place = f"conversations/{day}-{place_of_file(conversation, conversation.title)}"
    said = as_json(conversation)
    archive.writestr(f"{place}.json", json.dumps(said, ensure_ascii=False, indent=2, default=str))
    archive.writestr(f"{place}.md", as_markdown(said))
